"""A zigzag of rods, forces that are a little wrong, and accelerations that are very wrong: Fig 10.3."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rbdkit.accuracy import configuration_conditions, noise_fan, response
from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.library import zigzag_angles, zigzag_chain
from rbdkit.scene import Ellipsoid, scene_of
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.spatial import se3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.powers_of_ten import log_y

LINKS, SAMPLES = 6, 12
ANGLES = np.linspace(0.0, 170.0, 35)
CHAIN = zigzag_chain(LINKS)
CONDITIONS = configuration_conditions(LINKS, np.deg2rad(ANGLES))
UPRIGHT = se3.pose([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Turns the plane of the chain towards the eye; there is no gravity to mind."""
ROOM = np.array([[-0.3, -0.1, -1.3], [5.8, 0.1, 4.0]])


def zigzag_fan() -> Playground:
    """Fold the chain and let the actuators err; blue is where the chain should go, red where it may go instead."""
    start = zigzag_angles(LINKS)
    return Playground(
        "Forces that are slightly off",
        [
            Slider("angle", "°", 0.0, 170.0, 75.0, "between the rods", hard=True),
            Slider("force error", "%", 0.0, 3.0, 0.5, "of each joint force, at most", hard=True),
            Slider("after", "s", 0.0, 1.2, 0.8, "at these accelerations", hard=True),
            Slider("luck", "", 0, 50, 0, "another set of errors", hard=True),
        ],
        draw,
        scene=replace(scene_of(CHAIN, start, trails=[]), poses=upright_poses(start), outline=ROOM),
        height=430,
    )


def draw(angle: float, percent: float, after: float, luck: float) -> Picture:
    """Draw the rods a short time later: as wanted, and under forces with random errors."""
    q, wanted = zigzag_angles(LINKS, np.deg2rad(angle)), np.ones(LINKS)
    fan = noise_fan(CHAIN, q, wanted, percent / 100.0, SAMPLES, seed=round(luck))
    ghosts: list[Ellipsoid] = []
    if after:
        ends = q + 0.5 * after**2 * np.vstack([fan, wanted])
        ghosts = [rod for end in ends[:-1] for rod in _rods(end, LINES[3], 0.025)] + _rods(ends[-1], LINES[0], 0.045)
    error = float(np.abs(fan - 1.0).max())
    condition = response(CHAIN, q, wanted).condition
    return Picture(
        poses=upright_poses(q),
        ellipsoids=ghosts,
        figure=_figure(fan, angle, condition),
        readout=[
            ("condition of H", f"{condition:.0f}"),
            ("worst acceleration", f"{100.0 * error:.0f} % off"),
            ("errors grow by up to", f"{100.0 * error / percent:.0f}" if percent > 0.0 else "no error to grow"),
        ],
        note="From rest, without gravity; every joint is to accelerate by 1 rad/s².",
    )


def hinges(q: NDArray) -> NDArray:
    """Return the positions (n + 1, 2) of the hinges and of the last tip, in the plane of the chain."""
    along = np.exp(1j * np.cumsum(q))
    places = np.concatenate([[0.0], np.cumsum(along)])
    return np.stack([places.real, places.imag], axis=1)


def upright_poses(q: NDArray) -> NDArray:
    """Return the poses (n + 1, 4, 4) of the base and the rods in the picture."""
    poses = np.array(forward_kinematics(CHAIN, q).poses)
    poses[1:] = UPRIGHT @ poses[1:]
    return poses


def _rods(q: NDArray, color: str, thickness: float) -> list[Ellipsoid]:
    """Draw the rods as slender transparent ellipsoids."""
    places, front = hinges(q), np.array([0.0, 1.0, 0.0])
    ghosts = []
    for (x, z), (dx, dz) in zip(0.5 * (places[1:] + places[:-1]), np.diff(places, axis=0), strict=True):
        axes = np.column_stack([[dx, 0.0, dz], front, [-dz, 0.0, dx]])
        ghosts.append(Ellipsoid(0, np.array([x, 0.0, z]), axes, np.array([0.5, thickness, thickness]), color))
    return ghosts


def _figure(fan: NDArray, angle: float, condition: float) -> Plot:
    figure = Plot(figsize=(3.9, 4.3))
    above, below = figure.add_axes((0.17, 0.6, 0.8, 0.37)), figure.add_axes((0.17, 0.11, 0.8, 0.33))
    joints = np.arange(1, LINKS + 1)
    above.plot(joints, fan.T, color=LINES[3], linewidth=0.9, alpha=0.7, marker="o", markersize=2.5)
    above.plot(joints, np.ones(LINKS), color=GROUND, linewidth=2.5)
    above.set(xlabel="joint", ylabel="acceleration (rad/s²)", xticks=joints)
    lowest, highest = above.get_ylim()
    above.set_ylim(min(lowest, 0.0), max(highest, 2.0))
    _condition_curve(below, angle, condition)
    for ax in (above, below):
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize="small")
    return figure


def _condition_curve(ax: Axes, angle: float, condition: float) -> None:
    ax.plot(ANGLES, CONDITIONS, color=LINES[0], linewidth=1.6)
    ax.plot([angle], [condition], "o", color=LINES[1], markersize=7)
    log_y(ax, range(1, 5))
    ax.set(xlabel="angle of the zigzag (°)", ylabel="condition of H", xticks=range(0, 181, 30))
