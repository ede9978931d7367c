"""Factorizations that keep the zeros of a tree, and what is computed with their factors.

H has a zero wherever two joints are on different branches (Featherstone 2008, section 6.4), and factorized from the
last row to the first it keeps them all. The algorithms of section 6.5 walk along a parent array and never look at a
zero: a file for each factorization, one for products, one for solutions, one for the operations that they cost.
"""

from rbdkit.algorithms.sparse.costs import SparseCosts, area_2, area_3, depths, sparse_costs
from rbdkit.algorithms.sparse.coupled_parent import coupled_parent, coupled_variables
from rbdkit.algorithms.sparse.expanded_parent import ParentArray, expand_parents, expanded_parent
from rbdkit.algorithms.sparse.factors import Method, SparseFactors, factorize
from rbdkit.algorithms.sparse.ltdl import ltdl
from rbdkit.algorithms.sparse.ltl import ltl
from rbdkit.algorithms.sparse.pattern import ancestors, check_parents, density, renumbered, sparsity_pattern
from rbdkit.algorithms.sparse.products import multiply_H, multiply_L, multiply_LT
from rbdkit.algorithms.sparse.solves import solve_L, solve_LT, solve_LTDL, solve_LTL

__all__ = [
    "Method",
    "ParentArray",
    "SparseCosts",
    "SparseFactors",
    "ancestors",
    "area_2",
    "area_3",
    "check_parents",
    "coupled_parent",
    "coupled_variables",
    "density",
    "depths",
    "expand_parents",
    "expanded_parent",
    "factorize",
    "ltdl",
    "ltl",
    "multiply_H",
    "multiply_L",
    "multiply_LT",
    "renumbered",
    "solve_L",
    "solve_LT",
    "solve_LTDL",
    "solve_LTL",
    "sparse_costs",
    "sparsity_pattern",
]
