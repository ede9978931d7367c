"""SE(3): poses, twists, exponential map, logarithm, adjoints and tangent operators.

A pose T = [R p; 0 1] of frame B in frame A maps B coordinates to A coordinates.  A twist xi = (w, v) is angular first.
Twists are rotation vectors over the dual numbers, w + eps v with eps^2 = 0, so each formula of `so3` gives its SE(3)
counterpart by differentiation along v:  f(w + eps v) = f(w) + eps Df(w)[v].  That is where the lower left blocks below
come from.  All functions take stacks: twists (..., 6), poses (..., 4, 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import quaternion, so3
from rbdkit.spatial.check_arguments import answers_keywords
from rbdkit.spatial.components import angle
from rbdkit.spatial.cross import crm
from rbdkit.spatial.read_numbers import floats, shown
from rbdkit.spatial.stumpff import half_cotangent, stumpff

_EYE = np.eye(3)


TURNS = {
    name: "give the rotation as a matrix, a quaternion (w, x, y, z) or scipy.spatial.transform.Rotation, such as "
    "rotation=Rotation.from_euler('xyz', [roll, pitch, yaw])"
    for name in ("rpy", "euler", "angles", "rotvec", "quaternion", "quat", "axis", "angle", "r", "orientation")
} | {name: f"{name} is called position here" for name in ("p", "xyz", "translation", "origin", "t")}
"""What to write for keywords that poses have elsewhere."""


@answers_keywords(TURNS)
def pose(rotation: Any = None, position: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """Pose [R p; 0 1] from a rotation and a position (Sueda Eq 1.1).

    Parameters
    ----------
    rotation : None, array_like (..., 3, 3), array_like (..., 4) or scipy.spatial.transform.Rotation, optional
        A rotation matrix, or a unit quaternion, scalar first; None is no rotation.
    position : array_like (..., 3), optional
        Position of the frame's origin in the reference frame, m.

    Returns
    -------
    ndarray (..., 4, 4)
        It takes coordinates in the frame to coordinates in the reference frame.

    Raises
    ------
    StateError
        If the rotation is not a rotation matrix or not a unit quaternion, or the position is not finite.

    Examples
    --------
    A quarter turn about z, and one metre up. Where is the point that the frame has at (1, 0, 0)?

    >>> import rbdkit as rbd
    >>> T = rbd.pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 1])
    >>> (T @ [1, 0, 0, 1]).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    p = floats(position, lambda v: f"the position {v} is not made of numbers", StateError)
    if p.shape[-1:] != (3,):
        raise StateError(f"the position has shape {p.shape}, it must be (3,), or (..., 3) for a stack.")
    if not np.isfinite(p).all():
        raise StateError(f"the position is not finite: {shown(p)}.")
    if rotation is None:
        R = _EYE
    elif hasattr(rotation, "as_matrix"):
        R = rotation.as_matrix()
    elif (turn := floats(rotation, lambda v: f"the rotation {v} is not made of numbers", StateError)).shape[-1:] == (
        4,
    ):
        R = quaternion.to_matrix(quaternion.check(turn))
    elif turn.shape == (3,):
        raise StateError(
            f"the rotation {shown(rotation)} has three numbers: give a matrix (3, 3), a quaternion (w, x, y, z), or of "
            "scipy.spatial.transform Rotation.from_rotvec(...) or Rotation.from_euler('xyz', ...) of these"
        )
    else:
        R = so3.check(turn)
    return _assemble(R, p)


def inverse(T: ArrayLike) -> NDArray:
    """Inverse pose [R^T, -R^T p; 0 1] (Sueda Eq 1.4)."""
    R, p = _split(T)
    Rt = np.swapaxes(R, -1, -2)
    return _assemble(Rt, -_apply(Rt, p))


def bracket(xi: ArrayLike) -> NDArray:
    """The 4x4 matrix [skew(w) v; 0 0] of a twist (Sueda Eq 1.6); T' = T bracket(xi) for the body twist xi (Eq 1.8)."""
    w, v = _halves(xi)
    B = np.zeros(w.shape[:-1] + (4, 4))
    B[..., :3, :3], B[..., :3, 3] = so3.skew(w), v
    return B


def unbracket(B: ArrayLike) -> NDArray:
    """The twist of a 4x4 matrix [skew(w) v; 0 0]."""
    B = np.asarray(B, dtype=float)
    return np.concatenate([so3.unskew(B[..., :3, :3]), B[..., :3, 3]], axis=-1)


