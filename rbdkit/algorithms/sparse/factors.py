"""Sparse factorization of the joint-space inertia matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.sparse.ltdl import ltdl
from rbdkit.algorithms.sparse.ltl import ltl
from rbdkit.algorithms.sparse.pattern import check_parents, sparsity_pattern
from rbdkit.algorithms.sparse.solves import solve_LTDL, solve_LTL
from rbdkit.errors import ModelError, StateError

Method = Literal["ltl", "ltdl"]
"""Kind of factorization: H = L^T L, or H = L^T D L with ones on the diagonal of L."""

ALGORITHMS: dict[str, tuple[Callable[..., NDArray], Callable[..., NDArray]]] = {
    "ltl": (ltl, solve_LTL),
    "ltdl": (ltdl, solve_LTDL),
}
"""Factorization and solution function of each method."""


@dataclass(frozen=True, eq=False)
class SparseFactors:
    """Sparse factors of an inertia matrix, H = L^T L or H = L^T D L.

    Attributes
    ----------
    packed : ndarray (n, n)
        Factors as stored in place of H; entries outside the sparsity pattern are meaningless.
    lam : tuple of int
        Parent array of the rows.
    method : Method
        'ltl' or 'ltdl'.
    """

    packed: NDArray
    lam: tuple[int, ...]
    method: Method

    @property
    def L(self) -> NDArray:
        """Lower triangular factor (n, n), with explicit zeros outside its sparsity pattern."""
        L = np.where(np.tril(sparsity_pattern(self.lam)), self.packed, 0.0)
        if self.method == "ltdl":
            np.fill_diagonal(L, 1.0)
        return L

    @property
    def D(self) -> NDArray:
        """Diagonal of D, (n,); ones for L^T L."""
        return np.ones(len(self.lam)) if self.method == "ltl" else np.diagonal(self.packed).copy()

    def solve(self, tau: ArrayLike) -> NDArray:
        """Return H^-1 tau, shape (n,) or (n, m)."""
        tau = np.asarray(tau, dtype=float)
        if tau.shape[:1] != (len(self.lam),):
            raise StateError(f"tau has shape {tau.shape}; the matrix has {len(self.lam)} rows")
        return ALGORITHMS[self.method][1](self.packed, tau, self.lam)


def factorize(H: ArrayLike, lam: Sequence[int], method: Method = "ltl") -> SparseFactors:
    """Factorize a copy of H along the tree of its rows.

    Parameters
    ----------
    H : array_like (n, n)
        Symmetric and positive definite. Entries between branches of the tree and above the diagonal are not read.
    lam : sequence of int
        Parent array of the rows, -1 for the base; see `expanded_parent`.
    method : Method, optional
        'ltl' or 'ltdl'.

    Raises
    ------
    ModelError
        If H is not positive definite, or `lam` not the parent array of its rows.
    """
    if method not in ALGORITHMS:
        raise ModelError(f"there is no factorization {method!r}; there are {', '.join(map(repr, get_args(Method)))}")
    check_parents(lam)
    packed = np.array(H, dtype=float)
    if packed.shape != (len(lam), len(lam)):
        raise ModelError(f"H has shape {packed.shape}, but the parent array has {len(lam)} entries, one a row")
    return SparseFactors(ALGORITHMS[method][0](packed, lam), tuple(lam), method)
