"""Rank decision for loop constraints: which rows are independent (Featherstone 2008, section 8.5).

Overconstrained mechanisms have rows that are implied by others only because of their geometry. At poses that close the
loops only up to an error, such rows are independent by about that error; so the tolerance grows with the closure error.
Rows are compared with angles as arcs, so that the decision does not depend on units. Inconsistent right-hand sides of
dependent rows are replaced by their least-squares projection onto the range of K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops.explicit_constraint import explicit_constraint
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint
from rbdkit.model.closing import rank as geometry
from rbdkit.model.closing.rank import row_limit


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Rank and range of K, and the consistent right-hand side of K qdd = k + k_stab.

    Attributes
    ----------
    r : int
        Rank of K.
    singular_values : ndarray (min(n_c, nv),)
        Singular values of K with angles as arcs, see `LoopConstraint.scaled`; the largest first.
    U : ndarray (n_c, n_c)
        The first r columns span the range of K, the others the constraint forces without effect: K^T U = 0 there.
    k : ndarray (n_c,)
        The consistent right-hand side nearest to k + k_stab, in the least-squares sense with angles as arcs.
    residual : ndarray (n_c,)
        Difference of k + k_stab from that; zero for consistent rows.
    tol : float
        Tolerance that was used, see `rank_tolerance`.
    """

    r: int
    singular_values: NDArray
    U: NDArray
    k: NDArray
    residual: NDArray
    tol: float

    @property
    def redundancy(self) -> int:
        """Number of indeterminate constraint-force variables, n_c - r (section 8.10)."""
        return len(self.k) - self.r

    @property
    def indeterminate(self) -> NDArray:
        """Booleans (n_c,): which elements of lambda the equation of motion does not determine."""
        return np.any(np.abs(self.U[:, self.r :]) > max(self.tol, 1e-9), axis=1)


def rank_tolerance(constraint: LoopConstraint) -> float:
    """Return the tolerance of the rank decision: the relative distance of a dependent row from the span of the others.

    A row that is dependent for closed loops deviates by about the closure error. The tolerance is therefore 100 times
    the largest error, in rad and lengths of the model, between 1e-5 and 0.03: above the deviation of dependent rows,
    and below that of independent ones except close to a singular pose. Simulations use the same rule, see
    `rbdkit.model.closing.rank`.
    """
    gap = float(np.abs(constraint.per_row * constraint.delta).max(initial=0.0)) / constraint.length
    return float(np.sqrt(row_limit(gap)))


def rank(scaled: NDArray, constraint: LoopConstraint, tol: float | None = None) -> int:
    """Return the rank of a block of the scaled K, by the rule of `row_space`.

    Parameters
    ----------
    scaled : ndarray (m, n)
        Rows and columns of ``constraint.scaled``.
    constraint : LoopConstraint
        The whole constraint, whose closure error sets the tolerance.
    tol : float, optional
        Tolerance of singular values relative to the largest of the block.
    """
    if tol is None:
        limit = rank_tolerance(constraint) ** 2
        return int(np.count_nonzero(geometry.independent_rows(scaled, np.ones(len(scaled)), limit)))
    s = np.linalg.svd(scaled, compute_uv=False)
    return int(np.count_nonzero(s > tol * s[0])) if len(s) and s[0] > 0.0 else 0


def row_space(constraint: LoopConstraint, tol: float | None = None) -> RowSpace:
    """Return rank and range of K, and the right-hand side made consistent (Featherstone 2008, section 8.5).

    Parameters
    ----------
    constraint : LoopConstraint
        Loop constraint at a state.
    tol : float, optional
        Tolerance of singular values relative to the largest; if not given, rows are counted by `rank_tolerance`.
    """
    k, per_row = constraint.right_hand_side, constraint.per_row
    U, s, _ = np.linalg.svd(constraint.scaled)
    r = rank(constraint.scaled, constraint, tol)
    tol = rank_tolerance(constraint) if tol is None else tol
    fitting = U[:, :r] @ (U[:, :r].T @ (per_row * k)) / per_row
    idle = np.linalg.qr(per_row[:, None] * U[:, r:], mode="complete")[0]  # forces without effect, then all others
    return RowSpace(r, s, np.roll(idle, r, axis=1), fitting, k - fitting, tol)


def independent_rows(constraint: LoopConstraint, space: RowSpace | None = None) -> tuple[int, ...]:
    """Return the indices of r independent rows of K, in ascending order, as pruning leaves them (section 8.5).

    Parameters
    ----------
    constraint : LoopConstraint
        Loop constraint at a state.
    space : RowSpace, optional
        Row space of the constraint, if known; computed with the default tolerance if not given.
    """
    space = row_space(constraint) if space is None else space
    return tuple(sorted(explicit_constraint(constraint.scaled, space.k, rank=space.r, tol=0.0).rows))
