"""SO(3): rotation matrices, their exponential map, logarithm and tangent operators.

A rotation vector w (rad) has the direction of the axis and the length of the angle.  With W = skew(w), t = |w| and the
Stumpff functions c_k of t,

    exp(w)             = 1 + c_1 W + c_2 W^2           (Rodrigues)
    left_jacobian(w)   = 1 + c_2 W + c_3 W^2           dR R^T = skew(J_l dw)
    right_jacobian(w)  = 1 - c_2 W + c_3 W^2           R^T dR = skew(J_r dw)

so a body with R = exp(w(t)) has the angular velocity J_r(w) w' in body and J_l(w) w' in fixed coordinates.
All functions take stacks: vectors (..., 3), matrices (..., 3, 3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial import quaternion
from rbdkit.spatial.components import angle, split
from rbdkit.spatial.orthogonal import check, is_rotation, project
from rbdkit.spatial.stumpff import half_cotangent, sinc, stumpff, versine

__all__ = [
    "skew", "unskew", "exp", "log", "left_jacobian", "right_jacobian", "left_jacobian_inverse",
    "right_jacobian_inverse", "is_rotation", "check", "project", "random",
]  # fmt: skip

_EYE = np.eye(3)


def skew(w: ArrayLike) -> NDArray:
    """The matrix W with W u = w x u (Featherstone Eq 2.23, Sueda Eq 1.7).

    Parameters
    ----------
    w : array (..., 3)

    Returns
    -------
    array (..., 3, 3)
    """
    x, y, z = split(w, 3)
    W = np.zeros(np.shape(x) + (3, 3))
    W[..., 0, 1], W[..., 0, 2], W[..., 1, 2] = -z, y, -x
    W[..., 1, 0], W[..., 2, 0], W[..., 2, 1] = z, -y, x
    return W


def unskew(W: ArrayLike) -> NDArray:
    """The vector w with skew(w) = W; of a general matrix, that of its antisymmetric part."""
    W = np.asarray(W, dtype=float)
    return 0.5 * np.stack(
        [W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], axis=-1
    )


def exp(w: ArrayLike) -> NDArray:
    """Rotation matrix of a rotation vector.

    Parameters
    ----------
    w : array (..., 3)
        Axis times angle, rad.

    Returns
    -------
    array (..., 3, 3)
    """
    w = np.asarray(w, dtype=float)
    W, t = skew(w), angle(w)
    return _EYE + sinc(t) * W + versine(t) * W @ W


def log(R: ArrayLike) -> NDArray:
    """Rotation vector of a rotation matrix, with an angle from 0 to pi.

    The way leads through the quaternion, so axis and angle keep all digits both near 0 and near pi.  An exact
    half turn has two logarithms, w and -w: the one returned has its largest component positive.

    Raises
    ------
    StateError
        If R is not a rotation matrix.
    """
    return quaternion.log(quaternion.from_matrix(R))


def left_jacobian(w: ArrayLike) -> NDArray:
    """J_l with dR R^T = skew(J_l dw) for R = exp(w): rotation vector rate to angular velocity in fixed axes."""
    w = np.asarray(w, dtype=float)
    W, t = skew(w), angle(w)
    return _EYE + versine(t) * W + stumpff(3, t) * W @ W


def right_jacobian(w: ArrayLike) -> NDArray:
    """J_r with R^T dR = skew(J_r dw) for R = exp(w): rotation vector rate to angular velocity in body axes."""
    return left_jacobian(-np.asarray(w, dtype=float))


def left_jacobian_inverse(w: ArrayLike) -> NDArray:
    """Inverse of `left_jacobian`; infinite at |w| = 2 pi, where the rotation vector is not a good coordinate."""
    w = np.asarray(w, dtype=float)
    W, t = skew(w), angle(w)
    d, _ = half_cotangent(t)
    return _EYE - 0.5 * W + d * W @ W


def right_jacobian_inverse(w: ArrayLike) -> NDArray:
    """Inverse of `right_jacobian`; infinite at |w| = 2 pi, where the rotation vector is not a good coordinate."""
    return left_jacobian_inverse(-np.asarray(w, dtype=float))


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray:
    """Rotation matrices (shape + (3, 3)), uniform over SO(3)."""
    return quaternion.to_matrix(quaternion.random(rng, shape))
