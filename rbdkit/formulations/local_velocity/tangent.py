"""Exponential map and inverse tangent operator of SE(3), the linear part first, and the latter for w.

A step moves a pose by ``H exp(n)`` with an incremental motion vector n that begins at zero; ``n' = T^-1(n) D^-1 w`` (Eq
72) says how n changes, so that any Runge-Kutta method can integrate it as a vector. ``n = (n_13, n_46)`` holds the
translational part first, as in Holzinger, Gerstmayr, Schöberl, whose equation numbers these are; `rbdkit.spatial.se3`
has the same operators with the angular part first, so they are exchanged here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations.local_velocity.projection import Projection
from rbdkit.spatial import se3


def swapped(n: ArrayLike) -> NDArray:
    """Return a six-vector (..., 6) with its halves exchanged: linear first to angular first, and back."""
    return np.roll(np.asarray(n, dtype=float), 3, axis=-1)


def exp(n: ArrayLike) -> NDArray:
    """Return exp_SE(3) of n, a pose (..., 4, 4) (Eqs 13, 14)."""
    return se3.exp(swapped(n))


def log(H: ArrayLike) -> NDArray:
    """Return the n (..., 6) with exp(n) = H and an angle from 0 to pi."""
    return swapped(se3.log(H))


def operator(n: ArrayLike) -> NDArray:
    """Return the tangent operator T_SE(3) (..., 6, 6), which maps n' to the velocity v_L of ``H exp(n)``."""
    return _exchanged(se3.right_jacobian(swapped(n)))


def inverse(n: ArrayLike) -> NDArray:
    """Return T_SE(3)^-1 (..., 6, 6) of ``n' = T^-1(n) v_L`` (Eqs 11, 13, 16, 17); infinite at \\|n_46\\| = 2 pi.

    As printed, Eqs 16 and 17 lack a factor and a term; those of Eqs 75-77 are right.
    """
    return _exchanged(se3.right_jacobian_inverse(swapped(n)))


def unified_inverse(projection: Projection, n: ArrayLike) -> NDArray:
    """Return the operator (..., 6, 6) of ``n' = T^-1(n) D^-1 w`` (Eq 72)."""
    return inverse(n) @ projection.D_inverse


def _exchanged(T: NDArray) -> NDArray:
    return np.roll(T, (3, 3), axis=(-2, -1))
