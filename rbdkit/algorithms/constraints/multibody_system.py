"""Equation of motion of all bodies and joints in maximal coordinates (Featherstone 2008, section 3.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.system import System, take_apart
from rbdkit.algorithms.constraints.equation import EquationOfMotion
from rbdkit.algorithms.constraints.implicit import apply_implicit
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.model import Model
from rbdkit.model.closing import require_closed
from rbdkit.spatial import plucker


@dataclass(frozen=True, eq=False)
class MultibodyMotion:
    """Solution of Eq 3.74.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations of the tree's joints; loop joints have no variables.
    a : ndarray (n, 6)
        Accelerations of the bodies in their own coordinates; gravity is one of the forces, so ``a[0] = 0``.
    f : dict of str to ndarray
        Force (6,) through every joint, by its name, on its successor body, in coordinates of that body.
    lam : ndarray (n_c,)
        Constraint-force variables; those of least norm if they are not unique.
    n_ic : int
        Number of independent constraints; n_c - n_ic elements of lam are indeterminate.
    """

    qdd: NDArray
    a: NDArray
    f: dict[str, NDArray]
    lam: NDArray
    n_ic: int


@dataclass(frozen=True, eq=False)
class MultibodySystem:
    """``[I PT; T^T P^T 0] [a; -lambda] = [P T_a tau - p; -Tdot^T P^T v]`` at one state (Featherstone 2008, Eq 3.74).

    N_B bodies without the base; N_J joints: those of the tree, joint i carrying body i, then the loop joints. All
    vectors are in one frame, with world axes and its origin at the mean of the bodies' origins.

    Attributes
    ----------
    names : tuple of str
        Names of the joints.
    I : ndarray (6 N_B, 6 N_B)
        Inertias, a block for each body; rotors add to the blocks of the bodies that they couple.
    p : ndarray (6 N_B,)
        Bias forces, with gravity, external forces, and the velocity terms of rotors.
    v : ndarray (6 N_B,)
        Velocities of the bodies.
    P : ndarray (6 N_B, 6 N_J)
        Incidence of bodies and joints, see `incidence`.
    T, T_a : ndarray (6 N_J, n_c), (6 N_J, n_f)
        Constraint-force and active-force subspaces, a block for each joint.
    tau : ndarray (n_f,)
        Joint forces, zero for loop joints.
    Tdot_v : ndarray (n_c,)
        Tdot^T P^T v, generalised to prescribed joints.
    """

    names: tuple[str, ...]
    I: NDArray
    p: NDArray
    v: NDArray
    P: NDArray
    T: NDArray
    T_a: NDArray
    tau: NDArray
    Tdot_v: NDArray
    _source: System

    @property
    def v_J(self) -> NDArray:
        """Velocities P^T v, (6 N_J,), across the joints (Eq 3.67)."""
        return self.P.T @ self.v

    @property
    def equation(self) -> EquationOfMotion:
        """Equation ``I a + p = P T_a tau`` of all bodies without constraints (Eqs 3.66, 3.70): H, C, tau of Eq 3.14."""
        return EquationOfMotion(self.I, self.p, self.P @ self.T_a @ self.tau)

    @property
    def K(self) -> NDArray:
        """Constraint Jacobian K = T^T P^T of Eq 3.11, (n_c, 6 N_B)."""
        return self.T.T @ self.P.T

    @property
    def matrix(self) -> NDArray:
        """Coefficient matrix of Eq 3.74 for (a, -lambda); singular if constraints are redundant."""
        n_c = len(self.Tdot_v)
        return np.block([[self.I, self.K.T], [self.K, np.zeros((n_c, n_c))]])

    @property
    def right_hand_side(self) -> NDArray:
        """Right-hand side of Eq 3.74, (6 N_B + n_c,)."""
        return np.concatenate([self.P @ self.T_a @ self.tau - self.p, -self.Tdot_v])

    def solve(self) -> MultibodyMotion:
        """Return the accelerations and the forces that all joints transmit.

        Raises
        ------
        StateError
            If redundant constraints demand different accelerations: the state does not close a loop.
        ModelError
            If a motion that the joints allow moves no inertia.
        """
        source, found = self._source, apply_implicit(self.equation, self.K, -self.Tdot_v)
        n, a_J = len(source.bodies), (self.P.T @ found.qdd).reshape(-1, 6)
        a = np.vstack([np.zeros(6), found.qdd.reshape(-1, 6)])
        f_T = (self.T @ found.lam).reshape(-1, 6)
        qdd, f = np.zeros(source.model.nv), {}
        for j, joint in enumerate(_joints(source)):
            qdd_j = joint.T_a.T @ (a_J[j] - joint.c)
            if j < n - 1:
                qdd[source.model.joints[j + 1].v_slice] = qdd_j
            f_J = joint.T_a @ (joint.tau - joint.rotor * qdd_j) + f_T[j]  # Eq 3.73, and the rotor
            f[joint.name] = plucker.force(source.X[joint.handles[1]]) @ f_J
        return MultibodyMotion(qdd, (source.X @ a[..., None])[..., 0], f, found.lam, found.n_ic)


def incidence(model: Model) -> NDArray:
    """Return the incidence matrix P (6 N_B, 6 N_J) of bodies and joints (Featherstone 2008, Eq 3.69).

    The joints are those of the tree, joint i carrying body i, then the loop joints. ``P.T @ v`` are the
    velocities across the joints (Eq 3.67), ``P @ f_J`` the sums of joint forces on the bodies (Eq 3.70), if all are in
    one set of coordinates.
    """
    ends = [(model.parent[i], i) for i in model.outward]
    ends += [(loop.predecessor, loop.successor) for loop in model.loops]
    P = np.zeros((len(model.bodies), len(ends)))
    for j, (p, s) in enumerate(ends):
        P[s, j] += 1.0
        P[p, j] -= 1.0  # the two cancel for a joint from a body to itself
    return np.kron(P[1:], np.eye(6))


def multibody_system(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> MultibodySystem:
    """Return the equation of motion of all bodies and joints, loops included (Featherstone 2008, Eqs 3.65-3.74).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has mimic joints, whose constraint is not one between two bodies.
    StateError
        If the state does not close a loop.

    Notes
    -----
    The book's ``-Tdot^T v_J`` is computed as ``T^T c`` with ``a_J = S qdd + c``: so it holds for prescribed joints too,
    whose velocity is not in the range of S. A rotor of inertia A takes ``A qdd = A T_a^T (a_J - c)`` of its joint's
    force.
    """
    from scipy.linalg import block_diag  # slow to load, and only this function needs it

    require_closed(model, q, qd, t, ("q", "qd"))
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    joints, bodies, P = _joints(system), system.bodies[1:], incidence(model)
    T = block_diag(np.zeros((0, 0)), *(_T(joint) for joint in joints))
    T_a = block_diag(np.zeros((0, 0)), *(joint.T_a for joint in joints))
    c = np.concatenate([np.zeros(0), *(joint.c for joint in joints)])
    rotors = np.concatenate([np.zeros(0), *(joint.rotor for joint in joints)])
    I = block_diag(np.zeros((0, 0)), *(body.I for body in bodies))  # Eq 3.65
    p = np.concatenate([np.zeros(0), *(body.p + body.I @ system.a_0 for body in bodies)])  # a_0 is minus gravity
    turned = P @ T_a * rotors  # wrenches on the bodies per acceleration of the rotors
    return MultibodySystem(
        names=tuple(joint.name for joint in joints),
        I=I + turned @ T_a.T @ P.T,
        p=p - turned @ T_a.T @ c,
        v=system.v[1:].ravel(),
        P=P,
        T=T,
        T_a=T_a,
        tau=np.concatenate([np.zeros(0), *(joint.tau for joint in joints)]),
        Tdot_v=-T.T @ c,  # Eq 3.71
        _source=system,
    )


def _joints(system: System) -> list[Connection]:
    return [system.joint(i) for i in system.model.outward] + system.loops


def _T(joint: Connection) -> NDArray:
    """Return the constraint-force subspace of a joint without the columns for rotors."""
    return joint.T[:, : joint.T.shape[1] - np.count_nonzero(joint.rotor)]
