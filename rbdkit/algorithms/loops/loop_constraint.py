"""Constraint that loop joints impose on the spanning tree: K, k and stabilization terms (Featherstone 2008, Table 8.4).

A loop joint resists motion in the directions of its constraint-force subspace T. Differentiating T^T v_J = 0, where v_J
is the velocity of its successor frame relative to its predecessor frame, gives one row of K qdd = k for each column of
T. The columns of K are nonzero only for the joints of the two branches up to the common ancestor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.rnea import rnea
from rbdkit.joints.loop_form import loop_form
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import arcs_of
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_motion


@dataclass(frozen=True, eq=False)
class LoopConstraint:
    """Loop constraint ``K qdd = k + k_stab`` (Featherstone 2008, Eq 8.21), n^c rows for n tree variables.

    Attributes
    ----------
    names : tuple of str
        Names of the loop joints.
    rows : tuple of slice
        Rows of K of each loop joint.
    K : ndarray (n_c, nv)
        Constraint Jacobian; a mimic joint adds to the columns of its master joint.
    k, k_stab : ndarray (n_c,)
        Velocity terms, and stabilization terms (zero without stabilization).
    delta, delta_dot : ndarray (n_c,)
        Position error, rad and m, and velocity error, T^T (v_J - sigma), rad/s and m/s.
    T : tuple of ndarray (6, n_k)
        Constraint-force subspace of each loop joint, in coordinates of its successor body.
    S, T_a : tuple of ndarray (6, 6 - n_k)
        Motion subspace and active-force subspace, T_a^T S = 1, in the same coordinates.
    per_row, per_column : ndarray (n_c,), (nv,)
        Factors that turn angles into arc lengths, see `scaled`.
    length : float
        Characteristic length of the model, by which angles become arcs, m.
    """

    names: tuple[str, ...]
    rows: tuple[slice, ...]
    K: NDArray
    k: NDArray
    k_stab: NDArray
    delta: NDArray
    delta_dot: NDArray
    T: tuple[NDArray, ...]
    S: tuple[NDArray, ...]
    T_a: tuple[NDArray, ...]
    per_row: NDArray
    per_column: NDArray
    length: float

    @property
    def scaled(self) -> NDArray:
        """K with angles as arcs at the characteristic length, so that small entries are small in any units."""
        return self.per_row[:, None] * self.K * self.per_column

    @property
    def n_c(self) -> int:
        """Number of constraints (Eq 8.1)."""
        return len(self.k)

    @property
    def right_hand_side(self) -> NDArray:
        """Right-hand side k + k_stab, (n_c,)."""
        return self.k + self.k_stab


def loop_constraint(
    model: Model,
    q: NDArray,
    qd: NDArray,
    stabilization: Baumgarte | None = None,
    coordinates: str = "world",
    *,
    t: float = 0.0,
) -> LoopConstraint:
    """Return K, k and k_stab of all loops (Featherstone 2008, Table 8.4).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree; loops may be open, and delta is the closure error.
    qd : ndarray (nv,)
        Joint velocities.
    stabilization : Baumgarte, optional
        Stabilization of loop errors; none if not given.
    coordinates : str, optional
        The body in whose coordinates everything is combined. Rounding errors grow with the distance between it and the
        loops: choose the floating base of a model that travels far.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If there is no body of that name.

    Notes
    -----
    The table assumes that T is constant in the successor frame and that no joint is prescribed. Here the joint's c_J is
    added, which contains the apparent derivative of T and the rate of sigma.
    """
    motion = rnea(model, q, qd, np.zeros(model.nv), t=t)  # leaves v_i, and a_i^vp on top of -a_g
    X = transforms(model, motion.X, model.body(coordinates).index)
    sizes = [6 - loop.joint.nv for loop in model.loops]
    ends = np.cumsum([0, *sizes])
    rows = tuple(slice(int(end), int(end) + size) for end, size in zip(ends, sizes, strict=False))
    K = np.zeros((ends[-1], model.nv))
    k, delta, delta_dot, per_row = np.zeros((4, ends[-1]))
    length = length_of(model)
    Ts, Ss, T_as = [], [], []
    for loop, row in zip(model.loops, rows, strict=True):
        p, s = loop.predecessor, loop.successor
        X_p = loop.joint.X_tree @ X[p]
        X_s = plucker.from_pose(loop.successor_placement) @ X[s]
        from_p, from_s, from_joint = plucker.inverse(X[p]), plucker.inverse(X[s]), plucker.inverse(X_s)
        v_p, a_p = from_p @ motion.v[p], from_p @ motion.a[p]
        v_s, a_s = from_s @ motion.v[s], from_s @ motion.a[s]
        X_sp = X_s @ plucker.inverse(X_p)  # Eq 8.24
        form = loop_form(loop.joint.type, plucker.to_pose(X_sp), X_s @ (v_s - v_p), t)  # Eq 8.23
        T = X_s.T @ form.T
        delta[row] = form.delta
        delta_dot[row] = T.T @ (v_s - v_p - from_joint @ form.sigma)  # Eqs 8.8, 8.9
        k[row] = -T.T @ (a_s - a_p + cross_motion(v_s, v_p) - from_joint @ form.c_J)  # Eq 8.47
        i, j = p, s
        while i != j:
            if i > j:
                K[row, model.joints[i].v_slice] -= T.T @ plucker.inverse(X[i]) @ motion.S[i]  # Eq 8.20
                i = model.parent[i]
            else:
                K[row, model.joints[j].v_slice] += T.T @ plucker.inverse(X[j]) @ motion.S[j]
                j = model.parent[j]
        per_row[row] = 1.0 / np.linalg.norm(form.T / np.array([length] * 3 + [1.0] * 3)[:, None], axis=0)
        X_S = plucker.from_pose(loop.successor_placement)
        Ts.append(X_S.T @ form.T)
        Ss.append(plucker.inverse(X_S) @ form.S)
        T_as.append(X_S.T @ np.linalg.pinv(form.S).T)
    of_rate, of_delta = stabilization.factors if stabilization is not None else (0.0, 0.0)
    k_stab = -of_rate * delta_dot - of_delta * delta  # Eq 8.22
    names = tuple(loop.joint.name for loop in model.loops)
    return LoopConstraint(
        names,
        rows,
        K,
        k,
        k_stab,
        delta,
        delta_dot,
        tuple(Ts),
        tuple(Ss),
        tuple(T_as),
        per_row,
        arcs_of(model, length),
        length,
    )


def transforms(model: Model, X: NDArray, reference: int) -> NDArray:
    """Return the transforms (n, 6, 6) from the coordinates of one body to those of all, along the tree.

    Paths avoid the base where they can, which keeps digits far from it. X : ndarray (n, 6, 6), from parent to body.
    reference : int, index of the body.
    """
    found, j = {reference: np.eye(6)}, reference
    while j > 0:
        found[model.parent[j]] = plucker.inverse(X[j]) @ found[j]
        j = model.parent[j]
    for i in model.outward:
        if i not in found:
            found[i] = X[i] @ found[model.parent[i]]
    return np.array([found[i] for i in range(len(model.bodies))])
