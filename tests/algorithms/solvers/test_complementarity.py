"""Lemke's pivots and the active set against all choices of active rows, and against quadratic programs of SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize

from rbdkit.algorithms.solvers import InfeasibleError, active_set, least_distance, lemke
from rbdkit.errors import ConvergenceError, StateError


def problem(seed, n, rank):
    """M of a rank, d that a solution exists for."""
    rng = np.random.default_rng(seed)
    T = rng.normal(size=(rank, n))
    return T, T.T @ rng.normal(size=rank) + np.where(rng.random(n) < 0.5, rng.random(n), 0.0)


@pytest.mark.source("F11.06")
@pytest.mark.parametrize("rank", [2, 4, 7])
@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("seed", range(8))
def test_every_choice_of_active_rows(seed, n, rank, exhaustive):
    """Where rows depend on each other forces are not unique; what they do is."""
    T, d = problem(seed, n, rank)
    M = T.T @ T
    known = exhaustive(M, d)
    for solve in (lemke, active_set):
        found = solve(M, d)
        assert found.lam.min() >= 0.0 and found.zeta.min() >= 0.0 and not (found.lam * found.zeta).any()
        assert_allclose(found.zeta, M @ found.lam + d, atol=1e-10 * np.linalg.cond(T) * (1 + np.abs(d).max()))
        assert min(np.abs(found.lam - lam).max() for lam, _ in known) < 1e-7 * (1 + np.abs(found.lam).max())
        for lam, zeta in known:
            assert_allclose(T @ found.lam, T @ lam, atol=1e-8)
            assert_allclose(found.zeta, zeta, atol=1e-8)
        assert np.linalg.matrix_rank(T[:, found.basis]) == len(found.basis)  # a basic solution


@pytest.mark.source("F11.06")
@pytest.mark.parametrize("seed", range(40))
def test_without_solution_both_name_rows_that_contradict_each_other(seed, exhaustive):
    """A linear program says independently whether any lam >= 0 makes M lam + d >= 0."""
    rng = np.random.default_rng(seed)
    T = rng.normal(size=(2, 5))
    M, d = T.T @ T, rng.normal(size=5)
    possible = linprog(np.zeros(5), A_ub=-M, b_ub=d, bounds=(0.0, None)).status == 0
    assert possible == bool(exhaustive(M, d))
    for solve in (lemke, active_set):
        if possible:
            assert solve(M, d).residual < 1e-10
            continue
        with pytest.raises(InfeasibleError, match="no contact force can keep 'foot ") as error:
            solve(M, d, [f"foot {i}" for i in range(5)])
        y = error.value.certificate
        assert y.min() >= 0.0 and d @ y < 0.0
        assert_allclose(M @ y, 0.0, atol=1e-8)
        assert error.value.names == tuple(f"foot {i}" for i in np.flatnonzero(y))


@pytest.mark.source("F11.06")
@pytest.mark.parametrize("seed", range(30))
def test_matrices_of_friction_that_are_not_symmetric(seed, exhaustive):
    """P-matrices, but not symmetric: one solution, which only Lemke's path is for."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, 4))
    M = A @ A.T + 0.1 * np.eye(4) + 2.0 * (A - A.T)
    d = rng.normal(size=4)
    ((lam, _),) = exhaustive(M, d)
    assert_allclose(lemke(M, d).lam, lam, atol=1e-9 * (1 + lam.max()))
    with pytest.raises(StateError, match="must be symmetric"):
        active_set(M, d)


def test_degenerate_problems_do_not_cycle(exhaustive):
    """Equal rows in plenty: every pivot is a tie."""
    M, d = np.ones((6, 6)), -np.ones(6)
    for solve in (lemke, active_set):
        found = solve(M, d)
        assert_allclose([found.lam.sum(), np.abs(found.zeta).max()], [1.0, 0.0], atol=1e-15)
        assert np.count_nonzero(found.lam) == 1


def test_painleve_matrices():
    """M < 0: no solution when d < 0, and two when d > 0, of which the path takes the one without force."""
    with pytest.raises(InfeasibleError, match="tip"):
        lemke([[-1.0]], [-2.0], ["tip"])
    assert lemke([[-1.0]], [2.0]).lam == [0.0]
    with pytest.raises(StateError, match="eigenvalue -1"):
        active_set([[-1.0]], [-2.0])
    M = np.array([[0.0, -1.0], [-1.0, 0.0]]) + np.diag([-1.0, 2.0])
    with pytest.raises((InfeasibleError, ConvergenceError)):
        lemke(M, [-1.0, 1.0])


