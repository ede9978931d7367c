"""Operation counts of the algorithms on a model (Featherstone 2008, chapters 5, 6 and 10), from the code that runs."""

from __future__ import annotations

from collections.abc import Mapping

from rbdkit.engine.links.layout import Layout, layout
from rbdkit.engine.links.pack import pack
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.recordings import record
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.model import Model
from rbdkit.trace import Block, Operations, Program, Statement, count_operations


def operations(model: Model, algorithm: str, generic: bool = False) -> Operations:
    """Count the operations of straight-line code for one state of a model; of its spanning tree if it has loops.

    Parameters
    ----------
    algorithm : 'rnea', 'aba', 'crba', 'forward_dynamics' or 'energy'.
    generic : count as if no number of the placements were 0 or 1.

    Raises
    ------
    NotCovered
        If the model has a joint that the engine does not know.
    """
    plan = layout(model)
    fixed = {} if generic else dict(fixed_numbers(plan, pack(model, plan)["rows"]))
    return count_program(algorithm, plan, fixed)


def count_program(algorithm: str, plan: Layout, fixed: Mapping[int, float]) -> Operations:
    """Count the operations of straight-line code for a layout. fixed : elements of "rows" built into the code."""
    program = Program(algorithm)
    record(Task(algorithm), UnrolledTree(program, plan.links, plan.nq, plan.nv, fixed))
    return _count(program.body)


def _count(body: list[Statement]) -> Operations:
    total = Operations()
    for statement in body:
        if isinstance(statement, Block):
            total += count_operations(statement.graph, list(statement.stores.values()))
        elif hasattr(statement, "body"):
            total += _count(statement.body)
    return total
