"""Axes of all joints as twists in world axes, each the same for all links beyond: columns of J."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps.loop_tree import LoopTree, slot_of
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.sizes import AXIS
from rbdkit.spatial.compact import mv, plx
from rbdkit.trace import Scalar, Whole


def keep_axes(tree: LoopTree, i: Node, X: plx, axes: Sequence[Sequence[Scalar]]) -> None:
    """Write the axes of a link's joint, given in the link's own frame, to which X leads."""
    for m, S in enumerate(axes):
        place = (slot_of(tree, i) + m) * AXIS
        for k, x in enumerate(X.inv_apply(mv.of(S)).flat()):
            tree.program.store("stiff_axes", place, k, tree.ratio(i) * x)


def axes_of(tree: LoopTree, i: Node) -> list[mv]:
    """Return the axes that `keep_axes` wrote for a link."""
    places = [(slot_of(tree, i) + m) * AXIS for m in range(i.motion.nv)]
    return [mv.of([tree.program.load("stiff_axes", place, k) for k in range(AXIS)]) for place in places]


def move_one(tree: LoopTree, column: Whole) -> None:
    """Write a unit velocity to "stiff_unit": 1 in one column and 0 in all others."""
    program = tree.program
    with program.loop(0, tree.nv) as k:
        program.store("stiff_unit", k, 0, 0.0)
    with program.loop(0, 1):
        program.store("stiff_unit", column, 0, 1.0)


def units_of(tree: LoopTree, i: Node) -> list[Scalar]:
    """Return the part of the unit velocity that belongs to a link's joint."""
    return [tree.program.load("stiff_unit", i.v, m) for m in range(i.motion.nv)]


def handed_on(tree: LoopTree, i: Node, y: mv) -> mv:
    """Return the twist of a link, from its parent's twist y and its own velocities (Algorithm 5)."""
    for unit, S in zip(units_of(tree, i), axes_of(tree, i), strict=True):
        y = y + unit * S
    return y
