"""Lines as flat quadrilaterals of a given width in pixels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import Grid

RADII = (0.25, 0.45, 0.65, 0.85, 1.0)
"""Outer radii of the grid's rings, over its reach; `widgets/js/three_scene.js` has the same."""
OPACITIES = (0.36, 0.28, 0.2, 0.12, 0.06)
"""Opacity of each ring."""
PIECE = 24.0
"""Longest piece, px; longer lines are cut, since the rasteriser's box of a slanting one is mostly empty."""


def strokes(ends: NDArray, width: float, closest: float) -> tuple[NDArray, NDArray]:
    """Return vertices (4 k, 3) and triangles (2 k, 3), in picture coordinates, for lines between ends (n, 2, 3).

    ends : column, row (px) and depth (m) of both ends. width : of the strokes, px. closest : near plane, m.
    """
    ends = ends[(ends[..., 2] > closest).all(axis=1)]
    flat = ends[:, 1, :2] - ends[:, 0, :2]
    length = np.hypot(flat[:, 0], flat[:, 1])
    parts = np.maximum(1, np.ceil(np.minimum(length, 1e4) / PIECE).astype(int))
    of = np.repeat(np.arange(len(ends)), parts)
    s0 = (np.arange(len(of)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[of]
    a, b = (_between(ends[of], s) for s in (s0, s0 + 1.0 / parts[of]))
    along = flat[of] / np.maximum(length[of], 1e-9)[:, None]
    side = 0.5 * width * np.stack([-along[:, 1], along[:, 0], np.zeros(len(of))], axis=1)
    vertices = np.stack([a - side, b - side, b + side, a + side], axis=1).reshape(-1, 3)
    first = 4 * np.arange(len(of))[:, None]
    return vertices, np.concatenate([first + [0, 1, 2], first + [0, 2, 3]])


def _between(ends: NDArray, s: NDArray) -> NDArray:
    """Interpolate points of lines; column, row and 1 over the depth are linear in s."""
    point = ends[:, 0] + s[:, None] * (ends[:, 1] - ends[:, 0])
    point[:, 2] = 1.0 / (1.0 / ends[:, 0, 2] + s * (1.0 / ends[:, 1, 2] - 1.0 / ends[:, 0, 2]))
    return point


def rings(grid: Grid, center: NDArray) -> Iterator[tuple[NDArray, float]]:
    """Yield the world ends (k, 2, 3) of a grid's lines about a point (2,), ring by ring, each with its opacity."""
    reach = grid.spacing * grid.lines
    middle = np.append(np.round(center / grid.spacing) * grid.spacing, grid.height)
    inner = 0.0
    for fraction, opacity in zip(RADII, OPACITIES, strict=True):
        outer = fraction * reach
        d = grid.spacing * np.arange(-grid.lines, grid.lines + 1)
        d = d[np.abs(d) < outer]
        a, b = np.sqrt(np.maximum(inner**2 - d**2, 0.0)), np.sqrt(outer**2 - d**2)
        lines = []
        for sign in (-1.0, 1.0):
            lines.append(np.stack([np.stack([sign * a, d, 0 * d], 1), np.stack([sign * b, d, 0 * d], 1)], 1))
            lines.append(np.stack([np.stack([d, sign * a, 0 * d], 1), np.stack([d, sign * b, 0 * d], 1)], 1))
        yield np.concatenate(lines) + middle, opacity
        inner = outer
