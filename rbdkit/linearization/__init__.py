"""Small motions about a state: the matrices of control theory, and states of rest.

`linearize` gives ``x' = A x + B u`` about a state, for trees, mechanisms with loops and constraints, and robots that
stand on their feet; `equilibrium` finds where a mechanism is at rest.

How it works: where loops, constraints or held contacts leave fewer freedoms than joints have, some velocities are
chosen that determine the others. A small displacement of these is made, the others follow until all loops are closed
again, and the acceleration there is compared. Trees have exact derivatives and need no differences.
"""

from rbdkit.linearization.equilibrium import Equilibrium, equilibrium
from rbdkit.linearization.linearize import Linearization, linearize

__all__ = ["linearize", "equilibrium", "Equilibrium", "Linearization"]
