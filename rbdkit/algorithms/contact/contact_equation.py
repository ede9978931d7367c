"""Frictionless contacts of multibody systems in joint space, with or without loops (Featherstone 2008, chapter 11).

Contact forces lam and separation accelerations zeta' = M lam + d are both nonnegative, and one of each pair is zero: a
linear complementarity problem (Eq 11.42). M = T^T H^-1 T is only positive semidefinite if normals are dependent; then
lam is not unique, but the accelerations are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.equation import equation_of_motion
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.jacobian import bias_acceleration, jacobian
from rbdkit.algorithms.kinematics import forward_kinematics, in_world
from rbdkit.algorithms.loops import loop_equation, solve_for_independents
from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.algorithms.solvers.least_distance import least_distance
from rbdkit.algorithms.solvers.lemke import lemke
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_constraints
from rbdkit.spatial.read_numbers import shown

ROUND_OFF = 1e-14
"""Elements of T below this fraction of the products that they are sums of count as zero."""

Method = Literal["active set", "lemke", "gauss"]


@dataclass(frozen=True, eq=False)
class ContactEquation:
    """Contact equation ``H qdd + C = tau + T lam``, ``zeta' = M lam + d`` (Featherstone 2008, Eqs 11.41, 11.42).

    With loop joints, qdd = G ydd + g, the equation is multiplied by G^T (Eq 8.53), and M is
    T^T G (G^T H G)^-1 G^T T (section 11.3, footnote).

    Attributes
    ----------
    contacts : tuple of PointContact
        The contacts.
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    C, tau : ndarray (nv,)
        Bias force, with the active forces of loop joints, and joint forces.
    T : ndarray (nv, n_c)
        Contact normals in joint space.
    Tdot_qd : ndarray (n_c,)
        Separation accelerations at qdd = 0.
    zeta : ndarray (n_c,)
        Separation velocities, m/s.
    M : ndarray (n_c, n_c)
        Inverse inertia in contact space.
    d : ndarray (n_c,)
        Separation accelerations without contact forces.
    G : ndarray (nv, n)
        Columns that span the velocities that loops allow; the identity for a tree.
    g : ndarray (nv,)
        Accelerations that the loops prescribe; zero for a tree.
    T_y : ndarray (n, n_c)
        G^T T, exactly zero for normals along which no motion is possible.
    """

    contacts: tuple[PointContact, ...]
    H: NDArray
    C: NDArray
    tau: NDArray
    T: NDArray
    Tdot_qd: NDArray
    zeta: NDArray
    M: NDArray
    d: NDArray
    G: NDArray
    g: NDArray
    T_y: NDArray

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return tuple(contact.name for contact in self.contacts)

    @property
    def free(self) -> NDArray:
        """Accelerations qdd without contact forces, (nv,)."""
        return self.acceleration(np.zeros(len(self.contacts)))

    def acceleration(self, lam: NDArray) -> NDArray:
        """Return qdd (nv,) under contact forces lam (n_c,), Eq 11.41."""
        force = self.T @ lam + self.tau - self.C - self.H @ self.g
        return self.G @ np.linalg.solve(self.G.T @ self.H @ self.G, self.G.T @ force) + self.g


def separation(
    model: Model, q: NDArray, qd: NDArray, contacts: Sequence[PointContact], *, t: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """Return T (nv, n_c), zeta (n_c,) and Tdot^T qd (n_c,) of contacts (Featherstone 2008, Eqs 11.25-11.30).

    zeta and Tdot^T qd include the motion of prescribed joints.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Velocities of the joints of the spanning tree.
    contacts : sequence of PointContact
        Contacts in this state.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a body is not in the model.
    """
    kinematics = forward_kinematics(model, q, qd, t=t)
    T, zeta, Tdot_qd = np.zeros((model.nv, len(contacts))), np.zeros(len(contacts)), np.zeros(len(contacts))
    size = np.zeros(T.shape)
    for i, contact in enumerate(contacts):
        for body, sign in ((contact.successor, 1.0), (contact.predecessor, -1.0)):
            v = in_world(kinematics.pose(body), kinematics.velocity(body))
            a_vp = bias_acceleration(model, q, qd, body, "world", t=t)
            J = jacobian(model, q, body, "world", t=t)
            T[:, i] += sign * J.T @ contact.n  # Eq 11.25
            size[:, i] += np.abs(J).T @ np.repeat([np.linalg.norm(contact.point), 1.0], 3)
            zeta[i] += sign * contact.n @ v  # Eq 11.27
            Tdot_qd[i] += sign * (contact.n @ a_vp + contact.n_rate @ v)  # Eq 11.30
    T[np.abs(T) <= ROUND_OFF * size] = 0.0  # a joint that cannot move along the normal carries it without a force
    return T, zeta, Tdot_qd


def contact_equation(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    contacts: Sequence[PointContact],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> ContactEquation:
    """Return all terms of Eqs 11.41 and 11.42.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    contacts : sequence of PointContact
        Contacts in this state.
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has constraint elements, or a body is not in it.
    """
    require_no_constraints(model, "the equation of contacts")
    if model.loops:
        loops = loop_equation(model, q, qd, tau, f_ext=f_ext, t=t)
        explicit = solve_for_independents(loops).explicit
        H, C, tau, G, g = loops.H, loops.C_, loops.tau, explicit.G, explicit.g  # Eq 8.49
    else:
        tree = equation_of_motion(model, q, qd, tau, f_ext=f_ext, t=t)
        H, C, tau, G, g = tree.H, tree.C, tree.tau, np.eye(model.nv), np.zeros(model.nv)
    T, zeta, Tdot_qd = separation(model, q, qd, contacts, t=t)
    projected = G.T @ H @ G
    T_y = free_normals(H, G, T)
    M = T_y.T @ np.linalg.solve(projected, T_y)  # Eq 11.35
    d = T.T @ (G @ np.linalg.solve(projected, G.T @ (tau - C - H @ g)) + g) + Tdot_qd  # Eq 11.36
    return ContactEquation(tuple(contacts), H, C, tau, T, Tdot_qd, zeta, 0.5 * (M + M.T), d, G, g, T_y)


def free_normals(H: NDArray, G: NDArray, T: NDArray) -> NDArray:
    """Return G^T T (n, n_c); columns that vanish up to round-off, because loops block the normal, become zero."""
    T_y = G.T @ T
    left = np.einsum("ij,ij->j", T_y, np.linalg.solve(G.T @ H @ G, T_y))
    T_y[:, left <= 1e-20 * np.einsum("ij,ij->j", T, np.linalg.solve(H, T))] = 0.0
    return T_y


@dataclass(frozen=True, eq=False)
class ContactMotion:
    """Solution of a contact problem: accelerations and contact forces.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations, unique.
    lam : ndarray (n_c,)
        Contact forces, N; a basic solution, unique only where the normals of `current` are independent.
    tau_c : ndarray (nv,)
        Joint-space contact force T lam, unique.
    zeta_rate : ndarray (n_c,)
        Separation accelerations, m/s2; unique.
    current : tuple of str
        Contacts that persist, zeta' = 0.
    active : tuple of str
        Contacts whose normals form a basis of those of `current`; they include all contacts with a force.
    unique : bool
        Whether lam is unique.
    """

    qdd: NDArray
    lam: NDArray
    tau_c: NDArray
    zeta_rate: NDArray
    current: tuple[str, ...]
    active: tuple[str, ...]
    unique: bool


def contact_motion(equation: ContactEquation, method: Method = "active set", *, tol: float = 1e-6) -> ContactMotion:
    """Solve Eq 11.42 (Featherstone 2008, section 11.5).

    Parameters
    ----------
    method : Method, optional
        'active set' (Eq 11.43), 'lemke' (Eq 11.42) or 'gauss' (Eq 11.44, in accelerations).
    tol : float, optional
        Separation velocity that counts as zero, m/s: faster contacts need an impulse, or separate.

    Raises
    ------
    InfeasibleError
        If no forces keep the bodies apart; the message names the contacts.
    StateError
        If a contact approaches or separates, or the method is unknown.
    """
    for name, zeta in zip(equation.names, equation.zeta, strict=True):
        if abs(zeta) > tol:
            instead = "apply an impulse first" if zeta < 0.0 else "leave it out, it is about to be lost"
            raise StateError(f"contact {name!r} has separation velocity {zeta:.6g} m/s, not zero; {instead}")
    if method == "gauss":
        G, free = equation.G, equation.free
        near = least_distance(  # in independent accelerations, relative to the motion without contact
            G.T @ equation.H @ G, np.zeros(G.shape[1]), equation.T_y, equation.T.T @ free + equation.Tdot_qd,
            equation.names,
        )  # fmt: skip
        lam, zeta_rate = near.lam, equation.T.T @ free + equation.Tdot_qd + equation.T_y.T @ near.x
        zeta_rate = np.where(lam > 0.0, 0.0, np.maximum(zeta_rate, 0.0))
    elif method in ("active set", "lemke"):
        found = (active_set if method == "active set" else lemke)(equation.M, equation.d, equation.names)
        lam, zeta_rate = found.lam, found.zeta
    else:
        raise StateError(f"method {shown(method)} must be 'active set', 'lemke' or 'gauss'")
    current, active = contact_sets(equation, lam, zeta_rate)
    return ContactMotion(
        equation.acceleration(lam),
        lam,
        equation.T @ lam,
        zeta_rate,
        tuple(equation.names[i] for i in current),
        tuple(equation.names[i] for i in active),
        len(active) == len(current),
    )


def contact_sets(equation: ContactEquation, lam: NDArray, zeta_rate: NDArray) -> tuple[list[int], list[int]]:
    """Return indices of current contacts, zeta' = 0, and of active ones, whose normals form a basis of those.

    Contacts with a force come first; if these do not span the normals of all current ones, some with
    zeta' = lam = 0 are added (Featherstone 2008, section 11.5).

    Parameters
    ----------
    lam, zeta_rate : ndarray (n_c,)
        Forces, N, and separation accelerations, m/s2, of a basic solution.
    """
    zero = 1e-9 * max(1e-12, float(np.abs(equation.d).max(initial=0.0)))
    current = [i for i in range(len(lam)) if zeta_rate[i] <= zero]
    active: list[int] = []
    for i in sorted(current, key=lambda i: -lam[i]):
        rows = [*active, i]
        scale = np.sqrt(np.diag(equation.M)[rows])
        scale[scale == 0.0] = 1.0
        if np.linalg.eigvalsh(equation.M[np.ix_(rows, rows)] / np.outer(scale, scale))[0] > 1e-10:
            active.append(i)
    return current, sorted(active)
