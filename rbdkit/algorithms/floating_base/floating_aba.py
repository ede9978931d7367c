"""Forward dynamics of a floating base by the articulated-body algorithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.model.requirements import require_independent_joints
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class FloatingAbaResult:
    """Result of `floating_aba` in body coordinates; row or entry i belongs to body i, 0 being the base.

    Attributes
    ----------
    a_0 : ndarray (6,)
        Acceleration of the base.
    qdd : ndarray (nv,)
        Joint accelerations.
    v, a : ndarray (n, 6)
        Velocities and accelerations, gravity included.
    IA, pA : ndarray (n, 6, 6), (n, 6)
        Articulated-body inertias and bias forces, without gravity.
    X, X_0 : ndarray (n, 6, 6)
        From parent, and from the base, to body.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    a_0: NDArray
    qdd: NDArray
    v: NDArray
    a: NDArray
    IA: NDArray
    pA: NDArray
    X: NDArray
    X_0: NDArray
    S: list[NDArray]


def floating_aba(
    system: FloatingBase,
    q: NDArray,
    qd: NDArray,
    v_0: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    a_g: NDArray | None = None,
    t: float = 0.0,
) -> FloatingAbaResult:
    """Return the accelerations of base and joints caused by joint forces (Featherstone 2008, Table 9.4).

    Parameters
    ----------
    q : ndarray (nq,)
        Joint coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    v_0 : ndarray (6,)
        Twist of the base in base coordinates.
    f_ext : ExternalForces, optional
        External forces in base coordinates, see `FloatingBase.external_forces`.
    a_g : ndarray (6,), optional
        Gravity in base coordinates, see `FloatingBase.gravity`; none if not given.
    t : float, optional
        Time in s, for prescribed joints.

    Notes
    -----
    Uniform gravity adds to all accelerations alike, so it enters where all is done, and qdd does
    not depend on it.

    Raises
    ------
    ModelError
        If a joint or the base moves no inertia, or if there are mimic joints.
    """
    tree, I = system.tree, system.inertias
    require_independent_joints(tree, "floating-base ABA", "floating_equation")
    n, parent = len(tree.bodies), tree.parent
    X, X_0, IA = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), I.copy()
    v, c, a, pA = np.zeros((4, n, 6))
    S, U, D, u = ([np.zeros((6, 0))] * n for _ in range(4))
    f_x, qdd = system.external_forces(f_ext), np.zeros(tree.nv)

    X_0[0], v[0] = np.eye(6), v_0
    pA[0] = cross_force(v_0, I[0] @ v_0) - f_x[0]
    for i in tree.outward:
        p = parent[i]
        X_J, S[i], v_J, c_J = tree.joints[i].calc(q, qd, t)
        X[i] = X_J @ tree.X_tree[i]
        X_0[i] = X[i] @ X_0[p]
        v[i] = X[i] @ v[p] + v_J
        c[i] = c_J + cross_motion(v[i], v_J)
        pA[i] = cross_force(v[i], I[i] @ v[i]) - plucker.force(X_0[i]) @ f_x[i]
    for i in tree.inward:
        joint, p = tree.joints[i], parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = S[i].T @ U[i] + np.diag(joint.armature)
        u[i] = tau[joint.v_slice] - S[i].T @ pA[i]
        Ia = IA[i] - U[i] @ solve_joint(D[i], U[i].T, joint.name)
        pa = pA[i] + Ia @ c[i] + U[i] @ solve_joint(D[i], u[i], joint.name)
        IA[p] += X[i].T @ Ia @ X[i]
        pA[p] += X[i].T @ pa
    a[0] = -solve_base(IA[0], pA[0], system.name)  # Eq 9.17
    for i in tree.outward:
        joint = tree.joints[i]
        a_ = X[i] @ a[parent[i]] + c[i]
        qdd[joint.v_slice] = solve_joint(D[i], u[i] - U[i].T @ a_, joint.name)
        a[i] = a_ + S[i] @ qdd[joint.v_slice]
    if a_g is not None:
        a += X_0 @ a_g
    return FloatingAbaResult(a[0], qdd, v, a, IA, pA, X, X_0, S)
