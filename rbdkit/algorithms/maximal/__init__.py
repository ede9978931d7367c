"""Bodies with six freedoms each and joints as constraints, in the symbols of Sueda's notes, part 1.

In the order of reading: free_step (one body), joint_rows (constraints from the adjoint), kkt (velocities and reactions
by one linear system), stabilisation (what is done against drift).
"""

from rbdkit.algorithms.maximal.free_step import maximal_euler_step, viscous_euler_step
from rbdkit.algorithms.maximal.joint_rows import JointRows, MaximalBodies, joint_rows, maximal_bodies
from rbdkit.algorithms.maximal.kkt import KktStep, kkt_accelerations, kkt_step
from rbdkit.algorithms.maximal.stabilisation import acceleration_target, post_stabilised, velocity_target

__all__ = [
    "JointRows",
    "KktStep",
    "MaximalBodies",
    "acceleration_target",
    "joint_rows",
    "kkt_accelerations",
    "kkt_step",
    "maximal_bodies",
    "maximal_euler_step",
    "post_stabilised",
    "velocity_target",
    "viscous_euler_step",
]
