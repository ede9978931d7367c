"""Triangles of a mesh file, as all readers return them, and the triangulation of polygons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles of one material.

    vertices : (n, 3), m. faces : (m, 3), vertices of each triangle. colors : (3,), (m, 3), or None if it has none.
    """

    vertices: NDArray
    faces: NDArray
    colors: NDArray | None = None


def fans(counts: NDArray) -> NDArray:
    """Split convex polygons into fans of triangles.

    counts : number of corners of each polygon, three or more. Returned are (m, 3) positions in the list of all
    polygons' corners.
    """
    starts = np.cumsum(counts) - counts
    triangles = counts - 2
    polygon = np.repeat(np.arange(len(counts)), triangles)
    k = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([starts[polygon], starts[polygon] + k + 1, starts[polygon] + k + 2], axis=1)


def together(pieces: Sequence[Piece]) -> tuple[NDArray, NDArray]:
    """Return vertices (n, 3) and faces (m, 3) of all pieces as one mesh."""
    offsets = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    faces = [piece.faces + offset for piece, offset in zip(pieces, offsets, strict=False)]
    return np.concatenate([piece.vertices for piece in pieces]), np.concatenate(faces)
