"""Closed loops in joint coordinates: a spanning tree and the joints that close loops (Featherstone 2008, chapter 8).

constraint     loop_constraint (K, k, k_stab), loop_jacobian, position_error, find_loop, loop_path
forces         active_force, bias_force_with_loops (C - tau^a), joint_forces
equation       loop_equation; its rows: row_space, independent_rows, rank_tolerance; explicit_constraint (G, g)
solutions      solve_directly, solve_for_forces, solve_for_independents
"""

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.loops.explicit_constraint import ExplicitConstraint, explicit_constraint
from rbdkit.algorithms.loops.independent_rows import RowSpace, independent_rows, rank_tolerance, row_space
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint, loop_constraint
from rbdkit.algorithms.loops.loop_equation import LoopEquation, LoopMotion, loop_equation
from rbdkit.algorithms.loops.loop_forces import LoopEfforts, active_force, bias_force_with_loops, joint_forces
from rbdkit.algorithms.loops.loop_jacobian import find_loop, loop_jacobian, loop_path
from rbdkit.algorithms.loops.position_error import position_error
from rbdkit.algorithms.loops.solutions import (
    IndependentMotion,
    solve_directly,
    solve_for_forces,
    solve_for_independents,
)

__all__ = [
    "Baumgarte",
    "ExplicitConstraint",
    "IndependentMotion",
    "LoopConstraint",
    "LoopEfforts",
    "LoopEquation",
    "LoopMotion",
    "RowSpace",
    "active_force",
    "bias_force_with_loops",
    "explicit_constraint",
    "find_loop",
    "independent_rows",
    "joint_forces",
    "loop_constraint",
    "loop_equation",
    "loop_jacobian",
    "loop_path",
    "position_error",
    "rank_tolerance",
    "row_space",
    "solve_directly",
    "solve_for_forces",
    "solve_for_independents",
]
