"""Bodies with constraints between them, on SE(3), on SO(3) x R3, or on one for some bodies and the other for others.

In the order of reading: groups (the configuration space), joint_constraints, joint_forces, index1 (the equations),
layout, bodies (the formulation); program_body, elimination, moving_axes, tree_program, moving_loops, loop_program,
projection_program and compiled (the loop over time as machine code).
"""

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.formulations.constrained.bodies import ConstrainedBodies
from rbdkit.formulations.constrained.groups import ProductGroup
from rbdkit.formulations.constrained.index1 import ConstrainedSystem, Index1

__all__ = ["Baumgarte", "ConstrainedBodies", "ConstrainedSystem", "Index1", "ProductGroup"]
