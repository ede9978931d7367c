"""Inertia handed across a hinge: the bodies change, the motion does not."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.equivalence import exchanged
from rbdkit.figures import Plot
from rbdkit.formulations import JointSystem
from rbdkit.integrators import INTEGRATORS
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.model import Model
from rbdkit.scene import Ellipsoid
from rbdkit.scene.equimomental import ellipsoid
from rbdkit.scene.palette import LINES, SELECTED, body_color
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

START = np.array([0.0, -0.4]), np.array([1.5, 0.0])
STEPS, H = 150, 0.02


def inertia_exchange() -> Playground:
    """A pair of particles leaves the forearm for the upper arm; two runs, one over the other."""
    return Playground(
        "Handing inertia across a hinge",
        [
            Slider("mass", "kg", -1.0, 4.0, 1.0, "that the forearm hands over"),
            Slider("along", "m", -0.5, 0.5, 0.0, "centre of the handed mass on the axis of the hinge"),
            Slider("apart", "m", 0.0, 0.5, 0.1, "distance of the two particles from their centre", hard=True),
            Slider("off the axis", "m", -0.3, 0.3, 0.0, "where they should not be"),
            Slider("time", "s", 0.0, STEPS * H, 0.6, hard=True),
        ],
        draw,
        scene=arm(),
        height=460,
    )


@lru_cache
def arm() -> Model:
    """Build an arm of two hinges at right angles, with a long hub on the forearm at the second one."""
    model = right_angle_arm("RR", length=0.5, seed=3)
    forearm = model.bodies[2].inertia
    assert forearm is not None
    both = forearm + Inertia.cylinder(0.05, 0.5, mass=1.5)
    return model.with_parameters({"link2.mass": both.mass, "link2.com": both.com, "link2.inertia": both.inertia_com})


def handed(mass: float, along: float, apart: float, off: float) -> NDArray:
    """Return the ten inertia parameters of two particles at z = along - apart and along + apart, x = off."""
    half = [Inertia(0.5 * mass, [off, 0.0, along + s * apart], check=False) for s in (-1.0, 1.0)]
    return half[0].ten_parameters + half[1].ten_parameters


def other_arm(mass: float, along: float, apart: float, off: float) -> Model:
    """Return the arm after the exchange."""
    return exchanged(arm(), "link2", handed(mass, along, apart, off))


def run(model: Model) -> NDArray:
    """Simulate a free swing; return q (steps + 1, 2). Masses of any sign are accepted."""
    system, rk4 = JointSystem(model), INTEGRATORS["rk4"]
    state = rk4.init(system, 0.0, *START)
    q = [state.x]
    for _ in range(STEPS):
        state = rk4.step(system, state, H)
        q.append(state.x)
    return np.array(q)


@lru_cache
def original_run() -> NDArray:
    """Simulate the original arm."""
    return run(arm())


def draw(mass: float, along: float, apart: float, off: float, time: float) -> Picture:
    """The arm with the ellipsoids of its new inertias, and both runs."""
    model = other_arm(mass, along, apart, off)
    q0, q1 = original_run(), run(model)
    k = round(time / H)
    difference = float(np.abs(q1 - q0).max())
    bodies = [body.inertia for body in model.bodies[1:]]
    possible = [inertia is not None and not inertia.findings() for inertia in bodies]
    return Picture(
        q=q0[k],
        ellipsoids=[*solids(bodies, possible), *particles(along, apart, off)],
        figure=curves(q0, q1, k),
        readout=[
            ("mass of the upper arm", f"{model.I[1][5, 5]:.2f} kg"),
            ("mass of the forearm", f"{model.I[2][5, 5]:.2f} kg"),
            ("can such a forearm be built?", "yes" if possible[1] else "no"),
            ("largest difference of the runs", f"{difference:.0e} rad"),
        ],
        note="Balls: what changes hands. Ellipsoids: bodies with the new inertias, where there can be any."
        if difference < 1e-6
        else "Off the axis the particles of the two bodies part when the hinge turns, and the motion is another one.",
    )


def solids(bodies: list[Inertia | None], possible: list[bool]) -> list[Ellipsoid]:
    """Return homogeneous ellipsoids with the same inertias, for the bodies with possible ones."""
    found = []
    for i, (inertia, good) in enumerate(zip(bodies, possible, strict=True), 1):
        if good and inertia is not None and inertia.mass > 1e-6:
            radii, pose = ellipsoid(inertia)
            found.append(Ellipsoid(i, pose[:3, 3], pose[:3, :3], np.maximum(radii, 0.004), body_color(i)))
    return found


def particles(along: float, apart: float, off: float) -> list[Ellipsoid]:
    """Draw the two particles that are exchanged as balls on the forearm."""
    places = [np.array([off, 0.0, along + s * apart]) for s in (-1.0, 1.0)]
    return [Ellipsoid(2, place, np.eye(3), np.full(3, 0.02), SELECTED) for place in places]


def curves(q0: NDArray, q1: NDArray, k: int) -> Plot:
    """Draw the angles over time: lines before, dots after the exchange."""
    t = H * np.arange(STEPS + 1)
    figure = Plot(figsize=(3.6, 2.3), layout="constrained")
    ax = figure.subplots()
    for j, name in enumerate(("shoulder", "elbow")):
        ax.plot(t, q0[:, j], color=LINES[j], linewidth=1.2, label=name)
        ax.plot(t[::5], q1[::5, j], ".", color=LINES[j], markersize=5)
    ax.axvline(t[k], color="#000000", linewidth=0.7)
    low, high = q0.min(), q0.max()
    ax.set_ylim(low - 0.2 * (high - low), high + 0.2 * (high - low))
    ax.set_xlabel("t (s)", fontsize=8)
    ax.set_ylabel("rad", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=7, frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure
