"""Forces through loop joints, and their effect on the spanning tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint
from rbdkit.algorithms.loops.loop_jacobian import find_loop, loop_jacobian
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.cross import cross_force, cross_motion

LoopEfforts = Mapping[str, ArrayLike] | None
"""Active forces tau_k of loop joints, by their names: one number for each of the joint's freedoms, N m or N."""


def loop_efforts(model: Model, tau_loop: LoopEfforts) -> list[NDArray]:
    """Return tau_k of all loop joints, zero for passive ones.

    Raises
    ------
    ModelError
        If a loop joint is unknown.
    StateError
        If a joint has another number of freedoms, or a number is not finite.
    """
    found = [np.zeros(loop.joint.nv) for loop in model.loops]
    for name, given in (tau_loop or {}).items():
        l, tau_k = find_loop(model, name), np.atleast_1d(np.asarray(given, dtype=float))
        if tau_k.shape != found[l].shape or not np.isfinite(tau_k).all():
            raise StateError(
                f"active force {tau_k.tolist()} of loop joint {name!r}: it must be {len(found[l])} finite number(s), "
                "one for each freedom of the joint"
            )
        found[l] = tau_k
    return found


def active_force(model: Model, q: NDArray, tau_loop: LoopEfforts, *, t: float = 0.0) -> NDArray:
    """Return tau^a, the joint-space force of active loop joints, by loop Jacobians (Featherstone 2008, Eq 8.28).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree.
    tau_loop : LoopEfforts
        Active forces by the names of the loop joints.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    (nv,)

    Raises
    ------
    ModelError, StateError
        As `loop_efforts` does.
    """
    tau_a = np.zeros(model.nv)
    T_a = _active_subspaces(model, q, t)
    for loop, T_a_k, tau_k in zip(model.loops, T_a, loop_efforts(model, tau_loop), strict=True):
        tau_a += loop_jacobian(model, q, loop.joint.name, t=t).T @ T_a_k @ tau_k
    return tau_a


def bias_force_with_loops(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau_loop: LoopEfforts = None,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> NDArray:
    """Return ``C' = C - tau^a`` in one pass (Featherstone 2008, Tables 8.2, 8.3).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree.
    qd : ndarray (nv,)
        Joint velocities.
    tau_loop : LoopEfforts, optional
        Active forces by the names of the loop joints; all are passive if not given.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    (nv,)

    Raises
    ------
    ModelError, StateError
        As `loop_efforts` does.
    """
    n, parent = len(model.bodies), model.parent
    X, X_0 = np.zeros((n, 6, 6)), np.array([np.eye(6)] * n)
    v, a_vp, f = np.zeros((3, n, 6))
    S, C_ = [np.zeros((6, 0))] * n, np.zeros(model.nv)
    f_x = external_forces(model, f_ext)
    a_vp[0, 3:] = -model.gravity
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ joint.X_tree
        X_0[i] = X[i] @ X_0[p]
        v[i] = X[i] @ v[p] + v_J
        a_vp[i] = X[i] @ a_vp[p] + c_J + cross_motion(v[i], v_J)
        f[i] = model.I[i] @ a_vp[i] + cross_force(v[i], model.I[i] @ v[i])
        if f_x is not None:
            f[i] -= plucker.force(X_0[i]) @ f_x[i]
    T_a = _active_subspaces(model, q, t)
    for loop, T_a_k, tau_k in zip(model.loops, T_a, loop_efforts(model, tau_loop), strict=True):
        p, s = loop.predecessor, loop.successor
        f_a = plucker.from_pose(loop.successor_placement).T @ T_a_k @ tau_k
        f[s] -= f_a
        f[p] += plucker.force(X_0[p]) @ X_0[s].T @ f_a
    for i in model.inward:
        C_[model.joints[i].v_slice] += S[i].T @ f[i]
        f[parent[i]] += X[i].T @ f[i]
    return C_


def joint_forces(
    model: Model, constraint: LoopConstraint, lam: NDArray, tau_loop: LoopEfforts = None
) -> dict[str, NDArray]:
    """Return f_k, the force through every loop joint: ``T_k lambda_k`` plus the active force (section 8.4).

    Parameters
    ----------
    constraint : LoopConstraint
        Loop constraint at the state.
    lam : ndarray (n_c,)
        Constraint-force variables.
    tau_loop : LoopEfforts, optional
        Active forces by the names of the loop joints.

    Returns
    -------
    dict of str to ndarray (6,)
        Forces on the successor bodies, in their coordinates; the predecessors feel the opposite.

    Raises
    ------
    ModelError, StateError
        As `loop_efforts` does.
    """
    efforts = loop_efforts(model, tau_loop)
    return {
        name: constraint.T[l] @ lam[constraint.rows[l]] + constraint.T_a[l] @ efforts[l]  # Eq 8.30
        for l, name in enumerate(constraint.names)
    }


def _active_subspaces(model: Model, q: NDArray, t: float) -> list[NDArray]:
    """Return T_a of the loop joints in coordinates of their successor frames.

    The table assumes it constant; here it belongs to the current pose of the joint.
    """
    poses = forward_kinematics(model, q, t=t).poses
    found = []
    for loop in model.loops:
        near, far = poses[loop.predecessor] @ loop.joint.placement, poses[loop.successor] @ loop.successor_placement
        kind = loop.joint.type
        found.append(np.linalg.pinv(kind.motion_subspace(kind.project(se3.inverse(near) @ far))).T)
    return found
