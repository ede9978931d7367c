"""Planar vectors: spatial vectors of bodies that move parallel to the x-y plane (Featherstone section 2.16).

Motion (w, vx, vy), force (n, fx, fy): the third to fifth spatial coordinates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

INDEX = [2, 3, 4]  # the coordinates that are kept of angular-first spatial vectors


def crm(v: ArrayLike) -> NDArray:
    """v x as a matrix (3, 3) (Eq 2.75)."""
    w, x, y = np.asarray(v, dtype=float)
    return np.array([[0.0, 0.0, 0.0], [y, 0.0, -w], [-x, w, 0.0]])


def crf(v: ArrayLike) -> NDArray:
    """v x* = -(v x)^T as a matrix (3, 3)."""
    return -crm(v).T


def transform(theta: float, x: float, y: float) -> NDArray:
    """X (3, 3) for a frame whose origin is shifted to (x, y), m, and then turned by theta, rad (Eq 2.77, Table A.1)."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[1.0, 0.0, 0.0], [s * x - c * y, c, s], [c * x + s * y, -s, c]])


def inertia(mass: float, com: ArrayLike = (0.0, 0.0), inertia_com: float = 0.0) -> NDArray:
    """Planar rigid-body inertia (3, 3) from mass (kg), centre of mass (2,) (m), moment about it (kg m^2) (Eq 2.78)."""
    m = mass
    cx, cy = np.asarray(com, dtype=float)
    return np.array([[inertia_com + m * (cx * cx + cy * cy), -m * cy, m * cx], [-m * cy, m, 0.0], [m * cx, 0.0, m]])


def to_velocity(X: ArrayLike, invariant: bool = True) -> NDArray:
    """Velocity (3,) at which frame A comes to coincide with B in one unit of time, nearly: XtoV of Table A.1.

    Parameters
    ----------
    X : array (3, 3)
        B_X_A.
    invariant : bool
        True gives the version with v = X v, which is a multiple of the exact u, u = v asin(X23)/X23 up to a quarter
        turn. False gives the simpler one, which is exact for shifts and for turns of no size.

    Notes
    -----
    The table is not legible in the text used here; the formulas follow from these properties.
    """
    (_, _, _), (X21, X22, X23), (X31, _, _) = np.asarray(X, dtype=float)
    if not invariant:
        return np.array([X23, X31, -X21])
    return np.array([X23, (X31 + X22 * X31 + X23 * X21) / 2, (-X21 - X22 * X21 + X23 * X31) / 2])


def embed(vector: ArrayLike) -> NDArray:
    """The spatial vector (..., 6) of a planar vector (..., 3), motion or force."""
    vector = np.asarray(vector, dtype=float)
    out = np.zeros(vector.shape[:-1] + (6,))
    out[..., INDEX] = vector
    return out


def extract(spatial: ArrayLike) -> NDArray:
    """Planar part of a spatial vector (..., 6), or of a matrix (6, 6)."""
    spatial = np.asarray(spatial, dtype=float)
    return spatial[np.ix_(INDEX, INDEX)] if spatial.shape == (6, 6) else spatial[..., INDEX]
