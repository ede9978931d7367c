"""Poses and gravity as users write them, and arrays that stay as they were made."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import so3


def as_pose(placement: ArrayLike | object | None, what: str) -> NDArray:
    """A read-only 4x4 pose from None (identity), three numbers (a position), a 3x3 or 4x4 matrix, or a SciPy transform.

    Parameters
    ----------
    placement : as above; objects with ``as_matrix()`` (`scipy.spatial.transform`) are welcome.
    what : whose placement it is, for the error message.

    Raises
    ------
    ModelError
        If the shape is none of these, a number is not finite, or the rotation is not a rotation (to 1e-9).
    """
    if placement is None:
        T = np.eye(4)
    else:
        as_matrix = getattr(placement, "as_matrix", None)
        try:
            given = np.array(as_matrix() if as_matrix is not None else placement, dtype=float)
        except (TypeError, ValueError) as fault:
            raise ModelError(f"placement of {what} is not made of numbers: {fault}") from None
        if given.shape == (3,):
            T = np.eye(4)
            T[:3, 3] = given
        elif given.shape == (3, 3):
            T = np.eye(4)
            T[:3, :3] = given
        elif given.shape == (4, 4):
            T = given
        else:
            raise ModelError(
                f"placement of {what} has shape {given.shape}; give a position (3,), a rotation (3, 3), a pose (4, 4) "
                "or a scipy.spatial.transform object"
            )
    if not np.all(np.isfinite(T)):
        raise ModelError(f"placement of {what} holds a number that is not finite:\n{T}")
    if not so3.is_rotation(T[:3, :3], 1e-9) or not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
        raise ModelError(
            f"placement of {what} is not a pose; its upper left 3x3 block must be a rotation matrix (determinant 1, "
            f"orthonormal columns) and its last row 0 0 0 1:\n{T}"
        )
    return frozen(T)


def as_gravity(gravity: ArrayLike) -> NDArray:
    """Acceleration of free fall as a read-only array (3,); raises `ModelError` if it is not three finite numbers."""
    try:
        g = frozen(gravity)
    except (TypeError, ValueError):
        g = frozen(np.nan)
    if g.shape != (3,) or not np.all(np.isfinite(g)):
        raise ModelError(f"gravity must be three finite numbers (m/s2), not {gravity!r}")
    return g


def frozen(values: ArrayLike) -> NDArray:
    """A read-only float copy."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array
