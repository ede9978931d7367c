"""Compliant surfaces against closed forms of oscillators, first integrals and Coulomb's block on a slope."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.contact import (
    CompliantSurface,
    FrictionSurface,
    Patch,
    SphereOnPlane,
    SphereOnSphere,
    contact_wrenches,
    force_of_two,
    lumped,
    separation,
)
from rbdkit.errors import ModelError, StateError


def bounce(surface, mass, speed):
    """Velocity of a mass that comes and goes, with z as a state of the integration."""

    def rate(t, y):
        p, v, z = y
        f = surface.force(min(p, z), v, z)  # equal but for round-off while they touch
        return [v, f / mass, surface.rate(z, f)]

    def gone(t, y):
        return surface.spring(y[2]) - surface.damping(y[2]) * y[1] if t > 0 else 1.0

    gone.terminal, gone.direction = True, -1
    run = solve_ivp(rate, (0, 10), [-1e-9, -speed, -1e-9], "DOP853", events=gone, rtol=1e-11, atol=1e-15, max_step=1e-3)
    assert_allclose(run.y[0], run.y[2], atol=1e-11)  # the patch went with the body
    return run.y[1, -1]


@pytest.mark.source("F11.16")
def test_a_linear_surface_is_a_damped_oscillator_until_it_pulls():
    K, D, m, v = 1000.0, 12.0, 1.5, 2.0
    gamma, omega = D / (2 * m), np.sqrt(K / m - (D / (2 * m)) ** 2)
    p = lambda t: -v / omega * np.exp(-gamma * t) * np.sin(omega * t)  # noqa: E731
    p_rate = lambda t: -v * np.exp(-gamma * t) * (np.cos(omega * t) - gamma / omega * np.sin(omega * t))  # noqa: E731
    end = brentq(lambda t: -K * p(t) - D * p_rate(t), 0.6 * np.pi / omega, np.pi / omega)
    assert p(end) < 0  # it leaves before the patch is back
    assert_allclose(bounce(CompliantSurface(K, D), m, v), p_rate(end), rtol=1e-6)  # started 1e-9 m below


@pytest.mark.source("F11.18")
@pytest.mark.parametrize("n", [1.0, 1.5, 3.0])
def test_restitution_of_hunt_and_crossley(n):
    """n = m: v / a - ln(1 + a v) / a^2 with a = D / K is the same at v and -e v, whatever n and K."""
    K, D, v = 2.0e4, 4.0e3, 1.3
    a = D / K
    G = lambda v: v / a - np.log1p(a * v) / a**2  # noqa: E731
    expected = brentq(lambda u: G(-u) - G(v), 1e-6, v)
    assert_allclose(bounce(CompliantSurface(K, D, n, n), 2.0, v), expected, rtol=1e-6)


@pytest.mark.source("F11.16", "F11.18")
@pytest.mark.parametrize("n, m", [(1.0, 0.0), (1.5, 1.5), (1.5, 0.5), (2.0, 0.0), (1.5, 1.0)])
def test_recovery_in_closed_form(n, m):
    """Eq 11.73 without force, integrated by SciPy; the text's exponential for the linear one."""
    surface, patch = CompliantSurface(50.0, 4.0, n, m), Patch(0.3, -0.02)
    times = np.linspace(0.3, 0.302, 5)
    run = solve_ivp(lambda t, z: [surface.rate(z[0], 0.0)], (0.3, 0.302), [-0.02], t_eval=times, rtol=1e-11, atol=1e-15)
    assert_allclose([surface.recovered(patch, t) for t in times], run.y[0], rtol=1e-8, atol=1e-12)
    if (n, m) == (1.0, 0.0):
        assert_allclose(surface.recovered(patch, 1.0), -0.02 * np.exp(-50.0 / 4.0 * 0.7), rtol=1e-14)
    assert surface.recovered(Patch(), 1.0) == 0.0
    assert -1e-3 < surface.recovered(patch, 1e3) <= 0.0


