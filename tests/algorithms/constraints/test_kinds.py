"""Rolling ball and taut string: differences, closed forms, conserved quantities; and what kind each of them is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.algorithms import constraints as con
from rbdkit.errors import ModelError, StateError
from rbdkit.integrators import Adaptive
from rbdkit.library.rolling_sphere import (
    HOLLOW,
    SOLID,
    circle_on_turntable,
    resting_place,
    rolling_sphere,
    turn_of_circle,
)
from rbdkit.library.taut_string import CENTERS, discs_at, string_around, three_discs
from rbdkit.spatial import quaternion, so3

H = 1e-5
RADIUS = 0.4


@pytest.fixture
def rng():
    return np.random.default_rng(34)


def run(model, constraint, q, v, duration, dt, f_ext=None):
    """The motion under a constraint, whose force goes in as a joint force; errors of a step below 1e-11."""
    none = np.zeros(model.nv)

    def tau(t, q, v):
        force = None if f_ext is None else f_ext(t, q, v)
        return con.constrained_motion(model, constraint, q, v, none, f_ext=force, t=t).tau_c

    method = Adaptive("dop853", rtol=1e-11, atol=1e-11)
    return rbd.simulate(
        model, q, v, duration, dt, integrator=method, tau=rbd.untraced(tau), f_ext=f_ext, progress=False
    )


def drift(motion, constraint):
    return max(np.abs(con.velocity_error(constraint, q, v, t=t)).max() for t, q, v in zip(motion.t, motion.q, motion.v))


def string():
    centers = np.array(CENTERS)
    lengths = [np.linalg.norm(centers[i] - centers[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    return con.TautString(0.3, sum(lengths) + 0.6 * np.pi)


@pytest.mark.source("F3.10", "F3.11")
@pytest.mark.parametrize("constraint", [con.RollingContact(RADIUS), con.RollingContact(RADIUS, 2.0), string()])
def test_acceleration_level_is_the_rate_of_the_velocity_level(constraint, rng):
    """d/dt (K qd - w) = K qdd - k along any motion with constant velocity variables.

    Differences of fourth order: near discs that touch, the string's curvature changes fast.
    """
    h = 1e-4
    model = three_discs() if isinstance(constraint, con.TautString) else rolling_sphere(RADIUS)
    for _ in range(5):
        q, qd = model.random_q(rng), rng.normal(size=model.nv)

        def error(dt, q=q, qd=qd):
            return con.velocity_error(constraint, model.integrate(q, dt * qd), qd)

        slope = (8 * (error(h) - error(-h)) - (error(2 * h) - error(-2 * h))) / (12 * h)
        assert_allclose(slope, -constraint.k(q, qd, 0.0), rtol=1e-8, atol=1e-9)


@pytest.mark.source("F3.10")
def test_rolling_is_no_slip_of_the_lowest_point(rng):
    """K qd - w by the motion of material points: of the ball below its centre, and of the turntable under it."""
    contact, model = con.RollingContact(RADIUS, 1.7), rolling_sphere(RADIUS)
    for _ in range(5):
        q, v = model.random_q(rng), rng.normal(size=6)
        here, there = (rbd.forward_kinematics(model, model.integrate(q, s * H * v)).poses[1] for s in (-1, 1))
        pose = rbd.forward_kinematics(model, q).poses[1]
        below = np.append(pose[:3, :3].T @ [0, 0, -RADIUS], 1.0)
        moves = ((there - here) @ below)[:3] / (2 * H)
        floor = 1.7 * np.array([-q[5], q[4], 0.0])
        assert_allclose(con.velocity_error(contact, q, v), moves - floor, atol=1e-9)


@pytest.mark.source("F3.10")
def test_both_forms_of_rolling(rng):
    """K G = 0, and accelerations from K, k and from G, g (Eq 3.12); a ball that rolls freely keeps its spin."""
    contact, model = con.RollingContact(RADIUS), rolling_sphere(RADIUS)
    q, omega, tau = model.random_q(rng), rng.normal(size=3), rng.normal(size=6)
    v = contact.start(q, omega)
    assert_allclose(contact.K(q) @ contact.G(q), 0, atol=1e-14)
    assert_allclose(contact.G(q) @ omega, v, atol=1e-14)
    equation = con.equation_of_motion(model, q, v, tau)
    implicit = con.apply_implicit(equation, contact.K(q), contact.k(q, v))
    explicit = con.apply_explicit(equation, contact.G(q), contact.g(q, v))
    assert_allclose(explicit.qdd, implicit.qdd, atol=1e-10)
    free = con.apply_explicit(con.equation_of_motion(model, q, v, np.zeros(6)), contact.G(q), contact.g(q, v))
    assert_allclose(free.ydd, 0, atol=1e-12)
    assert implicit.lam.shape == (3,)


@pytest.mark.source("F3.10")
def test_a_ball_on_a_slope_falls_at_five_sevenths(rng):
    """The plane stays z = 0, gravity is tilted: x'' = g sin / (1 + I/(m r^2))."""
    for moment, share in ((SOLID, 5 / 7), (HOLLOW, 3 / 5)):
        gravity = 9.81 * np.array([np.sin(0.2), 0.0, -np.cos(0.2)])
        model = rolling_sphere(RADIUS, 2.0, moment).with_parameters({"gravity": gravity})
        q = np.concatenate([rng.normal(size=4), [0.3, 0.2, RADIUS]])
        q[:4] /= np.linalg.norm(q[:4])
        found = con.constrained_motion(model, con.RollingContact(RADIUS), q, np.zeros(6), np.zeros(6))
        R = rbd.forward_kinematics(model, q).poses[1][:3, :3]
        assert_allclose(R @ found.qdd[3:], [share * gravity[0], 0, 0], atol=1e-12)
        assert found.lam[2] == pytest.approx(-2.0 * gravity[2])  # the floor carries the weight
        assert found.lam[0] == pytest.approx(-2.0 * gravity[0] * (1 - share))  # friction


@pytest.mark.source("F3.10")
def test_once_around_a_circle_turns_the_ball():
    """Held on a circle by a spring to its middle; after one period the place is the same, the attitude is not.

    Dynamics, closed form of the period, closed form of the turn.
    """
    circle, stiffness = 1.3, 5.0
    model, contact = rolling_sphere(RADIUS), con.RollingContact(RADIUS)
    rate = np.sqrt(stiffness / (1.0 + SOLID))  # the ball resists as if it had 7/5 of its mass
    q = resting_place(RADIUS, circle)
    v = contact.start(q, [-circle * rate / RADIUS, 0.0, 0.0])  # counterclockwise, without spinning
    period = 2.0 * np.pi / rate

    def spring(t, q, v):
        return np.array([np.zeros(6), rbd.wrench([*(-stiffness * q[4:6]), 0.0], q[4:])])

    motion = run(model, contact, q, v, period, period / 20, spring)
    assert_allclose(motion.q[-1, 4:], q[4:], atol=1e-7)
    R = quaternion.to_matrix(motion.q[-1, :4])
    assert_allclose(R, turn_of_circle(RADIUS, circle), atol=1e-7)
    assert np.linalg.norm(so3.log(R)) > 0.5
    assert drift(motion, contact) < 1e-8
    assert np.ptp(motion.q[:, 6]) < 1e-9
    kinetic = motion.energy().kinetic
    assert np.ptp(kinetic) < 1e-8 * kinetic[0]  # the spring does no work on a circle, nor does the floor


@pytest.mark.source("F3.10")
def test_a_square_of_quarter_turns():
    """Right, up, left, down, a quarter turn each: four rotations about level axes, put together by hand."""
    model, contact = rolling_sphere(RADIUS), con.RollingContact(RADIUS)
    q = resting_place(RADIUS)
    for axis in ([0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 0, 0]):
        v = contact.start(q, np.array(axis, dtype=float))
        q = run(model, contact, q, v, np.pi / 2, np.pi / 4).q[-1]
    assert_allclose(q[4:], [0, 0, RADIUS], atol=1e-10)
    angle = np.linalg.norm(so3.log(quaternion.to_matrix(q[:4])))
    assert angle == pytest.approx(2 * np.pi / 3, abs=1e-10)


@pytest.mark.source("F3.10")
@pytest.mark.parametrize("moment", [SOLID, HOLLOW])
def test_a_ball_on_a_turntable_circles(moment):
    """The rheonomic nonholonomic constraint: two sevenths of the turntable's rate for a solid ball, start anyhow."""
    turntable = 1.5
    model, contact = rolling_sphere(RADIUS, 1.3, moment), con.RollingContact(RADIUS, turntable)
    q = resting_place(RADIUS, 0.2, -0.1)
    v = contact.start(q, [0.2, -0.3, 0.4])
    rate = circle_on_turntable(moment, turntable)
    motion = run(model, contact, q, v, 2.0 * np.pi / rate, np.pi / rate / 10)
    places = motion.q[:, 4:6]
    assert_allclose(places[-1], places[0], atol=1e-8)
    velocity = v[3:5]  # the ball starts upright: body axes are world axes
    middle = places[0] + np.array([-velocity[1], velocity[0]]) / rate
    assert_allclose(np.linalg.norm(places - middle, axis=1), np.linalg.norm(velocity) / rate, atol=1e-8)
    assert drift(motion, contact) < 1e-8


