"""Euler's equations split on the sphere: against the whole equations, and the body without twist in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from rbdkit.errors import ModelError, StateError
from rbdkit.formulations import JointSystem, NonTwistingSplitEuler, SplitEuler
from rbdkit.formulations.directors.turning import triad
from rbdkit.library.gebhardt_romero import INERTIA, fixed_point_model
from rbdkit.spatial import so3, sphere, twist

START = np.array([1.2, -0.7, 0.9])


def motion(system, W, duration, samples=201):
    """x (n, 9) and v (n, 3) by DOP853 on nine plain numbers, R' = R skew(W), to about 1e-11."""

    def rate(t, y):
        R = triad(y[:9])
        return np.concatenate([(R @ so3.skew(y[9:])).T.ravel(), system.rate(t, y[:9], y[9:])])

    t = np.linspace(0.0, duration, samples)
    y = solve_ivp(
        rate, (0.0, duration), np.concatenate([np.eye(3).ravel(), W]), "DOP853", t_eval=t, rtol=1e-12, atol=1e-12
    ).y.T
    return t, y[:, :9], y[:, 9:]


@pytest.mark.source("G.04")
def test_split_equations_are_eulers(bodies):
    """W' against the articulated-body algorithm, with loads and gravity."""
    model, loads = bodies.heavy(), bodies.pushed(1)
    system, joint = SplitEuler(model, *loads), JointSystem(model, *loads)
    q, W = bodies.state(2)
    x, v = system.state(q, W)
    assert_allclose(system.rate(0.4, x, v), joint.rate(0.4, q, W), atol=1e-13)
    assert_allclose(system.poses(x), joint.poses(q), atol=1e-14)
    assert system.energy(x, v).total == pytest.approx(joint.energy(q, W).total, rel=1e-13)


@pytest.mark.source("G.04")
def test_momentum_rate_is_that_of_the_whole_momentum():
    """nabla pi_perp and pi_par' by differences of a motion; without moments pi itself stands still (Eqs 51, 53)."""
    system = SplitEuler(fixed_point_model())
    t, x, v = motion(system, START, 0.4, 401)
    k, h = 200, t[1]
    pairs = [system.momentum(x[j], v[j]) for j in (k - 1, k, k + 1)]
    nabla = sphere.covariant_derivative(x[k, 6:], (pairs[2][0] - pairs[0][0]) / (2 * h))
    found = system.momentum_rate(t[k], x[k], v[k])
    assert_allclose(found[0], nabla, atol=2e-5)  # differences of order h^2 = 1e-6 times third derivatives
    assert found[1] == pytest.approx((pairs[2][1] - pairs[0][1]) / (2 * h), abs=2e-5)


@pytest.mark.source("G.04")
def test_variations_of_the_convected_velocities():
    """Theorem 1 by differences: of W under exp(iota dtheta(t)) R(t), the parts across and along d3 (Eq 46)."""

    def R(t):
        return so3.exp([np.sin(t), 0.5 * t, np.cos(2.0 * t)])

    def theta(t):
        return np.array([t**2, np.cos(t), 0.3 * t])

    def slope(function, t, h=1e-3):
        return (8.0 * (function(t + h) - function(t - h)) - function(t + 2 * h) + function(t - 2 * h)) / (12.0 * h)

    def convected_spin(iota, t):
        def varied(s):
            return so3.exp(iota * theta(s)) @ R(s)

        return so3.unskew(varied(t).T @ slope(varied, t))

    t = 0.7
    variation = slope(lambda iota: convected_spin(iota, t), 0.0)
    d3, theta_rate = R(t)[:, 2], slope(theta, t)
    assert_allclose(variation - variation[2] * np.eye(3)[2], R(t).T @ sphere.tangent(d3, theta_rate), atol=1e-8)
    assert variation[2] == pytest.approx(d3 @ theta_rate, abs=1e-8)


@pytest.mark.source("G.04")
def test_invariants_of_the_standard_body():
    system = SplitEuler(fixed_point_model())
    _, x, v = motion(system, START, 5.0)
    invariants = system.invariants(x, v)
    assert set(invariants) == {"K", "pi"}
    assert_allclose(invariants["K"], 0.5 * START @ INERTIA @ START, rtol=1e-10)
    assert_allclose(invariants["pi"], np.tile(INERTIA @ START, (201, 1)), atol=1e-10)


