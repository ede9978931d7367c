"""Where a picture is seen from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

HOME = (0.5, -0.8, 0.34)
"""Towards the eye, seen from what it looks at: `widgets/js/camera.js` has the same."""
MARGIN = 1.14
FIELD = np.radians(30.0)
"""Of view, from bottom to top."""


@dataclass(frozen=True, eq=False)
class Eye:
    """An eye.

    Attributes
    ----------
    place : ndarray (3,)
        In world coordinates, m.
    axes : ndarray (3, 3)
        Rows: to the right, upwards, and backwards, away from what is looked at.
    distance : float
        To what is looked at, m.
    """

    place: NDArray
    axes: NDArray
    distance: float

    def moved(self, step: NDArray) -> Eye:
        """The same eye elsewhere."""
        return replace(self, place=self.place + step)

    def seen(self, points: NDArray, width: int, height: int) -> NDArray:
        """Column and row in pixels and depth in m of world points (k, 3); shape (k, 3).

        What lies behind the eye or just before it has a depth below a hundredth of `distance`.
        """
        own = (points - self.place) @ self.axes.T
        depth = -own[:, 2]
        scale = 0.5 * height / np.tan(0.5 * FIELD) / np.where(np.abs(depth) < 1e-12, 1e-12, depth)
        return np.stack([0.5 * width + scale * own[:, 0], 0.5 * height - scale * own[:, 1], depth], axis=1)


def look_at(points: ArrayLike, aspect: float, direction: ArrayLike = HOME) -> Eye:
    """The eye that looks from a direction at points (k, 3), so that all are in the picture and fill it.

    Parameters
    ----------
    aspect : of the picture, its width over its height.
    direction : from what is looked at towards the eye.
    """
    points, back = np.asarray(points, dtype=float), np.asarray(direction, dtype=float)
    back = back / np.linalg.norm(back)
    upwards = np.array([0.0, 0.0, 1.0] if np.hypot(back[0], back[1]) > 1e-6 else [0.0, 1.0, 0.0])
    right = np.cross(upwards, back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    own = points @ axes.T
    # each point keeps the eye behind a plane on each side
    tangents = np.tan(0.5 * FIELD) / MARGIN * np.array([aspect, 1.0])
    high = (own[:, :2] + tangents * own[:, 2:]).max(axis=0)
    low = (own[:, :2] - tangents * own[:, 2:]).min(axis=0)
    depth = 0.5 * (own[:, 2].min() + own[:, 2].max())
    distance = float(np.max(0.5 * (high - low) / tangents) - depth) or 1.0
    return Eye(np.append(0.5 * (high + low), depth + distance) @ axes, axes, distance)
