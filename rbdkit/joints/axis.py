"""Axes of joints: a name or any unit vector, and the in-plane directions that go with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import numbers, shown

_NAMED = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def unit_axis(axis: str | ArrayLike) -> NDArray:
    """The axis as a read-only unit vector, shape (3,), of length 1 to round-off.

    Parameters
    ----------
    axis : 'x', 'y', 'z', one of these with a minus sign, or a vector of shape (3,) and length 1 (to 1e-9).

    Raises
    ------
    ModelError
        If the name is unknown, or the vector is not one of three finite numbers with length 1.
    """
    if isinstance(axis, str):
        sign, name = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        if name not in _NAMED:
            raise ModelError(f"axis {shown(axis)} is unknown: give 'x', 'y', 'z', '-x', '-y', '-z' or a unit vector")
        n = sign * np.array(_NAMED[name]) + 0.0
    else:
        n = np.array(numbers(axis, (3,), lambda v: f"axis {v} is not a vector of three finite numbers"))
        length = float(np.linalg.norm(n))
        if abs(length - 1.0) > 1e-9:
            mend = "divide it by its length" if length > 0.0 else "give the direction of the joint axis"
            raise ModelError(f"axis {n.tolist()} has length {length:.9g}, not 1; {mend}")
        if abs(length - 1.0) > 4.0 * np.finfo(float).eps:  # an axis that is already exact keeps all its digits
            n /= length
    n.setflags(write=False)
    return n


def plane_basis(n: NDArray) -> NDArray:
    """Rotation matrix whose third column is n; for x, y, z the others follow in cyclic order (z gives the identity)."""
    for k in range(3):
        if n[k] == 1.0:
            return np.roll(np.eye(3), -(k + 1), axis=1)
    helper = np.eye(3)[np.argmin(np.abs(n))]
    e1 = np.cross(helper, n)
    e1 /= np.linalg.norm(e1)
    return np.column_stack([e1, np.cross(n, e1), n])


def axis_argument(n: NDArray) -> str | list[float]:
    """The shortest way to write the axis down: its name if it has one."""
    for name, vector in _NAMED.items():
        if np.array_equal(n, vector):
            return name
        if np.array_equal(n, np.negative(vector)):
            return f"-{name}"
    return n.tolist()


def rotation_about(n: NDArray, angle: NDArray) -> NDArray:
    """Active rotation matrix about the unit vector n, shape (..., 3, 3), for angles of shape (...) (Rodrigues)."""
    c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    N = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]])
    outer = np.outer(n, n)
    return outer + c * (np.eye(3) - outer) + s * N


def angle_about(n: NDArray, R: NDArray) -> NDArray:
    """The angle in (-pi, pi] whose rotation about n comes closest to the rotation matrix R, shape (...)."""
    # the inner product trace(R.T @ exp(n angle)) is c * (trace R - n.R n) + s * (n.axial) + const; its largest value:
    axial = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    return np.arctan2(axial @ n, np.trace(R, axis1=-2, axis2=-1) - (R @ n) @ n)
