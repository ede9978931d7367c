"""SO(3) x R3: rotations and positions side by side, the direct product that is often used in place of SE(3).

An element is written as the pose C = [R r; 0 1] of a body, so that both groups share their elements; only the product
differs, C1 C2 = (R1 R2, r1 + r2), and with it everything below. Velocities are hybrid: (w, v_s) with the angular
velocity w in body axes and v_s = r' in fixed axes. After Müller and Terze (2013), section 2.2. All functions take
stacks: velocities (..., 6), elements (..., 4, 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial import so3
from rbdkit.spatial.se3 import pose

_EYE = np.eye(6)


def multiply(C1: ArrayLike, C2: ArrayLike) -> NDArray:
    """(R1 R2, r1 + r2) (Eq 16). Not a change of frames."""
    C1, C2 = np.asarray(C1, dtype=float), np.asarray(C2, dtype=float)
    C = C1 @ C2
    C[..., :3, 3] = C1[..., :3, 3] + C2[..., :3, 3]
    return C


def inverse(C: ArrayLike) -> NDArray:
    """(R^T, -r)."""
    C = np.array(C, dtype=float)
    C[..., :3, :3] = np.swapaxes(C[..., :3, :3], -1, -2).copy()
    C[..., :3, 3] *= -1.0
    return C


def bracket(X1: ArrayLike, X2: ArrayLike) -> NDArray:
    """[X1, X2] = (w1 x w2, 0) of two elements of the algebra, (..., 6) (Eq 17)."""
    X1, X2 = np.asarray(X1, dtype=float), np.asarray(X2, dtype=float)
    w = np.cross(X1[..., :3], X2[..., :3])
    return np.concatenate([w, np.zeros_like(w)], axis=-1)


def exp(X: ArrayLike) -> NDArray:
    """(exp w, v) (Eq 18): a rotation and, independently, a straight displacement."""
    X = np.asarray(X, dtype=float)
    C = np.zeros((*X.shape[:-1], 4, 4))
    C[..., :3, :3], C[..., :3, 3], C[..., 3, 3] = so3.exp(X[..., :3]), X[..., 3:], 1.0
    return C


def log(C: ArrayLike) -> NDArray:
    """The X (..., 6) with exp(X) = C and an angle from 0 to pi."""
    C = np.asarray(C, dtype=float)
    return np.concatenate([so3.log(C[..., :3, :3]), C[..., :3, 3]], axis=-1)


def right_jacobian(X: ArrayLike) -> NDArray:
    """dexp of -X (Eq 19), shape (..., 6, 6): X' to the hybrid velocity of exp(X)."""
    return _beside_identity(so3.right_jacobian(np.asarray(X, dtype=float)[..., :3]))


def right_jacobian_inverse(X: ArrayLike) -> NDArray:
    """Inverse of `right_jacobian`; infinite at |w| = 2 pi."""
    return _beside_identity(so3.right_jacobian_inverse(np.asarray(X, dtype=float)[..., :3]))


def twist(C: ArrayLike, V: ArrayLike) -> NDArray:
    """The body twist (w, R^T v_s) of a body at C with the hybrid velocity V = (w, v_s) (Eqs 6, 20)."""
    C, V = np.asarray(C, dtype=float), np.asarray(V, dtype=float)
    return np.concatenate([V[..., :3], (V[..., None, 3:] @ C[..., :3, :3])[..., 0, :]], axis=-1)


def hybrid(C: ArrayLike, xi: ArrayLike) -> NDArray:
    """The hybrid velocity (w, R v) of a body at C with the body twist xi = (w, v)."""
    C, xi = np.asarray(C, dtype=float), np.asarray(xi, dtype=float)
    return np.concatenate([xi[..., :3], (C[..., :3, :3] @ xi[..., 3:, None])[..., 0]], axis=-1)


def random(rng: np.random.Generator) -> NDArray:
    """An element (4, 4): uniform rotation, position of standard normal coordinates (m)."""
    return pose(so3.random(rng), rng.standard_normal(3))


def _beside_identity(J: NDArray) -> NDArray:
    """[J 0; 0 1]"""
    M = np.zeros((*J.shape[:-2], 6, 6)) + _EYE
    M[..., :3, :3] = J
    return M
