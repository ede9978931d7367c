"""Closed loops in joint coordinates: a spanning tree and the joints that close loops (Featherstone 2008, chapter 8).

constraint     loop_constraint (K, k, k_stab), with_elements, loop_jacobian, position_error, find_loop, loop_path
forces         active_force, bias_force_with_loops (C - tau^a), joint_forces
equation       loop_equation; its rows: row_space, independent_rows, rank_tolerance; explicit_constraint (G, g)
solutions      solve_directly, solve_for_forces, solve_for_independents; solution_costs
sparsity       loop_clusters, cluster_order; explicit_by_clusters, projected_by_blocks, force_matrix_by_blocks
mobility       loop_mobility, plane_normal; weaker_loop_joints, with_loop_joint, with_universal_loops, universal_state
closure        LoopClosure (q = gamma(y)), LinearActuator
inverse        closed_loop_inverse_dynamics, actuated_freedoms, actuated_variables
without tree   sparse_pattern, sparse_forward_dynamics; pinned_loop, pinned_motion, pinned_velocity, pinned_bodies
"""

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.loops.explicit_constraint import ExplicitConstraint, explicit_constraint
from rbdkit.algorithms.loops.held_rows import with_elements
from rbdkit.algorithms.loops.independent_rows import RowSpace, independent_rows, rank_tolerance, row_space
from rbdkit.algorithms.loops.inverse_dynamics import (
    ActuatedFreedoms,
    LoopInverseDynamics,
    actuated_freedoms,
    actuated_variables,
    closed_loop_inverse_dynamics,
)
from rbdkit.algorithms.loops.linear_actuator import LinearActuator
from rbdkit.algorithms.loops.loop_closure import ClosureRates, LoopClosure
from rbdkit.algorithms.loops.loop_clusters import (
    BlockConstraint,
    LoopCluster,
    cluster_order,
    explicit_by_clusters,
    force_matrix_by_blocks,
    loop_clusters,
    projected_by_blocks,
)
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint, loop_constraint
from rbdkit.algorithms.loops.loop_equation import LoopEquation, LoopMotion, loop_equation
from rbdkit.algorithms.loops.loop_forces import LoopEfforts, active_force, bias_force_with_loops, joint_forces
from rbdkit.algorithms.loops.loop_jacobian import find_loop, loop_jacobian, loop_path
from rbdkit.algorithms.loops.loop_mobility import (
    LoopMobility,
    Weaker,
    loop_mobility,
    plane_normal,
    weaker_loop_joints,
    with_loop_joint,
)
from rbdkit.algorithms.loops.pinned_loop import (
    PinnedLoop,
    PinnedMotion,
    pinned_bodies,
    pinned_loop,
    pinned_motion,
    pinned_velocity,
)
from rbdkit.algorithms.loops.position_error import position_error
from rbdkit.algorithms.loops.solution_costs import SolutionMethod, solution_costs
from rbdkit.algorithms.loops.solutions import (
    IndependentMotion,
    solve_directly,
    solve_for_forces,
    solve_for_independents,
)
from rbdkit.algorithms.loops.sparse_system import (
    SparseMotion,
    SparsePattern,
    sparse_forward_dynamics,
    sparse_pattern,
)
from rbdkit.algorithms.loops.universal_loops import universal_state, with_universal_loops

__all__ = [
    "ActuatedFreedoms",
    "Baumgarte",
    "BlockConstraint",
    "ClosureRates",
    "ExplicitConstraint",
    "IndependentMotion",
    "LinearActuator",
    "LoopClosure",
    "LoopCluster",
    "LoopConstraint",
    "LoopEfforts",
    "LoopEquation",
    "LoopInverseDynamics",
    "LoopMobility",
    "LoopMotion",
    "PinnedLoop",
    "PinnedMotion",
    "RowSpace",
    "SolutionMethod",
    "SparseMotion",
    "SparsePattern",
    "Weaker",
    "active_force",
    "actuated_freedoms",
    "actuated_variables",
    "bias_force_with_loops",
    "closed_loop_inverse_dynamics",
    "cluster_order",
    "explicit_by_clusters",
    "explicit_constraint",
    "find_loop",
    "force_matrix_by_blocks",
    "independent_rows",
    "joint_forces",
    "loop_clusters",
    "loop_constraint",
    "loop_equation",
    "loop_jacobian",
    "loop_mobility",
    "loop_path",
    "pinned_bodies",
    "pinned_loop",
    "pinned_motion",
    "pinned_velocity",
    "plane_normal",
    "position_error",
    "projected_by_blocks",
    "rank_tolerance",
    "row_space",
    "solution_costs",
    "solve_directly",
    "solve_for_forces",
    "solve_for_independents",
    "sparse_forward_dynamics",
    "sparse_pattern",
    "universal_state",
    "weaker_loop_joints",
    "with_loop_joint",
    "with_universal_loops",
    "with_elements",
]
