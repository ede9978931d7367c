"""Twist of a triad that moves with its third director on the sphere, and the frame that moves without (Bishop's).

A triad is a rotation matrix whose columns are the directors d1, d2, d3. Its twist rate is the component of its angular
velocity along d3. Among all triads over one curve d3(t) that start alike, one has no twist: d1 and d2 are carried
parallel. Gebhardt and Romero, section 2.3. Triads (..., 3, 3), points (..., 3), times along the axis before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import so3, sphere


def twist_rate(triad: ArrayLike, triad_rate: ArrayLike) -> NDArray:
    """d1' . d2 = -d2' . d1 = w . d3, rad/s; zero where the triad moves without twist (Eq 18)."""
    R, R_rate = np.asarray(triad, dtype=float), np.asarray(triad_rate, dtype=float)
    return (R_rate[..., :, 0] * R[..., :, 1]).sum(axis=-1)


def darboux_vector(triad: ArrayLike, d3_rate: ArrayLike, twist: ArrayLike = 0.0) -> NDArray:
    """Angular velocity d3 x d3' + twist d3 of a triad whose d3 moves at d3_rate (Eqs 20, 25)."""
    d3 = np.asarray(triad, dtype=float)[..., :, 2]
    return sphere.angular_velocity(d3, d3_rate) + np.asarray(twist, dtype=float)[..., None] * d3


def twisted(triad: ArrayLike, psi: ArrayLike) -> NDArray:
    """The triad turned about its own d3 by the twist angle psi, rad (Eq 24, with d2 in its second line).

    ``d1 -> cos(psi) d1 + sin(psi) d2``, ``d2 -> -sin(psi) d1 + cos(psi) d2``.
    """
    R, psi = np.asarray(triad, dtype=float), np.asarray(psi, dtype=float)
    return R @ so3.exp(psi[..., None] * np.array([0.0, 0.0, 1.0]))


def triad_over(d3: ArrayLike) -> NDArray:
    """A triad with a given third director; d1 and d2 are the coordinate axes turned the shortest way with z."""
    d3 = sphere.check(d3)
    pole = np.array([0.0, 0.0, np.where(d3[2] < 0.0, -1.0, 1.0)])
    d1 = sphere.transport(pole, d3, np.array([1.0, 0.0, 0.0]))
    return np.stack([d1, np.cross(d3, d1), d3], axis=-1)


def non_twisting_frame(points: ArrayLike, first: ArrayLike | None = None) -> NDArray:
    """The triads over the points of a curve on the sphere, carried parallel from each to the next.

    Along the polygon of great arcs through the points this is exact. Along a smooth curve sampled at intervals h the
    angle of the triads is off by O(h^2): the area between curve and polygon.

    Parameters
    ----------
    points : array_like (n, 3)
        Unit vectors d3, neighbours less than pi apart.
    first : array_like (3, 3), optional
        Triad at the first point; `triad_over` it if not given.

    Returns
    -------
    (n, 3, 3)

    Raises
    ------
    StateError
        If a point is not a unit vector, two neighbours are opposite, or `first` is not a triad over the first point.
    """
    points = sphere.check(points)
    R = triad_over(points[0]) if first is None else so3.check(first)
    if np.abs(R[:, 2] - points[0]).max() > 1e-6:
        raise StateError(f"the third director of the first triad is {R[:, 2]}, but the curve begins at {points[0]}.")
    triads = np.empty((len(points), 3, 3))
    d1 = R[:, 0]
    for k, d3 in enumerate(points):
        if k:
            d1 = sphere.transport(points[k - 1], d3, d1)
            d1 = sphere.tangent(d3, d1) / np.linalg.norm(sphere.tangent(d3, d1))  # round-off must not add up
        triads[k] = np.stack([d1, np.cross(d3, d1), d3], axis=-1)
    return triads


def twist_angle(triads: ArrayLike) -> NDArray:
    """Angle psi by which moving triads are ahead of the frame without twist that starts with them, rad, shape (n,).

    Parameters
    ----------
    triads : array_like (n, 3, 3)
        Turning less than pi from each to the next.
    """
    triads = so3.check(triads)
    bishop = non_twisting_frame(triads[:, :, 2], triads[0])
    cosine = (bishop[:, :, 0] * triads[:, :, 0]).sum(axis=-1)
    sine = (bishop[:, :, 1] * triads[:, :, 0]).sum(axis=-1)
    return np.unwrap(np.arctan2(sine, cosine))
