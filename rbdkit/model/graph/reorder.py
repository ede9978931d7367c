"""Renumber the bodies of a tree, without changing the tree."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.errors import ModelError
from rbdkit.model.graph.numbering import regular_numbering
from rbdkit.model.graph.rebuild import graph_of, renumbered
from rbdkit.model.graph.spanning_tree import spanning_tree
from rbdkit.model.model import Model


def reordered(model: Model, order: Sequence[int]) -> Model:
    """Return the model with bodies renumbered: its body k is body ``order[k - 1]`` of the given one; H is permuted.

    Parameters
    ----------
    order : sequence of int
        Every body number from 1 on once, parents before their children.

    Raises
    ------
    ModelError
        If the order is not a permutation or puts a body before its parent.
    """
    if sorted(order) != list(model.outward):
        raise ModelError(f"order {tuple(order)} must hold every body number from 1 to {len(model.bodies) - 1} once")
    tree = spanning_tree(graph_of(model), [joint.name for joint in model.joints[1:]])
    return renumbered(model, regular_numbering(tree, [model.bodies[i].name for i in order])).model


def depth_first(model: Model) -> tuple[int, ...]:
    """Return the body numbers in depth-first order."""
    return tuple(sorted(model.outward, key=model.support))
