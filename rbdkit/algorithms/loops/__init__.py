"""Closed loops in joint coordinates: a spanning tree and the joints that close loops (Featherstone 2008, chapter 8).

constraint     loop_constraint (K, k, k_stab), loop_jacobian, position_error, find_loop, loop_path
"""

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint, loop_constraint
from rbdkit.algorithms.loops.loop_jacobian import find_loop, loop_jacobian, loop_path
from rbdkit.algorithms.loops.position_error import position_error

__all__ = [
    "Baumgarte",
    "LoopConstraint",
    "find_loop",
    "loop_constraint",
    "loop_jacobian",
    "loop_path",
    "position_error",
]
