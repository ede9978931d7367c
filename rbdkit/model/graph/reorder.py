"""The same tree with its bodies in another order."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.errors import ModelError
from rbdkit.model.graph.numbering import regular_numbering
from rbdkit.model.graph.rebuild import graph_of, renumbered
from rbdkit.model.graph.spanning_tree import spanning_tree
from rbdkit.model.model import Model


def reordered(model: Model, order: Sequence[int]) -> Model:
    """The model whose body k is body ``order[k - 1]`` of the given one; nothing else changes, H is permuted.

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
    """Body numbers in the order in which a walk along the branches comes by, each branch to its end."""
    return tuple(sorted(model.outward, key=model.support))
