"""A block that slides off a table, event by event: which contacts are tried, and which are kept (Table 11.1)."""

from __future__ import annotations

from functools import cache

import numpy as np

from rbdkit.algorithms.contact import ContactHistory, VertexOnFace, event_driven
from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.joints import Fixed, Planar
from rbdkit.model import Box, Geometry, Model
from rbdkit.scene import Arrow, triple
from rbdkit.scene.palette import FORCE, GROUND, LINES
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

TABLE = ((-2.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-2.0, 1.0, 0.0))
BELOW = ((-0.2, -0.1, -0.1), (-0.2, 0.1, -0.1), (0.2, 0.1, -0.1), (0.2, -0.1, -0.1))
PAIRS = (
    VertexOnFace("front", "world", "block", (0.2, 0.0, -0.1), TABLE),
    VertexOnFace("back", "world", "block", (-0.2, 0.0, -0.1), TABLE),
    VertexOnFace("edge", "block", "world", (0.0, 0.0, 0.0), BELOW),
)
SCALE = 0.012
"""Length of the arrow of 1 N, m."""


def contact_events() -> Playground:
    """Step from event to event."""
    count = len(history().changes)
    return Playground(
        "Off the table",
        [Slider("event", "", 0, count - 1, 0, "which of them", choices=tuple(str(k + 1) for k in range(count)))],
        draw,
        scene=framed(block(), [-0.8, -0.3, -0.4], [0.5, 0.3, 0.4]),
        height=380,
    )


@cache
def block() -> Model:
    """Build a block that moves in the x-z plane, and a table for display only."""
    model = Model("block and table")
    top = Geometry(Box((1.0, 0.5, 0.02)), se3.pose(position=[-0.5, 0.0, -0.01]), (0.75, 0.7, 0.62))
    model.add_body("table", joint=Fixed(), geometry=top)
    wood = Geometry(Box((0.4, 0.2, 0.2)), color=(0.93, 0.62, 0.25))
    model.add_body("block", joint=Planar("y"), inertia=Inertia.box([0.4, 0.2, 0.2], mass=2.0), geometry=wood)
    return model


@cache
def history() -> ContactHistory:
    """Simulate the block event by event; it slides at 1 m/s and first lies on the table with both corners."""
    start, speed = np.array([0.0, 0.1, -0.35]), np.array([0.0, 0.0, 1.0])
    return event_driven(block(), start, speed, PAIRS, duration=0.42, h=0.02)


def draw(event: str) -> Picture:
    """The block at an event, with the forces of the contacts that are kept, and what the procedure did there."""
    run = history()
    change = run.changes[int(event) - 1]
    row = int(np.searchsorted(run.t, change.t, side="right")) - 1
    q = run.q[row]
    pose = forward_kinematics(block(), q).pose("block")
    arrows = []
    for pair in PAIRS:
        on_block = pair.successor == "block"
        at = pose[:3, :3] @ pair.vertex + pose[:3, 3] if on_block else np.array(pair.vertex)
        if pair.name in change.active:
            normal = np.array([0.0, 0.0, 1.0]) if on_block else pose[:3, 2]
            arrows.append(Arrow(0, triple(at), triple(SCALE * change.lam[pair.name] * normal), FORCE))
        elif pair.name in change.tried:
            arrows.append(Arrow(0, triple(at), (0.0, 0.0, 0.04), GROUND))
    return Picture(
        q=q,
        arrows=arrows,
        figure=_figure(run, change.t),
        readout=[
            ("time", f"{change.t:.4f} s"),
            ("what happened", f"{change.kind} of {', '.join(change.names)}"),
            ("tried", ", ".join(change.tried) or "none"),
            ("kept", ", ".join(f"{name} with {force:.2f} N" for name, force in change.lam.items()) or "none"),
        ],
        note="Pink: forces of contacts that are kept. Grey: tried, and let go. At its front corner no force told that "
        "the table ends; at the back the force fell to zero.",
    )


def _figure(run: ContactHistory, t: float) -> Plot:
    figure = Plot(figsize=(3.7, 2.4), layout="constrained")
    ax = figure.subplots()
    for i, pair in enumerate(PAIRS):
        ax.plot(run.t, run.lam[:, i], color=LINES[i], linewidth=1.6, label=pair.name)
    ax.axvline(t, color=FORCE, linewidth=0.9, linestyle="--")
    ax.set(xlabel="time (s)", ylabel="force (N)")
    ax.legend(fontsize=7, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
