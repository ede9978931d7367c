"""Pictures of unified local velocity coordinates (Holzinger, Gerstmayr, Schöberl): six points with a direction each.

The velocity of a body is given by the six components of its points' velocities along these directions.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.figures.figure import Plot
from rbdkit.formulations.local_velocity import Projection
from rbdkit.scene.palette import AXES, GROUND, LINES, SPATIAL


def draw_projection(projection: Projection, w: ArrayLike | None = None, width: float = 5.0) -> Plot:
    """Draw the six points with their directions in the box that they span; with `w`, also the points' velocities.

    Parameters
    ----------
    projection : Projection
        The six points and directions.
    w : array_like (6,), optional
        Velocity coordinates of a motion: each point gets its velocity as a second arrow, and its coordinate beside
        its number.
    width : float, optional
        Width of the figure, inches.
    """
    figure = Plot(figsize=(width, width))
    ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    y, b = projection.points, projection.directions / np.linalg.norm(projection.directions, axis=1, keepdims=True)
    size = float(np.abs(y).max()) or 1.0
    _box(ax, y)
    for k in range(6):
        color = LINES[k // 2]
        ends = np.array([y[k] - 1.4 * size * b[k], y[k] + 1.4 * size * b[k]])
        ax.plot(*ends.T, color=color, alpha=0.25, linewidth=1.0)
        _arrow(ax, y[k], 0.6 * size * b[k], color)
        label = f" {k + 1}" if w is None else f" {k + 1}: {np.asarray(w, dtype=float)[k]:+.2f}"
        ax.text(*(1.08 * y[k]), label, color=color, fontsize=11)
    if w is not None:
        velocities = projection.N(y) @ np.asarray(w, dtype=float)
        scale = 0.9 * size / max(float(np.max(np.linalg.norm(velocities, axis=1))), 1e-12)
        for start, velocity in zip(y, velocities, strict=True):
            _arrow(ax, start, scale * velocity, SPATIAL["motion"][0])
    for k, axis in enumerate(np.eye(3)):
        _arrow(ax, np.zeros(3), 0.3 * size * axis, AXES[k], 1.0)
        ax.text(*(0.36 * size * axis), f"$e_{k + 1}$", color=AXES[k])
    _frame(ax, 1.1 * size)
    return figure


def draw_section(projection: Projection, w: ArrayLike, normal: int = 3, width: float = 4.0) -> Plot:
    """Draw the velocity field in the plane through the reference point normal to an axis, as in Figs 5 and 6.

    Parameters
    ----------
    projection : Projection
        The six points and directions.
    w : array_like (6,)
        Velocity coordinates of the motion.
    normal : int, optional
        1, 2 or 3, the axis that the plane is normal to.
    width : float, optional
        Width of the figure, inches.
    """
    i, k = [a for a in (0, 1, 2) if a != normal - 1]
    reach = 1.25 * (float(np.abs(projection.points).max()) or 1.0)
    grid = np.linspace(-reach, reach, 9)
    points = np.zeros((9, 9, 3))
    points[..., i], points[..., k] = np.meshgrid(grid, grid)
    v = projection.N(points) @ np.asarray(w, dtype=float)
    figure = Plot(figsize=(width, width), layout="constrained")
    ax = figure.subplots()
    ax.quiver(points[..., i], points[..., k], v[..., i], v[..., k], color=SPATIAL["motion"][1], pivot="mid")
    ax.plot(projection.points[:, i], projection.points[:, k], "o", color=LINES[0], markersize=5)
    for number, point in enumerate(projection.points, 1):
        if abs(point[normal - 1]) < 1e-12:
            ax.annotate(str(number), (point[i], point[k]), textcoords="offset points", xytext=(5, 5), color=LINES[0])
    ax.set(xlabel=f"$y_{i + 1}$ (m)", ylabel=f"$y_{k + 1}$ (m)", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def _box(ax: Any, points: NDArray) -> None:
    """Draw the edges of the box that the points (6, 3) span."""
    corners = np.array(list(product(*zip(points.min(axis=0), points.max(axis=0), strict=True))))
    for a, b in combinations(range(8), 2):
        if bin(a ^ b).count("1") == 1:  # corners that differ in one coordinate share an edge
            ax.plot(*corners[[a, b]].T, color=GROUND, alpha=0.5, linewidth=0.8)


def _arrow(ax: Any, start: NDArray, vector: NDArray, color: str, linewidth: float = 2.0) -> None:
    ax.quiver(*start, *vector, color=color, arrow_length_ratio=0.25, linewidth=linewidth)


def _frame(ax: Any, reach: float) -> None:
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), zlim=(-reach, reach))
    ax.set_box_aspect((1, 1, 1), zoom=1.08)
    ax.set_axis_off()
    ax.view_init(elev=24, azim=-57)
