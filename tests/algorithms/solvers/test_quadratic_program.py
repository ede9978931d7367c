"""The dense quadratic program against every set of bounds that may hold, and against its conditions of optimality."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.solvers import InfeasibleError, least_distance, quadratic_program
from rbdkit.errors import StateError


def every_set(H, f, C, c, G, g):
    """The point that satisfies the conditions of Kuhn and Tucker, by equations for each set of bounds that may hold."""
    n, k = len(H), len(G)
    for size in range(len(C) + 1):
        for rows in map(list, combinations(range(len(C)), size)):
            A = np.vstack([G, C[rows]])
            if np.linalg.matrix_rank(A) < len(A):
                continue
            matrix = np.block([[H, -A.T], [A, np.zeros((len(A), len(A)))]])
            solved = np.linalg.solve(matrix, np.concatenate([f, g, c[rows]]))
            if solved[n + k :].min(initial=0.0) > -1e-9 and (C @ solved[:n] - c).min(initial=0.0) > -1e-9:
                return solved[:n]
    return None


@pytest.mark.source("S1.18", "S2.21")
@pytest.mark.parametrize("seed", range(12))
def test_the_least_under_bounds_and_equations(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 7))
    H, f = A @ A.T + 0.1 * np.eye(7), rng.normal(size=7)
    C, c, G, g = rng.normal(size=(5, 7)), rng.normal(size=5), rng.normal(size=(3, 7)), rng.normal(size=3)
    found = quadratic_program(H, f, C=C, c=c, G=G, g=g)
    known = every_set(H, f, C, c, G, g)
    assert_allclose(found.x, known, atol=1e-9 * (1 + np.abs(known).max()))
    scale = 1.0 + np.abs(H @ found.x).max()
    assert_allclose(H @ found.x, f + C.T @ found.lam + G.T @ found.nu, atol=1e-10 * scale)
    assert_allclose(G @ found.x, g, atol=1e-11 * scale)
    assert found.lam.min() >= 0.0 and (C @ found.x - c).min() > -1e-9
    assert np.abs(found.lam * (C @ found.x - c)).max() < 1e-8 * scale
    doubled = quadratic_program(H, f, C=C, c=c, G=np.vstack([G, G]), g=np.concatenate([g, g]))
    assert_allclose(doubled.x, found.x, atol=1e-10 * scale)
    assert_allclose(doubled.nu, np.tile(found.nu / 2.0, 2), atol=1e-8 * scale)  # the smallest that do the same


def test_without_rows_and_with_some():
    H, f = np.diag([2.0, 4.0]), np.array([2.0, -4.0])
    assert_allclose(quadratic_program(H, f).x, [1.0, -1.0])
    joined = quadratic_program(H, f, G=[[1.0, -1.0]])  # both move as one: 6 v = -2
    assert_allclose(joined.x, [-1 / 3, -1 / 3], rtol=1e-14)
    assert_allclose(quadratic_program(H, f, C=[[0.0, 1.0]]).x, least_distance(H, f / [2, 4], np.eye(2)[:, 1:], [0]).x)


def test_what_is_refused():
    H, f = np.eye(2), np.zeros(2)
    with pytest.raises(InfeasibleError, match="'floor', 'roof'"):
        quadratic_program(H, f, C=[[0.0, 1.0], [0.0, -1.0]], c=[1.0, 1.0], names=["floor", "roof"])
    with pytest.raises(InfeasibleError, match="'floor'"):
        quadratic_program(H, f, C=[[0.0, 1.0]], c=[1.0], G=[[0.0, 1.0]], names=["floor"])
    with pytest.raises(StateError, match="contradict each other"):
        quadratic_program(H, f, G=[[1.0, 0.0], [1.0, 0.0]], g=[0.0, 1.0])
    with pytest.raises(StateError, match="positive definite"):
        quadratic_program(np.diag([1.0, 0.0]), f)
    assert_allclose(quadratic_program(np.diag([1.0, 0.0]), [3.0, 0.0], G=[[0.0, 1.0]], g=[2.0]).x, [3.0, 2.0])
    with pytest.raises(StateError, match="symmetric"):
        quadratic_program([[1.0, 1.0], [0.0, 1.0]], f)
    with pytest.raises(StateError, match="rows of 2 finite"):
        quadratic_program(H, f, C=[[np.nan, 1.0]])
    with pytest.raises(StateError, match="1 finite numbers"):
        quadratic_program(H, f, C=[[1.0, 1.0]], c=[1.0, 2.0])
    with pytest.raises(StateError, match="2 names"):
        quadratic_program(H, f, C=[[1.0, 1.0]], names=["a", "b"])
    with pytest.raises(StateError, match=r"shapes \(n, n\)"):
        quadratic_program(H, [0.0])
