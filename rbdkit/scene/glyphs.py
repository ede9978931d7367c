"""Triangles of the marks that explain a model: rods, arrows, frames, joint axes, centres of mass."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.scene import palette
from rbdkit.scene.solids import cylinder, unit_sphere
from rbdkit.scene.triangles import Triangles, join, revolve


def along(start: ArrayLike, direction: ArrayLike) -> NDArray:
    """Pose, shape (4, 4), at `start` with its z axis along `direction`."""
    z = np.asarray(direction, dtype=float)
    z = z / np.linalg.norm(z)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    pose[:3, 3] = start
    return pose


def rod(start: NDArray, end: NDArray, radius: float, segments: int = 16) -> Triangles:
    """A straight cylinder between two points."""
    span = end - start
    return cylinder(1.0, 1.0, segments).moved(
        along(0.5 * (start + end), span), (radius, radius, float(np.linalg.norm(span)))
    )


def ball(center: ArrayLike, radius: float) -> Triangles:
    """A ball at a point."""
    pose = np.eye(4)
    pose[:3, 3] = center
    return unit_sphere(20).moved(pose, radius)


def arrow(start: ArrayLike, vector: ArrayLike, radius: float, segments: int = 14) -> Triangles:
    """An arrow from a point along a vector; its head never exceeds 40 % of its length."""
    length = float(np.linalg.norm(vector))
    head = min(5.0 * radius, 0.4 * length)
    neck, r_head = length - head, 0.42 * head
    n_r, n_z = np.array([head, r_head]) / np.hypot(head, r_head)
    profile = [
        [(0.0, 0.0, 0.0, -1.0), (radius, 0.0, 0.0, -1.0)],
        [(radius, 0.0, 1.0, 0.0), (radius, neck, 1.0, 0.0)],
        [(radius, neck, 0.0, -1.0), (r_head, neck, 0.0, -1.0)],
        [(r_head, neck, n_r, n_z), (0.0, length, n_r, n_z)],
    ]
    return revolve(profile, segments).moved(along(start, vector))


@lru_cache
def axes(length: float) -> Triangles:
    """A frame: arrows along x, y, z in the colours of the axes, and a small ball at the origin."""
    radius = 0.032 * length
    arms = [
        arrow(np.zeros(3), length * e, radius).painted(palette.rgb(c))
        for e, c in zip(np.eye(3), palette.AXES, strict=True)
    ]
    return join([*arms, ball(np.zeros(3), 1.9 * radius).painted(palette.rgb("#e9ecf0"))])


def turn(origin: NDArray, axis: NDArray, radius: float, thickness: float) -> Triangles:
    """An arrow bent three quarters round an axis, in the right-handed sense: a rotation."""
    sweep = 1.5 * np.pi
    phi, psi = np.linspace(0.0, sweep, 37), np.linspace(0.0, 2.0 * np.pi, 9)
    outward = np.stack([np.cos(phi), np.sin(phi), np.zeros_like(phi)], axis=1)
    normals = np.cos(psi)[None, :, None] * outward[:, None, :] + np.sin(psi)[None, :, None] * np.array([0.0, 0.0, 1.0])
    vertices = radius * outward[:, None, :] + thickness * normals
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(len(phi) - 1), np.arange(len(psi) - 1), indexing="ij"))
    a, b = i * len(psi) + j, (i + 1) * len(psi) + j
    faces = np.concatenate([np.stack([a, b, b + 1], axis=1), np.stack([a, b + 1, a + 1], axis=1)])
    ring = Triangles(vertices.reshape(-1, 3), normals.reshape(-1, 3), faces)
    tip = np.array([np.cos(sweep), np.sin(sweep), 0.0])
    forward = np.array([-np.sin(sweep), np.cos(sweep), 0.0])
    head = revolve(
        [[(0.0, 0.0, 0.0, -1.0), (1.0, 0.0, 0.0, -1.0)], [(1.0, 0.0, 0.93, 0.37), (0.0, 2.4, 0.93, 0.37)]], 12
    )
    grey = np.full(3, 0.5)
    return _unpainted(
        join([ring.painted(grey), head.moved(along(radius * tip, forward), 2.6 * thickness).painted(grey)])
    ).moved(along(origin, axis))


@lru_cache
def mass_mark(radius: float) -> Triangles:
    """A ball with its octants in two colours: the draughtsman's mark of a centre of mass."""
    sphere = unit_sphere(16)
    corners = sphere.vertices[sphere.faces].reshape(-1, 3)
    octant = np.sign(corners.reshape(-1, 3, 3).mean(axis=1)).prod(axis=1) > 0.0
    colors = np.where(np.repeat(octant, 3)[:, None], palette.rgb(palette.MASS[0]), palette.rgb(palette.MASS[1]))
    return Triangles(radius * corners, corners, np.arange(len(corners)).reshape(-1, 3), colors)


def _unpainted(surface: Triangles) -> Triangles:
    return Triangles(surface.vertices, surface.normals, surface.faces)
