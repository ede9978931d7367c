"""Tracing of tasks into programs over trees of links; needed only for code that no cache has.

`record` chooses the system or algorithm of a task; most run on either kind of tree: a `LoopTree` makes one program for
all models with the same kinds of joints, an `UnrolledTree` straight-line code for one shape. This module imports all
algorithms, so others import it only when nothing in memory or on disk has the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.over_states import over_states
from rbdkit.engine.run.shapes import Shape
from rbdkit.engine.steps.limb_tree import LimbTree
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Kind as LinkKind
from rbdkit.engine.steps.recorded_tree import RecordedTree
from rbdkit.engine.steps.tree import Tree
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.trace import ALONE, Lanes, Program, over_time

if TYPE_CHECKING:
    from rbdkit.collision import Kind
    from rbdkit.engine.contact.touching_tree import RecordedTouchingTree


def record(task: Task, tree: Tree) -> None:
    """Record the program of a task over a tree."""
    if task.step is not None and task.touching is not None:
        assert isinstance(tree, LoopTree)
        over_time(_touching_tree(task, tree, task.touching), task.step)
    elif task.rows:
        assert isinstance(tree, LoopTree)
        _record_constrained(task, tree)
    elif task.step is not None:
        # by default accelerations come from the articulated-body algorithm
        recorded = RecordedTree
        if task.redmax:
            from rbdkit.engine.steps.recorded_redmax import RecordedRedmax  # which most models never need

            recorded = RecordedRedmax
        over_time(recorded(tree, task.external, task.tau, task.f_ext, task.driven, task.own), task.step)
    else:
        over_states(tree, task.algorithm, task.external, task.own, deep=task.deep)


def _touching_tree(task: Task, tree: LoopTree, kinds: tuple[Kind, ...]) -> RecordedTouchingTree:
    from rbdkit.engine.contact.force_tree import RecordedForceTree  # which most models never need
    from rbdkit.engine.contact.touching_tree import RecordedTouchingTree

    laws = task.external, task.tau, task.f_ext, task.driven, task.own
    if task.force_law is None:
        return RecordedTouchingTree(tree, kinds, *laws, codes=task.rows, stops=task.stops)
    return RecordedForceTree(tree, kinds, task.force_law, *laws, codes=task.rows)


def _record_constrained(task: Task, tree: LoopTree) -> None:
    if task.step is None:
        over_states(tree, task.algorithm, task.external, task.own, task.rows, apart=task.apart)
        return
    from rbdkit.engine.rows.recorded import RecordedConstrainedTree  # which most models never need

    laws = task.external, task.tau, task.f_ext, task.driven, task.own
    over_time(RecordedConstrainedTree(tree, task.rows, task.stabilised, *laws, task.apart), task.step)


@dataclass(frozen=True, eq=False)
class RecordedTask:
    """The program of a task. width : numbers of work space per link."""

    program: Program
    width: int


@lru_cache(maxsize=64)
def recorded_code(
    task: Task, kinds: tuple[LinkKind, ...], lanes: Lanes = ALONE, limbs: int | None = None
) -> RecordedTask:
    """Record the program for all models with these kinds of joints. limbs : number of subtrees computed at once."""
    program = Program(task.algorithm, lanes)
    tree = LoopTree(program, kinds) if limbs is None else LimbTree(program, kinds, limbs)
    record(task, tree)
    return RecordedTask(program, tree.finish())


def recorded_shape(task: Task, shape: Shape, lanes: Lanes = ALONE) -> RecordedTask:
    """Record the program for models of one shape, without loops."""
    program = Program(task.algorithm, lanes)
    record(task, UnrolledTree(program, shape.links, shape.nq, shape.nv, dict(shape.fixed)))
    return RecordedTask(program, 0)
