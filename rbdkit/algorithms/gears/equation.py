"""Equation of motion of a geared tree in its independent variables, with forward and inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.gears.congruence import congruence
from rbdkit.algorithms.gears.gear import Gears
from rbdkit.algorithms.rnea import rnea
from rbdkit.errors import ModelError, StateError


@dataclass(frozen=True)
class GearedEquation:
    """Equation ``G^T H G ydd + G^T (C + H g) = G^T tau`` (Featherstone 2008, Eq 9.26) at one state.

    Attributes
    ----------
    q, v : ndarray
        Coordinates (nq,) and velocities (nv,) of all joints.
    H, C : ndarray
        Inertia (nv, nv) and bias force (nv,) of the tree without gears.
    G, g : ndarray
        Derivatives of gamma, (nv, ny) and (nv,): ``v = G yd`` and ``vdot = G ydd + g``.
    H_y, C_y : ndarray
        Reduced inertia ``G^T H G`` and bias force ``G^T (C + H g)``.
    """

    q: NDArray
    v: NDArray
    H: NDArray
    C: NDArray
    G: NDArray
    g: NDArray
    H_y: NDArray
    C_y: NDArray


def geared_equation(
    gears: Gears, y: ArrayLike, yd: ArrayLike, *, f_ext: ExternalForces = None, t: float = 0.0
) -> GearedEquation:
    """Return the coefficients of Eq 9.26.

    Parameters
    ----------
    y, yd : array_like
        Independent coordinates and velocities, as in `Gears`.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    """
    model, yd = gears.model, np.asarray(yd, dtype=float)
    q, G, g = gears.gamma(y), gears.G(y), gears.g(y, yd)
    v = G @ yd
    H, C = crba(model, q, t=t).H, bias_force(model, q, v, f_ext=f_ext, t=t)
    return GearedEquation(q, v, H, C, G, g, H_y=congruence(G, H), C_y=G.T @ (C + H @ g))


def geared_forward_dynamics(
    gears: Gears, y: ArrayLike, yd: ArrayLike, tau: ArrayLike, *, f_ext: ExternalForces = None, t: float = 0.0
) -> NDArray:
    """Return ydd (ny,) caused by forces tau (nv,) at the joints of the tree; motors act at the rotor joints.

    Raises
    ------
    ModelError
        If a motion moves no inertia.
    """
    e = geared_equation(gears, y, yd, f_ext=f_ext, t=t)
    tau = np.asarray(tau, dtype=float)
    if tau.shape != (gears.model.nv,):
        raise StateError(f"tau has shape {tau.shape}, it must be ({gears.model.nv},): a force for every joint")
    try:
        return np.linalg.solve(e.H_y, e.G.T @ tau - e.C_y)  # Eq 9.26
    except np.linalg.LinAlgError:
        raise ModelError(
            f"G^T H G of model {gears.model.name!r} is singular: a motion of {', '.join(gears.names)} meets no "
            "inertia; give the bodies that it moves one"
        ) from None


def geared_inverse_dynamics(
    gears: Gears, y: ArrayLike, yd: ArrayLike, ydd: ArrayLike, *, f_ext: ExternalForces = None, t: float = 0.0
) -> NDArray:
    """Return the generalized force on y, ``G^T ID(q, v, G ydd + g)`` (Featherstone 2008, section 8.12); shape (ny,)."""
    G = gears.G(y)
    a = G @ np.asarray(ydd, dtype=float) + gears.g(y, yd)
    return G.T @ rnea(gears.model, gears.gamma(y), G @ np.asarray(yd, dtype=float), a, f_ext=f_ext, t=t).tau


def motor_forces(
    gears: Gears,
    motors: Sequence[str],
    y: ArrayLike,
    yd: ArrayLike,
    ydd: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> NDArray:
    """tau (nv,) that produces ydd, of motors at some joints and zero at the others; the smallest if there is choice.

    Raises
    ------
    ModelError
        If these motors cannot move all independent variables.
    """
    places = [gears.model.joint(name).v_slice.start for name in motors]
    G_u = gears.G(y)[places]
    if np.linalg.matrix_rank(G_u) < gears.ny:
        raise ModelError(
            f"motors at {', '.join(motors)} cannot move {', '.join(gears.names)} as they are told: {gears.ny} "
            f"independent variables, {np.linalg.matrix_rank(G_u)} of them driven"
        )
    tau = np.zeros(gears.model.nv)
    tau[places] = np.linalg.pinv(G_u.T) @ geared_inverse_dynamics(gears, y, yd, ydd, f_ext=f_ext, t=t)
    return tau
