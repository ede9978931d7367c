"""Separate bodies and joints of a model, all in one set of coordinates.

The common frame has the axes of the base and its origin at the mean of the bodies' origins: far from the bodies,
spatial inertias lose digits (section 10.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handle import Handle, InverseHandle
from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.joints.loop_form import loop_form
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_constraints, require_no_mimics
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True, eq=False)
class System:
    """Separate bodies and joints of a model at one state.

    Attributes
    ----------
    model : Model
        The model.
    X : ndarray (n, 6, 6)
        Motion transforms from the common coordinates to those of each body, the base too.
    v : ndarray (n, 6)
        Velocities of the bodies.
    bodies : list of Handle
        Equation of motion ``f = I a + p`` of each body alone; the base has zeros, which are not used.
    a_0 : ndarray (6,)
        Acceleration of the base: minus gravity.
    joints
        ``joints[i]`` connects body i (handle 2) to its parent (handle 1); None for the base.
    loops : list of Connection
        Loop joints, from predecessor (1) to successor (2).
    """

    model: Model
    X: NDArray
    v: NDArray
    bodies: list[Handle]
    a_0: NDArray
    joints: list[Connection | None]
    loops: list[Connection]

    def joint(self, i: int) -> Connection:
        """Return the joint between body i and its parent; the base has none."""
        joint = self.joints[i]
        if joint is None:
            raise IndexError("body 0 is the base and hangs on no joint")
        return joint

    def inverse(self, i: int) -> InverseHandle:
        """Return ``a = Phi f + b`` of body i alone; the base has Phi = 0 and b = a_0.

        Raises
        ------
        ModelError
            If the body's inertia is singular.
        """
        if i == 0:
            return InverseHandle(np.zeros((6, 6)), self.a_0)
        return self.bodies[i].inverse(f"body {self.model.bodies[i].name!r}")


def take_apart(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> System:
    """Return bodies and joints by pass 1 of the ABA in common coordinates (Featherstone 2008, Eqs 7.32-7.36).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If the model has mimic joints or constraint elements.
    """
    require_no_mimics(model, "the assembly of articulated bodies", "forward_dynamics")
    require_no_constraints(model, "the assembly of articulated bodies")
    n, parent = len(model.bodies), model.parent
    X, v = np.zeros((n, 6, 6)), np.zeros((n, 6))
    X[0] = plucker.inverse(plucker.xlt(_middle(model, q, t)))
    f_x = external_forces(model, f_ext)
    bodies = [Handle(np.zeros((6, 6)), np.zeros(6))]
    joints: list[Connection | None] = [None]
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S, v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ model.X_tree[i] @ X[p]
        from_body = plucker.inverse(X[i])
        T = joint.type.constraint_subspace(joint.coordinates(q))
        v_J = from_body @ v_J
        v[i] = v[p] + v_J  # Eq 7.34
        c = from_body @ c_J + cross_motion(v[i], v_J)  # Eq 7.35
        I = X[i].T @ model.I[i] @ X[i]
        p_i = cross_force(v[i], I @ v[i]) - (0.0 if f_x is None else X[0].T @ f_x[i])  # Eq 7.36
        bodies.append(Handle(I, p_i))
        S, T, T_a = from_body @ S, X[i].T @ T, X[i].T @ np.linalg.pinv(S).T
        joints.append(Connection.make(joint.name, (p, i), S, T, c, tau[joint.v_slice], joint.armature, T_a))
    a_0 = np.concatenate([np.zeros(3), -model.gravity])
    return System(model, X, v, bodies, a_0, joints, [_loop(model, k, X, v, t) for k in range(len(model.loops))])


def _middle(model: Model, q: NDArray, t: float) -> NDArray:
    """Return the mean of the bodies' origins, (3,) m."""
    places = forward_kinematics(model, q, t=t).poses[1:, :3, 3]
    return places.mean(axis=0) if len(places) else np.zeros(3)


def _loop(model: Model, k: int, X: NDArray, v: NDArray, t: float) -> Connection:
    """Return loop joint k at the bodies' current poses and velocities; it transmits no active forces."""
    loop = model.loops[k]
    kind, (p, s) = loop.joint.type, (loop.predecessor, loop.successor)
    X_s = plucker.from_pose(loop.successor_placement) @ X[s]
    v_J = X_s @ (v[s] - v[p])
    form = loop_form(kind, plucker.to_pose(X_s @ plucker.inverse(loop.joint.X_tree @ X[p])), v_J, t)
    from_joint = plucker.inverse(X_s)
    c = from_joint @ (form.c_J + cross_motion(X_s @ v[s], v_J))
    return Connection.make(loop.joint.name, (p, s), from_joint @ form.S, X_s.T @ form.T, c)
