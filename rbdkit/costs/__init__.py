"""Operation counts of dynamics algorithms: multiplications and additions (Featherstone 2008, section 10.3).

`published` holds Table 10.1, `crossover` the points where its curves cross, `branched` the cost on branched trees.
`axial_crba` is the composite-rigid-body algorithm with the operation count of the table; `counted_crba` runs it on a
model, on the `axial_screws` of its placements, and counts. `kernels` compares rbdkit's own code with the table,
`custom_code` generates code for one model only, `simplification` reports the fate of each operation when a trace is
simplified, and `without_zeros` the savings by zeros in inertias. Counts are `rbdkit.trace.Operations`.
"""

from rbdkit.costs.axial_screws import Screws, axial_screws
from rbdkit.costs.branched import Branching, branching, dh_children
from rbdkit.costs.counted_crba import CountedCrba, counted_crba
from rbdkit.costs.crossover import articulated_body_method, crossing, inertia_matrix_method, last_not_dearer
from rbdkit.costs.custom_code import custom_dynamics
from rbdkit.costs.kernels import Comparison, kernel_costs
from rbdkit.costs.published import SOURCES, TABLE_10_1, Formula, best, cheapest, formulas
from rbdkit.costs.simplification import Assignment, assignments
from rbdkit.costs.without_zeros import operations_with

__all__ = [
    "SOURCES",
    "TABLE_10_1",
    "Assignment",
    "Branching",
    "Comparison",
    "CountedCrba",
    "Formula",
    "Screws",
    "articulated_body_method",
    "assignments",
    "axial_screws",
    "best",
    "branching",
    "cheapest",
    "counted_crba",
    "crossing",
    "custom_dynamics",
    "dh_children",
    "formulas",
    "inertia_matrix_method",
    "kernel_costs",
    "last_not_dearer",
    "operations_with",
]
