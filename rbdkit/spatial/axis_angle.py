"""Rotations by unit axis and angle."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import so3


def to_matrix(axis: ArrayLike, angle: ArrayLike) -> NDArray:
    """Rotation matrix (..., 3, 3) of the rotation about unit vectors `axis` (..., 3) by `angle` (...), rad.

    Raises
    ------
    StateError
        If an axis is not a unit vector.
    """
    u = np.asarray(axis, dtype=float)
    norm = np.sqrt((u * u).sum(axis=-1))
    if not np.all(np.abs(norm - 1.0) <= 1e-6):
        raise StateError(f"a rotation axis is a unit vector, got {u} of length {norm}.")
    return so3.exp(u * np.asarray(angle, dtype=float)[..., None])


def from_matrix(R: ArrayLike) -> tuple[NDArray, NDArray]:
    """Unit axis (..., 3) and angle (...), 0 to pi, of rotation matrices; the axis of no rotation is taken to be x."""
    w = so3.log(R)
    angle = np.sqrt((w * w).sum(axis=-1))
    still = (angle == 0.0)[..., None]
    return np.where(still, (1.0, 0.0, 0.0), w / np.where(still, 1.0, angle[..., None])), angle
