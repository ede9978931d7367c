"""Explicit form x = G y + g of a linear constraint K x = k, with y some of the elements of x.

Gaussian elimination with complete pivoting picks the rows that are independent and the columns that are best expressed
by the others; what has no pivot are the independent variables y (Featherstone 2008, section 8.8). The rank is best
given: it is decided with the geometry at hand, see `independent_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError

ROUND_OFF = 1e-9
"""A pivot smaller than this fraction of the largest entry of K counts as zero."""


@dataclass(frozen=True, eq=False)
class ExplicitConstraint:
    """Explicit form ``x = G y + g`` for all solutions of ``K x = k`` (Featherstone 2008, Eqs 8.48, 8.49).

    Attributes
    ----------
    G : ndarray (n, n - r)
        Basis of the null space of K.
    g : ndarray (n,)
        Particular solution, K g = k.
    independent : tuple of int
        Indices of the elements of x that are y.
    rows : tuple of int
        Indices of the independent rows of K that were used, in order of their pivots.
    pivots : ndarray (r,)
        Pivots of the elimination.
    residual : ndarray (m,)
        K g - k: zero unless dependent rows are inconsistent.
    """

    G: NDArray
    g: NDArray
    independent: tuple[int, ...]
    rows: tuple[int, ...]
    pivots: NDArray
    residual: NDArray

    @property
    def r(self) -> int:
        """Rank of K."""
        return len(self.rows)


def explicit_constraint(
    K: NDArray,
    k: NDArray,
    rank: int | None = None,
    independent: Sequence[int] | None = None,
    mask: Sequence[int] = (),
    tol: float = ROUND_OFF,
) -> ExplicitConstraint:
    """Return G and g by Gaussian elimination with complete pivoting (Featherstone 2008, section 8.8).

    Parameters
    ----------
    K : ndarray (m, n)
        Constraint matrix; its rows may be dependent.
    k : ndarray (m,)
        Right-hand side, in the range of K.
    rank : int, optional
        Rank of K; found by a test of the pivots if not given.
    independent : sequence of int, optional
        Indices of the elements of x to use as y, n - r of them; pivoting is then partial. If not given, those that
        leave the largest pivots.
    mask : sequence of int, optional
        Indices of zero columns of K, which are skipped.
    tol : float, optional
        A pivot below this fraction of the largest entry of K ends the elimination.

    Raises
    ------
    StateError
        If shapes or numbers do not fit, the elements chosen do not determine the others, or there are too many of them.
    """
    m, n = K.shape
    if k.shape != (m,):
        raise StateError(f"k has shape {k.shape}, but K has {m} rows")
    if rank is not None and not 0 <= rank <= min(m, n):
        raise StateError(f"rank {rank} of a matrix of shape {K.shape} lies between 0 and {min(m, n)}")
    chosen = _numbers(independent or (), n, "independent variables")
    if np.any(K[:, _numbers(mask, n, "the mask")]):
        raise StateError(f"the mask {tuple(mask)} holds a column of K that is not zero")
    U, b = K.copy(), k.copy()
    largest = float(np.abs(K).max(initial=0.0))
    rows, columns = list(range(m)), [j for j in range(n) if j not in {*mask, *chosen}]
    found_rows: list[int] = []
    found_columns: list[int] = []
    pivots: list[float] = []
    while rows and columns and (rank is None or len(pivots) < rank):
        part = np.abs(U[np.ix_(rows, columns)])
        best = (int(np.argmax(part[:, 0])), 0) if independent is not None else divmod(int(part.argmax()), len(columns))
        if part[best] <= tol * largest:
            if independent is None:
                break  # the rank test: the remaining rows are zero
            columns.pop(0)
            continue
        i, j = rows.pop(best[0]), columns.pop(best[1])
        pivots.append(float(U[i, j]))
        for other in rows:
            factor = U[other, j] / U[i, j]
            U[other] -= factor * U[i]
            U[other, j] = 0.0
            b[other] -= factor * b[i]
        found_rows.append(i)
        found_columns.append(j)
    r, y = len(pivots), [j for j in range(n) if j not in found_columns]
    if independent is not None:
        _require_independent(chosen, y, U[rows], tol * largest)
        y = chosen
    # back-substitution on the top r rows, all columns of y and k at once
    top = np.column_stack([U[np.ix_(found_rows, y)], b[found_rows]])
    x = np.zeros((r, len(y) + 1))
    for i in reversed(range(r)):
        row, later = U[found_rows[i]], found_columns[i + 1 :]
        x[i] = (top[i] - row[later] @ x[i + 1 :]) / row[found_columns[i]]
    G, g = np.zeros((n, len(y))), np.zeros(n)
    G[found_columns], g[found_columns] = -x[:, :-1], x[:, -1]  # Eq 8.51
    G[y] = np.eye(len(y))
    return ExplicitConstraint(G, g, tuple(y), tuple(found_rows), np.array(pivots), K @ g - k)


def _numbers(given: Sequence[int], n: int, what: str) -> list[int]:
    found = [int(j) for j in given]
    if len({*found}) != len(found) or any(not 0 <= j < n for j in found):
        raise StateError(f"{what} {tuple(given)} must be different numbers from 0 to {n - 1}")
    return found


def _require_independent(chosen: list[int], y: list[int], left: NDArray, nothing: float) -> None:
    """Raise `StateError` unless the chosen elements determine all others and are free of constraints themselves."""
    undetermined = [j for j in y if j not in chosen]
    if undetermined:
        raise StateError(
            f"independent variables {tuple(chosen)} do not determine {tuple(undetermined)} here; "
            f"choose {len(y)} of them, or other ones"
        )
    tied = [j for j in chosen if np.any(np.abs(left[:, j]) > nothing)]
    if tied:
        raise StateError(
            f"independent variables {tuple(chosen)}: the constraint ties {tuple(tied)} to each other or to zero; "
            f"choose fewer, or other ones"
        )
