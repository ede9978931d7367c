"""The scene of a model with room around it for what a widget will draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.model import Model
from rbdkit.scene import Scene, scene_of
from rbdkit.scene.grid import grid_under


def framed(model: Model, low: ArrayLike, high: ArrayLike) -> Scene:
    """Make the scene of a model, framed to contain the box between two corners, (3,) each, m; without trails."""
    corners = np.array([low, high], dtype=float)
    return replace(scene_of(model, trails=()), outline=corners, grid=grid_under(corners))
