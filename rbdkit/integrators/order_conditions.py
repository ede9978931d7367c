"""Order of a Runge-Kutta method from its tableau, by rooted trees (Hairer, Lubich and Wanner 2006, section III.1)."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

Tree = tuple["Tree", ...]
"""A rooted tree, as the tuple of its subtrees at the root."""

TOLERANCE = 1e-12
"""Tolerance of order conditions, for coefficients that are printed with finitely many digits."""


def classical_order(A: ArrayLike, b: ArrayLike, highest: int = 6) -> int:
    """Return the order of the method A (s, s), b (s,): one less than that of the smallest tree whose condition fails.

    On a manifold, with the exact inverse of the tangent operator, a Munthe-Kaas method has the same order.

    Parameters
    ----------
    highest : largest order that is tested.
    """
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    for order in range(1, highest + 1):
        # the order condition of a tree: sum of b_i times its elementary weights is 1 / gamma
        if any(abs(float(b @ _weight(A, tree)) - 1.0 / _density(tree)) > TOLERANCE for tree in _trees(order)):
            return order - 1
    return highest


@cache
def _trees(nodes: int) -> tuple[Tree, ...]:
    """Return all rooted trees with a number of nodes: 1, 1, 2, 4, 9, 20, ... of them."""
    return tuple(_forests(nodes - 1, nodes - 1))


@cache
def _forests(nodes: int, largest: int) -> tuple[Tree, ...]:
    """Return all multisets of trees with `nodes` nodes together, no tree with more than `largest`."""
    if nodes == 0:
        return ((),)
    found = []
    for size in range(1, min(nodes, largest) + 1):
        for count in range(1, nodes // size + 1):
            for equal in combinations_with_replacement(_trees(size), count):
                found += [equal + rest for rest in _forests(nodes - size * count, size - 1)]
    return tuple(found)


def _weight(A: NDArray, tree: Tree) -> NDArray:
    """Return the elementary weights of a tree, one for each stage: the product over the subtrees of A times theirs."""
    return np.prod([A @ _weight(A, branch) for branch in tree], axis=0) * np.ones(len(A))


def _density(tree: Tree) -> int:
    """Return the density gamma of a tree: the number of nodes times the densities of the subtrees."""
    return _nodes(tree) * prod(_density(branch) for branch in tree)


def _nodes(tree: Tree) -> int:
    return 1 + sum(_nodes(branch) for branch in tree)
