"""The unit sphere S^2 in space: tangent vectors, covariant derivative, exponential map, logarithm, parallel transport.

A point of the sphere is a unit vector d, a tangent vector v at d is a vector with d . v = 0. Numbers of equations are
those of Gebhardt and Romero, "The rotating rigid body model based on a non-twisting frame", section 2.1. All functions
take stacks of vectors (..., 3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial.components import norm
from rbdkit.spatial.stumpff import sinc

ANTIPODAL = 1e-7
"""rad: closer to the opposite point than this, the shortest arc has no direction to half the digits of a float."""


def check(d: ArrayLike, tol: float = 1e-6) -> NDArray:
    """d as a float array if it is a point of the sphere, or a stack of them (Eq 1).

    Raises
    ------
    StateError
        With the length, if it is not 1 to within `tol`.
    """
    d = np.asarray(d, dtype=float)
    if d.shape[-1:] != (3,):
        raise StateError(f"a point of the sphere has 3 numbers on its last axis, got shape {d.shape}.")
    length = np.ravel(norm(d))
    if not np.all(np.abs(length - 1.0) <= tol):
        worst = length[np.argmax(np.abs(length - 1.0))]
        raise StateError(f"a point of the sphere is a unit vector, this one has length {worst:.9g}: {d}.")
    return d


def tangent(d: ArrayLike, u: ArrayLike) -> NDArray:
    """The part of u in the tangent plane, (1 - d d^T) u: the first half of the split of space at d (Eq 12)."""
    d, u = np.asarray(d, dtype=float), np.asarray(u, dtype=float)
    return u - _dot(d, u) * d


def normal_component(d: ArrayLike, u: ArrayLike) -> NDArray:
    """The component d . u along the point itself, shape (...): the second half of the split at d (Eq 12)."""
    return _dot(np.asarray(d, dtype=float), np.asarray(u, dtype=float))[..., 0]


def velocity(d: ArrayLike, w: ArrayLike) -> NDArray:
    """The tangent vector w x d of a point that turns with angular velocity w, rad/s (Eq 3)."""
    return np.cross(np.asarray(w, dtype=float), np.asarray(d, dtype=float))


def angular_velocity(d: ArrayLike, d_rate: ArrayLike) -> NDArray:
    """The one angular velocity without a part along d that moves d at the rate d_rate: w = d x d' (Eqs 3, 20)."""
    return np.cross(np.asarray(d, dtype=float), np.asarray(d_rate, dtype=float))


def covariant_derivative(d: ArrayLike, v_rate: ArrayLike) -> NDArray:
    """Covariant derivative of a tangent field v along a curve d(t) on the sphere (Eqs 4, 5).

    Parameters
    ----------
    d : array_like (..., 3)
        Where the curve is.
    v_rate : array_like (..., 3)
        The derivative of v along the curve, as of any vector of space. Along a direction w of a field given on the
        whole sphere, it is the directional derivative Dv . w.

    Returns
    -------
    (..., 3) its part in the tangent plane. A field with derivative zero is carried parallel (Eq 11).
    """
    return tangent(d, v_rate)


def exp(d0: ArrayLike, v0: ArrayLike) -> NDArray:
    """The point reached from d0 on the great circle along the tangent vector v0, |v0| rad away (Eq 6)."""
    d0, v0 = np.asarray(d0, dtype=float), np.asarray(v0, dtype=float)
    angle = norm(v0) if v0.ndim == 1 else norm(v0)[..., None]
    return np.cos(angle) * d0 + sinc(angle) * v0


def log(d0: ArrayLike, d: ArrayLike) -> NDArray:
    """The tangent vector at d0 with exp(d0, v) = d and the shortest length, rad (Eq 7); zero for d = d0.

    Raises
    ------
    StateError
        If d is the point opposite d0: every direction leads there.
    """
    d0, d = np.asarray(d0, dtype=float), np.asarray(d, dtype=float)
    _refuse_antipodal(d0, d)
    v = tangent(d0, d)
    sine = np.sqrt(_dot(v, v))
    angle = np.arctan2(sine, _dot(d0, d))  # where the arccosine of the printed form has half the digits, near 0 and pi
    tiny = sine < 1e-150
    return v * np.where(tiny, 1.0, angle / np.where(tiny, 1.0, sine))


def distance(d0: ArrayLike, d: ArrayLike) -> NDArray:
    """Length of the shortest arc between two points, rad, shape (...)."""
    d0, d = np.asarray(d0, dtype=float), np.asarray(d, dtype=float)
    sine = np.cross(d0, d)
    return np.arctan2(np.sqrt(_dot(sine, sine)), _dot(d0, d))[..., 0]


def geodesic(d0: ArrayLike, v0: ArrayLike, s: ArrayLike) -> NDArray:
    """Points (..., 3) of the great circle from d0 along v0 at the parameters s (...), exp(d0, s v0) (Eq 9)."""
    return exp(d0, np.asarray(s, dtype=float)[..., None] * np.asarray(v0, dtype=float))


def transport(d0: ArrayLike, d: ArrayLike, w0: ArrayLike) -> NDArray:
    """The tangent vector w0 at d0 carried parallel along the shortest arc to d (Eq 10).

    Eq 10 says: what points along the arc goes on doing so, what is across stays. Without the angle in a denominator
    that is ``w0 - (d . w0) / (1 + d0 . d) (d0 + d)``, which does not lose digits for close points.

    Raises
    ------
    StateError
        If d is the point opposite d0.
    """
    d0, d, w0 = (np.asarray(a, dtype=float) for a in (d0, d, w0))
    _refuse_antipodal(d0, d)
    return w0 - _dot(d, w0) / (1.0 + _dot(d0, d)) * (d0 + d)


def split_tensor(T: ArrayLike, d: ArrayLike, d_to: ArrayLike) -> tuple[NDArray, NDArray]:
    """The parts T_perp, T_par (3, 3) of a matrix that splits from d to d_to (Eq 13).

    T_perp maps the tangent plane at d to that at d_to and d to zero; T_par maps d along d_to and the plane to zero.

    Raises
    ------
    StateError
        If T does not split: it mixes the plane and the normal, with how much.
    """
    T, d, d_to = np.asarray(T, dtype=float), check(d), check(d_to)
    P, P_to = np.eye(3) - np.outer(d, d), np.eye(3) - np.outer(d_to, d_to)
    T_perp, T_par = P_to @ T @ P, np.outer(d_to, d_to) @ T @ np.outer(d, d)
    mixed = np.abs(T - T_perp - T_par).max()
    if not mixed <= 1e-9 * np.abs(T).max():
        raise StateError(
            f"the matrix does not split at d = {d}: {mixed:.3g} of it couples the tangent plane with the normal. "
            "An inertia splits if d is one of its principal axes."
        )
    return T_perp, T_par


def random(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray:
    """Points (shape + (3,)), uniform over the sphere."""
    d = rng.standard_normal((*shape, 3))
    return d / np.linalg.norm(d, axis=-1, keepdims=True)


def _dot(a: NDArray, b: NDArray) -> NDArray:
    """a . b along the last axis, which is kept."""
    return (a * b).sum(axis=-1, keepdims=True)


def _refuse_antipodal(d0: NDArray, d: NDArray) -> None:
    far = np.linalg.norm(d0 + d, axis=-1)
    if np.any(far < ANTIPODAL):
        raise StateError(
            f"the points {d0} and {d} are opposite each other ({np.min(far):.3g} rad off): no shortest arc between "
            "them is the only one. Go by way of a point in between."
        )
