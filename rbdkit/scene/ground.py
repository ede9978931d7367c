"""The grounds of a model: calm discs under whatever the picture holds, and the grid that lies on a level one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import palette
from rbdkit.scene.grid import grid_under
from rbdkit.scene.scene import Part, Scene
from rbdkit.scene.triangles import Triangles

LAYER = "ground"
OPACITY = 0.32
REACH = 1.1
"""Radius of a disc, in diagonals of the picture."""
BELOW = 2e-3
"""Distance of discs below their planes, in diagonals of the picture, so that what lies on the planes is visible."""
NEAR = 2.0
"""Largest distance, in diagonals of the picture, at which a ground is still drawn in it."""
SIDES = 72


def reaching_to(grounds: Iterable[NDArray], outline: NDArray) -> NDArray:
    """Return an outline (k, 3) extended by the nearest points of nearby grounds, poses (4, 4) in the world."""
    middle, size = _middle(outline)
    feet = [_foot(pose, middle) for pose in grounds]
    return np.array([*outline, *(foot for foot in feet if np.linalg.norm(foot - middle) <= NEAR * size)])


def laid_under(scene: Scene, outline: NDArray) -> Scene:
    """Return the scene with another outline (k, 3), and with a grid and grounds that reach under it."""
    level = next((float(pose[2, 3]) for pose in scene.grounds if pose[2, 2] == 1.0), None)
    others = (part for part in scene.parts if part.layer != LAYER)
    discs = (Part(0, LAYER, _disc(pose, outline), OPACITY) for pose in scene.grounds)
    return replace(scene, outline=outline, grid=grid_under(outline, level), parts=(*others, *discs))


def _disc(pose: NDArray, outline: NDArray) -> Triangles:
    """Return the drawn part of a ground: a disc about the point below the middle of an outline."""
    middle, size = _middle(outline)
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rim = REACH * size * np.stack([np.cos(angles), np.sin(angles), np.zeros(SIDES)], axis=1)
    at = np.array(pose)
    at[:3, 3] = _foot(pose, middle) - BELOW * size * pose[:3, 2]
    k = np.arange(SIDES)
    flat = Triangles(
        np.concatenate([np.zeros((1, 3)), rim]),
        np.tile([0.0, 0.0, 1.0], (SIDES + 1, 1)),
        np.stack([np.zeros(SIDES, dtype=int), 1 + k, 1 + (k + 1) % SIDES], axis=1),
    )
    return flat.moved(at).painted(palette.rgb(palette.GROUND))


def _middle(outline: NDArray) -> tuple[NDArray, float]:
    """Return middle and diagonal of the bounding box of an outline."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return 0.5 * (low + high), float(np.linalg.norm(high - low)) or 1.0


def _foot(pose: NDArray, x: NDArray) -> NDArray:
    """Return the foot of the perpendicular from a point to a plane."""
    n = pose[:3, 2]
    return x - n * float(n @ (x - pose[:3, 3]))