@pytest.mark.source("G.04")
def test_convected_vectors_split_along_the_third_axis_of_the_body(bodies):
    """W = W_perp + W_par D3 and Pi = Pi_perp + Pi_par D3, where Eqs 30 and 39 print d3 once more."""
    system = SplitEuler(bodies.heavy())
    x, W = system.state(*bodies.state(5))
    R, D3 = triad(x), np.array([0.0, 0.0, 1.0])
    d3, w = R @ D3, R @ W
    W_perp = R.T @ sphere.tangent(d3, w)
    pi_perp, pi_par = system.momentum(x, W)
    assert_allclose(W_perp + (w @ d3) * D3, W, atol=1e-14)
    assert_allclose(R.T @ pi_perp + pi_par * D3, system.body.J @ W, atol=1e-13)
    assert np.abs(W_perp + (w @ d3) * d3 - W).max() > 0.1


@pytest.mark.source("G.04")
def test_the_printed_sign_of_the_second_equation_does_not_keep_the_momentum():
    """Eqs 51b, 69b, 71b have + pi_perp . d3'; Eq 53, from which they follow, has the minus that keeps pi."""
    system = SplitEuler(fixed_point_model())
    x, v = system.start(np.array([1.0, 0.0, 0.0, 0.0])), START
    pi_perp, _ = system.momentum(x, v)
    d3_rate = system.d3_rate(x, v)
    nabla, pi_par_rate = system.momentum_rate(0.0, x, v)

    def pi_rate(pi_par_rate):  # d/dt (pi_perp + pi_par d3), its parts in the plane and along d3
        return nabla + system.J_par * v[2] * d3_rate, pi_par_rate - pi_perp @ d3_rate

    assert_allclose(np.append(*pi_rate(pi_par_rate)), 0.0, atol=1e-14)
    printed = -pi_perp @ d3_rate
    assert abs(pi_rate(printed)[1]) > 0.5


@pytest.mark.source("G.06")
def test_non_holonomic_equations_by_a_multiplier(bodies):
    """J W' + W x J W = M - mu e3 with W3' = 0 solved as linear equations, against Eqs 71."""
    model, loads = bodies.heavy(), bodies.pushed(3)
    system = NonTwistingSplitEuler(model, *loads)
    q, W = bodies.state(4, twist=False)
    x, v = system.state(q, W)
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = system.body.J
    matrix[2, 3] = matrix[3, 2] = 1.0
    M = system.convected_moment(0.4, x, v)
    solution = np.linalg.solve(matrix, np.append(M - np.cross(W, system.body.J @ W), 0.0))
    assert_allclose(system.rate(0.4, x, v), solution[:3], atol=1e-13)
    assert system.constraint_moment(0.4, x, v) == pytest.approx(solution[3], rel=1e-12)


@pytest.mark.source("G.06")
def test_free_motion_without_twist():
    """w is constant in space: d3 runs along a great circle, all directors turn about one axis; K, Pi1, Pi2 stay."""
    system = NonTwistingSplitEuler(fixed_point_model())
    W = np.array([1.2, -0.7, 0.0])
    t, x, v = motion(system, W, 5.0)
    exact = so3.exp(t[:, None] * W)
    assert_allclose(triad(x), exact, atol=1e-10)
    assert_allclose(x[:, 6:] @ W, 0.0, atol=1e-10)
    assert np.abs(twist.twist_angle(so3.project(triad(x)))).max() < 1e-10
    invariants = system.invariants(x, v)
    assert set(invariants) == {"K", "Pi1", "Pi2"}
    assert_allclose(invariants["K"], 0.5 * W @ INERTIA @ W, rtol=1e-14)
    assert_allclose([invariants["Pi1"][-1], invariants["Pi2"][-1]], (INERTIA @ W)[:2], rtol=1e-14)


@pytest.mark.source("G.06")
def test_under_gravity_it_keeps_its_energy_and_does_not_twist(bodies):
    model = bodies.heavy()
    system = NonTwistingSplitEuler(model)
    _, x, v = motion(system, np.array([0.5, 0.2, 0.0]), 2.0, 2001)
    (energy,) = system.invariants(x, v).values()
    assert_allclose(energy, energy[0], rtol=1e-10)
    assert np.ptp(v[:, 0]) > 0.1
    psi = twist.twist_angle(so3.project(triad(x)))
    assert np.abs(psi).max() < 1e-5  # the polygon of 2 000 arcs against the curve


def test_what_does_not_split_or_twists_is_refused(bodies):
    for formulation in (SplitEuler, NonTwistingSplitEuler):
        with pytest.raises(ModelError, match="'body': its z axis is not a principal axis"):
            formulation(bodies.heavy(split=False))
    with pytest.raises(StateError, match=r"at 0\.9 rad/s; set its third component to zero"):
        NonTwistingSplitEuler(fixed_point_model()).state(np.array([1.0, 0.0, 0.0, 0.0]), START)
