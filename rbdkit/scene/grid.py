"""The ground grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene.scene import Grid


def grid_under(outline: NDArray, height: float | None = None) -> Grid:
    """A grid for a scene that reaches to the points (k, 3).

    It lies at the given height, m; else at z = 0 if the scene stands on it, else level with its lowest point. Spacing
    is 1, 2 or 5 times a power of ten, about an eighth of the scene.
    """
    low, high = outline.min(axis=0), outline.max(axis=0)
    size = float(np.linalg.norm(high - low)) or 1.0
    if height is None:
        height = 0.0 if low[2] > -0.02 * size else float(low[2])
    spacing = nice(size / 8.0)
    x, y = spacing * np.round(0.5 * (low + high)[:2] / spacing)
    return Grid(height, spacing, 12, (float(x), float(y)))


def nice(length: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten, on a logarithmic scale."""
    decade = 10.0 ** np.floor(np.log10(length))
    steps = decade * np.array([1.0, 2.0, 5.0, 10.0])
    return float(steps[np.argmin(np.abs(np.log(steps / length)))])
