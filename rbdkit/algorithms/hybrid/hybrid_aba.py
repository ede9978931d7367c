"""Hybrid dynamics by the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.hybrid.joint_sets import forward_joints
from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.model import Model
from rbdkit.model.requirements import require_independent_joints
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class HybridAbaResult:
    """Result of `hybrid_aba` in body coordinates; row or entry i belongs to body i.

    Attributes
    ----------
    qdd, tau : ndarray (nv,)
        Accelerations and forces of all joints, given and computed.
    fd
        Indices of the forward-dynamics joints.
    v, c, a : ndarray (n, 6)
        Velocities, known accelerations across the joints, and accelerations with ``a[0] = -gravity``.
    IA, pA : ndarray (n, 6, 6), (n, 6)
        Articulated-body inertias and bias forces.
    Ia, pa : ndarray
        Articulated inertia and bias force of body i as the parent feels them through joint i.
    U, D, u : list of ndarray
        Common subexpressions, empty at inverse-dynamics joints.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    qdd: NDArray
    tau: NDArray
    fd: frozenset[int]
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


def hybrid_aba(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    qdd: NDArray,
    forward: Iterable[str | int],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> HybridAbaResult:
    """Return accelerations of forward-dynamics joints and forces of the others (Featherstone 2008, Tables 9.2, 9.3).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    tau, qdd : ndarray (nv,)
        Joint forces and accelerations; tau is read at the joints in `forward`, qdd at the others.
    forward : iterable
        Names or indices of the joints whose forces are given.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a joint is unknown, if a forward-dynamics joint moves no inertia, or if there are mimic or loop joints.
    """
    require_independent_joints(model, "hybrid ABA", "hybrid_dynamics")
    fd, n, parent, I = forward_joints(model, forward), len(model.bodies), model.parent, model.I
    X, v, c, a, pA, pa = np.zeros((n, 6, 6)), *np.zeros((5, n, 6))
    IA, Ia, qdd, tau = np.array(I), np.zeros((n, 6, 6)), np.array(qdd, dtype=float), np.array(tau, dtype=float)
    S, U, D, u = ([np.zeros((6, 0))] * n for _ in range(4))
    f_x, X_0 = external_forces(model, f_ext), [np.eye(6)] * n

    for i in model.outward:  # pass 1
        joint, p = model.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J
        c[i] = c_J + cross_motion(v[i], v_J)
        if i not in fd:
            c[i] += S[i] @ qdd[joint.v_slice]  # known, so it joins the velocity-product term
        pA[i] = cross_force(v[i], I[i] @ v[i])
        if f_x is not None:
            X_0[i] = X[i] @ X_0[p]
            pA[i] -= plucker.force(X_0[i]) @ f_x[i]
    for i in model.inward:  # pass 2
        joint, p = model.joints[i], parent[i]
        if i in fd:
            U[i] = IA[i] @ S[i]
            D[i] = S[i].T @ U[i] + np.diag(joint.armature)
            u[i] = tau[joint.v_slice] - S[i].T @ pA[i]
            Ia[i] = IA[i] - U[i] @ solve_joint(D[i], U[i].T, joint.name)
            pa[i] = pA[i] + Ia[i] @ c[i] + U[i] @ solve_joint(D[i], u[i], joint.name)
        else:
            Ia[i] = IA[i]  # Eq 9.9
            pa[i] = pA[i] + Ia[i] @ c[i]  # Eq 9.10
        IA[p] += X[i].T @ Ia[i] @ X[i]
        pA[p] += X[i].T @ pa[i]
    a[0, 3:] = -model.gravity  # pass 3
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        a[i] = X[i] @ a[p] + c[i]  # a' of forward-dynamics joints, Eq 9.8 elsewhere
        if i in fd:
            qdd[joint.v_slice] = solve_joint(D[i], u[i] - U[i].T @ a[i], joint.name)
            a[i] += S[i] @ qdd[joint.v_slice]
        else:
            f_i = IA[i] @ a[i] + pA[i]  # Eq 9.6
            tau[joint.v_slice] = S[i].T @ f_i + joint.armature * qdd[joint.v_slice]  # and the rotor
    return HybridAbaResult(qdd, tau, fd, v, c, a, IA, pA, Ia, pa, U, D, u, X, S)
