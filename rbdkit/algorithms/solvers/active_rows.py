"""The rows that hold a least distance, by daqp, a dual active-set method (Arnström, Bemporad and Axehill 2022)."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

SOLVED = 1
"""What daqp says of a solution."""
TIGHT = 1e-12
"""By so much may rows of length 1 be missed, and multipliers be negative, in parts of the largest number."""
FREE = 1e30
"""No bound."""


def active_rows(G_T: NDArray, h: NDArray, required: bool = False) -> NDArray | None:
    """Which rows hold the shortest y with G y >= h; None if daqp is not there, or its answer does not stand up.

    Parameters
    ----------
    G_T : ndarray (n, m)
        Rows of G as columns; a row of zeros bounds nothing.
    h : ndarray (m,)
    required : bool, optional
        Whether daqp has to be there.

    Raises
    ------
    ImportError
        If it has to be and is not.
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
    """Whether the rows hold a point that satisfies all others, and none of them pulls."""
    A_held = A[held]
    try:
        lam = np.linalg.solve(A_held @ A_held.T, lower[held])
    except np.linalg.LinAlgError:
        return False
    missed = lower - A @ (A_held.T @ lam)
    near = 100.0 * TIGHT * (1.0 + float(np.abs(lam).max(initial=0.0)))  # what a few rows in nearly one plane lose
    return bool(missed.max(initial=0.0) <= near and lam.min(initial=0.0) >= -near)
