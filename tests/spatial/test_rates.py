"""Derivatives by central differences: their error is h^2 plus rounding eps / h, about 1e-10 at h = 1e-5."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import Inertia, crf, crm, plucker, rates, se3
from rbdkit.spatial.compact import mv

H = 1e-5


def derivative(function, t=0.0, h=H):
    return (function(t + h) - function(t - h)) / (2 * h)


@pytest.fixture
def moving(rng):
    """Pose of a frame along T0 exp(t v): its velocity in its own coordinates is v, constant."""
    T0, v = se3.random(rng), rng.standard_normal(6)
    return lambda t: T0 @ se3.exp(t * v), v


@pytest.mark.source("F2.17")
def test_derivative_in_moving_coordinates(rng, moving):
    """The rate of a changing vector, computed in fixed coordinates, against ring plus cross product (Eq 2.43, 2.44)."""
    pose, v = moving
    a, b = rng.standard_normal((2, 6))
    fixed = lambda t: a + t * b + t**2 * a  # noqa: E731  a motion or a force vector in fixed coordinates
    X = lambda t: plucker.from_pose(pose(t))  # noqa: E731
    in_A = lambda t: X(t) @ fixed(t)  # noqa: E731
    assert_allclose(rates.motion_rate(derivative(in_A), v, in_A(0)), X(0) @ b, atol=1e-8)
    assert_allclose(rates.apparent_motion_rate(X(0) @ b, v, in_A(0)), derivative(in_A), atol=1e-8)
    force_in_A = lambda t: plucker.force(X(t)) @ fixed(t)  # noqa: E731
    assert_allclose(rates.force_rate(derivative(force_in_A), v, force_in_A(0)), plucker.force(X(0)) @ b, atol=1e-8)
    assert_allclose(
        rates.apparent_force_rate(plucker.force(X(0)) @ b, v, force_in_A(0)), derivative(force_in_A), atol=1e-8
    )


def test_product_rules_of_table_2_4(rng):
    """d(u.v), d(u x v), d(L v) for vectors that are quadratic in t: all by finite differences."""
    u0, u1, v0, v1 = rng.standard_normal((4, 6))
    L0, L1 = rng.standard_normal((2, 6, 6))
    u, v, L = (lambda t: u0 + t * u1), (lambda t: v0 + t * v1), (lambda t: L0 + t * L1)
    assert_allclose(derivative(lambda t: u(t) @ v(t)), u1 @ v0 + u0 @ v1, atol=1e-9)
    assert_allclose(derivative(lambda t: crm(u(t)) @ v(t)), crm(u1) @ v0 + crm(u0) @ v1, atol=1e-9)
    assert_allclose(derivative(lambda t: crf(u(t)) @ v(t)), crf(u1) @ v0 + crf(u0) @ v1, atol=1e-9)
    assert_allclose(derivative(lambda t: L(t) @ v(t)), L1 @ v0 + L0 @ v1, atol=1e-9)


@pytest.mark.source("F2.18")
def test_rate_of_a_transform_between_two_moving_frames(rng, moving):
    """Eq 2.45."""
    pose_A, v_A = moving
    T_B, v_B = se3.random(rng), rng.standard_normal(6)
    B_X_A = lambda t: plucker.from_pose(se3.inverse(pose_A(t)) @ T_B @ se3.exp(t * v_B))  # noqa: E731
    assert_allclose(rates.transform_rate(B_X_A(0), v_A, v_B), derivative(B_X_A), atol=1e-8)


@pytest.mark.source("F2.23")
def test_rate_of_an_inertia(rng):
    """dI/dt = v x* I - I v x (Eq 2.65), in fixed coordinates."""
    T0, v = se3.random(rng), rng.standard_normal(6)  # v in fixed coordinates
    I = Inertia.box((1, 2, 3), mass=1.5).transformed(T0)
    difference = derivative(lambda t: I.transformed(se3.exp(t * v)).matrix)
    assert_allclose(rates.inertia_rate(I.matrix, v), difference, atol=1e-8)


@pytest.fixture
def accelerating(rng):
    """The motion exp(t a) exp(t b): velocity a + Ad(exp(t a)) b, acceleration a x Ad(exp(t a)) b, fixed coordinates."""
    a, b = rng.standard_normal((2, 6))
    pose = lambda t: se3.exp(t * a) @ se3.exp(t * b)  # noqa: E731
    return pose, a + b, crm(a) @ b


@pytest.mark.source("F2.19")
def test_spatial_acceleration_is_the_rate_of_the_spatial_velocity(accelerating):
    pose, v, a = accelerating
    velocity = lambda t: se3.unbracket(derivative(pose, t) @ se3.inverse(pose(t)))  # noqa: E731
    assert_allclose(velocity(0), v, atol=1e-9)
    assert_allclose(derivative(velocity, h=1e-3), a, atol=1e-4)  # difference of a difference: h^2 + 1e-10 / h


@pytest.mark.source("F2.19")
def test_classical_acceleration_is_that_of_a_material_point(rng, accelerating):
    """Second difference of the position of a body point: error h^2 + eps / h^2, 1e-7 at h = 1e-4."""
    pose, v, a = accelerating
    h = 1e-4
    for P in rng.standard_normal((5, 3)):
        x = [(pose(t) @ np.append(P, 1.0))[:3] for t in (-h, 0.0, h)]
        acceleration = (x[2] - 2 * x[1] + x[0]) / h**2
        found = rates.classical_acceleration(a, v, P)
        assert_allclose(found[3:], acceleration, atol=2e-6)
        assert_allclose(found[:3], a[:3])
        assert_allclose(rates.spatial_acceleration(found, v, P), a, atol=1e-14)
        assert_allclose(rates.classical_acceleration(mv.of(a), mv.of(v), P.tolist()).flat(), found, atol=1e-14)


@pytest.mark.source("F2.19")
def test_a_uniformly_turning_body_has_no_spatial_acceleration():
    """Figure 2.6: its points accelerate towards the axis all the same."""
    w, P = 3.0, np.array([2.0, 0.0, 1.0])
    found = rates.classical_acceleration(np.zeros(6), [0, 0, w, 0, 0, 0], P)
    assert_allclose(found, [0, 0, 0, -(w**2) * 2.0, 0, 0])


@pytest.mark.source("F2.19")
def test_classical_and_spatial_acceleration_differ_by_w_x_v():
    """Eq 2.48 as written: a_O = r'' - w x r'."""
    w, r_dot, w_dot, r_ddot = np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 2.0], [0.5, 0.0, -0.5], [3.0, 2.0, 1.0]])
    found = rates.spatial_acceleration([*w_dot, *r_ddot], [*w, *r_dot])
    assert_allclose(found, [*w_dot, *(r_ddot - np.cross(w, r_dot))])
