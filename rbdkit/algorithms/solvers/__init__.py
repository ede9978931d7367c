"""Solvers of complementarity problems and quadratic programs for contact.

forces         lemke (any M, pivots named), active_set (M symmetric: the quadratic program in lambda)
any bounds     quadratic_program (equations and bounds; ProgramSolution)
accelerations  least_distance (Gauss' principle with inequalities); its rows by SciPy, or by daqp: active_rows
friction       FrictionProblem; single_program, staggered_projections (Sueda), gauss_seidel
answers        LcpSolution, Pivot, LeastDistance; InfeasibleError, with the contacts that contradict each other
"""

from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.algorithms.solvers.friction import (
    FrictionImpulses,
    FrictionProblem,
    gauss_seidel,
    single_program,
    staggered_projections,
)
from rbdkit.algorithms.solvers.least_distance import LeastDistance, least_distance
from rbdkit.algorithms.solvers.lemke import lemke
from rbdkit.algorithms.solvers.quadratic_program import ProgramSolution, quadratic_program
from rbdkit.algorithms.solvers.solution import InfeasibleError, LcpSolution, Pivot

__all__ = [
    "FrictionImpulses",
    "FrictionProblem",
    "InfeasibleError",
    "LcpSolution",
    "LeastDistance",
    "Pivot",
    "ProgramSolution",
    "active_set",
    "gauss_seidel",
    "least_distance",
    "lemke",
    "quadratic_program",
    "single_program",
    "staggered_projections",
]
