"""Quadratic programs by daqp and by SciPy's least squares: two libraries, one answer."""

import daqp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.solvers import InfeasibleError, least_distance, quadratic_program
from rbdkit.errors import StateError


def problem(seed, n=9, m=12, twins=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    T, b = rng.normal(size=(n, m)), rng.normal(size=m) + 0.5
    if twins:  # the same contact again, and again somewhat heavier: no multipliers but many are right
        T = np.hstack([T, T[:, :twins], 3.0 * T[:, :twins]])
        b = np.concatenate([b, b[:twins], 3.0 * b[:twins]])
    return A @ A.T + 0.1 * np.eye(n), rng.normal(size=n), T, b


@pytest.mark.parametrize("twins", [0, 4])
@pytest.mark.parametrize("seed", range(40))
def test_both_find_the_same(seed, twins):
    H, x_0, T, b = problem(seed, twins=twins)
    try:
        known = least_distance(H, x_0, T, b, solver="scipy")
    except InfeasibleError as fault:
        with pytest.raises(InfeasibleError) as ours:
            least_distance(H, x_0, T, b, solver="daqp")
        assert str(ours.value) == str(fault)
        return
    found = least_distance(H, x_0, T, b, solver="daqp")
    scale = 1.0 + np.abs(known.x).max()
    assert_allclose(found.x, known.x, rtol=0, atol=1e-12 * scale * np.linalg.cond(H) ** 0.5)
    assert (T.T @ found.x + b).min() > -1e-10 * scale and found.lam.min() >= 0.0
    assert_allclose(H @ (found.x - x_0), T @ found.lam, atol=1e-9 * scale * np.linalg.norm(H, 2))


@pytest.fixture
def asked(monkeypatch):
    """What daqp was asked, and whether it was solved."""
    solve, calls = daqp.solve, []

    def watched(*args, **options):
        found = solve(*args, **options)
        calls.append(found[2])
        return found

    monkeypatch.setattr(daqp, "solve", watched)
    return calls


def test_it_is_asked_where_it_is_installed(asked):
    H, x_0, T, b = problem(0, m=5)
    known = least_distance(H, x_0, T, b, solver="scipy")
    assert not asked
    assert_allclose(least_distance(H, x_0, T, b).x, known.x, rtol=1e-11)
    assert asked == [1]
    quadratic_program(H, H @ x_0, C=T.T, c=-b)
    assert asked == [1, 1]
    quadratic_program(H, H @ x_0, C=T.T, c=-b, solver="scipy")
    assert len(asked) == 2


def test_without_it_scipy_does_the_work(monkeypatch):
    H, x_0, T, b = problem(1, m=5)
    known = least_distance(H, x_0, T, b, solver="daqp")
    monkeypatch.setattr("rbdkit.algorithms.solvers.active_rows.find_spec", lambda name: None)
    assert_allclose(least_distance(H, x_0, T, b).x, known.x, rtol=1e-11)
    with pytest.raises(ImportError, match=r"rbdkit\[contact\]"):
        least_distance(H, x_0, T, b, solver="daqp")


@pytest.mark.parametrize("wrong", ["off by one row", "one too many", "gave up"])
def test_an_answer_that_is_wrong_is_not_taken(monkeypatch, wrong):
    """The rows of another library are checked before anything is made of them."""
    H, x_0, T, b = problem(2, m=6)
    known = least_distance(H, x_0, T, b, solver="scipy")
    held = known.lam > 0.0
    assert 1 < held.sum() < len(b)
    rows = np.roll(held, 1) if wrong == "off by one row" else held | (np.arange(len(b)) == np.flatnonzero(~held)[0])
    said = -4 if wrong == "gave up" else 1
    monkeypatch.setattr(daqp, "solve", lambda *given, **options: (None, 0.0, said, {"lam": -rows.astype(float)}))
    assert np.array_equal(least_distance(H, x_0, T, b).x, known.x)


def test_what_is_no_solver_is_refused():
    with pytest.raises(StateError, match="'auto', 'scipy' or 'daqp'"):
        least_distance(*problem(0), solver="gurobi")
