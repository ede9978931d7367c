"""Time derivatives: in moving coordinates, of a transform, of an inertia; spatial and classical acceleration.

The apparent (ring) derivative is the componentwise one, what an observer sees who moves with the coordinate system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial.compact.motion_force import mv
from rbdkit.spatial.cross import crf, crm, cross_force, cross_motion
from rbdkit.spatial.vector3 import Vector, cross


def motion_rate(ring: ArrayLike, v: ArrayLike, m: ArrayLike) -> NDArray:
    """m' = m_ring + v x m: derivative of a motion vector in coordinates that move with velocity v (Eq 2.43)."""
    return np.asarray(ring, dtype=float) + cross_motion(v, m)


def apparent_motion_rate(rate: ArrayLike, v: ArrayLike, m: ArrayLike) -> NDArray:
    """m_ring = m' - v x m, the inverse of `motion_rate`."""
    return np.asarray(rate, dtype=float) - cross_motion(v, m)


def force_rate(ring: ArrayLike, v: ArrayLike, f: ArrayLike) -> NDArray:
    """f' = f_ring + v x* f: derivative of a force vector in coordinates that move with velocity v (Eq 2.44)."""
    return np.asarray(ring, dtype=float) + cross_force(v, f)


def apparent_force_rate(rate: ArrayLike, v: ArrayLike, f: ArrayLike) -> NDArray:
    """f_ring = f' - v x* f, the inverse of `force_rate`."""
    return np.asarray(rate, dtype=float) - cross_force(v, f)


def transform_rate(X: ArrayLike, v_A: ArrayLike, v_B: ArrayLike) -> NDArray:
    """d/dt B_X_A = (X v_A - v_B) x X (Eq 2.45).

    Parameters
    ----------
    X : array (6, 6)
        B_X_A.
    v_A, v_B : array (6,)
        Velocities of the frames, v_A in A coordinates and v_B in B coordinates.
    """
    X = np.asarray(X, dtype=float)
    return crm(X @ np.asarray(v_A, dtype=float) - np.asarray(v_B, dtype=float)) @ X


def inertia_rate(I: ArrayLike, v: ArrayLike) -> NDArray:
    """dI/dt = v x* I - I v x of the inertia I (6, 6) of a body that moves with v, in fixed coordinates (Eq 2.65)."""
    I = np.asarray(I, dtype=float)
    return crf(v) @ I - I @ crm(v)


def classical_acceleration(a: ArrayLike, v: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """[w'; r''] of the body point now at `point`, from the spatial acceleration a and velocity v (Eq 2.48, 2.49).

    The spatial acceleration is the rate at which the velocity *field* changes at a fixed place; the point itself moves
    on through the field, which adds w x r'.

    Parameters
    ----------
    a, v : array (6,)
        Spatial acceleration and velocity, rad/s^2, m/s^2 and rad/s, m/s.
    point : array (3,)
        m, in the same frame.

    Returns
    -------
    array (6,): angular acceleration, acceleration of the point.
    """
    if isinstance(a, mv):
        P = Vector(point)
        return mv(a.omega, a.v + cross(a.omega, P) + cross(v.omega, v.v + cross(v.omega, P)))
    a, v, P = (np.asarray(u, dtype=float) for u in (a, v, point))
    rate = v[3:] + np.cross(v[:3], P)
    return np.concatenate([a[:3], a[3:] + np.cross(a[:3], P) + np.cross(v[:3], rate)])


def spatial_acceleration(classical: ArrayLike, v: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """Spatial acceleration from [w'; r''] of the body point at `point`: the inverse of `classical_acceleration`."""
    c, v, P = (np.asarray(u, dtype=float) for u in (classical, v, point))
    rate = v[3:] + np.cross(v[:3], P)
    return np.concatenate([c[:3], c[3:] - np.cross(c[:3], P) - np.cross(v[:3], rate)])
