"""Table 6.6 against counts: the algorithms themselves, run on symbols."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import (
    ancestors,
    area_2,
    area_3,
    density,
    depths,
    expand_parents,
    expanded_parent,
    ltdl,
    ltl,
    multiply_H,
    multiply_L,
    multiply_LT,
    solve_L,
    solve_LT,
    solve_LTDL,
    solve_LTL,
    sparse_costs,
    sparsity_pattern,
)
from rbdkit.library import random_tree, robot_file
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.sparse_trees import EXPANDED, FIG_6_3
from rbdkit.trace import Operations, trace


def count(function, lam, *arguments, **options) -> Operations:
    """Operations that a function of a matrix and vectors executes."""
    n = len(lam)
    shapes = [(n, n), *[n] * arguments[0]] if arguments else [(n, n)]
    return trace(lambda *x: function(*x, lam, **options), *shapes, simplify=False).operations()


@pytest.mark.source("F6.12", "F6.08", "F6.09", "F6.11")
@pytest.mark.parametrize("method", ["ltl", "ltdl"])
def test_counts_equal_table_6_6(method, trees):
    unit = method == "ltdl"
    factorization, back_substitution = {"ltl": (ltl, solve_LTL), "ltdl": (ltdl, solve_LTDL)}[method]
    for lam in trees:
        costs = sparse_costs(lam, method)
        assert count(factorization, lam) == costs.factorization
        assert count(back_substitution, lam, 1) == costs.back_substitution
        for multiply in (multiply_L, multiply_LT):
            assert count(multiply, lam, 1, unit=unit) == costs.multiply
        for solve in (solve_L, solve_LT):
            assert count(solve, lam, 1, unit=unit) == costs.solve
        assert count(multiply_H, lam, 1) == costs.multiply_H


@pytest.mark.source("F6.12")
def test_table_6_6_in_its_letters():
    """The table written out again, for a tree with D1 = 11 and D2 = 17 counted by hand below."""
    lam = expand_parents(*EXPANDED)
    n, D1, D2 = 8, 1 + 2 + 3 + 1 + 4 + 4 + 2, 1 + 3 + 6 + 1 + 10 + 10 + 3  # d = 1, 2, 3, 4, 2, 5, 5, 3
    assert depths(lam) == (1, 2, 3, 4, 2, 5, 5, 3)
    assert (area_2(lam), area_3(lam)) == (D1, D2)
    ltl_costs, ltdl_costs = sparse_costs(lam, "ltl"), sparse_costs(lam, "ltdl")
    assert str(ltl_costs.factorization) == f"{D2}m + {D2}a + {D1}d + {n}r"
    assert str(ltdl_costs.factorization) == f"{D2}m + {D2}a + {D1}d"
    assert str(ltl_costs.back_substitution) == f"{2 * D1}m + {2 * D1}a + {2 * n}d"
    assert str(ltdl_costs.back_substitution) == f"{2 * D1}m + {2 * D1}a + {n}d"
    assert str(ltl_costs.multiply) == f"{n + D1}m + {D1}a" and str(ltdl_costs.multiply) == f"{D1}m + {D1}a"
    assert str(ltl_costs.solve) == f"{D1}m + {D1}a + {n}d" and str(ltdl_costs.solve) == f"{D1}m + {D1}a"
    assert str(ltl_costs.multiply_H) == str(ltdl_costs.multiply_H) == f"{n + 2 * D1}m + {2 * D1}a"
    assert ltl_costs.forward_dynamics == ltl_costs.factorization + ltl_costs.back_substitution


@pytest.mark.source("F6.12")
def test_depths_are_numbers_of_supporting_variables(trees):
    """D1 and D2 from the pattern: entries below the diagonal, and pairs of entries of a row (Eqs 6.26, 6.27)."""
    for lam in trees:
        below = np.tril(sparsity_pattern(lam), -1).sum(axis=1)
        assert area_2(lam) == below.sum()
        assert area_3(lam) == (below * (below + 1) // 2).sum()
        assert [d - 1 for d in depths(lam)] == [len(list(ancestors(lam, k))) for k in range(len(lam))]


@pytest.mark.source("F6.12")
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_chains_cost_what_full_matrices_do(n):
    """Eq 6.28, and SciPy's textbook counts: Cholesky takes n^3/6 multiplications and additions and n roots."""
    lam = expand_parents(chain_parents(n))
    assert area_2(lam) == (n**2 - n) // 2
    assert area_3(lam) == (n**3 - n) // 6

    def cholesky(A):
        for k in range(n):
            A[k, k] = np.sqrt(A[k, k])
            for i in range(k + 1, n):
                A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                for i in range(j, n):
                    A[i, j] = A[i, j] - A[i, k] * A[j, k]
        return A

    assert trace(cholesky, (n, n), simplify=False).operations() == sparse_costs(lam, "ltl").factorization


