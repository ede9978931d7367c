"""Bias forces of a floating base by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class FloatingRneaResult:
    """Result of `floating_rnea` in body coordinates; row or entry i belongs to body i, 0 being the base.

    Attributes
    ----------
    C : ndarray (nv,)
        Joint forces for zero accelerations.
    p_0c : ndarray (6,)
        Force on the base for zero accelerations.
    v, avp : ndarray (n, 6)
        Velocities and velocity-product accelerations.
    f : ndarray (n, 6)
        Forces through the joints.
    X, X_0 : ndarray (n, 6, 6)
        Motion transforms from parent and from base to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    C: NDArray
    p_0c: NDArray
    v: NDArray
    avp: NDArray
    f: NDArray
    X: NDArray
    X_0: NDArray
    S: list[NDArray]


def floating_rnea(
    system: FloatingBase,
    q: NDArray,
    qd: NDArray,
    v_0: NDArray,
    *,
    f_ext: ExternalForces = None,
    a_g: NDArray | None = None,
    t: float = 0.0,
) -> FloatingRneaResult:
    """Return C and p_0^c of Eq 9.13 (Featherstone 2008, Table 9.5); the parameters are those of `floating_aba`.

    Notes
    -----
    The table prints ``v_J x v_J``, which is zero, where ``v_i x v_J`` must stand.
    """
    tree, I, f_x = system.tree, system.inertias, system.external_forces(f_ext)
    n, parent = len(tree.bodies), tree.parent
    X, X_0, S = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), [np.zeros((6, 0))] * n
    v, avp, f, C = *np.zeros((3, n, 6)), np.zeros(tree.nv)

    X_0[0], v[0] = np.eye(6), v_0
    avp[0] = 0.0 if a_g is None else -a_g
    f[0] = I[0] @ avp[0] + cross_force(v_0, I[0] @ v_0) - f_x[0]
    for i in tree.outward:
        p = parent[i]
        X_J, S[i], v_J, c_J = tree.joints[i].calc(q, qd, t)
        X[i] = X_J @ tree.X_tree[i]
        X_0[i] = X[i] @ X_0[p]
        v[i] = X[i] @ v[p] + v_J
        avp[i] = X[i] @ avp[p] + c_J + cross_motion(v[i], v_J)
        f[i] = I[i] @ avp[i] + cross_force(v[i], I[i] @ v[i]) - plucker.force(X_0[i]) @ f_x[i]
    for i in tree.inward:
        C[tree.joints[i].v_slice] += S[i].T @ f[i]
        f[parent[i]] += X[i].T @ f[i]
    return FloatingRneaResult(C, f[0], v, avp, f, X, X_0, S)
