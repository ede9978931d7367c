"""The block H11 of the joint-space inertia matrix, which belongs to the forward-dynamics joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.hybrid.joint_sets import forward_joints, split_variables, supported_bodies
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.model import Model


@dataclass(frozen=True)
class HybridCrbaResult:
    """Result of `hybrid_crba` in body coordinates; entry i belongs to body i.

    Attributes
    ----------
    H11 : ndarray (n1, n1)
        Block of H of the forward-dynamics variables.
    fd, nu_fd
        The set fd of forward-dynamics joints, and the set nu(fd) of bodies that they support.
    Ic : ndarray
        (n, 6, 6) composite inertias of the bodies in nu(fd), zero elsewhere.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    """

    H11: NDArray
    fd: frozenset[int]
    nu_fd: frozenset[int]
    Ic: NDArray
    X: NDArray


def hybrid_crba(model: Model, q: NDArray, forward: Iterable[str | int], *, t: float = 0.0) -> HybridCrbaResult:
    """Return H11 without computing other blocks of H (Featherstone 2008, Table 9.1).

    With loop joints it belongs to the spanning tree; `hybrid_dynamics` refuses these.

    Parameters
    ----------
    q : (nq,) coordinates. forward : names or indices of the forward-dynamics joints. t : time in s, for prescribed
        joints.
    """
    fd, parent = forward_joints(model, forward), model.parent
    nu_fd = supported_bodies(parent, fd)
    n, v = len(model.bodies), [joint.v_slice for joint in model.joints]
    X, Ic, H = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), np.zeros((model.nv, model.nv))
    S = {i: model.joints[i].motion_subspace(q) for i in fd}

    for i in sorted(nu_fd):
        Ic[i] = model.I[i]
        X[i] = model.joints[i].transform(q, t) @ model.X_tree[i]
    for i in sorted(nu_fd, reverse=True):
        if parent[i] in nu_fd:
            Ic[parent[i]] += X[i].T @ Ic[i] @ X[i]
        if i not in fd:
            continue
        F = Ic[i] @ S[i]
        H[v[i], v[i]] += S[i].T @ F + np.diag(rotor_inertia(model.joints[i]))
        j = i
        while parent[j] in nu_fd:
            F = X[j].T @ F
            j = parent[j]
            if j in fd:
                H_ij = F.T @ S[j]
                H[v[i], v[j]] += H_ij
                H[v[j], v[i]] += H_ij.T
    first, _ = split_variables(model, fd)
    return HybridCrbaResult((0.5 * (H + H.T))[np.ix_(first, first)], fd, nu_fd, Ic, X)
