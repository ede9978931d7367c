"""Operation counts of the sparse algorithms, from the parent array alone (Featherstone 2008, Table 6.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rbdkit.algorithms.sparse.factors import Method
from rbdkit.algorithms.sparse.pattern import check_parents
from rbdkit.trace import Operations


def depths(lam: Sequence[int]) -> tuple[int, ...]:
    """Return d_k, the number of variables on the path from the base to variable k, itself included."""
    check_parents(lam)
    d: list[int] = []
    for parent in lam:
        d.append(1 if parent < 0 else d[parent] + 1)
    return tuple(d)


def area_2(lam: Sequence[int]) -> int:
    """Return D1, the number of divisions of a factorization, and of entries below the diagonal of H (Eq 6.26)."""
    return sum(d_k - 1 for d_k in depths(lam))


def area_3(lam: Sequence[int]) -> int:
    """Return D2, the number of multiply-subtract operations of a factorization (Eq 6.27)."""
    return sum(d_k * (d_k - 1) // 2 for d_k in depths(lam))


@dataclass(frozen=True)
class SparseCosts:
    """A column of Table 6.6: the operations of each sparse algorithm.

    Attributes
    ----------
    factorization : of H. back_substitution : H^-1 x from the factors. multiply : L x or L^T x. solve : L^-1 x or
        L^-T x. multiply_H : H x.
    """

    factorization: Operations
    back_substitution: Operations
    multiply: Operations
    solve: Operations
    multiply_H: Operations

    @property
    def forward_dynamics(self) -> Operations:
        """Factorization and back-substitution: what is left to do once H and tau - C are known."""
        return self.factorization + self.back_substitution


def sparse_costs(lam: Sequence[int], method: Method = "ltl") -> SparseCosts:
    """Table 6.6 for the tree of a parent array; of a chain, lambda(k) = k - 1, it is the cost of a full matrix."""
    n, D1, D2 = len(lam), area_2(lam), area_3(lam)
    root = n if method == "ltl" else 0
    diagonal = n if method == "ltl" else 0  # entries of L that are not known to be 1
    return SparseCosts(
        factorization=Operations(mul=D2, add=D2, div=D1, sqrt=root),
        back_substitution=Operations(mul=2 * D1, add=2 * D1, div=n + diagonal),
        multiply=Operations(mul=diagonal + D1, add=D1),
        solve=Operations(mul=D1, add=D1, div=diagonal),
        multiply_H=Operations(mul=n + 2 * D1, add=2 * D1),
    )
