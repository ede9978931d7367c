"""Yaw, pitch and roll angles q = (q1, q2, q3), rad: turns about z, then the new y, then the new x (Featherstone 4.5).

The coordinate transform from fixed to body axes is E = rx(q3) ry(q2) rz(q1) (Eq 4.7); `to_matrix` gives R = E^T, body
to fixed, like the other rotation modules.  At pitch +-90 degrees yaw and roll turn about the same line: gimbal lock.
Functions take stacks (..., 3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial.orthogonal import check as check_rotation

LOCK = 1e-7  # cos(pitch) below which yaw and roll cannot be told apart in double precision


def to_matrix(q: ArrayLike) -> NDArray:
    """Rotation matrix R = E^T (..., 3, 3), with E of Eq 4.7."""
    (c1, c2, c3), (s1, s2, s3) = _cos_sin(q)
    rows = [
        [c1 * c2, c1 * s2 * s3 - s1 * c3, c1 * s2 * c3 + s1 * s3],
        [s1 * c2, s1 * s2 * s3 + c1 * c3, s1 * s2 * c3 - c1 * s3],
        [-s2, c2 * s3, c2 * c3],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(R: ArrayLike) -> NDArray:
    """Yaw, pitch, roll of rotation matrices: yaw and roll in (-pi, pi], pitch in [-pi/2, pi/2].

    In gimbal lock only yaw -+ roll is determined; then the roll is set to zero and the yaw takes it all.

    Raises
    ------
    StateError
        If R is not a rotation matrix.
    """
    R = check_rotation(R)
    c2 = np.hypot(R[..., 0, 0], R[..., 1, 0])
    pitch = np.arctan2(-R[..., 2, 0], c2)
    locked = c2 < LOCK
    yaw = np.where(locked, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    roll = np.where(locked, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
    return np.stack([yaw, pitch, roll], axis=-1)


def rate_matrix(q: ArrayLike) -> NDArray:
    """The angular rows of S (Eq 4.8): body angular velocity = rate_matrix(q) q', (..., 3, 3)."""
    (_, c2, c3), (_, s2, s3) = _cos_sin(q)
    zero, one = np.zeros_like(s2), np.ones_like(s2)
    rows = [[-s2, zero, one], [c2 * s3, c3, zero], [c2 * c3, -s3, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rates(q: ArrayLike, omega: ArrayLike) -> NDArray:
    """q' under the body angular velocity omega (..., 3), rad/s.

    Raises
    ------
    StateError
        In gimbal lock, where some angular velocities need infinite rates.
    """
    q = np.asarray(q, dtype=float)
    if np.any(conditioning(q) < LOCK):
        raise StateError(f"gimbal lock: at pitch +-90 deg yaw and roll rates are not determined (q = {q}).")
    return np.linalg.solve(rate_matrix(q), np.asarray(omega, dtype=float)[..., None])[..., 0]


def conditioning(q: ArrayLike) -> NDArray:
    """Gimbal-lock indicator (...): least over largest singular value of `rate_matrix`, 1 at best, 0 in gimbal lock.

    The singular values are 1 and sqrt(1 -+ |sin pitch|).
    """
    pitch = np.asarray(q, dtype=float)[..., 1]
    return np.abs(np.cos(pitch)) / (1 + np.abs(np.sin(pitch)))


def _cos_sin(q: ArrayLike) -> tuple[tuple[NDArray, ...], tuple[NDArray, ...]]:
    q = np.asarray(q, dtype=float)
    c, s = np.cos(q), np.sin(q)
    return tuple(c[..., i] for i in range(3)), tuple(s[..., i] for i in range(3))
