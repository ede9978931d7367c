"""Twist of triads, and the frame that moves without: against area, quadrature and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp

from rbdkit.errors import StateError
from rbdkit.spatial import so3, sphere, twist

EPS = np.finfo(float).eps


def circle(colatitude: float, n: int) -> np.ndarray:
    """A circle of latitude, closed."""
    t = np.linspace(0.0, 2.0 * np.pi, n)
    return np.stack(
        [np.sin(colatitude) * np.cos(t), np.sin(colatitude) * np.sin(t), np.full(n, np.cos(colatitude))], -1
    )


def turning(t):
    """A triad that turns about all its axes, smooth in t."""
    t = np.asarray(t, dtype=float)
    return so3.exp(np.stack([np.sin(t), 0.5 * t, np.cos(2.0 * t)], axis=-1))


def derivative(function, t, h=1e-4):
    """Central difference of order 4; error about 1e-15 / h."""
    return (8.0 * (function(t + h) - function(t - h)) - function(t + 2 * h) + function(t - 2 * h)) / (12.0 * h)


@pytest.mark.source("G.02")
def test_exponential_map_and_its_tangent_as_the_paper_writes_them():
    """Eq 16 with the squared half-angle sine, and Eq 17: R' R^T = skew(dexp(theta) theta')."""

    def theta(t):
        return np.array([np.sin(t), 0.4 * t, 1.0 + t**2])

    w = theta(0.6)
    angle, W = np.linalg.norm(w), so3.skew(w)
    printed = np.eye(3) + np.sin(angle) / angle * W + 0.5 * (np.sin(angle / 2) / (angle / 2)) ** 2 * W @ W
    assert_allclose(so3.exp(w), printed, atol=8 * EPS)
    R_rate = derivative(lambda t: so3.exp(theta(t)), 0.6)
    assert_allclose(so3.unskew(R_rate @ so3.exp(w).T), so3.left_jacobian(w) @ derivative(theta, 0.6), atol=1e-10)


@pytest.mark.source("G.03")
def test_twist_rate_is_the_spin_about_d3():
    """Eq 18 read both ways, and the third component of the angular velocity in body axes."""
    t = np.linspace(0.0, 2.0, 9)
    R, R_rate = turning(t), derivative(turning, t)
    W = so3.unskew(np.swapaxes(R, -1, -2) @ R_rate)
    assert_allclose(twist.twist_rate(R, R_rate), W[:, 2], atol=1e-10)
    assert_allclose(-(R_rate[..., :, 1] * R[..., :, 0]).sum(axis=-1), W[:, 2], atol=1e-10)


@pytest.mark.source("G.03")
def test_darboux_vector_is_the_angular_velocity():
    """Eqs 20 and 25, and 26 by components: w = -(d2 . d3') d1 + (d1 . d3') d2 + psi' d3."""
    t = 0.7
    R, R_rate = turning(t), derivative(turning, t)
    w = so3.unskew(R_rate @ R.T)
    psi_rate = twist.twist_rate(R, R_rate)
    found = twist.darboux_vector(R, R_rate[:, 2], psi_rate)
    assert_allclose(found, w, atol=1e-10)
    d1, d2, d3 = R.T
    assert_allclose(found, -(d2 @ R_rate[:, 2]) * d1 + (d1 @ R_rate[:, 2]) * d2 + psi_rate * d3, atol=1e-14)


@pytest.mark.source("G.03")
def test_without_twist_the_rates_of_directors_obey_eqs_21_to_23():
    R = turning(0.7)
    w = 1.3 * R[:, 0] - 0.4 * R[:, 1]
    d1_rate, d2_rate, d3_rate = np.cross(w, R.T)
    d1, d2, _ = R.T
    assert d3_rate @ d1_rate == pytest.approx(0.0, abs=4 * EPS)  # Eq 21
    assert d3_rate @ d2_rate == pytest.approx(0.0, abs=4 * EPS)  # Eq 22
    assert d1_rate @ d2_rate == pytest.approx((d1 @ d3_rate) * (d2 @ d3_rate), abs=8 * EPS)  # Eq 23
    assert d1_rate @ d2 == pytest.approx(0.0, abs=4 * EPS)  # Eq 18


