"""Impulsive dynamics: impulses on a body or a system, collisions, and simultaneous impulses at many contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.contact.contact_equation import free_normals, separation
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.jacobian import jacobian
from rbdkit.algorithms.loops import loop_equation, solve_for_independents
from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_constraints, require_tree
from rbdkit.spatial.read_numbers import shown


def body_impulse(I: NDArray, iota: NDArray) -> NDArray:
    """Return the step of velocity dv = I^-1 iota, (6,) (Featherstone 2008, Eqs 11.55, 11.56).

    Parameters
    ----------
    I : ndarray (6, 6)
        Inertia of a body, or articulated-body inertia of a handle.
    iota : ndarray (6,)
        Spatial impulse on it, N m s and N s.
    """
    return np.linalg.solve(I, iota)


@dataclass(frozen=True, eq=False)
class SystemImpulse:
    """Response of a system to an impulse on one of its bodies.

    Attributes
    ----------
    u : ndarray (nv,)
        Impulse in joint space.
    dqd : ndarray (nv,)
        Step of the joint velocities.
    dv : ndarray (6,)
        Step of the velocity of this body, in world coordinates.
    """

    u: NDArray
    dqd: NDArray
    dv: NDArray


def system_impulse(model: Model, q: NDArray, body: str, iota: NDArray, *, t: float = 0.0) -> SystemImpulse:
    """Return the velocity steps of a whole system due to an impulse on one body (Featherstone 2008, Eqs 11.57-11.59).

    Real impacts travel as waves through bodies and bearings; rigid joints transmit them instantaneously.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    body : str
        Name of the body.
    iota : ndarray (6,)
        Spatial impulse on it in world coordinates.
    t : float, optional
        Time in s, for prescribed joints, which keep their motion.

    Raises
    ------
    ModelError
        If the model has loop joints, or the body is not in it.
    """
    require_tree(model, "the impulse equation")
    J = jacobian(model, q, body, "world", t=t)
    u = J.T @ iota  # Eq 11.58
    dqd = np.linalg.solve(crba(model, q, t=t).H, u)  # Eq 11.57
    return SystemImpulse(u, dqd, J @ dqd)  # Eq 11.59


@dataclass(frozen=True, eq=False)
class Collision:
    """Result of a collision of two bodies at one point.

    Attributes
    ----------
    lam : ndarray (k,)
        Impulse coefficients of the columns of N; only that of the normal without friction.
    iota : ndarray (6,)
        Impulse from body 1 on body 2.
    dv_1, dv_2 : ndarray (6,)
        Steps of velocity; zero for a body that cannot move.
    zeta, zeta_after : ndarray (k,)
        Separation velocities before and after.
    energy_lost : float
        Lost energy, J; negative if restitution created energy.
    """

    lam: NDArray
    iota: NDArray
    dv_1: NDArray
    dv_2: NDArray
    zeta: NDArray
    zeta_after: NDArray
    energy_lost: float

    def inside_cone(self, mu: float) -> bool:
        """Return whether the impulse is inside the friction cone of mu; columns 0, 1 of N are tangents, 2 the normal.

        If not, sliding does not stop and Eq 11.72 does not hold.
        """
        if len(self.lam) < 3:
            return True
        return bool(np.hypot(self.lam[0], self.lam[1]) <= mu * self.lam[2])


def frictionless_collision(
    I_1: NDArray | None, I_2: NDArray, n: NDArray, v_1: NDArray, v_2: NDArray, e: float
) -> Collision:
    """Return the frictionless collision of two bodies at one point (Featherstone 2008, Eqs 11.60-11.65).

    Parameters
    ----------
    I_1, I_2 : ndarray (6, 6)
        Inertias in common coordinates; I_1 = None for a body 1 that cannot move.
    n : ndarray (6,)
        Normal, from body 1 to body 2.
    v_1, v_2 : ndarray (6,)
        Velocities before.
    e : float
        Coefficient of restitution, from 0 to 1.

    Raises
    ------
    StateError
        If e is out of range or the bodies separate.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import frictionless_collision
    >>> up = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    >>> frictionless_collision(None, np.eye(6), up, np.zeros(6), -2.0 * up, 0.5).zeta_after
    array([1.])
    """
    if not 0.0 <= e <= 1.0:
        raise StateError(f"coefficient of restitution e = {e} must lie from 0 to 1")
    return _collide(I_1, I_2, n[:, None], v_1, v_2, np.array([[e]]), 0)


def sticking_collision(
    I_1: NDArray | None, I_2: NDArray, N: NDArray, v_1: NDArray, v_2: NDArray, E: ArrayLike
) -> Collision:
    """Return the collision of two bodies whose sliding is stopped by friction (Featherstone 2008, Eqs 11.66-11.72).

    `Collision.inside_cone` tells whether friction suffices for that.

    Parameters
    ----------
    I_1, I_2 : ndarray (6, 6)
        Inertias in common coordinates; I_1 = None for a body 1 that cannot move.
    N : ndarray (6, k)
        Tangents n_x, n_y and normal n_z through the point; a fourth column may be the couple about the normal.
    v_1, v_2 : ndarray (6,)
        Velocities before.
    E : float or array_like (k, k)
        Coefficient of restitution e of the normal direction, or the whole matrix E: tangential and torsional
        restitution on its diagonal.

    Raises
    ------
    StateError
        If shapes do not fit, e is out of range, or the bodies separate.
    """
    k = N.shape[1]
    if N.shape[0] != 6 or k < 3:
        raise StateError(f"N {N.shape} must have two tangents and the normal as columns, shape (6, 3) or more")
    restitution = np.asarray(E, dtype=float)
    if restitution.ndim == 0:
        e, restitution = float(restitution), np.zeros((k, k))
        restitution[2, 2] = e
    if restitution.shape != (k, k):
        raise StateError(f"E {restitution.shape} must be one number or have the shape {(k, k)}")
    if not 0.0 <= restitution[2, 2] <= 1.0:
        raise StateError(f"coefficient of restitution e = {restitution[2, 2]} must lie from 0 to 1")
    return _collide(I_1, I_2, N, v_1, v_2, restitution, 2)


def _collide(
    I_1: NDArray | None, I_2: NDArray, N: NDArray, v_1: NDArray, v_2: NDArray, E: NDArray, normal: int
) -> Collision:
    zeta = N.T @ (v_2 - v_1)  # Eqs 11.62, 11.69
    if zeta[normal] > 0.0:
        raise StateError(f"the bodies separate with {zeta[normal]:.6g} m/s: no collision")
    yields_1 = np.zeros(N.shape) if I_1 is None else np.linalg.solve(I_1, N)
    yields_2 = np.linalg.solve(I_2, N)
    A = N.T @ (yields_1 + yields_2)
    lam = -np.linalg.solve(A, zeta + E @ zeta)  # Eqs 11.65, 11.72
    after = zeta + A @ lam
    lost = -lam @ (zeta + 0.5 * A @ lam)
    return Collision(lam, N @ lam, -yields_1 @ lam, yields_2 @ lam, zeta, after, float(lost))


@dataclass(frozen=True, eq=False)
class ContactImpulse:
    """Simultaneous impulses at all contacts of a system.

    Attributes
    ----------
    qd : ndarray (nv,)
        Joint velocities after the impulses.
    lam : ndarray (n_c,)
        Impulses, N s; a basic solution.
    zeta, zeta_after : ndarray (n_c,)
        Separation velocities before and after, m/s.
    energy_lost : float
        Lost kinetic energy, J; negative if restitution created energy.
    """

    qd: NDArray
    lam: NDArray
    zeta: NDArray
    zeta_after: NDArray
    energy_lost: float


def contact_impulse(
    model: Model,
    q: NDArray,
    qd: NDArray,
    contacts: Sequence[PointContact],
    e: float | NDArray,
    *,
    t: float = 0.0,
) -> ContactImpulse:
    """Return simultaneous frictionless impulses: zeta_after + e zeta >= 0 and lam >= 0, one of each pair zero.

    This is Eq 11.64 at each colliding contact, and no tension at the others, which may separate faster (Table 11.1,
    step 4). Sequential impulses would give other velocities, as in a row of balls. Loops stay closed, because their
    joints transmit impulses.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities before.
    contacts : sequence of PointContact
        All current contacts, including the colliding ones.
    e : float or ndarray (n_c,)
        Coefficients of restitution, from 0 to 1.
    t : float, optional
        Time in s, for prescribed joints, which keep their motion.

    Raises
    ------
    ModelError
        If the model has constraint elements, or a body is not in it.
    StateError
        If e is out of range.
    InfeasibleError
        If no impulses separate the bodies; the message names the contacts.
    """
    require_no_constraints(model, "the impulse equation")
    restitution = np.broadcast_to(np.asarray(e, dtype=float), (len(contacts),))
    if not ((restitution >= 0.0) & (restitution <= 1.0)).all():
        raise StateError(f"coefficients of restitution {shown(restitution)} must lie from 0 to 1")
    T, zeta, _ = separation(model, q, qd, contacts, t=t)
    H, G = crba(model, q, t=t).H, np.eye(model.nv)
    if model.loops:
        G = solve_for_independents(loop_equation(model, q, qd, np.zeros(model.nv), t=t)).explicit.G  # Eq 8.42
    T_y = free_normals(H, G, T)
    yields = np.linalg.solve(G.T @ H @ G, T_y)  # Eq 11.57
    M = T_y.T @ yields
    target = zeta + restitution * np.minimum(zeta, 0.0)
    lam = active_set(0.5 * (M + M.T), target, [contact.name for contact in contacts]).lam
    after = qd + G @ yields @ lam
    lost = 0.5 * (qd @ H @ qd - after @ H @ after)
    return ContactImpulse(after, lam, zeta, zeta + M @ lam, float(lost))
