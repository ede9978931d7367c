"""Reduced and maximal coordinates together, in the symbols of Sueda's notes on rigid-body dynamics, part 2.

`bodies_at` computes all quantities of a tree at one state that the algorithms of the notes take, with arrays.
In the order of reading: bodies, joint_rate, jacobian (Algorithm 1), jacobian_rate (Algorithm 2), reduced_equation,
jacobian_products (Algorithms 5, 6), hyper_reduced, stiffness, linearly_implicit, hybrid, recursive_hybrid (Algorithm
9), inverse_inertia (Algorithm 10), constraints.
"""

from rbdkit.algorithms.redmax.bodies import Bodies, bodies_at
from rbdkit.algorithms.redmax.constraints import Constrained, Rows, constrained_by_dual
from rbdkit.algorithms.redmax.hybrid import HybridSolution, hybrid_accelerations, hybrid_velocities
from rbdkit.algorithms.redmax.hyper_reduced import hyper_reduced_equation
from rbdkit.algorithms.redmax.inverse_inertia import InverseInertia
from rbdkit.algorithms.redmax.jacobian import redmax_jacobian
from rbdkit.algorithms.redmax.jacobian_products import jacobian_product, transposed_product
from rbdkit.algorithms.redmax.jacobian_rate import redmax_jacobian_and_rate
from rbdkit.algorithms.redmax.linearly_implicit import Iterated, implicit_velocities, implicit_velocities_by_cg
from rbdkit.algorithms.redmax.recursive_hybrid import RecursiveHybrid, recursive_hybrid
from rbdkit.algorithms.redmax.reduced_equation import ReducedEquation, reduced_equation
from rbdkit.algorithms.redmax.stiffness import Stiffness

__all__ = [
    "Bodies",
    "Constrained",
    "HybridSolution",
    "InverseInertia",
    "Iterated",
    "RecursiveHybrid",
    "ReducedEquation",
    "Rows",
    "Stiffness",
    "bodies_at",
    "constrained_by_dual",
    "hybrid_accelerations",
    "hybrid_velocities",
    "hyper_reduced_equation",
    "implicit_velocities",
    "implicit_velocities_by_cg",
    "jacobian_product",
    "recursive_hybrid",
    "redmax_jacobian",
    "redmax_jacobian_and_rate",
    "reduced_equation",
    "transposed_product",
]
