"""Inside of steps: ends, slopes at the stages, order; contacts that say nothing new."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.contact import euler_step, heun_step, minimal_contacts, polynomial_step
from rbdkit.algorithms.solvers import active_set
from rbdkit.errors import StateError


def f(y, t):
    return np.array([y[1], -y[0]])


@pytest.mark.source("F11.09")
@pytest.mark.parametrize("step, order", [(euler_step, 1), (heun_step, 2)])
def test_order_inside_a_step(step, order):
    """The error at any place of one step is of the order of the method, plus one."""
    y_0, errors = np.array([0.3, 0.8]), []
    for h in (0.02, 0.01):
        dense = step(f, y_0, 0.0, h)
        exact = lambda t: np.array([0.3 * np.cos(t) + 0.8 * np.sin(t), 0.8 * np.cos(t) - 0.3 * np.sin(t)])  # noqa: E731
        errors.append([np.abs(dense.at(d) - exact(d * h)).max() for d in (0.3, 0.7, 1.0)])
    assert_allclose(np.divide(*errors), 2.0 ** (order + 1), rtol=0.05)


@pytest.mark.source("F11.09")
def test_the_polynomial_has_the_rates_of_the_stages():
    """Eq 11.50 at the end, k_1 and k_2 as slopes at 0 and 2/3; a general polynomial through the same is the same."""
    y_0, h = np.array([0.3, 0.8]), 0.1
    dense = heun_step(f, y_0, 0.0, h)
    k_1, k_2 = dense.k
    assert_allclose(dense.at(1.0), y_0 + h * (k_1 / 4 + 3 * k_2 / 4), rtol=1e-15)
    for place, rate in ((0.0, k_1), (2 / 3, k_2)):
        slope = (dense.at(place + 1e-3) - dense.at(place - 1e-3)) / (2e-3 * h)  # exact for a parabola
        assert_allclose(slope, rate, rtol=1e-11)
    general = polynomial_step(y_0, h, [0.0, 2 / 3], dense.k)
    for delta in (0.2, 0.5, 1.0):
        assert_allclose(general.at(delta), dense.at(delta), rtol=1e-14)


@pytest.mark.source("F11.09")
def test_gauss_places_integrate_polynomials_exactly():
    c = 0.5 + np.array([-0.5, 0, 0.5]) * np.sqrt(0.6)
    rate = lambda t: 5 * t**4 - 2 * t  # noqa: E731
    dense = polynomial_step(np.array([1.0]), 1.0, c, rate(c)[:, None])
    assert_allclose(dense.at(1.0), [1.0], rtol=1e-14)
    with pytest.raises(StateError, match="all different"):
        polynomial_step(np.zeros(1), 1.0, [0.0, 0.0], np.zeros((2, 1)))


def upright(x, y):
    """Normals (6, n) of a level plane at points, about the origin."""
    zero = np.zeros_like(x)
    return np.array([y, -np.asarray(x), zero, zero, zero, zero + 1.0])


@pytest.mark.source("F11.12")
def test_line_and_surface_contacts():
    """Fig 11.7: an edge by its ends, a polygon by its corners, a disc and a ruled surface by all their points."""
    assert minimal_contacts(upright(np.linspace(-1, 1, 7), np.zeros(7))) == [0, 6]
    angles = 2 * np.pi * np.arange(5) / 5
    corner = np.array([np.cos(angles), np.sin(angles)])
    weights = np.random.default_rng(0).dirichlet(np.ones(5), 8).T
    inside = corner @ weights
    assert minimal_contacts(upright(*np.hstack([inside, corner]))) == [8, 9, 10, 11, 12]
    around = 2 * np.pi * np.arange(12) / 12
    disc = upright(*np.hstack([[[0.3], [0.1]], [np.cos(around), np.sin(around)]]))
    assert minimal_contacts(disc) == list(range(1, 13))
    y = np.linspace(-0.5, 0.5, 6)  # z = x tan y along x = 0: the normal is (-tan y, 0, 1), through (0, y, 0)
    n = np.array([-np.tan(y), 0 * y, 1 + 0 * y]) / np.hypot(np.tan(y), 1)
    points = np.array([0 * y, y, 0 * y])
    assert minimal_contacts(np.vstack([np.cross(points.T, n.T).T, n])) == list(range(6))
    with pytest.raises(StateError, match="finite"):
        minimal_contacts([[np.nan]])


@pytest.mark.source("F11.12")
@pytest.mark.parametrize("seed", range(6))
def test_what_is_left_out_changes_no_motion(seed):
    rng = np.random.default_rng(seed)
    N = upright(*rng.uniform(-1, 1, (2, 12)))
    free = rng.normal(size=6) - [0, 0, 0, 0, 0, 3.0]
    few = N[:, minimal_contacts(N)]
    moved = [free + A @ active_set(A.T @ A, A.T @ free).lam for A in (N, few)]
    assert few.shape[1] < 12
    assert_allclose(moved[1], moved[0], atol=1e-11)
