"""Conversion of poses and gravity as users write them, and read-only arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import so3
from rbdkit.spatial.read_numbers import floats, numbers, require_sensible


def as_pose(placement: ArrayLike | object | None, what: str) -> NDArray:
    """A read-only 4x4 pose from None (identity), three numbers (a position), a 3x3 or 4x4 matrix, or a SciPy transform.

    Parameters
    ----------
    placement : array_like or object or None
        As above; objects with ``as_matrix()`` (`scipy.spatial.transform`) are welcome.
    what : str
        Whose placement it is, for the error message.

    Raises
    ------
    ModelError
        If the shape is none of these, a number is not finite or beyond 1e30, or the rotation is none (to 1e-9).
    """
    if placement is None:
        return _HERE
    as_matrix = getattr(placement, "as_matrix", None)
    given = floats(
        placement if as_matrix is None else as_matrix(),
        lambda v: f"placement of {what} is not made of numbers: {v}",
    )
    if given.shape not in _PARTS:
        raise ModelError(
            f"placement of {what} has shape {given.shape}; give a position (3,), a rotation (3, 3), a pose (4, 4) "
            "or a scipy.spatial.transform object"
        )
    T = np.eye(4)
    T[_PARTS[given.shape]] = given
    require_sensible(T, lambda v: f"placement of {what} holds a number that is not finite or absurd: {v}")
    if given.ndim == 2 and not (so3.is_rotation(T[:3, :3], 1e-9) and T[3].tolist() == [0.0, 0.0, 0.0, 1.0]):
        raise ModelError(
            f"placement of {what} is not a pose; its upper left 3x3 block must be a rotation matrix (determinant 1, "
            f"orthonormal columns) and its last row 0 0 0 1:\n{T}"
        )
    T.setflags(write=False)
    return T


def as_gravity(gravity: ArrayLike) -> NDArray:
    """Acceleration of free fall as a read-only array (3,); `ModelError` if it is no vector of numbers up to 1e30."""
    return frozen(numbers(gravity, (3,), lambda v: f"gravity must be three finite numbers (m/s2), not {v}"))


def frozen(values: ArrayLike) -> NDArray:
    """A read-only float copy."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


_HERE = frozen(np.eye(4))
_PARTS: dict[tuple[int, ...], tuple[slice, slice | int]] = {
    (3,): np.s_[:3, 3],
    (3, 3): np.s_[:3, :3],
    (4, 4): np.s_[:, :],
}
"""Block of a pose that an array of each accepted shape fills."""