@pytest.mark.source("G.03")
def test_the_second_director_of_eq_24_is_turned_from_d2():
    """The printed cos(psi) d1 in the second line gives a vector that is neither of unit length nor at right angles."""
    R, psi = turning(0.3), 0.8
    d1, d2, d3 = twist.twisted(R, psi).T
    assert_allclose(d1, np.cos(psi) * R[:, 0] + np.sin(psi) * R[:, 1], atol=2 * EPS)
    assert_allclose(d2, -np.sin(psi) * R[:, 0] + np.cos(psi) * R[:, 1], atol=2 * EPS)
    assert_allclose(d3, R[:, 2], atol=EPS)
    printed = (np.cos(psi) - np.sin(psi)) * R[:, 0]
    assert abs(np.linalg.norm(printed) - 1.0) > 0.5
    assert abs(printed @ d1) > 1e-3


@pytest.mark.source("G.03")
@pytest.mark.parametrize("colatitude", [0.3, 0.7, 1.4])
def test_once_around_a_circle_the_frame_comes_back_turned_by_the_area(colatitude):
    """Gauss and Bonnet: the enclosed area 2 pi (1 - cos). The polygon's area is off by O(1/n^2)."""
    area = 2.0 * np.pi * (1.0 - np.cos(colatitude))
    errors = []
    for n in (501, 1001):
        triads = twist.non_twisting_frame(circle(colatitude, n))
        turn = triads[0].T @ triads[-1]
        errors.append(np.angle(np.exp(1j * (np.arctan2(turn[1, 0], turn[0, 0]) - area))))
    assert abs(errors[1]) < 2e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.05)


@pytest.mark.source("G.03")
def test_over_a_geodesic_triangle_it_is_exact():
    """An octant: three right angles, area pi / 2, and transport along great arcs has no error of its own."""
    e = np.eye(3)
    triads = twist.non_twisting_frame(np.array([e[2], e[0], e[1], e[2]]))
    turn = triads[0].T @ triads[-1]
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(np.pi / 2.0, abs=4 * EPS)


@pytest.mark.source("G.03")
def test_the_frame_is_that_of_the_differential_equation():
    """d1' = (d3 x d3') x d1 along a smooth curve; 2 000 arcs leave about 1e-6."""

    def curve(t):
        return turning(t)[..., :, 2]

    def rate(t, d1):
        return np.cross(np.cross(curve(t), derivative(curve, t)), d1)

    t = np.linspace(0.0, 2.0, 2001)
    triads = twist.non_twisting_frame(curve(t))
    d1 = solve_ivp(rate, (0.0, 2.0), triads[0][:, 0], "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    assert_allclose(triads[-1][:, 0], d1, atol=2e-6)
    for R in triads[::500]:
        assert so3.is_rotation(R, tol=1e-14)


@pytest.mark.source("G.03")
def test_twist_angle_is_the_integral_of_the_twist_rate():
    t = np.linspace(0.0, 3.0, 4001)
    psi = twist.twist_angle(turning(t))
    total, _ = quad(lambda s: float(twist.twist_rate(turning(s), derivative(turning, s))), 0.0, 3.0, epsabs=1e-9)
    assert psi[0] == pytest.approx(0.0, abs=4 * EPS)
    assert psi[-1] == pytest.approx(total, abs=1e-5)  # the area between curve and polygon
    assert abs(total) > 0.3


@pytest.mark.source("G.03")
def test_twist_angle_counts_full_turns():
    points = np.tile([0.0, 0.0, 1.0], (50, 1))
    psi = np.linspace(0.0, 15.0, 50)
    assert_allclose(twist.twist_angle(twist.twisted(twist.non_twisting_frame(points), psi)), psi, atol=1e-13)


def test_triads_over_any_point_are_rotations():
    rng = np.random.default_rng(3)
    for d3 in [*sphere.random(rng, (10,)), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])]:
        R = twist.triad_over(d3)
        assert so3.is_rotation(R, tol=1e-14)
        assert_allclose(R[:, 2], d3, atol=0.0)


def test_a_first_triad_elsewhere_is_refused():
    with pytest.raises(StateError, match="the curve begins at"):
        twist.non_twisting_frame(circle(0.5, 10), np.eye(3))