@pytest.mark.source("F11.16")
def test_both_variants_on_a_body_that_comes_back_before_the_patch():
    """z by small explicit steps while nothing touches, and in closed form: the same forces, to first order."""
    surface, errors = CompliantSurface(100.0, 10.0), []
    p = lambda t: -0.02 * np.sin(8 * t) ** 2 + 0.012 * np.sin(3 * t)  # noqa: E731
    p_rate = lambda t: -0.16 * np.sin(16 * t) + 0.036 * np.cos(3 * t)  # noqa: E731
    for h in (2e-4, 1e-4):
        z, patch, by_state, by_time = 0.0, Patch(), [], []
        times = np.arange(0.0, 2.0, h)
        for t, later in pairwise(times):
            z = min(z, p(t))  # the body takes the patch along
            by_state.append(surface.force(p(t), p_rate(t), z))
            z = p(later) if by_state[-1] > 0.0 else z + h * surface.rate(z, 0.0)
            f, patch = surface.touch(patch, t, p(t), p_rate(t))
            by_time.append(f)
        difference = np.abs(np.subtract(by_state, by_time))
        errors.append(difference.mean())
        assert np.count_nonzero(np.diff(np.sign(by_time))) > 5  # comes and goes
        assert max(by_time) > 0.5
    assert errors[1] < 1e-3 and errors[1] < 0.75 * errors[0]


@pytest.mark.source("F11.17")
def test_two_surfaces_in_a_row():
    """With one ratio K / D they are one lumped surface; with others they share the load once at rest."""
    soft, hard = CompliantSurface(100.0, 2.0), CompliantSurface(300.0, 6.0)
    one = lumped(soft, hard)
    assert_allclose([1 / one.K, 1 / one.D], [1 / 100 + 1 / 300, 1 / 2 + 1 / 6])
    p = lambda t: -0.01 * np.sin(3 * t)  # noqa: E731
    p_rate = lambda t: -0.03 * np.cos(3 * t)  # noqa: E731

    def rate(t, z):
        f = force_of_two(soft, hard, z[0] + z[1], p_rate(t), *z)
        return [soft.rate(z[0], f), hard.rate(z[1], f)]

    run = solve_ivp(rate, (0, 0.4), [0.0, 0.0], t_eval=np.linspace(0, 0.4, 9), rtol=1e-10, atol=1e-14)
    assert_allclose(run.y.sum(axis=0), p(run.t), atol=1e-11)  # they fill the gap
    for t, z in zip(run.t, run.y.T, strict=True):
        assert_allclose(force_of_two(soft, hard, z.sum(), p_rate(t), *z), one.force(p(t), p_rate(t), p(t)), atol=1e-8)
    other = CompliantSurface(300.0, 50.0)
    still = solve_ivp(
        lambda t, z: [
            surface.rate(x, force_of_two(soft, other, -0.01, 0.0, *z))
            for surface, x in zip((soft, other), z, strict=True)
        ],
        (0, 5), [-0.005, -0.005], rtol=1e-10, atol=1e-14,
    ).y[:, -1]  # fmt: skip
    assert_allclose(still, [-0.0075, -0.0025], atol=1e-9)  # K_1 z_1 = K_2 z_2
    assert force_of_two(soft, hard, 0.1, -1.0, 0.0, 0.0) == 0.0
    with pytest.raises(ModelError, match="lumped"):
        lumped(soft, other)
    with pytest.raises(ModelError, match="linear"):
        lumped(soft, CompliantSurface(100.0, 2.0, 1.5))


@pytest.mark.source("F11.17")
def test_two_balls_in_space():
    """p and its rate from the contact; momentum is kept, and springs and dampers take what the bodies lose."""
    model = rbd.Model("two balls", gravity=(0, 0, 0))
    for name in ("red", "white"):
        model.add_body(name, "world", rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0 + (name == "red")))
    rng = np.random.default_rng(4)
    q, v = model.neutral(), rng.normal(size=12)
    q[-3:] = [0.12, 0.0, 0.15]
    touch = SphereOnSphere("kiss", "red", "white", (0, 0, 0), (0, 0, 0), 0.1, 0.1).at(model, q, v)
    T, zeta, _ = separation(model, q, v, [touch])
    assert touch.phi < 0
    f = CompliantSurface(1e4, 5.0).force(touch.phi, zeta[0], touch.phi)
    slip = np.cross(touch.normal, rng.normal(size=3))
    wrenches = contact_wrenches(model, [touch], [f], [slip])
    assert_allclose(wrenches.sum(axis=0), 0.0, atol=1e-12)
    qdd = algorithms.aba(model, q, v, np.zeros(12), f_ext=contact_wrenches(model, [touch], [f])).qdd
    free = algorithms.aba(model, q, v, np.zeros(12)).qdd
    assert_allclose(algorithms.crba(model, q).H @ (qdd - free), T[:, 0] * f, atol=1e-10)
    with pytest.raises(StateError, match="along its normal"):
        contact_wrenches(model, [touch], [f], [touch.normal])
    with pytest.raises(StateError, match="do not fit"):
        contact_wrenches(model, [touch], [f, f])


