"""A beam on two feet under a load that is dragged, and its complementarity problem in the plane of both forces."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact import ContactEquation, VertexOnPlane, contact_equation
from rbdkit.algorithms.external_forces import wrench
from rbdkit.algorithms.solvers import LcpSolution, lemke
from rbdkit.figures import Plot
from rbdkit.joints import Planar
from rbdkit.model import Box, Geometry, Model, Sphere
from rbdkit.scene import Arrow, triple
from rbdkit.scene.palette import FORCE, GROUND, LINES
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

MASS, HALF, FOOT, HEIGHT = 2.0, 0.6, 0.4, 0.15
"""Mass of the beam, kg; its half length, position of its feet, and height, m."""
SCALE = 0.01
"""Length of the arrow of 1 N, m."""


def feasible_set() -> Playground:
    """Drag the load along the beam, up and down."""
    return Playground(
        "Two feet, one load",
        [
            Slider("place", "m", -0.6, 0.6, 0.1, "where the load is; or drag its upper end", hard=True),
            Slider("load", "N", 0.0, 40.0, 15.0, "how large it is", hard=True),
        ],
        draw,
        scene=framed(beam(), [-0.75, -0.2, -0.1], [0.75, 0.2, 0.6]),
        height=380,
        on_drag=dragged,
        tour=[
            (
                "The load in the middle",
                {"place": 0.0, "load": 15.0},
                "Both feet carry the same, half of beam and load.",
            ),
            ("Over a foot", {"place": 0.4}, "All of the load is on the right foot; the left one has half the beam."),
            (
                "Beyond it",
                {"place": 0.6},
                "The load begins to lift the left foot: less than half the beam is left on it.",
            ),
            (
                "Beyond it, and heavy",
                {"place": 0.6, "load": 40.0},
                "The left foot comes off. Its force is zero, and the corner lies on an axis.",
            ),
        ],
    )


@cache
def beam() -> Model:
    """Build a beam that moves in the x-z plane, with feet at both ends."""
    model = Model("beam")
    wood = Geometry(Box((2.0 * HALF, 0.08, 0.04)), color=(0.93, 0.62, 0.25))
    shapes = [wood]
    for x in (-FOOT, FOOT):
        shapes.append(
            Geometry(Box((0.03, 0.06, HEIGHT)), se3.pose(position=[x, 0.0, -HEIGHT / 2.0]), (0.55, 0.5, 0.45))
        )
        shapes.append(Geometry(Sphere(0.015), se3.pose(position=[x, 0.0, -HEIGHT]), (0.25, 0.25, 0.28)))
    inertia = Inertia.box([2.0 * HALF, 0.08, 0.04], mass=MASS)
    model.add_body("beam", joint=Planar("y"), inertia=inertia, geometry=shapes)
    return model


def problem(place: float, load: float) -> ContactEquation:
    """Return M and d of the two feet under a load."""
    model, q, v = beam(), np.array([0.0, HEIGHT, 0.0]), np.zeros(3)
    feet = [
        VertexOnPlane(name, "world", "beam", (x, 0.0, -HEIGHT)).at(model, q, v)
        for name, x in (("left", -FOOT), ("right", FOOT))
    ]
    push = wrench(force=[0.0, 0.0, -load], point=[place, 0.0, HEIGHT])
    return contact_equation(model, q, v, np.zeros(3), feet, f_ext={"beam": push})


def draw(place: float, load: float) -> Picture:
    """The beam with its forces, and the feasible set of its complementarity problem."""
    equation = problem(place, load)
    found = lemke(equation.M, equation.d, equation.names)
    arrows = [
        Arrow(0, (x, 0.0, 0.0), (0.0, 0.0, SCALE * float(force)), FORCE)
        for x, force in zip((-FOOT, FOOT), found.lam, strict=True)
        if force > 0.0
    ]
    end = np.array([place, 0.0, HEIGHT + 0.02 + SCALE * load])
    if load > 0.0:
        arrows.append(Arrow(0, triple(end), (0.0, 0.0, -SCALE * load), LINES[0]))
    handle = np.eye(4)
    handle[:3, 3] = end
    return Picture(
        q=[0.0, HEIGHT, 0.0],
        arrows=arrows,
        figure=_figure(equation, found),
        readout=[
            *((f"λ, ζ' of the {name} foot", f"{a:.2f} N, {b:.2f} m/s²") for name, a, b in
              zip(equation.names, found.lam, found.zeta, strict=True)),
            ("pivots", ", ".join(f"{pivot.enters} in, {pivot.leaves} out" for pivot in found.pivots) or "none"),
        ],
        note="Hatched: where a foot would sink in. The solution is a corner of what is left: on each foot's own line, "
        "or on the axis where its force is zero.",
        handle=handle,
    )  # fmt: skip


def dragged(pose: NDArray) -> dict[str, float]:
    """Return place and size of the load for a handle at a pose."""
    load = (pose[2, 3] - HEIGHT - 0.02) / SCALE
    return {"place": float(np.clip(pose[0, 3], -HALF, HALF)), "load": float(np.clip(load, 0.0, 40.0))}


def _figure(equation: ContactEquation, found: LcpSolution) -> Plot:
    figure = Plot(figsize=(3.7, 3.2), layout="constrained")
    ax = figure.subplots()
    top = 60.0
    x = np.array([0.0, top])
    for i, color in enumerate((LINES[1], LINES[2])):
        (m_1, m_2), d = equation.M[i], equation.d[i]
        ax.plot(x, -(m_1 * x + d) / m_2, color=color, linewidth=1.6, label=f"ζ' {equation.names[i]} = 0")
        below = np.full(2, -top) if m_2 > 0.0 else np.full(2, 2.0 * top)
        ax.fill_between(x, -(m_1 * x + d) / m_2, below, color=color, alpha=0.12, hatch="//", linewidth=0.0)
    ax.axhline(0.0, color=GROUND, linewidth=1.0)
    ax.axvline(0.0, color=GROUND, linewidth=1.0)
    ax.plot(*found.lam, "o", color=FORCE, markersize=9, label="solution", clip_on=False, zorder=5)
    ax.set(xlabel="λ left (N)", ylabel="λ right (N)", xlim=(-4.0, top), ylim=(-4.0, top))
    ax.legend(loc="upper right", fontsize=7, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
