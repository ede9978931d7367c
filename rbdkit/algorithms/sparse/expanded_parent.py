"""The parent array of single velocity variables, along which the sparse algorithms run."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.algorithms.sparse.coupled_parent import coupled_parent
from rbdkit.model import Model

ParentArray = tuple[int, ...]
"""lambda of single variables: entry k is the variable before k on the way to the base, -1 if there is none."""


def expanded_parent(model: Model) -> ParentArray:
    """Parent array lambda' of the model's velocity variables (Featherstone 2008, Table 6.4).

    Where joints close loops this is the pattern of the spanning tree.

    Entry k belongs to row k of H: H[k, i] can differ from zero only for i = k, lambda'(k), lambda'(lambda'(k)), ...
    The base is -1. The book counts rows from 1: add 1 to every entry for its numbers.

    Notes
    -----
    With mimic joints the variables no longer form the tree of the bodies; see `coupled_parent`.
    """
    if model.mimics:
        return coupled_parent(model)
    return expand_parents(model.parent[1:], [joint.nv for joint in model.joints[1:]])


def expand_parents(parent: Sequence[int], freedoms: Sequence[int] | None = None) -> ParentArray:
    """Parent array of the tree in which every joint is a chain of single freedoms (Featherstone 2008, Table 6.4).

    Parameters
    ----------
    parent : sequence of int
        lambda(1), ..., lambda(N_B) of the bodies, 0 for the base.
    freedoms : sequence of int, optional
        n_1, ..., n_NB of the joints; one each if not given.

    Examples
    --------
    The tree drawn beside Table 6.4; joint 2 has three freedoms, so the variables 1, 2 and 3 are its own:

    >>> from rbdkit.algorithms.sparse.expanded_parent import expand_parents
    >>> expand_parents((0, 1, 1, 2, 2, 3), (1, 3, 1, 1, 1, 1))
    (-1, 0, 1, 2, 0, 3, 3, 4)

    Notes
    -----
    The table needs at least one freedom in every joint. Here a joint without any passes on the variable of the body
    that carries it.
    """
    n = [1] * len(parent) if freedoms is None else list(freedoms)
    lam = list(range(-1, sum(n) - 1))  # every variable after the one before it: right within a joint
    last, start = [-1], 0  # the last variable on the way from the base to body i; the first variable of joint i
    for parent_i, n_i in zip(parent, n, strict=True):
        if n_i > 0:
            lam[start] = last[parent_i]
        start += n_i
        last.append(start - 1 if n_i > 0 else last[parent_i])
    return tuple(lam)
