"""The equation of motion in closed form: each coefficient of Eq 5.6 on its own (Featherstone 2008, section 5.2).

This is how equations of motion were derived before recursive algorithms. All axes and inertias are expressed in base
coordinates, where v_b = sum_i s_i qd_i over the freedoms that support body b. Inserting this into
f = I a + v x* I v gives a sum over the bodies for every H_ij, C_ijk and g_i. A joint with several freedoms is taken
apart into single axes; G maps the joint velocities v to the rates about these axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.algorithms.stages import moved, parts, stages
from rbdkit.model import Model
from rbdkit.model.requirements import require_undriven
from rbdkit.spatial import plucker


@dataclass(frozen=True)
class ClosedForm:
    """The coefficients of Eq 5.6: ``tau_i = sum_j H_ij qdd_j + sum_jk C_ijk qd_j qd_k + g_i``.

    Attributes
    ----------
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    C : ndarray (nv, nv, nv)
        Coefficients of centrifugal (j = k) and Coriolis forces, symmetric in j and k.
    g : ndarray (nv,)
        Gravity terms.
    """

    H: NDArray
    C: NDArray
    g: NDArray

    def inverse_dynamics(self, qd: NDArray, qdd: NDArray) -> NDArray:
        """Return tau (nv,) by Eq 5.6, where the printed ``H_ij qdd_i`` must be ``H_ij qdd_j``."""
        return self.H @ qdd + np.einsum("ijk,j,k", self.C, qd, qd) + self.g


def closed_form(model: Model, q: NDArray) -> ClosedForm:
    """Return all coefficients of the equation of motion at a position (Featherstone 2008, Eq 5.6).

    With loop joints these are the coefficients of the spanning tree.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.

    Returns
    -------
    ClosedForm
        For joints whose v are not the rates of q (spherical, free), C belongs to v.

    Raises
    ------
    ModelError
        If it is not known how the axes of a joint move, or if a joint is prescribed.

    Notes
    -----
    The sums run over all bodies and all triples of freedoms that support them: O(n^4) on a chain. `rnea` finds the
    forces for one motion in O(n). The closed form pays for many motions at one position, or to look at a single
    coefficient.
    """
    require_undriven(model, "the closed form", "Eq 5.6 has no term for that; rnea has")
    s, I, moves, movers, G = _geometry(model, q)
    a_g = np.concatenate([np.zeros(3), model.gravity])
    H, C, g = (np.array(x, dtype=float) for x in coefficients(s, I, moves, movers, a_g))
    H = G.T @ H @ G
    for joint in model.joints:
        H[joint.v_slice, joint.v_slice] += np.diag(rotor_inertia(joint))
    return ClosedForm(0.5 * (H + H.T), np.einsum("abc,ai,bj,ck->ijk", C, G, G, G), G.T @ g)


def coefficients(
    s: Sequence[NDArray], I: Sequence[NDArray], moves: NDArray, movers: Sequence[Sequence[int]], a_g: NDArray
) -> tuple[list[list[Any]], list[list[list[Any]]], list[Any]]:
    """Return H, C and g from axes and inertias in base coordinates, for numbers or symbols.

    Parameters
    ----------
    s : sequence of ndarray
        (6,) axis of each freedom.
    I : sequence of ndarray
        (6, 6) inertia of each body.
    moves : ndarray
        (n, n) booleans: whether freedom k (column) moves the axis of freedom j (row).
    movers : sequence
        For each body the indices of the freedoms that move it.
    a_g : ndarray (6,)
        Spatial acceleration of free fall, linear part last.
    """
    n = len(s)
    H, g = [[0.0] * n for _ in s], [0.0] * n
    C: list[list[list[Any]]] = [[[0.0] * n for _ in s] for _ in s]
    for I_b, support in zip(I, movers, strict=True):
        for i in support:
            g[i] = g[i] - s[i] @ (I_b @ a_g)
        for i, j in product(support, support):
            H[i][j] = H[i][j] + s[i] @ (I_b @ s[j])
        for i, j, k in product(support, support, support):
            f = cross_force(s[k], I_b @ s[j])  # v x* I v, Eq 5.9, with v from Eq 5.3
            if moves[j, k]:
                f = f + I_b @ cross_motion(s[k], s[j])  # I a, with a from Eq 5.5
            C[i][j][k] = C[i][j][k] + s[i] @ f
    symmetric = [[[0.5 * (C[i][j][k] + C[i][k][j]) for k in range(n)] for j in range(n)] for i in range(n)]
    return H, symmetric, g


def chain_freedoms(n: int) -> tuple[NDArray, list[range]]:
    """Return `moves` and `movers` for an unbranched chain of n joints with one freedom each."""
    return np.tri(n, dtype=bool), [range(b + 1) for b in range(n)]


def cross_motion(v: NDArray, m: NDArray) -> NDArray:
    """Return v x m (Eq 2.33) for numbers or symbols."""
    return np.concatenate([np.cross(v[:3], m[:3]), np.cross(v[:3], m[3:]) + np.cross(v[3:], m[:3])])


def cross_force(v: NDArray, f: NDArray) -> NDArray:
    """Return v x* f (Eq 2.34) for numbers or symbols."""
    return np.concatenate([np.cross(v[:3], f[:3]) + np.cross(v[3:], f[3:]), np.cross(v[:3], f[3:])])


def _geometry(model: Model, q: NDArray) -> tuple[list[NDArray], list[NDArray], NDArray, list[list[int]], NDArray]:
    """Return s, I, moves, movers for `coefficients`, an axis per joint part, and G (parts, nv) from v to part rates."""
    X_0 = [np.eye(6)] * len(model.bodies)
    s: list[NDArray] = []
    own: list[list[int]] = [[]]
    movers: list[list[int]] = [[]]
    tables, shares = [], []
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        X_0[i] = joint.transform(q) @ model.X_tree[i] @ X_0[p]
        P, share = parts(joint, q)
        axes = plucker.inverse(X_0[i]) @ P
        own.append(list(range(len(s), len(s) + len(share))))
        movers.append(movers[p] + own[i])
        s += list(axes.T)
        tables.append(moved(stages(joint)))
        shares.append(np.zeros((len(share), model.nv)))
        shares[-1][:, joint.v_slice] = share
    moves = np.zeros((len(s), len(s)), dtype=bool)
    for i in model.outward:
        moves[np.ix_(own[i], movers[model.parent[i]])] = True  # all that moves the parent carries the joint along
        moves[np.ix_(own[i], own[i])] = tables[i - 1]
    I = [X.T @ I_i @ X for X, I_i in zip(X_0, model.I, strict=True)]
    return s, I[1:], moves, movers[1:], np.concatenate(shares)
