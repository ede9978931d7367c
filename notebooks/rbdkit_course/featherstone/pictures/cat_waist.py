"""The cat in the air, by hand: bend its waist, let the bend run round, and watch the whole cat roll the other way."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.floating_base import FloatingState, base_velocity, to_fixed_state, to_floating_base
from rbdkit.figures import Plot
from rbdkit.functions import center_of_mass, forward_kinematics, momentum
from rbdkit.library.falling_cat import HALF, cat_roll, falling_cat, waist
from rbdkit.scene import Arrow, scene_of
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.spatial import axis_angle, se3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.view import reaching

SPIN, WHOLE = LINES[1], LINES[0]
_X, _Y = np.eye(3)[:2]


def cat_waist() -> Playground:
    """Two sliders for a cat that hangs in the air, upside down and without angular momentum."""
    return Playground(
        "The waist of a falling cat",
        [
            Slider("bend", "rad", 0.0, 2.8, 1.32, "angle between the halves", hard=True),
            Slider("run round", "turns", 0.0, 2.0, 0.0, "how far the bend has run round the trunk", hard=True),
        ],
        draw,
        scene=reaching(scene_of(_CAT), _room()),
        height=400,
    )


def state(bend: float, runs: float) -> FloatingState:
    """Return the cat's state after its bent waist has let the bend run round; it starts upside down.

    Both halves are tilted by half the bend from the long direction X and have turned back about their own axes by as
    much as the bend has run; the plane of the bend has turned about X by what `cat_roll` says.
    """
    psi = 2.0 * np.pi * runs
    plane = axis_angle.to_matrix(_X, np.pi + psi + runs * cat_roll(bend))
    R = plane @ axis_angle.to_matrix(_Y, -0.5 * bend) @ axis_angle.to_matrix(_X, -psi)
    q, rate = waist(bend, psi), axis_angle.to_matrix(_waist_axis(psi), bend).T @ _X - _X
    v_0 = base_velocity(_SYSTEM, q, rate)
    return FloatingState(se3.pose(R, _centered(R, q)), q, v_0, rate)


def draw(bend: float, runs: float) -> Picture:
    """The cat, its turns, and how far one run of the bend rolls it."""
    at = state(bend, runs)
    q, v = to_fixed_state(at)
    h = momentum(_CAT, q, v, "com")
    rolled = runs * cat_roll(bend)
    slower = 1.0 + cat_roll(bend) / (2.0 * np.pi)  # turn of the whole for one turn of the halves
    arrows = [
        Arrow(1, (2.3 * HALF, 0.0, 0.0), (-0.8 * HALF, 0.0, 0.0), SPIN, "turning"),
        Arrow(2, (-1.6 * HALF, 0.0, 0.0), (-0.8 * HALF, 0.0, 0.0), SPIN, "turning"),
        Arrow(0, (-0.4 * HALF * slower, 0.0, 0.75 * HALF), (0.8 * HALF * slower, 0.0, 0.0), WHOLE, "turning"),
    ]
    return Picture(
        poses=_poses(q),
        arrows=arrows if bend > 0.0 else (),
        figure=roll_figure(bend),
        readout=[
            ("one run rolls it by", f"{np.rad2deg(cat_roll(bend)):.1f}°"),
            ("rolled so far", f"{np.rad2deg(rolled) + 0.0:.1f}°"),
            ("angular momentum", f"{np.linalg.norm(h[:3]):.0e} kg m²/s at 1 rad/s"),
        ],
        note="Orange: both halves turn about their own long axes. Blue: the bent cat as a whole turns the other way, "
        "more slowly, because a bent cat is harder to turn. What is left is the roll.",
    )


def roll_figure(bend: float) -> Plot:
    """Draw the roll of one run over the bend."""
    figure = Plot(figsize=(3.6, 2.4), layout="constrained")
    ax = figure.subplots()
    bends = np.linspace(0.0, 2.8, 120)
    ax.plot(bends, [np.rad2deg(cat_roll(b)) for b in bends], color=LINES[0])
    ax.axhline(-180.0, color=GROUND, linewidth=1.0, linestyle="--")
    ax.plot(bend, np.rad2deg(cat_roll(bend)), "o", color=LINES[1], markersize=7)
    ax.set(xlabel="bend (rad)", ylabel="roll of one run (°)", yticks=(0, -90, -180, -270, -360))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


_CAT = falling_cat()
_SYSTEM = to_floating_base(_CAT)


def _poses(q: ArrayLike) -> NDArray:
    return np.asarray(forward_kinematics(_CAT, q).poses)


def _room() -> NDArray:
    """Return poses (k, bodies, 4, 4) that take as much room as the cat and its arrows at all settings."""
    poses = np.repeat(_poses([to_fixed_state(state(1.2, k / 6))[0] for k in range(6)])[:, None], 3, axis=1)
    poses[:, :, 1:, 0, 3] += np.array([-0.9, 0.0, 0.9])[:, None] * HALF
    poses[:, 1, 1:, 2, 3] += 0.7 * HALF
    return poses.reshape(-1, *poses.shape[-3:])


def _waist_axis(psi: float) -> NDArray:
    return np.array([0.0, np.cos(psi), np.sin(psi)])


def _centered(R: NDArray, q: NDArray) -> NDArray:
    """Return the position of the waist when the centre of mass is at the origin."""
    at_origin, _ = to_fixed_state(FloatingState(se3.pose(R), q, np.zeros(6), np.zeros(3)))
    return -center_of_mass(_CAT, at_origin)
