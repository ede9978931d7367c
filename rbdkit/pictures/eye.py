"""Perspective camera of a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

HOME = (0.5, -0.8, 0.34)
"""Direction from the scene to the camera of a new view; `widgets/js/camera.js` has the same."""
MARGIN = 1.14
"""Factor by which the picture is larger than what it must contain."""
FIELD = np.radians(30.0)
"""Vertical field of view, rad."""


@dataclass(frozen=True, eq=False)
class Eye:
    """A perspective camera.

    Attributes
    ----------
    place : ndarray (3,)
        Its position in world coordinates, m.
    axes : ndarray (3, 3)
        Its axes in world coordinates, as rows: right, up, and backward (away from the scene).
    distance : float
        Distance to the scene, m.
    """

    place: NDArray
    axes: NDArray
    distance: float

    def moved(self, step: NDArray) -> Eye:
        """Return the camera displaced by a step (3,) in world coordinates, m."""
        return replace(self, place=self.place + step)

    def seen(self, points: NDArray, width: int, height: int) -> NDArray:
        """Project world points (k, 3) to the picture: column and row in px and depth in m, (k, 3).

        Points behind the camera have a negative depth; see `closest` in `set_up` for the near plane.
        """
        own = (points - self.place) @ self.axes.T
        depth = -own[:, 2]
        scale = 0.5 * height / np.tan(0.5 * FIELD) / np.where(np.abs(depth) < 1e-12, 1e-12, depth)
        return np.stack([0.5 * width + scale * own[:, 0], 0.5 * height - scale * own[:, 1], depth], axis=1)


def look_at(points: ArrayLike, aspect: float, direction: ArrayLike = HOME) -> Eye:
    """Place a camera so that points (k, 3) fill the picture, seen from a direction.

    Parameters
    ----------
    points : array_like (k, 3)
        World points that the picture contains, m.
    aspect : float
        Width of the picture over its height.
    direction : array_like (3,), optional
        Direction from the points to the camera.
    """
    points, back = np.asarray(points, dtype=float), np.asarray(direction, dtype=float)
    back = back / np.linalg.norm(back)
    upwards = np.array([0.0, 0.0, 1.0] if np.hypot(back[0], back[1]) > 1e-6 else [0.0, 1.0, 0.0])
    right = np.cross(upwards, back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    own = points @ axes.T
    # In camera axes (x right, y up, z backward), the cone of view with its tip at (x, y, z) contains a point if
    # |x_p - x| <= tangent (z - z_p): for each side this bounds x - tangent z or x + tangent z, by the extreme point.
    tangents = np.tan(0.5 * FIELD) / MARGIN * np.array([aspect, 1.0])
    high = (own[:, :2] + tangents * own[:, 2:]).max(axis=0)
    low = (own[:, :2] - tangents * own[:, 2:]).min(axis=0)
    depth = 0.5 * (own[:, 2].min() + own[:, 2].max())
    distance = float(np.max(0.5 * (high - low) / tangents) - depth) or 1.0
    return Eye(np.append(0.5 * (high + low), depth + distance) @ axes, axes, distance)
