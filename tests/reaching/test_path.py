"""Smooth paths against closed forms, differences and a minimum that is known from the calculus of variations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import rbdkit as rbd

KINDS = ("cubic", "quintic", "minimum_jerk")
TIMES = np.array([0.5, 1.0, 2.2, 2.5, 4.0])
WAYPOINTS = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, -1.0], [1.1, 0.3], [-0.3, 0.2]])


@pytest.fixture(params=KINDS)
def way(request):
    return rbd.path(WAYPOINTS, TIMES, request.param)


def test_it_goes_through_all_waypoints_and_rests_at_both_ends(way):
    assert_allclose(way.q(TIMES), WAYPOINTS, atol=1e-14)  # sums of a few numbers of size 1
    for t in (-3.0, 0.5, 4.0, 9.0):
        assert_allclose(way.v(t), 0.0, atol=1e-12)
    assert_allclose(way.q(-3.0), WAYPOINTS[0], atol=0)
    assert_allclose(way.q(9.0), WAYPOINTS[-1], atol=1e-14)
    if way.kind == "minimum_jerk":
        assert_allclose(way.v(TIMES), 0.0, atol=1e-12)


def test_velocities_and_accelerations_are_derivatives(way):
    h, t = 1e-5, np.random.default_rng(0).uniform(0.6, 3.9, 50)
    assert_allclose(way.v(t), (way.q(t + h) - way.q(t - h)) / (2 * h), atol=1e-7)  # third derivatives of up to 1e3
    assert_allclose(way.a(t), (way.v(t + h) - way.v(t - h)) / (2 * h), atol=1e-4)


def test_velocity_and_acceleration_do_not_jump_at_waypoints(way):
    for t in TIMES[1:-1]:
        assert_allclose(way.v(t - 1e-9), way.v(t + 1e-9), atol=1e-6)
        assert_allclose(way.a(t - 1e-9), way.a(t + 1e-9), atol=1e-5)


def test_rest_to_rest_is_the_printed_polynomial():
    """Flash and Hogan (1985): 10 s^3 - 15 s^4 + 6 s^5, which both ways of least jerk are if there is one piece."""
    s = np.linspace(0.0, 1.0, 11)
    expected = 1.0 + 2.0 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    for kind in ("minimum_jerk", "quintic"):
        way = rbd.path([[1.0], [3.0]], [2.0, 5.0], kind)
        assert_allclose(way.q(2.0 + 3.0 * s)[:, 0], expected, atol=1e-14)


def test_the_quintic_has_the_least_jerk_of_all_ways_through_the_waypoints():
    """What is added vanishes with its first two derivatives at the ends, and at the waypoints: jerk then only grows."""
    way, h = rbd.path(WAYPOINTS, TIMES, "quintic"), 1e-4
    span = TIMES[-1] - TIMES[0]
    added = np.polynomial.Polynomial.fromroots([*[0.0] * 3, *[span] * 3, *(TIMES[1:-1] - TIMES[0])])

    def jerk(t, share):
        own = (way.a(t + h)[0] - way.a(t - h)[0]) / (2 * h)
        return (own + share * added.deriv(3)(t - TIMES[0])) ** 2

    inside = dict(limit=200, points=TIMES[1:-1], epsabs=1e-9)
    least = quad(jerk, TIMES[0] + h, TIMES[-1] - h, args=(0.0,), **inside)[0]
    for share in (0.1, -0.1):
        assert quad(jerk, TIMES[0] + h, TIMES[-1] - h, args=(share,), **inside)[0] > least


def test_laws_that_follow_it_compile_and_arrive(way):
    arm, way = rbd.library.double_pendulum(), rbd.path(WAYPOINTS, TIMES - TIMES[0], way.kind)

    def law(t, q, v):
        return rbd.rnea(arm, way.q(t), way.v(t), way.a(t)) + 50.0 * (way.q(t) - q) + 10.0 * (way.v(t) - v)

    motion = rbd.simulate(arm, way.q(0.0), duration=3.5, tau=law, progress=False)
    assert motion.report.compiled
    assert_allclose(motion.q, way.q(motion.t), atol=1e-8)  # of rk4 in steps of 1 ms; accelerations have corners
    book = rbd.simulate(arm, way.q(0.0), duration=0.8, tau=law, backend="book", progress=False)
    assert_allclose(book.q, motion.q[: len(book)], atol=1e-12)


def test_another_path_of_that_name_is_another_motion():
    arm = rbd.library.pendulum()
    ends = []
    for goal in (1.0, 2.0):
        way = rbd.path([[0.0], [goal]], [0.0, 1.0])

        def law(t, q, v, way=way):
            return 400.0 * (way.q(t) - q) + 40.0 * (way.v(t) - v)

        ends.append(rbd.simulate(arm, duration=1.5, tau=law, progress=False).q[-1, 0])
    assert ends[1] - ends[0] > 0.9
    with pytest.raises(ValueError, match="read-only"):
        way.waypoints[0] = 1.0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[0.0]], [0.0]), "2 or more"),
        (([0.0, 1.0], [0.0, 1.0]), r"must be \(n, nq\)"),
        (([[0.0], [1.0]], [0.0, 0.0]), "waypoint 0 is at 0 s"),
        (([[0.0], [np.nan]], [0.0, 1.0]), "finite"),
        (([[0.0], [1.0]], [0.0, 1.0], "linear"), "'quintic', 'cubic' or 'minimum_jerk'"),
        (("here", [0.0, 1.0]), "not numbers"),
    ],
)
def test_what_is_no_path_is_refused(arguments, says):
    with pytest.raises(rbd.StateError, match=says):
        rbd.path(*arguments)
