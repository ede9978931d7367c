"""Inertia matrices of a floating base by the composite-rigid-body algorithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.algorithms.rotor import rotor_inertia


@dataclass(frozen=True)
class FloatingCrbaResult:
    """Result of `floating_crba`.

    Attributes
    ----------
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    F : ndarray (6, nv)
        Forces on the base for unit joint accelerations, in base coordinates.
    Ic : ndarray (n, 6, 6)
        Composite inertias in body coordinates; I_0c is the whole system's.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    H: NDArray
    F: NDArray
    Ic: NDArray
    X: NDArray
    S: list[NDArray]

    @property
    def I_0c(self) -> NDArray:
        """Composite inertia of all bodies in base coordinates, (6, 6)."""
        return self.Ic[0]


def floating_crba(system: FloatingBase, q: NDArray, *, t: float = 0.0) -> FloatingCrbaResult:
    """Return H, F and I_0^c of Eq 9.13 (Featherstone 2008, Table 9.5).

    Parameters
    ----------
    q : ndarray (nq,)
        Joint coordinates.
    t : float, optional
        Time in s, for prescribed joints.
    """
    tree, parent = system.tree, system.tree.parent
    n, v = len(tree.bodies), [joint.v_slice for joint in tree.joints]
    X, Ic, H, F = np.zeros((n, 6, 6)), system.inertias, np.zeros((tree.nv, tree.nv)), np.zeros((6, tree.nv))
    S = [joint.motion_subspace(q) for joint in tree.joints]

    for i in tree.outward:
        X[i] = tree.joints[i].transform(q, t) @ tree.X_tree[i]
    for i in tree.inward:
        Ic[parent[i]] += X[i].T @ Ic[i] @ X[i]
        F_i = Ic[i] @ S[i]  # Eq 9.12
        H[v[i], v[i]] += S[i].T @ F_i + np.diag(rotor_inertia(tree.joints[i]))
        j = i
        while parent[j] != 0:
            F_i = X[j].T @ F_i
            j = parent[j]
            H_ij = F_i.T @ S[j]
            H[v[i], v[j]] += H_ij
            H[v[j], v[i]] += H_ij.T
        F[:, v[i]] += X[j].T @ F_i
    return FloatingCrbaResult(0.5 * (H + H.T), F, Ic, X, S)
