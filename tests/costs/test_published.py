"""Table 10.1 and what Fig 10.4 says, recomputed."""

import numpy as np
import pytest

from rbdkit.costs import (
    SOURCES,
    TABLE_10_1,
    articulated_body_method,
    best,
    cheapest,
    crossing,
    formulas,
    inertia_matrix_method,
    last_not_dearer,
)
from rbdkit.errors import ModelError
from rbdkit.trace import Operations, trace

N = np.arange(2, 61)


def weighted(method, addition):
    return lambda n: method(n, addition)


def curve(algorithm, addition=1.0):
    return lambda n: best(algorithm).total(n, addition)


@pytest.mark.source("F10.06")
def test_the_table_at_six_joints():
    """Numbers worked out by hand from the print."""
    printed = {
        "rnea": ["450m + 386a", "489m + 420a", "712m + 550a", "852m + 738a"],
        "crba": ["460m + 395a", "505m + 410a", "555m + 470a", "420m + 339a", "741m + 601a"],
        "factor_and_solve": ["86m + 65a"],
        "aba": ["1085m + 982a", "1278m + 1122a", "1533m + 1415a"],
    }
    for name, counts in printed.items():
        assert [str(row.operations(6)) for row in formulas(name)] == counts
    assert len(TABLE_10_1) == 13
    cited = {
        "rnea": [(3,), (1, 3), (6,), (8,)],
        "crba": [(7, 14), (6,), (9, 10), (2, 4), (12,)],
        "factor_and_solve": [(13,)],
        "aba": [(11,), (5,), (6,)],
    }
    assert {name: [row.sources for row in formulas(name)] for name in cited} == cited
    assert {number for row in TABLE_10_1 for number in row.sources} == set(SOURCES)


@pytest.mark.source("F10.06")
def test_totals_are_weighted_sums_of_the_counts():
    for row in TABLE_10_1:
        for n in (1, 2, 9, 30):
            count = row.operations(n)
            for addition in (1.0, 0.25):
                assert row.total(n, addition) == pytest.approx(count.mul + addition * count.add, rel=1e-14)
    assert str(best("rnea")) == "(93n - 108)m + (81n - 100)a"
    assert str(best("factor_and_solve")) == "((1/6)n^3 + (3/2)n^2 - (2/3)n)m + ((1/6)n^3 + n^2 - (7/6)n)a"


@pytest.mark.source("F10.06")
def test_factorize_and_solve_is_what_a_program_does():
    """L^T D L and back-substitution on symbols, from the text of section 6.5; a division is a multiplication."""

    def solve(H, b):
        H, x, n = H.copy(), b.copy(), len(b)
        for k in reversed(range(n)):
            for i in reversed(range(k)):
                a = H[k, i] / H[k, k]
                for j in range(i + 1):
                    H[i, j] = H[i, j] - a * H[k, j]
                H[k, i] = a
        for k in reversed(range(n)):
            for i in range(k):
                x[i] = x[i] - H[k, i] * x[k]
        for k in range(n):
            x[k] = x[k] / H[k, k]
        for k in range(n):
            for i in range(k):
                x[k] = x[k] - H[k, i] * x[i]
        return x

    for n in (1, 2, 5, 9):
        traced = trace(solve, (n, n), n, simplify=False)
        found = traced.operations()
        assert Operations(mul=found.mul + found.div, add=found.add) == best("factor_and_solve").operations(n)
        A = np.random.default_rng(n).normal(size=(n, n))
        H, b = A @ A.T + n * np.eye(n), A[0]
        assert traced(H, b).astype(float) == pytest.approx(np.linalg.solve(H, b), rel=1e-12)


@pytest.mark.source("F10.06")
@pytest.mark.parametrize(("addition", "joints", "crossing_at"), [(1.0, 8, 45), (0.5, 7, 48), (0.25, 7, 50)])
def test_crossings_of_figure_10_4(addition, joints, crossing_at):
    """The inertia-matrix method wins up to 8 joints; an addition at half or a quarter of the price changes little."""
    forward, aba = weighted(inertia_matrix_method, addition), weighted(articulated_body_method, addition)
    assert last_not_dearer(forward, aba) == joints
    assert [n for n in N if forward(n) <= aba(n)] == list(range(2, joints + 1))
    assert np.ceil(crossing(forward, aba)) == joints + 1
    factor, composite = curve("factor_and_solve", addition), curve("crba", addition)
    assert np.ceil(crossing(factor, composite, 20, 90)) == crossing_at
    assert factor(crossing_at - 1) < composite(crossing_at - 1) and factor(crossing_at) > composite(crossing_at)


@pytest.mark.source("F10.06")
def test_totals_around_the_crossing_and_the_ratio_at_eighteen():
    totals = {n: (float(inertia_matrix_method(n)), float(articulated_body_method(n))) for n in (8, 9, 18)}
    assert totals[8] == pytest.approx((2921.0, 2925.0), rel=1e-14)
    assert totals[9] == pytest.approx((3539.0, 3354.0), rel=1e-14)
    assert totals[18][0] / totals[18][1] == pytest.approx(1.638, abs=5e-4)  # "about 1.6"


@pytest.mark.source("F10.06")
def test_which_part_is_the_largest():
    rnea, crba, factor = (curve(name)(N) for name in ("rnea", "crba", "factor_and_solve"))
    assert N[crba > rnea][0] == 6  # 855 against 836; the text has "from n = 8"
    assert (crba[4], rnea[4]) == pytest.approx((855.0, 836.0), rel=1e-14)
    assert N[factor > rnea][0] == 19  # the smallest of the three up to 18
    assert np.all(crba[N <= 44] > factor[N <= 44])
    assert N[factor > crba][0] == 45


@pytest.mark.source("F10.06")
def test_the_first_row_is_not_the_cheapest_of_short_chains():
    """Balafoutis and Patel (1989) need fewer operations for CRBA up to 32 joints, and the conclusions stay."""
    for n in range(2, 60):
        assert cheapest("crba", n).sources == ((2, 4) if n <= 32 else (7, 14)), n
        assert cheapest("rnea", n) is best("rnea") and cheapest("aba", n) is best("aba")
    other = [best("rnea").total(n) + cheapest("crba", n).total(n) + best("factor_and_solve").total(n) for n in N]
    assert N[np.array(other) <= articulated_body_method(N)].tolist() == list(range(2, 9))


def test_crossings_that_there_are_not():
    assert np.isnan(crossing(curve("rnea"), curve("aba")))
    assert last_not_dearer(curve("aba"), curve("rnea")) == 1
    assert last_not_dearer(curve("rnea"), curve("aba"), up_to=40) == 40


def test_bad_arguments_are_refused():
    for n in (0, -1, 2.5):
        with pytest.raises(ModelError, match="chains of 1, 2, 3"):
            best("rnea").operations(n)
    with pytest.raises(ModelError, match="no algorithm 'ltl'; it has rnea, crba"):
        best("ltl")
