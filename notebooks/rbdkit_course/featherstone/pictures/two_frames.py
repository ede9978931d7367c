"""Two frames and the matrices between them: X for motions, X* for forces, in space or in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.scene import palette
from rbdkit.spatial import euler, planar, plucker, se3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.bare_frames import bare_frames

SHOWN = ("X, for motions", "X*, for forces", "X, in the plane", "X*, in the plane")


def pose_of(x: float, y: float, z: float, yaw: float, pitch: float, roll: float) -> NDArray:
    """Return the pose (4, 4) of frame B in frame A: shifted (m), then turned about z, y and x in turn (rad)."""
    return se3.pose(euler.to_matrix([yaw, pitch, roll]), [x, y, z])


def matrices(pose: NDArray, flat: bool) -> tuple[NDArray, NDArray]:
    """Return X and X* from A to B, (6, 6); in the plane (3, 3), for the turn about z and the shift along x and y."""
    X = plucker.from_pose(pose)
    if not flat:
        return X, plucker.force(X)
    X = planar.transform(float(np.arctan2(pose[1, 0], pose[0, 0])), pose[0, 3], pose[1, 3])
    return X, np.linalg.inv(X).T


def two_frames() -> Playground:
    """Drag frame B, or turn it: the two coordinate transforms follow."""
    angles = [Slider(name, "rad", -3.14, 3.14, rest) for name, rest in (("yaw", 0.6), ("pitch", 0.0), ("roll", 0.0))]
    lengths = [Slider(name, "m", -1.5, 1.5, rest) for name, rest in (("x", 0.6), ("y", 0.4), ("z", 0.2))]
    tip = "planar vectors are spatial ones without the first two numbers and the last"
    matrix = Slider("matrix", "", 0, 3, 0, tip, choices=SHOWN)
    scene = bare_frames("two frames", ("A", "B"), reach=1.4)
    return Playground("From A to B", [*lengths, *angles, matrix], _draw, scene=scene, height=440, on_drag=_dragged)


def _dragged(pose: NDArray) -> Mapping[str, Any]:
    yaw, pitch, roll = euler.from_matrix(pose[:3, :3])
    values = dict(zip(("x", "y", "z", "yaw", "pitch", "roll"), (*pose[:3, 3], yaw, pitch, roll), strict=True))
    return {name: float(value) for name, value in values.items()}


def _draw(x: float, y: float, z: float, yaw: float, pitch: float, roll: float, shown: str) -> Picture:
    flat = "plane" in shown
    pose = pose_of(x, y, 0.0, yaw, 0.0, 0.0) if flat else pose_of(x, y, z, yaw, pitch, roll)
    X, X_star = matrices(pose, flat)
    note = (
        "The same frames in planar vectors: three numbers for a motion, three for a force."
        if flat
        else "Shift B without turning it: 1 on the diagonal, and the shift shows in one corner; in X* in the other one."
    )
    return Picture(
        poses=np.stack([np.eye(4), pose]),
        figure=_table(X_star if "*" in shown else X),
        readout=[("largest entry of X X*ᵀ - 1", f"{np.abs(X @ X_star.T - np.eye(len(X))).max():.0e}")],
        note=note,
        handle=pose,
        handle_turns=True,
    )


def _table(matrix: NDArray) -> Plot:
    n = len(matrix)
    figure = Plot(figsize=(3.4, 2.2))
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    ax.set(xlim=(0, n), ylim=(n, 0), xticks=[], yticks=[])
    for i, j in np.argwhere(np.abs(matrix) > 5e-4):
        value = matrix[i, j]
        color = palette.LINES[0] if value > 0 else palette.LINES[1]
        ax.add_patch(Rectangle((j, i), 1, 1, color=color, alpha=min(0.75, 0.12 + 0.35 * abs(value)), linewidth=0))
        ax.text(j + 0.5, i + 0.5, f"{value:.2f}", ha="center", va="center", fontsize=9)
    if n == 6:
        ax.axhline(3, color="black", linewidth=0.7)
        ax.axvline(3, color="black", linewidth=0.7)
    for side in ax.spines.values():
        side.set_linewidth(0.7)
    return figure