@pytest.mark.source("F3.10")
def test_kinds(rng):
    """Fig 3.1: what small loops reach, what pushes only, what is driven. Closed forms where they are known."""
    ball, discs = rolling_sphere(RADIUS), three_discs()
    rolling = con.classify(ball, con.RollingContact(RADIUS), ball.random_q(rng))
    assert (rolling.velocity_freedoms, rolling.position_freedoms) == (3, 5)
    assert (rolling.equality, rolling.holonomic, rolling.scleronomic) == (False, False, True)
    driven = con.classify(ball, con.RollingContact(RADIUS, 2.0), ball.random_q(rng))
    assert (driven.holonomic, driven.scleronomic) == (False, False)
    assert not con.classify(ball, con.RollingContact(RADIUS, 2.0), resting_place(RADIUS)).scleronomic  # at its centre
    held = con.classify(discs, string(), discs_at(angles=rng.normal(size=3)))
    assert (held.velocity_freedoms, held.position_freedoms) == (8, 8)
    assert (held.equality, held.holonomic, held.scleronomic) == (False, True, True)
    assert str(rolling) == (
        "inequality, an equation while it pushes, nonholonomic, scleronomic; 3 velocity, 5 position freedoms"
    )


class NoSpin(con.RollingContact):
    """Rolling without spinning about the normal either: two velocities that still lead everywhere."""

    unilateral = ()

    def K(self, q):
        return np.vstack([super().K(q), [*quaternion.to_matrix(q[:4])[2], 0, 0, 0]])

    def w(self, q, t=0.0):
        return np.append(super().w(q, t), 0.0)


