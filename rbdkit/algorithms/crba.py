"""The joint-space inertia matrix by the composite-rigid-body algorithm (CRBA; Featherstone 2008, section 6.2).

Column i of H is the joint force that gives joint i unit acceleration while all others stand still. The subtree below
joint i then moves as one rigid body with the composite inertia Ic, which needs the force F = Ic S; that force is
transmitted to the base through the joints that support i, and through no other. So H_ij is zero unless i and j are on
one path to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.room import between, matrix_room, room, symmetric
from rbdkit.algorithms.rotor import rotor_inertia, rotor_matrix
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.compact import Subspace, plx, rbi


@dataclass(frozen=True)
class CrbaResult:
    """Result of `crba`, with its intermediates in body coordinates; entry i belongs to body i.

    Attributes
    ----------
    H : ndarray (nv, nv)
        Joint-space inertia matrix, exactly symmetric.
    Ic : ndarray (n, 6, 6)
        Composite inertias of the subtrees.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    H: NDArray
    Ic: NDArray
    X: NDArray
    S: list[NDArray]


def crba(model: Model, q: NDArray, *, t: float = 0.0) -> CrbaResult:
    """Return the joint-space inertia matrix H (Featherstone 2008, Table 6.2).

    With loop joints it belongs to the spanning tree, whose variables are then not independent.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints.

    Notes
    -----
    Blocks of joints on different branches stay zero. A mimic joint adds to the rows and columns of its master joint.
    """
    joints, (X, Ic, S), H = model.joints, room(model, plx, rbi, Subspace), matrix_room(model, "H")

    for i in model.outward:
        X[i], S[i] = joints[i].transform(q, t) @ model.X_tree[i], joints[i].motion_subspace(q)
        Ic[i] = model.I[i]
    for i in model.inward:
        Ic[model.parent[i]] += X[i].T @ Ic[i] @ X[i]  # Eq 6.17
        v_i, F = joints[i].v_slice, Ic[i] @ S[i]
        H[v_i, v_i] += S[i].T @ F + rotor_matrix(joints[i])  # Eq 6.20, i = j
        below = i
        for j in between(model, i):  # towards the base
            v_j, F = joints[j].v_slice, X[below].T @ F  # Eq 6.19
            H_ij = F.T @ S[j]  # Eq 6.20
            H[v_i, v_j] += H_ij
            H[v_j, v_i] += H_ij.T
            below = j
    return CrbaResult(symmetric(H), Ic, X, S)  # S.T Ic S is symmetric but for its last digit


def crba_base(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return H from the basic equations with everything in base coordinates; for reading and for checking `crba`.

    With loop joints it belongs to the spanning tree, whose variables are then not independent.

    Featherstone 2008, Eqs 6.13, 6.14.
    """
    n, parent = len(model.bodies), model.parent
    X_0, S, Ic, H = [np.eye(6)] * n, [np.zeros((6, 0))] * n, np.zeros((n, 6, 6)), np.zeros((model.nv, model.nv))
    for i in model.outward:
        joint = model.joints[i]
        X_0[i] = joint.transform(q, t) @ model.X_tree[i] @ X_0[parent[i]]
        S[i] = plucker.inverse(X_0[i]) @ joint.motion_subspace(q)
        Ic[i] = X_0[i].T @ model.I[i] @ X_0[i]
    for i in model.inward:
        Ic[parent[i]] += Ic[i]  # Eq 6.13
    for i in model.outward:
        H[model.joints[i].v_slice, model.joints[i].v_slice] += np.diag(rotor_inertia(model.joints[i]))
        for j in model.outward:
            if j in model.support(i):
                H_ij = S[i].T @ Ic[i] @ S[j]  # Eq 6.14
            elif i in model.support(j):
                H_ij = S[i].T @ Ic[j] @ S[j]
            else:
                continue
            H[model.joints[i].v_slice, model.joints[j].v_slice] += H_ij
    return 0.5 * (H + H.T)