@pytest.mark.source("F11.17")
def test_a_ball_comes_to_rest_on_a_soft_floor(body_of):
    """It sinks in by m g / K."""
    model = body_of(rbd.Inertia.sphere(0.1, mass=2.0))
    floor, surface = SphereOnPlane("floor", "world", "body", (0, 0, 0), 0.1), CompliantSurface(2e3, 80.0)

    def rate(t, y):
        q, v = model.neutral(), np.zeros(6)
        q[-1], v[-1] = y
        touch = floor.at(model, q, v)
        f = surface.force(touch.phi, separation(model, q, v, [touch])[1][0], touch.phi)
        return [y[1], algorithms.aba(model, q, v, np.zeros(6), f_ext=contact_wrenches(model, [touch], [f])).qdd[-1]]

    run = solve_ivp(rate, (0, 1.5), [0.1, 0.0], rtol=1e-7, atol=1e-10)
    assert_allclose(run.y[:, -1], [0.1 - 2.0 * 9.81 / 2e3, 0.0], atol=1e-6)


def slide(friction, slope, seconds, mass=2.0, g=9.81, heading=0.0):
    """A block on a slope on its tangential patch, from rest: (place, velocity, patch)."""
    down = np.array([np.cos(heading), np.sin(heading)])
    f_n, drive = mass * g * np.cos(slope), mass * g * np.sin(slope) * down

    def rate(t, y):
        v, x = y[2:4], y[4:6]
        f = friction.force(x, v, f_n)
        return np.concatenate([v, (drive + f) / mass, friction.rate(x, f)])

    return solve_ivp(rate, (0, seconds), np.zeros(6), "Radau", rtol=1e-8, atol=1e-11).y[:, -1]


@pytest.mark.source("F11.19")
@pytest.mark.parametrize("heading", [0.0, 1.1])
def test_block_on_a_slope(heading):
    """It slips at tan(alpha) = mu: below it hangs on its patch, above it slides with g (sin - mu cos)."""
    mu, g = 0.5, 9.81
    friction, down = FrictionSurface(4e3, 100.0, mu), np.array([np.cos(heading), np.sin(heading)])
    for slope in (np.arctan(mu) - 0.1, np.arctan(mu) + 0.1):
        y = slide(friction, slope, 2.0, heading=heading)
        if np.tan(slope) < mu:
            held = 2.0 * g * np.sin(slope) / 4e3  # x is minus nothing: the patch goes down with the block
            assert_allclose(y[:2], held * down, rtol=1e-4)
            assert_allclose(y[2:4], 0.0, atol=1e-7)
            assert_allclose(y[4:], held * down, rtol=1e-4)
        else:
            a = g * (np.sin(slope) - mu * np.cos(slope))
            assert_allclose(y[2:4] / 2.0, a * down, rtol=0.03)  # but for the time that the patch takes to follow
            assert_allclose(y[4:], mu * 2.0 * g * np.cos(slope) / 4e3 * down, rtol=1e-4)


@pytest.mark.source("F11.19")
@pytest.mark.parametrize("x, v", [(0.001, 0.1), (0.1, 0.0), (-0.2, 0.1), (0.0, 0.0)])
def test_one_tangent_direction_as_printed(x, v):
    """Eqs 11.77 to 11.79 case by case; while it sticks the patch goes with the body."""
    friction, f_n = FrictionSurface(100.0, 2.0, 0.4), 10.0
    f_stick = -100.0 * x - 2.0 * v
    expected = -4.0 if f_stick < -4.0 else 4.0 if f_stick > 4.0 else f_stick
    f = friction.force(np.array([x]), np.array([v]), f_n)
    assert_allclose(f, [expected], rtol=1e-15)
    if expected == f_stick:
        assert_allclose(friction.rate(np.array([x]), f), [v], atol=1e-15)
    assert not friction.force(np.array([x]), np.array([v]), 0.0).any()


def test_surfaces_that_are_none():
    with pytest.raises(ModelError, match="K = 0"):
        CompliantSurface(0.0, 1.0)
    with pytest.raises(ModelError, match="exponents"):
        CompliantSurface(1.0, 1.0, -1.0)
    with pytest.raises(ModelError, match="D_t"):
        FrictionSurface(1.0, 0.0, 0.5)
    with pytest.raises(ModelError, match="mu"):
        FrictionSurface(1.0, 1.0, -0.5)
