"""Branch-induced sparsity of H (Featherstone 2008, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError


def ancestors(lam: Sequence[int], k: int) -> Iterator[int]:
    """Yield lambda(k), lambda(lambda(k)), ...: the variables between k and the base."""
    i = lam[k]
    while i >= 0:
        yield i
        i = lam[i]


def sparsity_pattern(lam: Sequence[int]) -> NDArray:
    """Return the sparsity pattern of H, (n, n) bool, true where one variable supports the other (Eq 6.14).

    Parameters
    ----------
    lam : sequence of int
        Parent array of the variables, -1 for the base; see `expanded_parent`.
    """
    check_parents(lam)
    pattern = np.eye(len(lam), dtype=bool)
    for k in range(len(lam)):
        for i in ancestors(lam, k):
            pattern[k, i] = pattern[i, k] = True
    return pattern


def density(lam: Sequence[int]) -> float:
    """Return rho, the fraction of nonzero entries of H; 1 for a chain.

    As a rule of thumb, computing H costs rho times as much as computing a full matrix, and factorizing it rho**2 times
    (Featherstone 2008, section 6.4).
    """
    return float(np.mean(sparsity_pattern(lam)))


def renumbered(lam: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Parent array of the same tree when variable ``order[k]`` gets the number k.

    Raises
    ------
    ModelError
        If the order is not a permutation, or puts a variable before its parent.
    """
    check_parents(lam)
    if sorted(order) != list(range(len(lam))):
        raise ModelError(f"order {tuple(order)} must hold each of 0 to {len(lam) - 1} once")
    number = {old: k for k, old in enumerate(order)}
    new = tuple(-1 if lam[old] < 0 else number[lam[old]] for old in order)
    for k, parent in enumerate(new):
        if parent > k:
            raise ModelError(
                f"order {tuple(order)} puts {order[k]} before its parent {lam[order[k]]}; parents go first"
            )
    return new


def check_parents(lam: Sequence[int]) -> None:
    """Raise `ModelError` unless every parent has a smaller number than its child, or is -1, the base."""
    for k, parent in enumerate(lam):
        if not -1 <= parent < k:
            raise ModelError(
                f"entry {k} of the parent array is {parent}; it must be smaller than {k}, and -1 where it is the base"
            )
