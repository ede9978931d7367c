"""Unit quaternions p = (p0, p1, p2, p3), scalar first: Euler parameters of a rotation (Featherstone Eq 4.10-4.13).

p and -p are the same rotation.  `to_matrix(p)` maps body coordinates to fixed coordinates; it is the transpose of the
coordinate transform E of Eq 4.12.  All functions take stacks (..., 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial.components import join, norm, split
from rbdkit.spatial.orthogonal import check as check_rotation
from rbdkit.spatial.read_numbers import floats
from rbdkit.spatial.stumpff import sinc


def multiply(p: ArrayLike, q: ArrayLike) -> NDArray:
    """The product p q: first the rotation q, then p."""
    p0, p1, p2, p3 = split(p, 4)
    q0, q1, q2, q3 = split(q, 4)
    return join(
        [
            p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
            p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
            p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1,
            p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0,
        ]
    )


def conjugate(p: ArrayLike) -> NDArray:
    """(p0, -p1, -p2, -p3), the inverse of a unit quaternion."""
    return np.asarray(p, dtype=float) * (1.0, -1.0, -1.0, -1.0)


def to_matrix(p: ArrayLike) -> NDArray:
    """Rotation matrix R (body to fixed coordinates) of a unit quaternion: the transpose of E in Eq 4.12.

    Parameters
    ----------
    p : array (..., 4)
        Unit quaternion; not normalised here (see `normalize` and `check`).

    Returns
    -------
    array (..., 3, 3)
    """
    p0, p1, p2, p3 = split(p, 4)
    R = np.empty(np.shape(p0) + (3, 3), dtype=float if isinstance(p0, float) else np.asarray(p0).dtype)
    R[..., 0, 0] = 1 - 2 * (p2 * p2 + p3 * p3)
    R[..., 1, 1] = 1 - 2 * (p1 * p1 + p3 * p3)
    R[..., 2, 2] = 1 - 2 * (p1 * p1 + p2 * p2)
    R[..., 0, 1], R[..., 1, 0] = 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p2 + p0 * p3)
    R[..., 0, 2], R[..., 2, 0] = 2 * (p1 * p3 + p0 * p2), 2 * (p1 * p3 - p0 * p2)
    R[..., 1, 2], R[..., 2, 1] = 2 * (p2 * p3 - p0 * p1), 2 * (p2 * p3 + p0 * p1)
    return R


def from_matrix(R: ArrayLike) -> NDArray:
    """Unit quaternion of a rotation matrix, with p0 >= 0.

    The matrix 4 p p^T is linear in R; its row with the largest diagonal element is a multiple of p without
    cancellation, whatever the angle.

    Raises
    ------
    StateError
        If R is not a rotation matrix.
    """
    R = check_rotation(R)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = split(R.reshape(R.shape[:-2] + (9,)), 9)
    K = np.empty(R.shape[:-2] + (4, 4))  # 4 p p^T
    K[..., 0, 0], K[..., 1, 1] = 1 + xx + yy + zz, 1 + xx - yy - zz
    K[..., 2, 2], K[..., 3, 3] = 1 - xx + yy - zz, 1 - xx - yy + zz
    K[..., 0, 1] = K[..., 1, 0] = zy - yz
    K[..., 0, 2] = K[..., 2, 0] = xz - zx
    K[..., 0, 3] = K[..., 3, 0] = yx - xy
    K[..., 1, 2] = K[..., 2, 1] = xy + yx
    K[..., 1, 3] = K[..., 3, 1] = zx + xz
    K[..., 2, 3] = K[..., 3, 2] = yz + zy
    rows = K.reshape(-1, 4, 4)
    largest = rows.diagonal(axis1=1, axis2=2).argmax(axis=1)
    p = rows[np.arange(len(rows)), largest].reshape(K.shape[:-1])
    return _upper(normalize(p))


def exp(w: ArrayLike) -> NDArray:
    """Unit quaternion of a rotation vector w (..., 3), rad (Eq 4.10)."""
    x, y, z = split(w, 3)
    half = 0.5 * norm(np.asarray(w, dtype=float))
    k = 0.5 * sinc(half)
    return join([np.cos(half), k * x, k * y, k * z])


def log(p: ArrayLike) -> NDArray:
    """Rotation vector (..., 3) of a unit quaternion, rad, with an angle from 0 to pi."""
    p = _upper(np.asarray(p, dtype=float))
    n = np.sqrt((p[..., 1:] ** 2).sum(axis=-1, keepdims=True))
    tiny = n < 1e-100  # where squares underflow; angle / n is 2 to all digits long before
    angle = 2 * np.arctan2(n, p[..., :1])
    return p[..., 1:] * np.where(tiny, 2.0, angle / np.where(tiny, 1.0, n))


def rate(p: ArrayLike, omega: ArrayLike) -> NDArray:
    """p' = p (0, omega)/2 under the body-frame angular velocity omega (..., 3), rad/s (Eq 4.13)."""
    p0, p1, p2, p3 = split(p, 4)
    x, y, z = split(omega, 3)
    return 0.5 * join(
        [-p1 * x - p2 * y - p3 * z, p0 * x - p3 * y + p2 * z, p3 * x + p0 * y - p1 * z, -p2 * x + p1 * y + p0 * z]
    )


def normalize(p: ArrayLike) -> NDArray:
    """p divided by its norm.

    Raises
    ------
    StateError
        If p is zero or not finite: it has no direction.
    """
    p = np.asarray(p, dtype=float)
    n = norm(p)
    if not np.all((n > 0.0) & np.isfinite(n)):
        raise StateError(f"a quaternion of norm 0 or not finite cannot be normalised: {p}.")
    return p / np.asarray(n)[..., None]


def check(p: ArrayLike, tol: float = 1e-6) -> NDArray:
    """p as a float array if it is a unit quaternion (or a stack of them).

    Raises
    ------
    StateError
        With the norm, if it differs from 1 by more than `tol`: an unnormalised quaternion scales everything after it.
    """
    p = floats(p, lambda v: f"a quaternion holds numbers, not {v}", StateError)
    if p.shape[-1:] != (4,):
        raise StateError(f"a quaternion has 4 numbers (w, x, y, z) on its last axis, got shape {p.shape}.")
    n = norm(p)
    if not np.all(np.abs(n - 1.0) <= tol):
        worst = np.ravel(n)[np.argmax(np.abs(np.ravel(n) - 1.0))]
        raise StateError(f"a rotation needs a unit quaternion, this one has norm {worst:.9g}: {p}. Use normalize(p).")
    return p


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray:
    """Unit quaternions (shape + (4,)), uniform over the rotations, p0 >= 0."""
    return _upper(normalize(rng.standard_normal((*shape, 4))))


def _upper(p: NDArray) -> NDArray:
    """p or -p, whichever has p0 >= 0."""
    return np.where(p[..., :1] < 0.0, -p, p)
