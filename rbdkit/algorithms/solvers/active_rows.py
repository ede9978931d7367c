"""Active rows of a least-distance problem by daqp, a dual active-set method (Arnström, Bemporad and Axehill 2022).

daqp is fast but works to a tolerance. So only its choice of active rows is used, and only after a check that these rows
give a point that satisfies all others with nonnegative multipliers; the caller then solves for that point to full
precision.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

SOLVED = 1
"""Exit flag of daqp for a solution."""
TIGHT = 1e-12
"""Relative tolerance of primal and dual feasibility, for rows of unit length."""
FREE = 1e30
"""Upper bound that stands for none."""


def active_rows(G_T: NDArray, h: NDArray, required: bool = False) -> NDArray | None:
    """Return the active rows of the shortest y with G y >= h; None without daqp, or if its answer fails the check.

    Parameters
    ----------
    G_T : ndarray (n, m)
        Rows of G as columns; a zero row constrains nothing.
    h : ndarray (m,)
        Lower bounds.
    required : bool, optional
        Whether to raise if daqp is not installed.

    Raises
    ------
    ImportError
        If daqp is required and not installed.
    """
    if find_spec("daqp") is None:
        if required:
            raise ImportError("solver='daqp' needs daqp, which is not installed: pip install 'rbdkit[contact]'")
        return None
    import daqp

    lengths = np.linalg.norm(G_T, axis=0)
    rows = np.flatnonzero(lengths)
    if (h[lengths == 0.0] > 0.0).any():
        return None  # nothing can satisfy it, and the other route names it
    n, m = len(G_T), len(rows)
    A, lower = np.ascontiguousarray((G_T[:, rows] / lengths[rows]).T), h[rows] / lengths[rows]
    size = float(np.abs(lower).max(initial=0.0)) or 1.0
    tolerances = {"primal_tol": TIGHT, "dual_tol": TIGHT}
    _, _, said, more = daqp.solve(
        np.eye(n), np.zeros(n), A, np.full(m, FREE), lower / size, np.zeros(m, dtype=np.int32), **tolerances
    )
    if said != SOLVED:
        return None
    held = np.flatnonzero(more["lam"])  # lower bounds have multipliers below zero there
    if not _stands_up(A, lower / size, held):
        return None
    return rows[held]


def _stands_up(A: NDArray, lower: NDArray, held: NDArray) -> bool:
    """Return whether the active rows give a point that satisfies all rows, with nonnegative multipliers."""
    A_held = A[held]
    try:
        lam = np.linalg.solve(A_held @ A_held.T, lower[held])
    except np.linalg.LinAlgError:
        return False
    missed = lower - A @ (A_held.T @ lam)
    near = 100.0 * TIGHT * (1.0 + float(np.abs(lam).max(initial=0.0)))  # round-off of a few nearly dependent rows
    return bool(missed.max(initial=0.0) <= near and lam.min(initial=0.0) >= -near)
