"""Inverse dynamics of a floating base: joint forces and base acceleration for given joint accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class FloatingInverseResult:
    """Result of `floating_inverse_dynamics` in body coordinates; row i belongs to body i, 0 being the base.

    Attributes
    ----------
    a_0 : ndarray (6,)
        Acceleration of the base.
    tau : ndarray (nv,)
        Joint forces.
    Ic, pc : ndarray (n, 6, 6), (n, 6)
        Composite inertias, and the forces of the subtrees at ``a_0 = 0``.
    v, ar : ndarray (n, 6)
        Velocities, and accelerations at ``a_0 = 0``.
    f : ndarray (n, 6)
        Forces through the joints.
    """

    a_0: NDArray
    tau: NDArray
    Ic: NDArray
    pc: NDArray
    v: NDArray
    ar: NDArray
    f: NDArray


def floating_inverse_dynamics(
    system: FloatingBase,
    q: NDArray,
    qd: NDArray,
    v_0: NDArray,
    qdd: NDArray,
    *,
    f_ext: ExternalForces = None,
    a_g: NDArray | None = None,
    t: float = 0.0,
) -> FloatingInverseResult:
    """Return base acceleration and joint forces for given joint accelerations (Featherstone 2008, Table 9.6).

    Parameters
    ----------
    q : ndarray (nq,)
        Joint coordinates.
    qd, qdd : ndarray (nv,)
        Joint velocities and accelerations.
    v_0, f_ext, a_g, t
        As in `floating_aba`.

    Notes
    -----
    The table prints ``v_J x v_J`` for ``v_i x v_J`` and leaves superscripts out; the lines below are corrected.
    """
    tree, I, f_x = system.tree, system.inertias, system.external_forces(f_ext)
    n, parent = len(tree.bodies), tree.parent
    X, X_0, Ic = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), I.copy()
    v, ar, pc, a_0, f = np.zeros((5, n, 6))
    S, tau = [np.zeros((6, 0))] * n, np.zeros(tree.nv)

    X_0[0], v[0] = np.eye(6), v_0  # pass 1
    ar[0] = 0.0 if a_g is None else -a_g
    pc[0] = I[0] @ ar[0] + cross_force(v_0, I[0] @ v_0) - f_x[0]
    for i in tree.outward:
        joint, p = tree.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ tree.X_tree[i]
        X_0[i] = X[i] @ X_0[p]
        v[i] = X[i] @ v[p] + v_J
        ar[i] = X[i] @ ar[p] + c_J + cross_motion(v[i], v_J) + S[i] @ qdd[joint.v_slice]
        pc[i] = I[i] @ ar[i] + cross_force(v[i], I[i] @ v[i]) - plucker.force(X_0[i]) @ f_x[i]  # Eq 9.23
    for i in tree.inward:  # pass 2
        Ic[parent[i]] += X[i].T @ Ic[i] @ X[i]
        pc[parent[i]] += X[i].T @ pc[i]  # Eq 9.22
    a_0[0] = -solve_base(Ic[0], pc[0], system.name)  # pass 3, Eq 9.24
    for i in tree.outward:
        joint = tree.joints[i]
        a_0[i] = X[i] @ a_0[parent[i]]  # the same vector in the coordinates of body i
        f[i] = Ic[i] @ a_0[i] + pc[i]  # Eq 9.20
        tau[joint.v_slice] += S[i].T @ f[i] + rotor_inertia(joint) * qdd[joint.v_slice]  # Eq 9.25, and the rotor
    return FloatingInverseResult(a_0[0], tau, Ic, pc, v, ar, f)
