"""The products and solutions of Table 6.5 against dense matrices, with NaN wherever nothing may be read."""

import numpy as np
import pytest

from rbdkit.algorithms.sparse import multiply_H, multiply_L, multiply_LT, solve_L, solve_LT, sparsity_pattern
from rbdkit.errors import StateError

EPS = np.finfo(float).eps


def dense(marked, unit):
    """The lower triangular matrix that is meant."""
    L = np.nan_to_num(marked, nan=0.0)
    if unit:
        np.fill_diagonal(L, 1.0)
    return L


def with_unit(marked, unit):
    """The same entries; a unit factor has something else where its ones would stand."""
    L = marked.copy()
    if unit:
        np.fill_diagonal(L, np.nan)
    return L


@pytest.mark.source("F6.11")
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_products_and_solutions(unit, columns, trees, positive_definite, off):
    for seed, lam in enumerate(trees):
        marked = positive_definite(lam, seed)[1]
        L, exact = with_unit(marked, unit), dense(marked, unit)
        x = np.random.default_rng(seed).normal(size=(len(lam), *columns))
        before = x.copy()
        assert off(multiply_L(L, x, lam, unit), exact @ x) < 10 * EPS
        assert off(multiply_LT(L, x, lam, unit), exact.T @ x) < 10 * EPS
        lost = 10 * EPS * np.linalg.cond(exact)
        assert off(solve_L(L, x, lam, unit), np.linalg.solve(exact, x)) < lost
        assert off(solve_LT(L, x, lam, unit), np.linalg.solve(exact.T, x)) < lost
        np.testing.assert_array_equal(x, before)


@pytest.mark.source("F6.11")
def test_h_times_a_vector(trees, positive_definite, off):
    for seed, lam in enumerate(trees):
        H, marked = positive_definite(lam, seed)
        for shape in ((len(lam),), (len(lam), 2)):
            x = np.random.default_rng(seed).normal(size=shape)
            assert off(multiply_H(marked, x, lam), H @ x) < 10 * EPS


@pytest.mark.source("F6.11")
@pytest.mark.parametrize("unit", [False, True])
def test_what_works_in_place(unit, trees, positive_definite):
    """L x, L^-1 x and L^-T x; L^T x as well if the diagonal is 1: then x_i is still there when it is read."""
    allowed = [multiply_L, solve_L, solve_LT] + ([multiply_LT] if unit else [])
    for seed, lam in enumerate(trees):
        L = with_unit(positive_definite(lam, seed)[1], unit)
        for function in allowed:
            x = np.random.default_rng(seed).normal(size=len(lam))
            expected = function(L, x, lam, unit)
            assert function(L, x, lam, unit, out=x) is x
            np.testing.assert_array_equal(x, expected)


@pytest.mark.source("F6.11")
def test_what_does_not_work_in_place(positive_definite):
    lam = (-1, 0, 0, 1)
    H, L = positive_definite(lam)
    x = np.ones(4)
    with pytest.raises(StateError, match="multiply_LT cannot put its result where x stands"):
        multiply_LT(L, x, lam, out=x)
    with pytest.raises(StateError, match="multiply_H cannot put its result where x stands"):
        multiply_H(H, x, lam, out=x)
    y = np.empty(4)
    assert multiply_LT(L, x, lam, out=y) is y and multiply_H(H, x, lam, out=y) is y
    np.testing.assert_allclose(y, H @ x, rtol=1e-15)


@pytest.mark.source("F6.11")
def test_whole_numbers_are_not_cut_off(positive_definite, off):
    lam = (-1, 0, 0)
    L = positive_definite(lam)[1]
    x = np.array([1, 2, 3])
    exact = dense(L, False)
    assert off(solve_L(L, x, lam), np.linalg.solve(exact, x)) < 10 * EPS
    assert off(multiply_L(L, x, lam), exact @ x) < 10 * EPS


@pytest.mark.parametrize("function", [multiply_L, multiply_LT, solve_L, solve_LT])
def test_places_that_cannot_hold_the_result(function, positive_definite):
    lam = (-1, 0, 0)
    L, whole = positive_definite(lam)[1], np.array([1, 2, 3])
    with pytest.raises(StateError, match=r"out is int64\(3,\), but the result needs float64\(3,\)"):
        function(L, whole, lam, out=whole)
    with pytest.raises(StateError, match=r"out is float64\(2,\)"):
        function(L, np.ones(3), lam, out=np.empty(2))


def test_solving_undoes_multiplying(trees, positive_definite, off):
    for seed, lam in enumerate(trees):
        L = positive_definite(lam, seed)[1]
        assert not sparsity_pattern(lam)[np.isfinite(L) != np.tril(sparsity_pattern(lam))].any()
        x = np.random.default_rng(seed).normal(size=len(lam))
        assert off(solve_L(L, multiply_L(L, x, lam), lam), x) < 100 * EPS
        assert off(solve_LT(L, multiply_LT(L, x, lam), lam), x) < 100 * EPS