def test_pivots_are_named():
    found = lemke([[2.0, 0.0], [0.0, 1.0]], [-1.0, -3.0], ["heel", "toe"])
    assert [(pivot.enters, pivot.leaves) for pivot in found.pivots] == [
        ("z_0", "zeta of toe"), ("lambda of toe", "zeta of heel"), ("lambda of heel", "z_0"),
    ]  # fmt: skip
    assert active_set([[2.0]], [-1.0], ["heel"]).pivots[0].enters == "lambda of heel"


@pytest.mark.source("F11.07")
@pytest.mark.parametrize("seed", range(10))
def test_programs_in_forces_and_in_accelerations(seed):
    """Eqs 11.42, 11.43 and 11.44, the quadratic programs by SciPy's SLSQP and by least distance."""
    rng = np.random.default_rng(seed)
    A, T = rng.normal(size=(4, 4)), rng.normal(size=(4, 6))
    H, free = A @ A.T + np.eye(4), rng.normal(size=4)
    b = -T.T @ rng.normal(size=4) + rng.random(6)  # something satisfies T^T x + b >= 0
    M, d = T.T @ np.linalg.solve(H, T), T.T @ free + b
    lam = active_set(M, d).lam
    qdd = free + np.linalg.solve(H, T @ lam)
    near = least_distance(H, free, T, b)
    assert_allclose(near.x, qdd, atol=1e-9)
    assert_allclose(H @ (near.x - free), T @ near.lam, atol=1e-9)
    assert_allclose(T @ near.lam, T @ lam, atol=1e-8)
    slsqp = {"method": "SLSQP", "options": {"ftol": 1e-14, "maxiter": 500}}
    gauss = minimize(
        lambda x: 0.5 * (x - free) @ H @ (x - free), free, jac=lambda x: H @ (x - free),
        constraints={"type": "ineq", "fun": lambda x: T.T @ x + b, "jac": lambda x: T.T}, **slsqp,
    )  # fmt: skip
    assert_allclose(gauss.x, qdd, atol=1e-5)  # SLSQP stops at about the root of round-off
    forces = minimize(
        lambda x: 0.5 * x @ M @ x + x @ d, np.zeros(6), jac=lambda x: M @ x + d, bounds=[(0, None)] * 6, **slsqp
    )
    assert_allclose(T @ forces.x, T @ lam, atol=1e-4)


@pytest.mark.source("F11.07")
def test_inequalities_that_contradict_each_other():
    with pytest.raises(InfeasibleError, match="'floor', 'ceiling'"):
        least_distance(np.eye(1), np.zeros(1), np.array([[1.0, -1.0]]), np.array([-1.0, 0.5]), ["floor", "ceiling"])


@pytest.mark.parametrize("solve", [lemke, active_set])
def test_problems_that_are_none(solve):
    with pytest.raises(StateError, match="shapes"):
        solve(np.eye(2), np.zeros(3))
    with pytest.raises(StateError, match="not finite"):
        solve(np.eye(2), [np.nan, 1.0])
    with pytest.raises(StateError, match="1 names"):
        solve(np.eye(2), np.zeros(2), ["a"])
    assert solve(np.zeros((0, 0)), []).lam.shape == (0,)


@pytest.mark.parametrize("ratio", [1e3, 1e14])
def test_contacts_of_bodies_however_unlike(ratio):
    """A contact that yields less than 1e-11 of another one was taken for one that nothing moves, hence infeasible.

    Coupled contacts by Cramer's rule, in any order.
    """
    a, b, c = ratio, 1.0, 0.6 * np.sqrt(ratio)
    M, d = np.array([[a, c], [c, b]]), np.array([-3.0 * np.sqrt(ratio), -2.0])
    exact = np.array([-b * d[0] + c * d[1], c * d[0] - a * d[1]]) / (a * b - c * c)
    for order in ([0, 1], [1, 0]):
        found = active_set(M[np.ix_(order, order)], d[order])
        np.testing.assert_allclose(found.lam, exact[order], rtol=1e-14)
    with pytest.raises(InfeasibleError) as refused:  # the second pulls where the first pushes, both on one freedom
        active_set([[a, -c / 0.6], [-c / 0.6, b]], [-np.sqrt(ratio), -1.0], ["bead", "block"])
    y = refused.value.certificate
    np.testing.assert_allclose(M.diagonal() * y * y, np.full(2, a * y[0] ** 2), rtol=1e-12)


@pytest.mark.parametrize("round_off", [0.0, 1e-30])
def test_a_contact_that_nothing_moves_is_told_beside_others(round_off):
    """Its yielding is round-off, and no reason for a force of 1e30 N."""
    with pytest.raises(InfeasibleError, match="wall"):
        active_set([[1.0, 0.0], [0.0, round_off]], [-1.0, -1.0], ["ball", "wall"])
    np.testing.assert_array_equal(active_set([[1.0, 0.0], [0.0, round_off]], [-1.0, 0.5]).lam, [1.0, 0.0])