def exp(xi: ArrayLike) -> NDArray:
    """Pose reached from the identity after unit time at the constant body twist xi (Sueda Eq 1.10).

    Parameters
    ----------
    xi : array (..., 6)
        (w, v): rad, m.

    Returns
    -------
    array (..., 4, 4)
    """
    w, v = _halves(xi)
    return _assemble(so3.exp(w), _apply(so3.left_jacobian(w), v))


def log(T: ArrayLike) -> NDArray:
    """The twist xi (..., 6) with exp(xi) = T and an angle from 0 to pi; see `so3.log` for half turns.

    Raises
    ------
    StateError
        If the upper left block is not a rotation matrix.
    """
    R, p = _split(T)
    w = so3.log(R)
    return np.concatenate([w, _apply(so3.left_jacobian_inverse(w), p)], axis=-1)


def adjoint(T: ArrayLike) -> NDArray:
    """Ad(T) = [R 0; skew(p) R, R], which takes a twist from child to parent coordinates (Sueda Eq 1.14)."""
    R, p = _split(T)
    return _blocks(R, so3.skew(p) @ R)


def ad(xi: ArrayLike) -> NDArray:
    """ad(xi) = [skew(w) 0; skew(v) skew(w)]: d/dt Ad(T) = Ad(T) ad(xi) for the body twist xi (Sueda Eq 1.19)."""
    return crm(xi)


def left_jacobian(xi: ArrayLike) -> NDArray:
    """J_l (..., 6, 6) with T' T^-1 = bracket(J_l xi') for T = exp(xi): twist rate to the twist in fixed coordinates."""
    w, v = _halves(xi)
    W, V, wv = so3.skew(w), so3.skew(v), (w * v).sum(axis=-1, keepdims=True)[..., None]
    t = angle(w)
    c2, c3, c4, c5 = (stumpff(k, t) for k in (2, 3, 4, 5))
    J = _EYE + c2 * W + c3 * W @ W
    DJ = c2 * V + c3 * (W @ V + V @ W) + wv * ((2 * c4 - c3) * W + (3 * c5 - c4) * W @ W)  # c_k' = t (k c_k+2 - c_k+1)
    return _blocks(J, DJ)


def right_jacobian(xi: ArrayLike) -> NDArray:
    """J_r (..., 6, 6) with T^-1 T' = bracket(J_r xi') for T = exp(xi): twist rate to the body twist."""
    return left_jacobian(-np.asarray(xi, dtype=float))


def left_jacobian_inverse(xi: ArrayLike) -> NDArray:
    """Inverse of `left_jacobian`; infinite at |w| = 2 pi."""
    w, v = _halves(xi)
    W, V, wv = so3.skew(w), so3.skew(v), (w * v).sum(axis=-1, keepdims=True)[..., None]
    d, e = half_cotangent(angle(w))
    J = _EYE - 0.5 * W + d * W @ W
    DJ = -0.5 * V + d * (W @ V + V @ W) + wv * (d * d - 3 * e) * W @ W  # d' = t (d^2 - 3 e)
    return _blocks(J, DJ)


def right_jacobian_inverse(xi: ArrayLike) -> NDArray:
    """Inverse of `right_jacobian`; infinite at |w| = 2 pi."""
    return left_jacobian_inverse(-np.asarray(xi, dtype=float))


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray:
    """Poses (shape + (4, 4)): uniform rotation, position of standard normal coordinates (m)."""
    return _assemble(so3.random(rng, shape), rng.standard_normal((*shape, 3)))


def _assemble(R: NDArray, p: NDArray) -> NDArray:
    T = np.zeros(np.broadcast_shapes(R.shape[:-2], p.shape[:-1]) + (4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def _split(T: ArrayLike) -> tuple[NDArray, NDArray]:
    T = np.asarray(T, dtype=float)
    if T.shape[-2:] != (4, 4):
        raise ValueError(f"a pose has shape (4, 4) on its last axes, got {T.shape}.")
    return T[..., :3, :3], T[..., :3, 3]


def _halves(xi: ArrayLike) -> tuple[NDArray, NDArray]:
    xi = np.asarray(xi, dtype=float)
    if xi.shape[-1:] != (6,):
        raise ValueError(f"a twist has 6 numbers (angular first) on its last axis, got an array of shape {xi.shape}.")
    return xi[..., :3], xi[..., 3:]


def _apply(M: NDArray, u: NDArray) -> NDArray:
    return (M @ u[..., None])[..., 0]


def _blocks(A: NDArray, B: NDArray) -> NDArray:
    """[A 0; B A]"""
    M = np.zeros(A.shape[:-2] + (6, 6))
    M[..., :3, :3] = M[..., 3:, 3:] = A
    M[..., 3:, :3] = B
    return M