class Sliding(con.RollingContact):
    """Contact without friction: scleronomic."""

    unilateral = ()

    def K(self, q):
        return super().K(q)[2:]

    def w(self, q, t=0.0):
        return super().w(q, t)[2:]


class SaidTwice(con.RollingContact):
    """Rolling, with a row that repeats another in small units but for what differences leave."""

    def K(self, q):
        K = super().K(q)
        return np.vstack([K, 1e-3 * K[0] + 1e-12 * np.arange(6)])

    def w(self, q, t=0.0):
        return np.append(super().w(q, t), 0.0)


@pytest.mark.source("F3.10")
def test_a_row_said_twice_changes_no_kind(rng):
    ball = rolling_sphere(RADIUS)
    found = con.classify(ball, SaidTwice(RADIUS), ball.random_q(rng))
    assert (found.velocity_freedoms, found.position_freedoms, found.holonomic) == (3, 5, False)


@pytest.mark.source("F3.10")
def test_kinds_of_relatives_of_the_rolling_ball(rng):
    """(2, 3, 5) is the classical growth of rolling without spinning: it takes loops of loops. Sliding is holonomic."""
    ball = rolling_sphere(1.0)
    found = con.classify(ball, NoSpin(1.0), ball.random_q(rng))
    assert (found.velocity_freedoms, found.position_freedoms, found.holonomic) == (2, 5, False)
    found = con.classify(ball, Sliding(1.0), ball.random_q(rng))
    assert (found.velocity_freedoms, found.position_freedoms, found.holonomic) == (5, 5, True)
    assert "equality, holonomic, scleronomic" in str(found)


@pytest.mark.source("F3.10")
def test_an_inequality_tells_when_it_lets_go():
    """The floor pushes a resting ball and would have to pull one that is lifted harder than its weight."""
    ball, contact, q = rolling_sphere(RADIUS, 2.0), con.RollingContact(RADIUS), resting_place(RADIUS)
    for lift, goes in ((0.0, False), (19.0, False), (20.0, True)):
        found = con.constrained_motion(ball, contact, q, np.zeros(6), np.array([0, 0, 0, 0, 0, lift]))
        assert found.lam[2] == pytest.approx(2.0 * 9.81 - lift)
        assert con.lets_go(contact, found.lam) == goes


