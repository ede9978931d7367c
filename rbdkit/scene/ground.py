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
"""Of a disc, in diagonals of the picture."""
BELOW = 2e-3
"""In diagonals of the picture; discs lie so much lower than their planes, for what lies on these to be seen."""
NEAR = 2.0
"""In diagonals of the picture; grounds that are not farther away come into it."""
SIDES = 72


def reaching_to(grounds: Iterable[NDArray], outline: NDArray) -> NDArray:
    """An outline (k, 3) with the points of grounds, poses (4, 4) in the world, that are beside it."""
    middle, size = _middle(outline)
    feet = [_foot(pose, middle) for pose in grounds]
    return np.array([*outline, *(foot for foot in feet if np.linalg.norm(foot - middle) <= NEAR * size)])


def laid_under(scene: Scene, outline: NDArray) -> Scene:
    """The scene with another outline (k, 3), and with a grid and grounds that reach under that."""
    level = next((float(pose[2, 3]) for pose in scene.grounds if pose[2, 2] == 1.0), None)
    others = (part for part in scene.parts if part.layer != LAYER)
    discs = (Part(0, LAYER, _disc(pose, outline), OPACITY) for pose in scene.grounds)
    return replace(scene, outline=outline, grid=grid_under(outline, level), parts=(*others, *discs))


def _disc(pose: NDArray, outline: NDArray) -> Triangles:
    """A ground as far as it is drawn: a disc about the place below the middle of an outline."""
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
    """Middle and diagonal of the box about an outline."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return 0.5 * (low + high), float(np.linalg.norm(high - low)) or 1.0


def _foot(pose: NDArray, x: NDArray) -> NDArray:
    """The point of a plane below a point."""
    n = pose[:3, 2]
    return x - n * float(n @ (x - pose[:3, 3]))
