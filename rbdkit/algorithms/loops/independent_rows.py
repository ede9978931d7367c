"""Which rows of the loop constraint say something of their own."""

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
    """K and what dependent rows make of K qdd = k + k_stab.

    Attributes
    ----------
    r : int
        Rank of K.
    singular_values : ndarray (min(n_c, nv),)
        Of K with angles as arcs, see `LoopConstraint.scaled`; the largest first.
    U : ndarray (n_c, n_c)
        The first r columns span the range of K, the others the constraint forces that do nothing: K^T U = 0 there.
    k : ndarray (n_c,)
        The right-hand side that is nearest to k + k_stab and consistent: the equation in the sense of least squares,
        again with angles as arcs.
    residual : ndarray (n_c,)
        By how much that is off; zeros where rows agree.
    tol : float
        Of what is left of a row, see `rank_tolerance`, or as it was given.
    """

    r: int
    singular_values: NDArray
    U: NDArray
    k: NDArray
    residual: NDArray
    tol: float

    @property
    def redundancy(self) -> int:
        """n_c - r, how many constraint-force variables are free (section 8.10)."""
        return len(self.k) - self.r

    @property
    def indeterminate(self) -> NDArray:
        """(n_c,) booleans: which elements of lambda the equation of motion does not determine."""
        return np.any(np.abs(self.U[:, self.r :]) > max(self.tol, 1e-9), axis=1)


def rank_tolerance(constraint: LoopConstraint) -> float:
    """How little of a row, with angles as arcs, may be left beyond others that imply it, as a fraction of the row.

    A row that others imply where the loops are closed is off by as much as these are open; so it is 100 times the
    largest error, in rad and lengths of the model, between 1e-5 and 0.03: above what such a row can reach, and below
    what independent rows have but close to a singular pose. Simulations go by the same, see
    `rbdkit.model.closing.rank`.
    """
    gap = float(np.abs(constraint.per_row * constraint.delta).max(initial=0.0)) / constraint.length
    return float(np.sqrt(row_limit(gap)))


def row_space(constraint: LoopConstraint, tol: float | None = None) -> RowSpace:
    """Rank and range of K, and the right-hand side made consistent (Featherstone 2008, section 8.5).

    Parameters
    ----------
    constraint : LoopConstraint
        At a state.
    tol : float, optional
        Of singular values, relative to the largest; if not given, rows are counted by `rank_tolerance`.
    """
    k, per_row = constraint.right_hand_side, constraint.per_row
    U, s, _ = np.linalg.svd(constraint.scaled)
    if tol is None:
        tol = rank_tolerance(constraint)
        r = int(np.count_nonzero(geometry.independent_rows(constraint.scaled, np.ones(len(k)), tol**2)))
    else:
        r = int(np.count_nonzero(s > tol * s[0])) if len(s) and s[0] > 0.0 else 0
    fitting = U[:, :r] @ (U[:, :r].T @ (per_row * k)) / per_row
    idle = np.linalg.qr(per_row[:, None] * U[:, r:], mode="complete")[0]  # forces that do nothing, then all others
    return RowSpace(r, s, np.roll(idle, r, axis=1), fitting, k - fitting, tol)


def independent_rows(constraint: LoopConstraint, space: RowSpace | None = None) -> tuple[int, ...]:
    """Numbers of r rows of K that imply the others, in their order: what pruning leaves (section 8.5).

    Parameters
    ----------
    constraint : LoopConstraint
        At a state.
    space : RowSpace, optional
        Of it, if known; with the default tolerance if not.
    """
    space = row_space(constraint) if space is None else space
    return tuple(sorted(explicit_constraint(constraint.scaled, space.k, rank=space.r, tol=0.0).rows))
