"""What algorithms cost in multiplications and additions (Featherstone 2008, section 10.3).

`published` holds Table 10.1, `crossover` where its curves meet, `branched` what a tree saves. `axial_crba` is the
composite-rigid-body algorithm at the price of the table; `counted_crba` runs it on a model and counts, on the
`axial_screws` of its placements. `kernels` sets rbdkit's own code beside the table, `custom_code` makes code for one
model only, `simplification` says what becomes of each operation when a trace is simplified, and `without_zeros` what
zeros in inertias save. Counts are `rbdkit.trace.Operations`.
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
