"""One rigid body: momentum, energy, equation of motion and inverse inertia (Featherstone sections 2.12 to 2.15)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.compact.coriolis import Coriolis
from rbdkit.spatial.compact.inertias import rbi
from rbdkit.spatial.cross import crf, crm, cross_force
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.so3 import skew

_NONE = np.zeros(6)


def momentum(inertia: Inertia | NDArray, v: ArrayLike) -> NDArray:
    """h = I v (Eq 2.61), a force vector (6,): angular momentum about the origin (N m s), linear momentum (N s).

    With the matrix (6, 6) of an inertia also of a stack of velocities (..., 6).
    """
    return v @ inertia if isinstance(inertia, np.ndarray) else inertia @ v


def kinetic_energy(inertia: Inertia | NDArray, v: ArrayLike) -> float:
    """T = 1/2 v . I v (Eq 2.67), J. With the matrix (6, 6) of an inertia also of a stack of velocities (..., 6)."""
    if isinstance(inertia, rbi):
        return inertia.kinetic_energy(v)
    if isinstance(inertia, np.ndarray):
        u = np.asarray(v, dtype=float)
        return 0.5 * np.einsum("...a,ab,...b", u, inertia, u)
    return 0.5 * float(np.asarray(v, dtype=float) @ (inertia @ v))


def coriolis(inertia: NDArray, v: NDArray) -> NDArray:
    """B(I, v) = (v x* I - I v x + (I v) bar) / 2 (6, 6): the force on a body changes by I da + 2 B dv.

    ``bar(f) @ x = x cross_force f`` (Singh, Russell and Wensing 2022).
    """
    if isinstance(inertia, rbi):
        return Coriolis.of_body(inertia, v)
    return 0.5 * (crf(v) @ inertia - inertia @ crm(v) + bar(inertia @ v))


def bar(f: NDArray) -> NDArray:
    """The matrix (6, 6) with ``bar(f) @ x = x cross_force f``."""
    return cross_force(np.eye(6), f).T


def mass(inertia: NDArray) -> float:
    """Mass of an inertia (6, 6), kg."""
    return inertia.m if isinstance(inertia, rbi) else inertia[5, 5]


def mass_moment(inertia: NDArray, pose: NDArray) -> NDArray:
    """Mass times centre of mass (..., 3), kg m, of an inertia (6, 6), where its frame has the poses (..., 4, 4)."""
    if isinstance(inertia, rbi):
        return inertia.m * pose.p + pose.R @ inertia.h
    h = inertia[[2, 0, 1], [4, 5, 3]]  # of m c x
    return inertia[5, 5] * pose[..., :3, 3] + pose[..., :3, :3] @ h


def bias_force(
    inertia: Inertia | NDArray, v: ArrayLike, f_known: ArrayLike = _NONE, gravity: ArrayLike | None = None
) -> NDArray:
    """p in f = I a + p (Eq 2.69): the force that gives no acceleration, p = v x* I v - f_g - f_known.

    Parameters
    ----------
    inertia : Inertia
    v : array (6,)
        Spatial velocity, in the frame of the inertia.
    f_known : array (6,)
        Known forces on the body other than gravity.
    gravity : array (3,), optional
        Acceleration of free fall in the same axes, m/s^2.

    Returns
    -------
    array (6,)
    """
    p = cross_force(v, inertia @ v) - np.asarray(f_known, dtype=float)
    if gravity is not None:
        p -= inertia @ np.concatenate([np.zeros(3), np.asarray(gravity, dtype=float)])
    return p


def force(inertia: Inertia | NDArray, a: ArrayLike, v: ArrayLike) -> NDArray:
    """Equation of motion f = I a + v x* I v (Eq 2.68): the total force (6,) behind the spatial acceleration a."""
    if isinstance(inertia, rbi):
        return inertia.force(a, v)
    return inertia @ a + bias_force(inertia, v)


def acceleration(inertia: Inertia, f: ArrayLike, v: ArrayLike) -> NDArray:
    """Spatial acceleration a = Phi f + b with b = -Phi p (Eq 2.72), the inverse of `force`."""
    return inverse_inertia(inertia) @ (np.asarray(f, dtype=float) - bias_force(inertia, v))


def inverse_inertia(inertia: Inertia) -> NDArray:
    """Phi = I^-1 (6, 6) in closed form (Eq 2.74), exactly symmetric: maps force to acceleration.

    Raises
    ------
    ModelError
        If the mass is zero or the rotational inertia is singular, as of a point mass or a thin rod.
    """
    moments = inertia.principal().moments
    if not (inertia.mass > 0.0 and moments[0] > 1e-14 * moments[2]):
        raise ModelError(
            f"the inertia has no inverse: mass {inertia.mass:g} kg, principal moments {moments.tolist()} kg m^2; "
            "all must be positive."
        )
    inv, C = np.linalg.inv(inertia.inertia_com), skew(inertia.com)
    Phi = np.block([[inv, inv @ C.T], [C @ inv, np.eye(3) / inertia.mass + C @ inv @ C.T]])
    return 0.5 * (Phi + Phi.T)


def newton_euler(
    inertia: Inertia,
    twist: ArrayLike,
    rotation: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    wrench: ArrayLike = _NONE,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
) -> NDArray:
    """Rate of the body twist in body coordinates: M phi' = ad(phi)^T M phi + wrench + weight (Sueda Eq 1.21-1.23).

    Componentwise rates in body coordinates are both the apparent and the absolute ones, since phi x phi = 0.

    Parameters
    ----------
    inertia : Inertia
        In body coordinates; the centre of mass may be anywhere.
    twist : array (6,)
        Body twist (omega, v), rad/s and m/s.
    rotation : array (3, 3)
        R of the body in the world, needed to turn gravity into body axes.
    wrench : array (6,)
        Applied wrench in body coordinates, N m and N.
    gravity : array (3,)
        Acceleration of free fall in world axes, m/s^2.

    Returns
    -------
    array (6,)

    Raises
    ------
    ModelError
        If the inertia is singular, see `inverse_inertia`.
    """
    g_body = np.asarray(rotation, dtype=float).T @ np.asarray(gravity, dtype=float)  # R^T g, Eq 1.22
    p = bias_force(inertia, twist, wrench, g_body)  # -ad^T = x*
    return -inverse_inertia(inertia) @ p