@pytest.mark.source("F6.12")
def test_bounds_by_the_depth_of_the_tree(trees):
    for lam in [*trees, *(expanded_parent(random_tree(seed, 20)) for seed in range(5))]:
        n, d = len(lam), max(depths(lam))
        assert area_2(lam) <= n * (d - 1)  # Eq 6.29
        assert area_3(lam) <= n * d * (d - 1) // 2


SHAPES = {
    "chain": chain_parents,
    "binary": branched_parents,
    "ternary": lambda n: branched_parents(n, 3),
    "lanky": lambda n: random_parents(n, 1, 0.3),
    "bushy": lambda n: random_parents(n, 2, 0.7),
}


@pytest.mark.source("F6.07")
@pytest.mark.parametrize("n", [7, 15, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_rule_of_thumb_for_densities(n, shape):
    """Factorizing costs about rho^2 of the dense work: within a quarter, for trees from chains to bushes."""
    lam, chain = expand_parents(SHAPES[shape](n)), expand_parents(chain_parents(n))
    counted = count(ltdl, lam).total / sparse_costs(chain, "ltdl").factorization.total
    assert counted == pytest.approx(density(lam) ** 2, rel=0.25)


@pytest.mark.source("F6.08", "F6.09")
@pytest.mark.parametrize("factorization", [ltl, ltdl])
def test_areas_of_figure_6_4(factorization):
    """Rows 7, 6 and 5: two operations in area 2, three in area 3, each."""
    lam = expand_parents(FIG_6_3)
    done = Operations()
    for k in (7, 6, 5):
        rows_left = expand_parents(FIG_6_3[: k - 1])
        whole, rest = count(factorization, lam[:k]), count(factorization, rows_left)
        assert (whole.div - rest.div, whole.mul - rest.mul, whole.add - rest.add) == (2, 3, 3)
        done += Operations(mul=3, add=3, div=2)
    total = count(factorization, lam)
    last = count(factorization, expand_parents(FIG_6_3[:4]))
    assert (total.mul, total.div) == (done.mul + last.mul, done.div + last.div)


@pytest.mark.robots
@pytest.mark.source("F6.12")
def test_a_humanoid_costs_a_quarter_of_a_full_matrix():
    """Talos on its feet, 38 variables: factorization and back-substitution, counted on the code that runs."""
    model = rbd.load(robot_file("talos_reduced"), floating=True)
    lam = expanded_parent(model)
    chain = tuple(range(-1, len(lam) - 1))

    def solve(H, x, lam):
        return solve_LTDL(ltdl(H, lam), x, lam)

    sparse, dense = count(solve, lam, 1), count(solve, chain, 1)
    assert sparse == sparse_costs(lam, "ltdl").forward_dynamics
    assert dense == sparse_costs(chain, "ltdl").forward_dynamics
    assert len(lam) == 38
    assert sparse.total / dense.total == pytest.approx(0.25, abs=0.01)
