"""Friction against a block on a slope in closed form, and against Coulomb's conditions themselves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.solvers import (
    FrictionProblem,
    gauss_seidel,
    least_distance,
    single_program,
    staggered_projections,
)
from rbdkit.errors import ConvergenceError, StateError


def on_slope(slope, mu):
    """A block of 2 kg after 1/100 s, without contact; x down the slope, y across, z up."""
    v_free = 0.0981 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    axes = np.eye(3)
    return FrictionProblem(2.0 * np.eye(3), v_free, axes[:, 2:], axes[:, None, :2], mu, ["block"])


@pytest.mark.source("S1.20")
@pytest.mark.parametrize("mu", [0.2, 0.8])
def test_a_block_slips_at_the_angle_of_friction(mu):
    for slope in (np.arctan(mu) * (1 - 1e-9), np.arctan(mu) + 1e-3, np.arctan(mu) + 0.3):
        slides = max(0.0, 0.0981 * (np.sin(slope) - mu * np.cos(slope)))
        for solve in (staggered_projections, gauss_seidel):
            found = solve(on_slope(slope, mu))
            assert_allclose(found.v, [slides, 0, 0], atol=1e-15)
            assert_allclose(found.alpha, 2 * 0.0981 * np.cos(slope))
        v = single_program(on_slope(slope, mu)).v
        assert_allclose(v, np.array([1, 0, mu]) * slides / (1 + mu**2), atol=1e-15)  # it lifts off with mu s


def problem(seed, k, mu, n_c=3, nv=7):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(nv, nv))
    return FrictionProblem(
        A @ A.T + nv * np.eye(nv), rng.normal(size=nv), rng.normal(size=(nv, n_c)), rng.normal(size=(nv, n_c, k)), mu
    )


@pytest.mark.parametrize("seed", range(10))
def test_coulombs_conditions(seed):
    """In one tangent direction boxes are cones: both methods end where nothing is wrong, and at the same place."""
    given = problem(seed, 1, 0.3)
    ends = [solve(given) for solve in (staggered_projections, gauss_seidel)]
    for found in ends:
        zeta, slip = given.N.T @ found.v, np.einsum("vck,v->c", given.T, found.v)
        assert found.alpha.min() >= 0.0 and zeta.min() > -1e-10
        assert np.abs(found.alpha * zeta).max() < 1e-10
        beta, limit = found.beta[:, 0], 0.3 * found.alpha
        assert (np.abs(beta) <= limit + 1e-10).all()  # alpha is the newer of both
        assert np.abs((limit - np.abs(beta)) * slip).max() < 1e-10  # less than all of it only where it sticks
        assert (beta * slip <= 1e-10).all()
    assert_allclose(ends[0].v, ends[1].v, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_cones_and_boxes(seed):
    """Two tangents: sweeps oppose the slip; staggered projections take the most from it that their boxes allow."""
    given = problem(seed, 2, 0.3)
    round_, square = gauss_seidel(given), staggered_projections(given)
    slip = np.einsum("vck,v->ck", given.T, round_.v)
    for i in range(3):
        assert np.linalg.norm(round_.beta[i]) <= 0.3 * round_.alpha[i] + 1e-12
        if np.linalg.norm(slip[i]) > 1e-8 and round_.alpha[i] > 0:
            assert_allclose(round_.beta[i], -0.3 * round_.alpha[i] * slip[i] / np.linalg.norm(slip[i]), atol=1e-8)
    slip = np.einsum("vck,v->ck", given.T, square.v)
    limit = 0.3 * square.alpha[:, None]
    assert_allclose((square.beta * slip).sum(), -(limit * np.abs(slip)).sum(), atol=1e-9)


@pytest.mark.source("S1.20")
@pytest.mark.parametrize("seed", range(6))
def test_the_single_program_is_a_least_distance(seed):
    """Its dual: the nearest velocity with N^T v >= mu |T^T v| in every direction of the pyramid (H as metric)."""
    given = problem(seed, 2, 0.4)
    edges = [given.N + s * 0.4 * given.T[:, :, k] for k in range(2) for s in (1, -1)]
    near = least_distance(given.H, given.v_free, np.hstack(edges), np.zeros(12))
    assert_allclose(single_program(given).v, near.x, atol=1e-10)


def test_what_is_refused():
    with pytest.raises(StateError, match="negative"):
        on_slope(0.1, -0.2)
    with pytest.raises(StateError, match="do not fit"):
        FrictionProblem(np.eye(2), np.zeros(3), np.zeros((3, 1)), np.zeros((3, 1, 1)), 0.1)
    with pytest.raises(ConvergenceError, match="in 1"):
        gauss_seidel(on_slope(0.5, 0.2), most=1)
    with pytest.raises(ConvergenceError, match="in 1 rounds"):
        staggered_projections(on_slope(0.5, 0.2), most=1)
