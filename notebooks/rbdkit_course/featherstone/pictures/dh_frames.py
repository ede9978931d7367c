"""Four sliders that lead from one Denavit-Hartenberg frame to the next, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.denavit_hartenberg import about_x, about_z
from rbdkit.model import Model
from rbdkit.scene import Arrow, palette, triple
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

FAINT = "#b9bec7"
SIZE = 0.25
"""Length of the frames' axes, m."""


def dh_frames() -> Playground:
    """The frames F_{i-1} and F_i with both joint axes and what lies between them."""
    sliders = [
        Slider("alpha", "rad", -3.14, 3.14, 0.9, "turn about x of the first frame: tilts the next joint axis"),
        Slider("a", "m", 0.0, 1.0, 0.5, "way along that x: the distance of the two joint axes"),
        Slider("theta", "rad", -3.14, 3.14, 0.7, "turn about the new z: the coordinate of a revolute joint"),
        Slider("d", "m", -0.6, 0.6, 0.35, "way along the new z: the coordinate of a prismatic joint"),
    ]
    return Playground("From one Denavit-Hartenberg frame to the next", sliders, draw, Model("frames"), height=440)


def draw(alpha: float, a: float, theta: float, d: float) -> Picture:
    """Both frames, the two axes as long grey arrows, the ways as coloured ones."""
    tilted = about_x(alpha, a)
    pose = tilted @ about_z(theta, d)
    x, z = palette.AXES[0], palette.AXES[2]
    arrows = [
        *_line(np.eye(4)),
        *_line(tilted),
        *_frame(np.eye(4), SIZE),
        *_frame(pose, SIZE),
        *_frame(tilted, 0.6 * SIZE, FAINT),
        *_arrow(np.zeros(3), np.array([a, 0.0, 0.0]), x),
        *_arrow(tilted[:3, 3], d * tilted[:3, 2], z),
        *_arrow(np.zeros(3), np.array([0.5 * SIZE * alpha / np.pi, 0.0, 0.0]), palette.JOINT, "turning"),
        *_arrow(tilted[:3, 3], 0.5 * SIZE * theta / np.pi * tilted[:3, 2], palette.JOINT, "turning"),
    ]
    rows = [(f"pose, row {k + 1}", "  ".join(f"{value:+.2f}" for value in row)) for k, row in enumerate(pose[:3] + 0.0)]
    note = (
        "Red, green, blue are x, y, z. First tilt by alpha and go by a along x, then turn by theta and go by d along "
        "the new z. The long red way is the common normal of the two grey axes."
    )
    return Picture(arrows=arrows, readout=rows, note=note)


def _frame(pose: NDArray, size: float, color: str | None = None) -> list[Arrow]:
    """Draw the axes of a frame as three arrows."""
    return [
        arrow
        for k in range(3)
        for arrow in _arrow(pose[:3, 3], size * pose[:3, k], palette.AXES[k] if color is None else color)
    ]


def _line(pose: NDArray) -> list[Arrow]:
    """Draw a joint axis in both directions from the frame."""
    return _arrow(pose[:3, 3] - 0.4 * pose[:3, 2], 0.85 * pose[:3, 2], FAINT)


def _arrow(start: NDArray, vector: NDArray, color: str, kind: str = "straight") -> list[Arrow]:
    return [Arrow(0, triple(start), triple(vector), color, kind)]  # type: ignore[arg-type]
