"""Rasteriser with a depth buffer: find the triangle that each pixel shows.

Over the picture, 1 over the depth and the barycentric weights of a projected triangle are affine functions
a x + b y + c of the pixel. `set_up` computes their coefficients, `covered` tests all pixels of each triangle's box at
once with NumPy, and `nearest` keeps the fragment with the largest 1 over the depth. Boxes are processed in portions, to
bound memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST = 2_000_000
"""Largest number of pixels that are tested at once (a single larger triangle excepted)."""


class Fragments(NamedTuple):
    """Pixels covered by triangles: index of pixel and triangle, weights (k, 2) of two corners, 1 over the depth."""

    pixel: NDArray
    triangle: NDArray
    weights: NDArray
    depth: NDArray


class Corners(NamedTuple):
    """Triangles prepared for rasterising, m of them.

    number : index of the triangle. first, second : coefficients (m, 3) of the weights of its first two corners as
    functions a x + b y + c of the pixel. near : the same of 1 over the depth. box : (m, 4), x, y, width, height, px.
    """

    number: NDArray
    first: NDArray
    second: NDArray
    near: NDArray
    box: NDArray


def set_up(seen: NDArray, faces: NDArray, width: int, height: int, closest: float) -> Corners:
    """Prepare the triangles that may be visible: within the picture, not degenerate, beyond the near plane.

    Parameters
    ----------
    seen : ndarray (n, 3)
        Column, row (px) and depth (m) of the vertices.
    faces : ndarray (m, 3)
        Vertices of each triangle.
    width, height : int
        Size of the picture, px.
    closest : float
        Depth of the near plane, m; a triangle that reaches before it is left out.
    """
    p = seen[faces]  # (m, 3 corners, 3)
    low, high = p[..., :2].min(axis=1), p[..., :2].max(axis=1)
    (x0, y0), (x1, y1), (x2, y2) = (p[:, k, :2].T for k in range(3))
    area = (x0 - x2) * (y1 - y2) - (x1 - x2) * (y0 - y2)
    start = np.clip(np.ceil(low - 0.5), 0, (width, height))
    end = np.clip(np.floor(high - 0.5) + 1, 0, (width, height))
    size = end - start
    good = (p[..., 2].min(axis=1) > closest) & (np.abs(area) > 1e-9) & (size > 0).all(axis=1)
    keep = np.flatnonzero(good)
    x0, y0, x1, y1, x2, y2, area = (a[keep] for a in (x0, y0, x1, y1, x2, y2, area))
    first = np.stack([(y1 - y2), (x2 - x1), (x1 * y2 - x2 * y1)], axis=1) / area[:, None]
    second = np.stack([(y2 - y0), (x0 - x2), (x2 * y0 - x0 * y2)], axis=1) / area[:, None]
    inverse = 1.0 / p[keep, :, 2]  # 1 over the depth, not the depth, is affine over the picture
    near = (inverse[:, :1] - inverse[:, 2:]) * first + (inverse[:, 1:2] - inverse[:, 2:]) * second
    near[:, 2] += inverse[:, 2]
    return Corners(keep, first, second, near, np.concatenate([start, size], axis=1)[keep].astype(np.int64))


def covered(corners: Corners, width: int) -> Iterator[Fragments]:
    """Yield the pixels whose centre lies in a triangle, some triangles at a time; `Fragments.depth` is 1 over depth."""
    counts = corners.box[:, 2] * corners.box[:, 3]
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + MOST, side="right")))
        yield _cover(corners, np.arange(begin, end), counts[begin:end], width)
        begin = end


def _cover(corners: Corners, rows: NDArray, counts: NDArray, width: int) -> Fragments:
    of = np.repeat(rows, counts)
    place = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    box = corners.box[of]
    down, across = np.divmod(place, box[:, 2])
    column, row = box[:, 0] + across, box[:, 1] + down
    x, y = column + 0.5, row + 0.5
    a, b = (w[of, 0] * x + w[of, 1] * y + w[of, 2] for w in (corners.first, corners.second))
    inside = np.flatnonzero((a >= 0.0) & (b >= 0.0) & (a + b <= 1.0))
    of, x, y = of[inside], x[inside], y[inside]
    near = corners.near[of]
    depth = near[:, 0] * x + near[:, 1] * y + near[:, 2]
    weights = np.stack([a[inside], b[inside]], axis=1)
    return Fragments(row[inside] * width + column[inside], corners.number[of], weights, depth)


def nearest(corners: Corners, width: int, buffer: NDArray) -> Fragments:
    """Return the nearest triangle of each pixel where it is nearer than the depth buffer, and update the buffer.

    buffer : (pixels,), 1 over the depth; 0 where nothing was drawn yet.
    """
    found: list[Fragments] = []
    for part in covered(corners, width):
        np.maximum.at(buffer, part.pixel, part.depth)
        found.append(part)
    if not found:
        return Fragments(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2)), np.zeros(0))
    # Only now is the buffer complete; of fragments at equal depth one is taken per pixel.
    seen = [np.flatnonzero(part.depth >= buffer[part.pixel]) for part in found]
    every = [np.concatenate([part[k][i] for part, i in zip(found, seen, strict=True)]) for k in range(4)]
    pixel, last = np.unique(every[0], return_index=True)
    return Fragments(pixel, every[1][last], every[2][last], every[3][last])
