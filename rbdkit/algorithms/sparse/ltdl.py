"""The factorization H = L^T D L, without square roots, of a matrix with the zeros of a tree."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from rbdkit.algorithms.sparse.pivot import positive


def ltdl(H: NDArray, lam: Sequence[int]) -> NDArray:
    """L with ones on its diagonal and D diagonal, H = L^T D L, in place of H (Featherstone 2008, Table 6.3).

    Parameters
    ----------
    H, lam
        As for `ltl`. H is overwritten, and what `ltl` leaves alone is left alone.

    Returns
    -------
    NDArray
        The same array, with D on the diagonal and L below it.

    Raises
    ------
    ModelError
        If H is not positive definite.
    """
    for k in reversed(range(len(lam))):
        D_k = positive(H[k, k], k)  # area 1 of Fig 6.4: nothing to do
        i = lam[k]
        while i >= 0:
            a = H[k, i] / D_k
            j = i
            while j >= 0:
                H[i, j] -= a * H[k, j]  # area 3
                j = lam[j]
            H[k, i] = a  # area 2
            i = lam[i]
    return H
