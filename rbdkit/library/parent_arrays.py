"""Shapes of trees as parent arrays: lambda(1), ..., lambda(n), with 0 for the base (Featherstone 2008, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.errors import ModelError


def chain_parents(n: int) -> tuple[int, ...]:
    """An unbranched chain: lambda(i) = i - 1."""
    return tuple(range(n))


def branched_parents(n: int, children: int = 2) -> tuple[int, ...]:
    """A tree with that many children a body, filled level by level: 2 gives a binary tree, 1 a chain.

    Raises
    ------
    ModelError
        If a body is to have less than one child.
    """
    if children < 1:
        raise ModelError(f"children = {children!r}: a body of a tree that grows has 1 child or more")
    return tuple((i + children - 2) // children for i in range(1, n + 1))


def random_parents(n: int, seed: int, branching: float = 0.5) -> tuple[int, ...]:
    """Each body hangs on the one before, or with probability `branching` on any earlier one or the base."""
    rng = np.random.default_rng(seed)
    return tuple(i - 1 if rng.uniform() >= branching else int(rng.integers(i)) for i in range(1, n + 1))


def checked_parents(parent: Sequence[int]) -> tuple[int, ...]:
    """The parent array as a tuple.

    Raises
    ------
    ModelError
        If it is not a regular numbering, 0 <= lambda(i) < i, of whole numbers.
    """
    found = tuple(parent)
    for i, p in enumerate(found, 1):
        if not isinstance(p, int | np.integer) or not 0 <= p < i:
            raise ModelError(
                f"parent array: lambda({i}) = {p!r}, but the parent of body {i} is 0 (the base) or an earlier body; "
                "number parents before their children"
            )
    return tuple(int(p) for p in found)
