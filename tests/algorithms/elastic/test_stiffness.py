"""Wrenches, stiffness and damping of every force, by complex steps through forces that are written anew."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rbdkit.algorithms.elastic import (
    Attached,
    MuscleNumbers,
    directed_force,
    muscle,
    muscle_path,
    onto_bodies,
    point_spring,
    spring_damper,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.forces.muscle_curves import PiecewiseCubic, active_force_length, force_velocity, passive_force_length
from rbdkit.spatial import se3

NEAR = {"rel": 1e-12, "abs": 1e-12}  # complex steps lose nothing; sums of 10 terms of size 10


def same(found, expected):
    f, by_E, by_Phi = expected
    assert found.f == pytest.approx(f, **NEAR)
    assert pytest.approx(by_E, **NEAR) == found.K
    assert pytest.approx(-by_Phi, **NEAR) == found.D


def is_minus_gradient_of_V(make, points):
    """The wrenches against differences of the potential, for bodies at rest."""
    still = [Attached(p.E, p.x) for p in points]
    h = 1e-3
    for k in range(len(points)):
        for j in range(6):

            def V(s, k=k, j=j):
                moved = [Attached(p.E @ se3.exp(s * np.eye(6)[j]) if i == k else p.E, p.x) for i, p in enumerate(still)]
                return make(moved).V

            slope = (V(-2 * h) - 8 * V(-h) + 8 * V(h) - V(2 * h)) / (12 * h)
            assert make(still).f[6 * k + j] == pytest.approx(-slope, abs=1e-9)  # fifth derivatives times h^4


def length(d):
    return np.sqrt(d @ d)


def along(tension):
    """A law of forces along a path, by the tension that its length and rate make."""

    def law(x, v):
        steps = [b - a for a, b in itertools.pairwise(x)]
        u = [d / length(d) for d in steps]
        rate = sum(e @ (b - a) for e, a, b in zip(u, v, v[1:], strict=False))
        f = tension(sum(length(d) for d in steps), rate)
        return [f * ((u[k] if k < len(u) else 0.0) - (u[k - 1] if k else 0.0)) for k in range(len(x))]

    return law


def cubic(curve, x):
    """A curve at a complex number, piece by piece."""
    assert curve.knots[0] < x.real < curve.knots[-1]
    piece = int(np.searchsorted(curve.knots, x.real)) - 1
    return np.polyval(curve.coefficients[piece], x)


def of_muscle(m):
    def tension(l, v):
        l, v = (l - m.l_T) / m.l_opt, v / (m.l_opt * m.v_max)
        return m.f_opt * (m.a * cubic(m.f_L, l) * cubic(m.f_V, v) + cubic(m.f_P, l))

    return tension


@pytest.mark.source("S1.12")
def test_directed_force(attached, complex_steps):
    points, a, k = attached(1), np.array([0.3, -1.2, 0.5]), 7.0
    same(directed_force(points[0], a, k), complex_steps(points, lambda x, v: [k * a]))
    is_minus_gradient_of_V(lambda p: directed_force(p[0], a, k), points)
    symmetric = directed_force(points[0], a, k).symmetrized()
    assert np.array_equal(symmetric.K, symmetric.K.T)


@pytest.mark.source("S1.13")
def test_point_spring(attached, complex_steps):
    points, k = attached(2), 7.0
    for d in (0.0, 0.4):
        law = lambda x, v, d=d: [F := k * (x[1] - x[0]) + d * (v[1] - v[0]), -F]  # noqa: E731
        same(point_spring(*points, k, d), complex_steps(points, law))
    is_minus_gradient_of_V(lambda p: point_spring(*p, k), points)


@pytest.mark.source("S1.16")
def test_spring_damper(attached, complex_steps):
    points, k, L, d = attached(2, 1), 7.0, 0.8, 0.6
    expected = complex_steps(points, along(lambda l, v: k * (l - L) / L + d * v / L))
    same(spring_damper(*points, k, L, d), expected)
    is_minus_gradient_of_V(lambda p: spring_damper(*p, k, L, d), points)
    # the printed K, which holds the rate: right for bodies at rest, and where nothing damps
    printed = spring_damper(*points, k, L, d, rate_by_pose=False)
    assert np.abs(printed.K - expected[1]).max() > 0.1
    still = [Attached(p.E, p.x) for p in points]
    assert pytest.approx(spring_damper(*still, k, L, d).K) == spring_damper(*still, k, L, d, rate_by_pose=False).K
    assert np.linalg.eigvalsh(printed.D).min() > -1e-14  # it takes energy, whatever the twists


def muscle_for(points, a=0.7):
    """Numbers with which a path is within all curves."""
    x = [p.position for p in points]
    path = sum(length(q - p) for p, q in itertools.pairwise(x))
    return MuscleNumbers(f_opt=50.0, l_opt=0.7 * path, a=a, l_T=0.1 * path, v_max=12.0)


@pytest.mark.source("S1.14")
def test_muscle(attached, complex_steps):
    for seed in range(4):
        points = attached(2, seed)
        numbers = muscle_for(points)
        same(muscle(*points, numbers), complex_steps(points, along(of_muscle(numbers))))
        straight = muscle_path(points, numbers)
        assert straight.f == pytest.approx(muscle(*points, numbers).f, **NEAR)
        assert pytest.approx(muscle(*points, numbers).K, **NEAR) == straight.K
        assert pytest.approx(muscle(*points, numbers).D, **NEAR) == straight.D
    passive = MuscleNumbers(50.0, numbers.l_opt, 0.0, numbers.l_T)
    is_minus_gradient_of_V(lambda p: muscle(*p, passive), points)


@pytest.mark.source("S1.15")
def test_muscle_path(attached, complex_steps):
    points = attached(5, 3)
    numbers = muscle_for(points)
    expected = complex_steps(points, along(of_muscle(numbers)))
    same(muscle_path(points, numbers), expected)
    is_minus_gradient_of_V(lambda p: muscle_path(p, MuscleNumbers(50.0, numbers.l_opt, 0.0, numbers.l_T)), points)
    # points 1 and 3 on one body, 2 on the world
    on = [0, 1, None, 1, 2]
    body = points[1]
    again = [*points[:3], Attached(body.E, points[3].x, body.phi), points[4]]
    there = onto_bodies(muscle_path(again, numbers), on, 3)
    f, by_E, by_Phi = complex_steps(again, along(of_muscle(numbers)))
    P = np.zeros((30, 18))
    for k, b in enumerate(on):
        if b is not None:
            P[6 * k : 6 * k + 6, 6 * b : 6 * b + 6] = np.eye(6)
    assert there.f == pytest.approx(P.T @ f, **NEAR)
    assert pytest.approx(P.T @ by_E @ P, **NEAR) == there.K
    assert pytest.approx(-P.T @ by_Phi @ P, **NEAR) == there.D
    with pytest.raises(ModelError, match="for each of 5 points"):
        onto_bodies(muscle_path(again, numbers), [0, 1], 3)
    with pytest.raises(ModelError, match="not through 1"):
        muscle_path(points[:1], numbers)


def test_points_that_meet(attached):
    one = attached(1)[0]
    with pytest.raises(StateError, match="meet"):
        muscle(one, one, MuscleNumbers(1.0, 1.0, 1.0))
    assert np.all(point_spring(one, one, 3.0).f == 0.0)


@pytest.mark.source("S1.14")
def test_printed_coefficients():
    printed = {
        passive_force_length: [
            [2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456],
            [-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874],
        ],  # Eq 1.42
        active_force_length: [
            [-39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759],
            [-0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645],
            [4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252],
        ],  # Eq 1.44
        force_velocity: [
            [0.915253473864379, 2.74576042159314, 2.74576042159314, 0.915253473864378],
            [-453.333333333333, -8.78048780487805, 5.0, 1.0],
            [0.266648649866, -0.799945949598001, 0.799945949598001, 1.133351350134],
        ],  # Eq 1.46
    }
    for curve, coefficients in printed.items():
        # 15 digits are printed; the systems lose three
        assert np.array(curve().coefficients) == pytest.approx(np.array(coefficients), rel=1e-11)


def steep_at_both_ends():
    return PiecewiseCubic((-0.5, 1.0), ((1.0, -0.5, 0.7, 0.2),))


@pytest.mark.source("S1.14")
@pytest.mark.parametrize("curve", [passive_force_length, active_force_length, force_velocity, steep_at_both_ends])
def test_curves_have_their_slopes_and_areas(curve):
    c, h = curve(), 1e-3
    for x in np.linspace(c.knots[0] - 0.4, c.knots[-1] + 0.4, 37) + 1e-4:
        if np.min(np.abs(np.array(c.knots) - x)) > 2 * h:  # differences of cubics are exact, within one piece
            values = np.array([c(x + k * h) for k in (-2, -1, 1, 2)])
            areas = np.array([c.integral(x + k * h) for k in (-2, -1, 1, 2)])
            weights = np.array([1, -8, 8, -1]) / (12 * h)
            assert c.slope(x) == pytest.approx(weights @ values, abs=1e-9)
            assert c(x) == pytest.approx(weights @ areas, abs=1e-9)
    assert c.integral(c.knots[0]) == 0.0


def test_curves_that_do_not_hang_together():
    with pytest.raises(ModelError, match="the value of a curve jumps by 1"):
        PiecewiseCubic((0.0, 1.0, 2.0), ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    with pytest.raises(ModelError, match="slope"):
        PiecewiseCubic((0.0, 1.0, 2.0), ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, -1.0)))
    with pytest.raises(ModelError, match="rise"):
        PiecewiseCubic((1.0, 0.0), ((0.0, 0.0, 0.0, 0.0),))
    with pytest.raises(ModelError, match="needs 4 conditions, not 0"):
        PiecewiseCubic.from_conditions((0.0, 1.0), [])
