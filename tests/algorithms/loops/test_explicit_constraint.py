"""G and g by pivoting: K G = 0, K g = k, and every solution is reached once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.loops import explicit_constraint
from rbdkit.errors import StateError

pytestmark = pytest.mark.source("F8.12")


def of_rank(m, n, r, seed):
    rng = np.random.default_rng(seed)
    K = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    return K, K @ rng.normal(size=n)


@pytest.mark.parametrize(("m", "n", "r"), [(5, 8, 5), (5, 8, 3), (9, 6, 4), (4, 4, 4), (6, 3, 3), (3, 5, 0), (0, 4, 0)])
def test_all_solutions(m, n, r):
    for seed in range(5):
        K, k = of_rank(m, n, r, seed)
        found = explicit_constraint(K, k)
        assert found.r == r and found.G.shape == (n, n - r)
        assert_allclose(K @ found.G, 0.0, atol=1e-12)
        assert_allclose(K @ found.g, k, atol=1e-11)
        assert_allclose(found.residual, 0.0, atol=1e-11)
        assert np.linalg.matrix_rank(found.G) == n - r
        x = found.g + found.G @ np.arange(n - r)
        assert_allclose(x[list(found.independent)], np.arange(n - r))  # y is a subset of x
        known = explicit_constraint(K, k, rank=r)
        assert_allclose(known.G, found.G, atol=0.0)


def test_the_largest_entry_is_always_the_next_pivot():
    """Against SciPy's pivoted QR the rank is the same; against the definition the order is."""
    K, k = of_rank(6, 9, 4, 3)
    found = explicit_constraint(K, k)
    assert abs(found.pivots[0]) == np.abs(K).max()
    assert np.all(np.abs(found.pivots) > 1e-6)
    rows, columns = list(found.rows), [j for j in range(9) if j not in found.independent]
    assert_allclose(abs(np.linalg.det(K[np.ix_(rows, columns)])), np.prod(np.abs(found.pivots)), rtol=1e-12)


def test_small_rows_are_not_mistaken_for_nothing():
    K = np.array([[1e-3, 0.0, 0.0, 2e-3], [0.0, 1e3, 1.0, 0.0]])
    assert explicit_constraint(K, np.zeros(2)).r == 2
    assert explicit_constraint(1e-12 * K, np.zeros(2)).r == 2  # the test is relative


def test_independents_of_ones_own():
    K, k = of_rank(5, 7, 4, 1)
    free = explicit_constraint(K, k)
    for chosen in ([0, 1, 2], [6, 2, 4]):
        found = explicit_constraint(K, k, independent=chosen)
        assert found.independent == tuple(chosen)
        assert_allclose(found.G[chosen], np.eye(3), atol=0.0)
        assert_allclose(found.g[chosen], 0.0)
        assert_allclose(K @ found.G, 0.0, atol=1e-12)
        assert np.linalg.matrix_rank(np.hstack([found.G, free.G])) == 3
    assert explicit_constraint(K, k, independent=[0, 1, 2], rank=4).independent == (0, 1, 2)


def test_a_choice_that_does_not_do():
    K = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    with pytest.raises(StateError, match=r"\(0, 1\) do not determine"):
        explicit_constraint(K, np.zeros(2), independent=[0, 1])
    with pytest.raises(StateError, match=r"\(0,\) do not determine \((2|3),\)"):
        explicit_constraint(K, np.zeros(2), independent=[0])
    with pytest.raises(StateError, match="ties"):
        explicit_constraint(K, np.zeros(2), independent=[0, 1, 2])
    with pytest.raises(StateError, match="different numbers from 0 to 3"):
        explicit_constraint(K, np.zeros(2), independent=[0, 0])
    with pytest.raises(StateError, match="k has shape"):
        explicit_constraint(K, np.zeros(3))
    with pytest.raises(StateError, match="rank 3"):
        explicit_constraint(K, np.zeros(2), rank=3)


def test_the_mask_leaves_columns_alone():
    K, k = of_rank(4, 5, 3, 2)
    wide = np.insert(K, [0, 2, 5], 0.0, axis=1)
    mask = [0, 3, 7]
    found, plain = explicit_constraint(wide, k, mask=mask), explicit_constraint(wide, k)
    assert set(mask) <= set(found.independent)
    assert_allclose(found.G, plain.G, atol=1e-14)
    with pytest.raises(StateError, match="mask"):
        explicit_constraint(wide, k, mask=[1])


def test_rows_that_contradict_each_other_leave_a_residual():
    K = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    found = explicit_constraint(K, np.array([1.0, 2.5]))
    assert_allclose(np.abs(found.residual).max(), 0.25)  # the row that was used is met
    assert found.residual[found.rows[0]] == 0.0
