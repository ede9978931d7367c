"""Systems of bodies with contacts, in joint space, with loops or without (Featherstone 2008, sections 11.3 to 11.5)."""

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
"""Elements of T that are this part of the products they are sums of count as zero."""

Method = Literal["active set", "lemke", "gauss"]


@dataclass(frozen=True, eq=False)
class ContactEquation:
    """``H qdd + C = tau + T lam`` with ``zeta' = M lam + d`` (Featherstone 2008, Eqs 11.41, 11.42).

    Where joints close loops, qdd = G ydd + g, the equation is multiplied by G^T (Eq 8.53), and M is
    T^T G (G^T H G)^-1 G^T T (section 11.3, footnote).

    Attributes
    ----------
    contacts : tuple of PointContact
        The contacts.
    H : ndarray (nv, nv)
    C, tau : ndarray (nv,)
        With loops C holds the forces that act at the loop joints.
    T : ndarray (nv, n_c)
        Contact normals in joint space.
    Tdot_qd : ndarray (n_c,)
        Separation accelerations at qdd = 0.
    zeta : ndarray (n_c,)
        Separation velocities, m/s.
    M : ndarray (n_c, n_c)
    d : ndarray (n_c,)
        Separation accelerations without contact forces.
    G : ndarray (nv, n)
        What loops leave free; the unit matrix of a tree.
    g : ndarray (nv,)
        The accelerations that loops ask for by themselves; zeros of a tree.
    T_y : ndarray (n, n_c)
        G^T T, without round-off in normals that nothing can move along.
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
        """Of the contacts."""
        return tuple(contact.name for contact in self.contacts)

    @property
    def free(self) -> NDArray:
        """qdd without contact forces, (nv,)."""
        return self.acceleration(np.zeros(len(self.contacts)))

    def acceleration(self, lam: NDArray) -> NDArray:
        """qdd under contact forces lam (n_c,), Eq 11.41."""
        force = self.T @ lam + self.tau - self.C - self.H @ self.g
        return self.G @ np.linalg.solve(self.G.T @ self.H @ self.G, self.G.T @ force) + self.g


def separation(
    model: Model, q: NDArray, qd: NDArray, contacts: Sequence[PointContact], *, t: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """How contacts separate: T (nv, n_c), zeta (n_c,) and Tdot^T qd (n_c,) (Featherstone 2008, Eqs 11.25-11.30).

    Prescribed joints move bodies by themselves: zeta and Tdot^T qd hold that.

    Parameters
    ----------
    q : ndarray (nq,)
    qd : ndarray (nv,)
        Of the joints of the spanning tree.
    contacts : sequence of PointContact
        In this state.
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
    """Every term of Eqs 11.41 and 11.42.

    Parameters
    ----------
    q : ndarray (nq,)
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    contacts : sequence of PointContact
        In this state.
    f_ext : ExternalForces, optional
        See `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If constraint elements hold, or a body is not in the model.
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
    """G^T T (n, n_c); columns are zeros where loops hold what the tree alone could move, but for round-off."""
    T_y = G.T @ T
    left = np.einsum("ij,ij->j", T_y, np.linalg.solve(G.T @ H @ G, T_y))
    T_y[:, left <= 1e-20 * np.einsum("ij,ij->j", T, np.linalg.solve(H, T))] = 0.0
    return T_y


@dataclass(frozen=True, eq=False)
class ContactMotion:
    """Accelerations and contact forces.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Unique.
    lam : ndarray (n_c,)
        Contact forces, N; a basic solution, unique only where the normals of `current` are independent.
    tau_c : ndarray (nv,)
        What they do to the joints, T lam; unique.
    zeta_rate : ndarray (n_c,)
        Separation accelerations, m/s2; unique.
    current : tuple of str
        Contacts that persist, zeta' = 0.
    active : tuple of str
        Those of them whose normals are a basis of all of `current`, among them every one with a force.
    unique : bool
        Whether lam is.
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
        Separation velocity that counts as zero, m/s: contacts that move faster need an impulse, or are none.

    Raises
    ------
    InfeasibleError
        If no forces keep the bodies apart, with the names of the contacts.
    StateError
        If a contact approaches or separates, or the method is unknown.
    """
    for name, zeta in zip(equation.names, equation.zeta, strict=True):
        if abs(zeta) > tol:
            instead = "apply an impulse first" if zeta < 0.0 else "leave it out, it is about to be lost"
            raise StateError(f"contact {name!r} has separation velocity {zeta:.6g} m/s, not zero; {instead}")
    if method == "gauss":
        G, free = equation.G, equation.free
        near = least_distance(  # in what loops leave free, counted from the motion without contact
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
    """Numbers of the current contacts, with zeta' = 0, and of the active ones, which are a basis of their normals.

    Contacts with a force come first; where these do not span the normals of all current ones, some with
    zeta' = lam = 0 are added (Featherstone 2008, section 11.5).

    Parameters
    ----------
    lam, zeta_rate : ndarray (n_c,)
        A basic solution.
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
