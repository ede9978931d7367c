"""Shapes of trees as parent arrays: lambda(1), ..., lambda(n), with 0 for the base (Featherstone 2008, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.library.ready import ready


@ready
def chain_parents(n: int) -> tuple[int, ...]:
    """An unbranched chain: lambda(i) = i - 1.

    Parameters
    ----------
    n : int
        Number of bodies.

    Returns
    -------
    tuple of int
        lambda(1), ..., lambda(n), 0 for the base.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.chain_parents(4)
    (0, 1, 2, 3)
    """
    return tuple(range(n))


@ready
def branched_parents(n: int, children: int = 2) -> tuple[int, ...]:
    """A tree with that many children a body, filled level by level: 2 gives a binary tree, 1 a chain.

    Parameters
    ----------
    n : int
        Number of bodies.
    children : int, optional
        Of each body.

    Returns
    -------
    tuple of int
        lambda(1), ..., lambda(n), 0 for the base.

    Raises
    ------
    ModelError
        If a body is to have less than one child.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.branched_parents(7)
    (0, 1, 1, 2, 2, 3, 3)
    """
    if children < 1:
        raise ModelError(f"children = {children!r}: a body of a tree that grows has 1 child or more")
    return tuple((i + children - 2) // children for i in range(1, n + 1))


@ready
def random_parents(n: int, seed: int, branching: float = 0.5) -> tuple[int, ...]:
    """Each body hangs on the one before, or with probability `branching` on any earlier one or the base.

    Parameters
    ----------
    n : int
        Number of bodies.
    seed : int
        Of the random numbers.
    branching : float, optional
        Probability, from 0, a chain, to 1.

    Returns
    -------
    tuple of int
        lambda(1), ..., lambda(n), 0 for the base.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.random_parents(5, seed=1, branching=0.0)
    (0, 1, 2, 3, 4)
    """
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
