"""Vertex normals for triangles that come without: smooth where the surface is, sharp at its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.scene.triangles import Triangles
from rbdkit.scene.unique_rows import unique_rows

CREASE = np.deg2rad(35.0)
"""Faces that lean further than this from the mean normal at a vertex keep an edge there."""


def shaded(vertices: ArrayLike, faces: ArrayLike, face_colors: NDArray | None = None) -> Triangles:
    """A surface with normals from bare triangles.

    Parameters
    ----------
    vertices : array_like (n, 3)
        Equal positions are welded.
    faces : array_like (m, 3)
    face_colors : ndarray (m, 3), optional
        One colour a face.

    Raises
    ------
    ValueError : no triangle has an area.
    """
    points, triangles = weld(np.asarray(vertices, dtype=float), np.asarray(faces, dtype=np.int64))
    corners = points[triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(areas, axis=1)
    keep = doubled > 1e-14 * max(float(doubled.max(initial=0.0)), 1e-300)
    if not keep.any():
        raise ValueError("all its triangles are degenerate: none has an area")
    triangles, areas, doubled = triangles[keep], areas[keep], doubled[keep]
    flat = areas / doubled[:, None]
    at = triangles.ravel()
    mean = np.stack([np.bincount(at, np.repeat(area, 3), len(points)) for area in areas.T], axis=1)
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)

    at_corner = mean[triangles]
    smooth = np.einsum("ijk,ik->ij", at_corner, flat) > np.cos(CREASE)
    normals = np.where(smooth[..., None], at_corner, flat[:, None, :]).reshape(-1, 3)
    rows = [triangles.reshape(-1, 1), np.round(normals * 127.0).astype(np.int64)]
    if face_colors is not None:
        rows.append(np.repeat(np.round(face_colors[keep] * 255.0).astype(np.int64) @ [[65536], [256], [1]], 3, axis=0))
    first, renumbered = unique_rows(np.hstack(rows))
    colors = None if face_colors is None else np.repeat(face_colors[keep], 3, axis=0)[first]
    return Triangles(points[triangles.ravel()[first]], normals[first], renumbered.reshape(-1, 3), colors)


def weld(vertices: NDArray, faces: NDArray) -> tuple[NDArray, NDArray]:
    """Merge vertices at one place, as STL files need, in which each triangle has its own three."""
    extent = float(np.ptp(vertices, axis=0).max(initial=0.0)) or 1.0
    first, renumbered = unique_rows(np.round(vertices / (1e-6 * extent)).astype(np.int64))
    return vertices[first], renumbered[faces]
