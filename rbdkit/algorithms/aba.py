"""Forward dynamics by the articulated-body algorithm (ABA; Featherstone 2008, section 7.3).

Pass 1 goes outwards for velocities, pass 2 inwards for articulated-body inertias and bias forces, pass 3 outwards for
accelerations. The articulated-body inertia IA of body i is what i resists with if its whole subtree is free to move, so
that f_i = IA a_i + pA: it is known before the acceleration of the parent is. Hence the cost is O(n), and no matrix
larger than a joint's own D = S^T IA S is solved.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.algorithms.room import from_world, joint_groups, joint_values, room
from rbdkit.algorithms.rotor import rotor_matrix
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.compact import Forces, JointMatrix, JointVector, Subspace, abi, fv, mv, plx
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class AbaResult:
    """Result of `aba`, with its intermediates in body coordinates; row or entry i belongs to body i.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations.
    v, c, a : ndarray (n, 6)
        Velocities, velocity products, and accelerations with ``a[0] = -gravity``.
    IA, pA : ndarray (n, 6, 6), (n, 6)
        Articulated-body inertias and bias forces.
    Ia, pa : ndarray
        Articulated inertia and bias force of body i as the parent feels them through joint i.
    U, D, u : list of ndarray
        Common subexpressions of Eqs 7.43-7.45.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    qdd: NDArray
    v: NDArray
    c: NDArray
    a: NDArray
    IA: NDArray
    pA: NDArray
    Ia: NDArray
    pa: NDArray
    U: list[NDArray]
    D: list[NDArray]
    u: list[NDArray]
    X: NDArray
    S: list[NDArray]


def aba(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> AbaResult:
    """Return the joint accelerations that given joint forces cause (Featherstone 2008, Table 7.1).

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
        If D is singular, so a joint moves bodies that have no inertia along its motion; or if joints are not
        independent: use `forward_dynamics_crba` for mimic joints and `divide_and_conquer` for loops.
    """
    parent, I, f_x, groups = model.parent, model.I, external_forces(model, f_ext), joint_groups(model, tau)
    X, S, v, c, a = room(model, plx, Subspace, mv, mv, mv)
    IA, Ia, pA, pa, U, D, u = room(model, abi, abi, fv, fv, Forces, JointMatrix, JointVector)
    qdd, X_0 = joint_values(model, "qdd"), None if f_x is None else from_world(model)

    for i in model.outward:  # pass 1
        joint, p = model.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J  # Eq 7.34
        c[i] = c_J + cross_motion(v[i], v_J)  # Eq 7.35
        IA[i] = I[i]
        pA[i] = cross_force(v[i], I[i] @ v[i])  # Eq 7.36
        if X_0 is not None:
            X_0[i] = X[i] @ X_0[p]
            pA[i] -= plucker.force(X_0[i]) @ f_x[i]
    for i in model.inward:  # pass 2
        joint, p = model.joints[i], parent[i]
        if groups is not None:
            groups.free(i, IA, pA)
        U[i] = IA[i] @ S[i]  # Eq 7.43
        D[i] = S[i].T @ U[i] + rotor_matrix(joint)  # Eq 7.44, and the rotor
        u[i] = tau[joint.v_slice] - S[i].T @ pA[i]  # Eq 7.45
        D_inv_U, D_inv_u = solve_joint(D[i], U[i].T, joint.name), solve_joint(D[i], u[i], joint.name)
        Ia[i] = IA[i] - U[i] @ D_inv_U  # Eq 7.47
        pa[i] = pA[i] + Ia[i] @ c[i] + U[i] @ D_inv_u  # Eq 7.48
        if groups is not None:
            groups.add(i, X[i], Ia[i], pa[i], c[i])
        IA[p] += X[i].T @ Ia[i] @ X[i]  # Eq 7.37
        pA[p] += X[i].T @ pa[i]  # Eq 7.38
    a[0] = [0.0, 0.0, 0.0, *-model.gravity]  # pass 3; gravity as an upward acceleration of the base
    if groups is not None:
        groups.accelerate(0, a)
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        a_ = X[i] @ a[p] + c[i]  # Eq 7.46
        qdd[joint.v_slice] = solve_joint(D[i], u[i] - U[i].T @ a_, joint.name)  # Eq 7.49
        a[i] = a_ + S[i] @ qdd[joint.v_slice]  # Eq 7.50
        if groups is not None:
            groups.accelerate(i, a)
    return AbaResult(qdd, v, c, a, IA, pA, Ia, pa, U, D, u, X, S)
