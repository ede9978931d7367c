"""Triangles of the shapes that a model's geometry is made of."""

from __future__ import annotations

from functools import lru_cache, singledispatch

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Sphere
from rbdkit.scene.normals import shaded
from rbdkit.scene.triangles import Triangles, revolve

ROUND = 40
"""Steps about the axis of a round solid."""


@singledispatch
def triangulate(shape: object, segments: int = ROUND) -> Triangles:
    """Triangles of a shape in its own frame; mesh files are read by `rbdkit.scene.mesh_reader` instead.

    Parameters
    ----------
    shape : object
        Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone, or Mesh with vertices.
    segments : int, optional
        Steps about the axis of a round solid, a multiple of 4.

    Raises
    ------
    TypeError : the shape is of no known kind.
    """
    raise TypeError(f"{shape!r} cannot be drawn: it is none of Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone, Mesh")


@triangulate.register
def _(shape: Box, segments: int = ROUND) -> Triangles:
    return unit_box().moved(np.eye(4), shape.size)


@triangulate.register
def _(shape: Sphere, segments: int = ROUND) -> Triangles:
    return unit_sphere(segments).moved(np.eye(4), shape.radius)


@triangulate.register
def _(shape: Ellipsoid, segments: int = ROUND) -> Triangles:
    return unit_sphere(segments).moved(np.eye(4), shape.radii)


@triangulate.register
def _(shape: Cylinder, segments: int = ROUND) -> Triangles:
    return cylinder(shape.radius, shape.length, segments)


@triangulate.register
def _(shape: Capsule, segments: int = ROUND) -> Triangles:
    h = 0.5 * shape.length
    theta = np.linspace(-0.5 * np.pi, 0.0, segments // 4 + 1)
    bottom, top = _arc(theta, shape.radius, -h), _arc(theta + 0.5 * np.pi, shape.radius, h)
    return revolve([np.concatenate([bottom, top])], segments)


@triangulate.register
def _(shape: Cone, segments: int = ROUND) -> Triangles:
    return cone(shape.radius, shape.length, segments)


@triangulate.register
def _(shape: Mesh, segments: int = ROUND) -> Triangles:
    if shape.vertices is None or shape.faces is None:
        raise TypeError(f"the mesh {shape.path!r} must be read from its file first")
    return shaded(shape.vertices * np.asarray(shape.scale), shape.faces)


@lru_cache
def unit_box() -> Triangles:
    """Cube of edge 1 about the origin."""
    corners: list[NDArray] = []
    normals: list[NDArray] = []
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            n = np.zeros(3)
            n[axis] = sign
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            if sign < 0.0:
                u, v = v, u
            start = len(corners)
            corners += [0.5 * (n + a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [n] * 4
            faces += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Triangles(np.array(corners), np.array(normals), np.array(faces))


@lru_cache
def unit_sphere(segments: int = ROUND) -> Triangles:
    """Ball of radius 1 about the origin."""
    return revolve([_arc(np.linspace(-0.5 * np.pi, 0.5 * np.pi, segments // 2 + 1), 1.0, 0.0)], segments)


@lru_cache
def cylinder(radius: float, length: float, segments: int = ROUND) -> Triangles:
    """Cylinder about z, centred."""
    r, h = radius, 0.5 * length
    bottom = [(0.0, -h, 0.0, -1.0), (r, -h, 0.0, -1.0)]
    side = [(r, -h, 1.0, 0.0), (r, h, 1.0, 0.0)]
    top = [(r, h, 0.0, 1.0), (0.0, h, 0.0, 1.0)]
    return revolve([bottom, side, top], segments)


@lru_cache
def cone(radius: float, length: float, segments: int = ROUND) -> Triangles:
    """Cone about z, apex up, the middle of its height at the origin."""
    r, h = radius, 0.5 * length
    n_r, n_z = np.array([length, radius]) / max(np.hypot(length, radius), 1e-12)
    side = [(r, -h, n_r, n_z), (0.0, h, n_r, n_z)]
    return revolve([[(0.0, -h, 0.0, -1.0), (r, -h, 0.0, -1.0)], side], segments)


def _arc(theta: NDArray, radius: float, height: float) -> NDArray:
    """Rows of a profile on a circle, theta counted from the equator."""
    c, s = np.cos(theta), np.sin(theta)
    c = np.where(np.isclose(np.abs(theta), 0.5 * np.pi), 0.0, c)  # a pole closes exactly
    return np.stack([radius * c, height + radius * s, c, s], axis=1)
