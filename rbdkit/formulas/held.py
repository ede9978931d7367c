"""Forward dynamics of models with loops and constraints as a formula, by projection on independent velocities.

Numbers decide rank and pivots anew in each state; a formula cannot. So the velocities that determine all others are
chosen once, by a QR decomposition with column pivoting of the constraint rows K at a closed pose, and stay the same:

    K_d qdd_d + K_i qdd_i = k   gives   qdd = G qdd_i + g,   and   G^T H G qdd_i = G^T (tau + passive - C - H g)

(Featherstone 2008, Eqs 3.18 to 3.21 and 8.6). It holds wherever K_d is regular: as long as the independent joints do
not come to a dead centre.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu, qr

from rbdkit.assembly import assemble
from rbdkit.engine import Kernels
from rbdkit.model import Model
from rbdkit.trace import symbols

RANK = 1e-8
"""Smallest pivot, relative to the largest, that counts: K of the closed pose is as exact as its closing, 1e-12."""


@dataclass(frozen=True)
class Partition:
    """Independent rows of the constraints, and velocities that depend on the others."""

    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]


def spanning_tree(model: Model) -> Model:
    """Return the model without its loops and constraints."""
    tree = copy(model)
    tree.loops, tree.constraints = (), ()
    return tree


def closed_pose(model: Model, rng: np.random.Generator) -> NDArray:
    """Return a closed pose near the neutral one, but not at it, where mechanisms often are singular."""
    return assemble(model, model.move(assemble(model), 0.1 * rng.normal(size=model.nv)))


def consistent_velocity(K: NDArray, v: NDArray) -> NDArray:
    """Return the velocity nearest to v that constraint rows K allow."""
    return v - np.linalg.lstsq(K, K @ v, rcond=RANK)[0]


def partition(K: NDArray) -> Partition:
    """Choose independent rows and dependent velocities of constraint rows K at a closed pose."""
    _, R, columns = qr(K, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > RANK * np.abs(R[0, 0]))) if R.size else 0
    dependent = columns[:rank]
    # rows that are independent in these columns
    rows = qr(K[:, dependent].T, mode="r", pivoting=True)[1][:rank]
    # in the order in which elimination with pivoting takes them
    rows = rows[lu(K[np.ix_(rows, dependent)])[0].argmax(axis=0)] if rank else rows
    rest = sorted({*range(K.shape[1])} - {*map(int, dependent)})
    return Partition(tuple(map(int, rows)), tuple(map(int, dependent)), tuple(rest))


def held_forward_dynamics(
    split: Partition, kernels: Kernels, tree: Kernels, q: Any, v: Any, tau: Any, **options: Any
) -> Any:
    """Record the accelerations of a model whose constraints hold. kernels : of the model. tree : of its tree."""
    t = options.get("t", 0.0)
    at = kernels.constraint_rows(q, v, t)
    rows, of, free = list(split.rows), list(split.dependent), list(split.independent)
    K, k = at.K[rows], at.k[rows]
    nv, ni = len(v), len(free)
    G, g = symbols(np.zeros((nv, ni))), symbols(np.zeros(nv))
    G[free] = np.eye(ni)
    solved = solve(K[:, of], np.concatenate([-K[:, free], k[:, None]], axis=1))
    for row, values in zip(of, solved, strict=True):
        G[row], g[row] = values[:ni], values[ni]
    H = tree.crba(q, t)
    of_loops = kernels.own_forces(q, v, **options)[0] - tree.own_forces(q, v, **options)[0]  # springs of loop joints
    force = H @ (tree.forward_dynamics(q, v, tau, **options) - g) + of_loops  # tau + passive - C - H g
    independent = solve(G.T @ (H @ G), (G.T @ force)[:, None])
    return G @ symbols([row[0] for row in independent]) + g


def solve(A: Any, B: Any) -> list[list[Any]]:
    """Return X with A X = B by elimination in the order of the rows, of numbers or symbols; skips known zeros."""
    rows = [[*a, *b] for a, b in zip(A.tolist(), B.tolist(), strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = rows[k][k]
        for i in range(k + 1, n):
            if not _is_zero(rows[i][k]):
                factor = rows[i][k] / pivot
                rows[i] = [0.0] * (k + 1) + [
                    x if _is_zero(y) else x - factor * y
                    for x, y in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True)
                ]
    for k in reversed(range(n)):
        for j in range(n, len(rows[k])):
            value = rows[k][j]
            for i in range(k + 1, n):
                if not _is_zero(rows[k][i]):
                    value = value - rows[k][i] * rows[i][j]
            rows[k][j] = value / rows[k][k]
    return [row[n:] for row in rows]


def _is_zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0
