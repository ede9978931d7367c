"""Factorization H = L^T L with branch-induced sparsity: no fill-in, unlike L L^T (Featherstone 2008, section 6.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.sparse.pivot import positive


def ltl(H: NDArray, lam: Sequence[int]) -> NDArray:
    """Return lower triangular L with H = L^T L, in place of H (Featherstone 2008, Table 6.3).

    Parameters
    ----------
    H : ndarray (n, n)
        Symmetric and positive definite; overwritten. Only its lower triangle is used, and of that only the entries
        in the sparsity pattern: those above the diagonal and between two branches are neither read nor written.
    lam : sequence of int
        Parent array of the rows, -1 for the base; see `expanded_parent`.

    Returns
    -------
    NDArray
        The same array, with L in those entries.

    Raises
    ------
    ModelError
        If H is not positive definite.
    """
    for k in reversed(range(len(lam))):
        H[k, k] = np.sqrt(positive(H[k, k], k))  # area 1 of Fig 6.4
        i = lam[k]
        while i >= 0:
            H[k, i] /= H[k, k]  # area 2
            i = lam[i]
        i = lam[k]
        while i >= 0:
            j = i
            while j >= 0:
                H[i, j] -= H[k, i] * H[k, j]  # area 3
                j = lam[j]
            i = lam[i]
    return H
