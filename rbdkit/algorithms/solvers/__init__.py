"""Complementarity problems and quadratic programs, as contact asks for them.

forces         lemke (any M, pivots named), active_set (M symmetric: the quadratic program in lambda)
accelerations  least_distance (Gauss' principle with inequalities)
answers        LcpSolution, Pivot, LeastDistance; InfeasibleError, with the contacts that contradict each other
"""

from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.algorithms.solvers.least_distance import LeastDistance, least_distance
from rbdkit.algorithms.solvers.lemke import lemke
from rbdkit.algorithms.solvers.solution import InfeasibleError, LcpSolution, Pivot

__all__ = ["InfeasibleError", "LcpSolution", "LeastDistance", "Pivot", "active_set", "least_distance", "lemke"]