@pytest.mark.source("F3.10")
def test_a_pendulum_on_a_driven_pivot():
    """The rheonomic joint: theta'' = -(g + z'') sin / l for a pivot that goes up and down, by another integrator."""
    shake, rate, length = 0.1, 12.0, 0.7
    model = rbd.Model("shaken")
    motion = rbd.Prescribed(
        rbd.Prismatic("z"),
        lambda t: (shake * np.sin(rate * t), shake * rate * np.cos(rate * t), -shake * rate**2 * np.sin(rate * t)),
    )
    model.add_body("pivot", joint=motion)
    bob = rbd.Inertia(1.3, [0.0, 0.0, -length], np.zeros((3, 3)))
    model.add_body("bob", "pivot", rbd.Revolute("y"), inertia=bob)
    run = rbd.simulate(model, [0.6], [0.2], 1.0, 2e-3, progress=False)

    def closed(t, x):
        return [x[1], -(9.81 - shake * rate**2 * np.sin(rate * t)) * np.sin(x[0]) / length]

    exact = solve_ivp(closed, (0.0, 1.0), [0.6, 0.2], method="DOP853", rtol=1e-12, atol=1e-12)
    assert_allclose([run.q[-1, 0], run.v[-1, 0]], exact.y[:, -1], atol=1e-8)


@pytest.mark.source("F3.11")
def test_the_gradient_of_the_string(rng):
    """K against differences of phi, the length against the polygon that is drawn."""
    held, discs = string(), three_discs()
    for _ in range(5):
        q = discs_at(CENTERS + rng.normal(scale=0.3, size=(3, 2)), rng.normal(size=3))
        slopes = [(held.phi(discs.integrate(q, H * e)) - held.phi(discs.integrate(q, -H * e))) / (2 * H)
                  for e in np.eye(9)]  # fmt: skip
        assert_allclose(held.K(q)[0], slopes, atol=1e-9)
        loop = string_around(q.reshape(3, 3)[:, 1:], held.radius, points=2000)
        assert np.linalg.norm(np.diff(loop, axis=0), axis=1).sum() == pytest.approx(held.length(q), rel=1e-6)
    assert held.phi(discs_at()) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.source("F3.11")
def test_the_string_keeps_its_length():
    """Discs thrown outward: length, energy, momenta and spins are kept, the tension is positive."""
    held, discs = string(), three_discs()
    q = discs_at(angles=(0.3, -0.5, 1.0))
    wish = np.array([2.0, 0.3, 0.5, -1.0, 1.0, -0.4, 0.7, -0.2, 0.6])
    v = wish - np.linalg.pinv(held.K(q)) @ held.K(q) @ wish
    motion = run(discs, held, q, v, 1.5, 0.1)
    assert max(abs(held.phi(x)) for x in motion.q) < 1e-9
    assert np.abs(motion.energy_error()).max() < 1e-9
    assert_allclose(motion.v[:, ::3], np.broadcast_to(v[::3], (len(motion.t), 3)), atol=1e-12)  # no friction
    momenta = [rbd.momentum(discs, x, u) for x, u in zip(motion.q, motion.v)]
    assert np.abs(np.ptp(momenta, axis=0)).max() < 1e-9  # forces inside the system
    assert np.abs(np.ptp(motion.q[:, 1:3], axis=0)).max() > 0.3
    none = np.zeros(9)
    assert all(con.constrained_motion(discs, held, x, u, none).lam[0] > 0 for x, u in zip(motion.q, motion.v))


@pytest.mark.source("F3.11")
def test_tension_by_hand():
    """Three discs at rest at the corners of an equilateral triangle, each pulled outward with a force F: by symmetry
    two strings of tension lam at 30 degrees hold it, F = 2 lam cos 30."""
    corners = np.array([[np.cos(a), np.sin(a)] for a in 2.0 * np.pi * np.arange(3) / 3.0])
    held, discs, F = con.TautString(0.1, 3 * np.sqrt(3) + 0.2 * np.pi), three_discs(0.1), 4.0
    tau = np.column_stack([np.zeros(3), F * corners]).reshape(9)
    found = con.constrained_motion(discs, held, discs_at(corners), np.zeros(9), tau)
    assert_allclose(found.qdd, 0, atol=1e-12)
    assert found.lam[0] == pytest.approx(F / (2 * np.cos(np.pi / 6)))
    assert not con.lets_go(held, found.lam)
    assert con.lets_go(held, con.constrained_motion(discs, held, discs_at(corners), np.zeros(9), -tau).lam)


def test_what_cannot_be_is_refused():
    with pytest.raises(ModelError, match="does not go around three discs"):
        con.TautString(0.3, 3.0)
    with pytest.raises(StateError, match="at the same place"):
        string().K(discs_at([[0, 0], [0, 0], [1, 1]]))
    with pytest.raises(ModelError, match="on one line"):
        string_around([[0, 0], [1, 1], [2, 2]], 0.3)
    with pytest.raises(ModelError, match="a ball of radius -1"):
        con.RollingContact(-1.0)
