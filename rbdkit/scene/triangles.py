"""Coloured triangle meshes, to which every shape is converted before it is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface of triangles.

    Attributes
    ----------
    vertices : ndarray (n, 3)
        Positions in m.
    normals : ndarray (n, 3)
        Unit outward normals.
    faces : ndarray (m, 3)
        Vertex numbers, counter-clockwise seen from outside.
    colors : ndarray (n, 3) or None
        Red, green, blue in [0, 1], or None where nothing has been chosen yet.
    """

    vertices: NDArray
    normals: NDArray
    faces: NDArray
    colors: NDArray | None = None

    def moved(self, pose: NDArray, scale: ArrayLike = 1.0) -> Triangles:
        """Return the surface scaled along its own axes (a number or three), then placed by a pose of shape (4, 4)."""
        factors = np.broadcast_to(np.asarray(scale, dtype=float), (3,))
        R = pose[:3, :3]
        normals = (self.normals / np.where(factors == 0.0, 1e-12, factors)) @ R.T
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        faces = self.faces if np.prod(factors) > 0.0 else self.faces[:, ::-1]
        return Triangles((self.vertices * factors) @ R.T + pose[:3, 3], normals, faces, self.colors)

    def painted(self, color: ArrayLike) -> Triangles:
        """Return the surface in one colour (3,), unless it already has its own."""
        if self.colors is not None:
            return self
        return Triangles(
            self.vertices, self.normals, self.faces, np.tile(np.asarray(color, float)[:3], (len(self.vertices), 1))
        )


def join(surfaces: Iterable[Triangles]) -> Triangles:
    """Return one surface of several painted ones."""
    parts = list(surfaces)
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Triangles(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.faces + offset for part, offset in zip(parts, offsets, strict=False)]),
        np.concatenate([part.painted((0.7, 0.7, 0.7)).colors for part in parts]),
    )


def revolve(profile: Iterable[ArrayLike], segments: int) -> Triangles:
    """Surface of revolution about z.

    Parameters
    ----------
    profile : iterable of array_like
        Smooth pieces from bottom to top with an edge between them, each of shape (k, 4) with rows (radius, height,
        radial normal, axial normal).
    segments : int
        Number of steps about the axis.
    """
    phi = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    cos, sin = np.cos(phi)[:, None], np.sin(phi)[:, None]
    surfaces = []
    for piece in profile:
        r, z, n_r, n_z = np.asarray(piece, dtype=float).T
        ones = np.ones_like(cos)
        vertices = np.stack([cos * r, sin * r, ones * z], axis=-1).reshape(-1, 3)
        normals = np.stack([cos * n_r, sin * n_r, ones * n_z], axis=-1).reshape(-1, 3)
        k = len(r)
        i, j = (grid.ravel() for grid in np.meshgrid(np.arange(segments), np.arange(k - 1), indexing="ij"))
        a, b = i * k + j, (i + 1) * k + j
        lower = np.stack([a, b, b + 1], axis=1)[r[j] > 0.0]
        upper = np.stack([a, b + 1, a + 1], axis=1)[r[j + 1] > 0.0]
        surfaces.append(Triangles(vertices, normals, np.concatenate([lower, upper])))
    offsets = np.cumsum([0, *(len(s.vertices) for s in surfaces)])
    return Triangles(
        np.concatenate([s.vertices for s in surfaces]),
        np.concatenate([s.normals for s in surfaces]),
        np.concatenate([s.faces + offset for s, offset in zip(surfaces, offsets, strict=False)]),
    )
