"""A force on a body that hangs on a joint, split into what accelerates and what the joint bears (Example 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints import ForceSplit, split_force
from rbdkit.joints import Cylindrical, Free, JointType, Planar, Prismatic, Revolute, Spherical
from rbdkit.library.pinion_hinge import pinion_hinge
from rbdkit.model import Model
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import se3
from rbdkit.spatial.fields import point_force
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

JOINTS: tuple[tuple[str, JointType], ...] = (
    ("hinge about y", Revolute("y")),
    ("slide along x", Prismatic("x")),
    ("cylinder along x", Cylindrical("x")),
    ("plane x, z", Planar("y")),
    ("ball joint", Spherical()),
    ("free", Free()),
)
"""Names and types of the joints: a tuple, which pages may compute with, as it cannot change."""
SCALE = 0.045  # metres of arrow for a newton
NOTHING = 1e-9  # N and N m, which count as none
WHOLE, ACCELERATES, BORNE = palette.SELECTED, palette.LINES[2], palette.LINES[3]


def beam() -> Model:
    """Return the beam of Example 3.2 without its wheels: 1.2 m along x from the joint, 3 kg."""
    return pinion_hinge(gear_radius=None)


_BEAM = beam()


def split_on(joint: str, force: NDArray, at: float) -> tuple[ForceSplit, NDArray]:
    """Split a force (3,), N, at the point (at, 0, 0) of the beam at rest: f_a, f_c, and the acceleration (6,)."""
    kind, I = dict(JOINTS)[joint], _BEAM.I[1]
    S = kind.motion_subspace(kind.neutral())
    parts = split_force(point_force(force, [at, 0.0, 0.0]), I, S)
    return parts, np.linalg.solve(I, parts.f_a)


def force_on_a_joint() -> Playground:
    """Drag the tip of the force: its two parts follow, each drawn where it acts."""
    force = [Slider(name, "N", -20.0, 20.0, rest) for name, rest in (("f x", 4.0), ("f y", 0.0), ("f z", 9.0))]
    return Playground(
        "A push on a joint",
        [
            Slider("joint", "", 0, len(JOINTS) - 1, 0, choices=tuple(name for name, _ in JOINTS)),
            Slider("at", "m", 0.0, 1.2, 1.1, "where on the beam the force acts", hard=True),
            *force,
        ],
        _draw,
        scene=framed(_BEAM, [-0.4, -0.5, -0.4], [1.5, 0.5, 0.7]),
        height=420,
        on_drag=_dragged,
        tour=[
            (
                "Push the far end",
                {"joint": "hinge about y", "at": 1.2, "f x": 0.0, "f y": 0.0, "f z": 10.0},
                "The beam turns so fast that its other end would go down: the hinge holds it up.",
            ),
            ("Push closer to the hinge", {"at": 0.4}, "Now the hinge holds it down."),
            ("Somewhere in between", {"at": 0.8}, "The hinge feels nothing: the red arrow is gone."),
            ("Push the hinge itself", {"at": 0.0}, "Nothing moves. All of it is red."),
            (
                "A slide instead, pushed aslant",
                {"joint": "slide along x", "at": 1.2, "f x": 10.0},
                "It moves by what points along x; the rest, and its moment, the slide bears.",
            ),
        ],
    )


def _dragged(pose: NDArray) -> Mapping[str, Any]:
    x, y, z = pose[:3, 3]
    at = float(np.clip(x, 0.0, 1.2))  # the force stays as upright on the beam as it can
    return {"at": at, "f x": float((x - at) / SCALE), "f y": float(y / SCALE), "f z": float(z / SCALE)}


def _draw(joint: str, at: float, fx: float, fy: float, fz: float) -> Picture:
    force = np.array([fx, fy, fz])
    parts, a = split_on(joint, force, at)
    tip = np.array([at, 0.0, 0.0]) + SCALE * force
    arrows = [
        Arrow(0, (at, 0.0, 0.0), tuple(SCALE * force), WHOLE, name="push"),
        *wrench_arrows(parts.f_a, ACCELERATES, "accelerates"),
        *wrench_arrows(-parts.f_c, BORNE, "answers"),
    ]
    return Picture(
        arrows=arrows,
        readout=[
            ("f_a: moment, force", _six(parts.f_a)),
            ("f_c: moment, force", _six(parts.f_c)),
            ("acceleration a", _six(a)),
        ],
        note="Yellow: the force. Green: the part that accelerates. Red: what the joint answers to the rest.",
        handle=se3.pose(position=tip),
    )


def wrench_arrows(f: NDArray, color: str, name: str = "") -> list[Arrow]:
    """Draw a spatial force as a force on its axis and a couple about it, in world axes; arrows may have zero length.

    It has no branches on its numbers, so that it can be compiled for a page.
    """
    moment, force = f[:3], f[3:]
    square = force @ force
    pure = square < NOTHING**2
    point = np.cross(force, moment) / np.maximum(square, NOTHING**2)  # of the axis, next to the origin
    couple = moment - np.cross(point, force)
    seen = np.where(pure, NOTHING, 0.2)  # beside a force a small one is no more than a blot
    turning = np.where(couple @ couple > seen**2, couple, 0.0)
    return [
        Arrow(0, tuple(point), tuple(np.where(pure, 0.0, SCALE * force)), color, name=name),
        Arrow(0, tuple(point), tuple(SCALE * turning), color, "turning", name),
    ]


def _six(f: NDArray) -> str:
    numbers = [f"{value:+.1f}" for value in np.where(np.abs(f) < 0.05, 0.0, f)]
    return "  ".join(numbers[:3]) + "\n" + "  ".join(numbers[3:])
