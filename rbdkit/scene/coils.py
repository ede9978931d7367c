"""Springs and rods: a coil, or a straight line, between two points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Force, Model
from rbdkit.scene import palette
from rbdkit.scene.scene import Band
from rbdkit.scene.triangles import Triangles

TURNS, STEPS, SIDES = 9, 16, 6
"""Of a coil, of each turn, and of the wire."""
STRAIGHT = 0.12
"""Part of the length at each end that leads straight to the point."""
LAYER = "forces"


def bands_of(model: Model, size: float) -> tuple[Band, ...]:
    """The coils of force elements, and the lines of constraints, that have two ends. size : radius of a coil, m."""
    found = []
    for own in model.elements:
        ends = own.element.ends()
        if ends is None:
            continue
        frames = [model.frame(name) for name, _ in ends]
        places = [f.placement[:3, 3] + f.placement[:3, :3] @ point for f, (_, point) in zip(frames, ends, strict=True)]
        points = [(float(x), float(y), float(z)) for x, y, z in places]
        is_force = isinstance(own, Force)
        surface = coil(size) if is_force else line(0.25 * size)
        surface = surface.painted(palette.rgb(palette.FORCE if is_force else palette.JOINT))
        found.append(Band((frames[0].body, frames[1].body), (points[0], points[1]), LAYER, surface))
    return tuple(found)


def line(radius: float) -> Triangles:
    """A straight wire along x from 0 to 1."""
    x = np.linspace(0.0, 1.0, 3)
    return tube(np.stack([x, 0.0 * x, 0.0 * x], axis=1), radius)


def coil(radius: float) -> Triangles:
    """A wire along x from 0 to 1 that winds about it, straight at both ends."""
    s = np.linspace(0.0, 1.0, TURNS * STEPS + 1)
    grown = np.clip(np.minimum(s, 1.0 - s) * TURNS, 0.0, 1.0)  # the first and the last turn widen
    x = np.concatenate([[0.0], STRAIGHT + (1.0 - 2.0 * STRAIGHT) * s, [1.0]])
    turn = 2.0 * np.pi * TURNS * np.concatenate([[0.0], s, [1.0]])
    out = radius * np.concatenate([[0.0], grown, [0.0]])
    return tube(np.stack([x, out * np.cos(turn), out * np.sin(turn)], axis=1), 0.16 * radius)


def tube(path: NDArray, radius: float) -> Triangles:
    """A wire along a path (n, 3); as it is stretched along x only, its rings are round across the path's y and z."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    # a frame that goes along the path without turning about it
    aside = np.cross(along[0], [0.0, 0.6, 0.8])
    first = []
    for direction in along:
        aside = aside - direction * (aside @ direction)
        aside /= np.linalg.norm(aside)
        first.append(aside)
    second = np.cross(along, first)
    phi = 2.0 * np.pi * np.arange(SIDES) / SIDES
    normals = np.cos(phi)[None, :, None] * np.array(first)[:, None] + np.sin(phi)[None, :, None] * second[:, None]
    vertices = path[:, None] + radius * normals
    k, side = (grid.ravel() for grid in np.meshgrid(np.arange(len(path) - 1), np.arange(SIDES), indexing="ij"))
    a, b = k * SIDES + side, k * SIDES + (side + 1) % SIDES
    faces = np.concatenate([np.stack([a, b, b + SIDES], axis=1), np.stack([a, b + SIDES, a + SIDES], axis=1)])
    return Triangles(vertices.reshape(-1, 3), normals.reshape(-1, 3), faces)
