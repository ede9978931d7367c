import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from rbdkit.errors import ModelError
from rbdkit.spatial import Inertia, body, fields, plucker, rates, se3, so3
from rbdkit.spatial.compact import Matrix, Pose, Vector, mv, rbi

EPS = np.finfo(float).eps
GRAVITY = np.array([0.0, 0.0, -9.81])


@pytest.fixture
def brick(rng):
    """A brick off the origin and askew, so that no block of its inertia is simple."""
    return Inertia.box((0.3, 0.5, 0.7), mass=2.0).transformed(se3.random(rng))


@pytest.mark.source("F2.21")
def test_momentum_and_energy_are_sums_over_the_points(rng):
    masses, points, v = rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3)), rng.standard_normal(6)
    whole = sum(Inertia(m, x) for m, x in zip(masses, points))
    velocities = fields.velocity_at(v, points)
    linear = masses[:, None] * velocities
    expected = [*np.cross(points, linear).sum(axis=0), *linear.sum(axis=0)]
    assert_allclose(body.momentum(whole, v), expected, atol=1e-13)
    assert body.kinetic_energy(whole, v) == pytest.approx(0.5 * masses @ (velocities**2).sum(axis=1), rel=1e-13)


@pytest.mark.source("F2.21")
def test_matrices_take_stacks_and_typed_values_take_symbols(brick, rng):
    """The same numbers by the inertia, by its matrix on a stack, and by its ten numbers."""
    v, poses = rng.standard_normal((4, 6)), np.array([se3.random(rng) for _ in range(4)])
    typed, I = rbi.of(brick.ten_parameters), brick.matrix
    assert_allclose(body.momentum(I, v), [body.momentum(brick, x) for x in v], rtol=1e-13, atol=1e-14)
    assert_allclose(body.kinetic_energy(I, v), [body.kinetic_energy(brick, x) for x in v], rtol=1e-13)
    assert_allclose([body.kinetic_energy(typed, mv.of(x)) for x in v], body.kinetic_energy(I, v), rtol=1e-13)
    centres = [brick.mass * (T[:3, :3] @ brick.com + T[:3, 3]) for T in poses]
    assert_allclose(body.mass_moment(I, poses), centres, rtol=1e-13, atol=1e-14)
    moments = [body.mass_moment(typed, Pose(Matrix.of(T[:3, :3].ravel()), Vector(T[:3, 3]))) for T in poses]
    assert_allclose(moments, centres, rtol=1e-13, atol=1e-14)
    assert body.mass(I) == body.mass(typed) == brick.mass


@pytest.mark.source("F2.21")
def test_momentum_at_the_centre_and_at_the_origin(brick, rng):
    """At C it is [Ic w; m v_C] (Eq 2.58); h_O = X* h_C (Eq 2.60)."""
    v = rng.standard_normal(6)
    at_C = np.concatenate([brick.inertia_com @ v[:3], brick.mass * fields.velocity_at(v, brick.com)])
    C_X_O = plucker.xlt(brick.com)
    assert_allclose(body.momentum(brick, v), np.linalg.inv(plucker.force(C_X_O)) @ at_C, atol=1e-13)


@pytest.mark.source("F2.24")
def test_newton_and_euler_are_recovered(brick, rng):
    """Example 2.6: f = m c'' and n_C = Ic w' + w x Ic w (Eq 2.70, 2.71), from the classical motion of the centre."""
    a, v = rng.standard_normal((2, 6))
    total = body.force(brick, a, v)
    classical = rates.classical_acceleration(a, v, brick.com)
    w, Ic = v[:3], brick.inertia_com
    assert_allclose(total[3:], brick.mass * classical[3:], atol=1e-13)
    assert_allclose(fields.moment_about(total, brick.com), Ic @ a[:3] + np.cross(w, Ic @ w), atol=1e-13)


@pytest.mark.source("F2.24")
def test_force_is_the_rate_of_momentum(brick, rng):
    """f = d/dt (I v) in fixed coordinates (Eq 2.68), along v(t) = v + t a; central difference."""
    a, v, h = *rng.standard_normal((2, 6)), 1e-5

    def momentum(t):
        moved = brick.transformed(se3.exp(t * v + t**2 / 2 * a))  # right to second order
        return moved @ (v + t * a)

    assert_allclose(body.force(brick, a, v), (momentum(h) - momentum(-h)) / (2 * h), atol=1e-8)


@pytest.mark.source("F2.24", "F2.25")
def test_bias_force_with_gravity_lets_a_body_fall(brick, rng):
    """Without any other force a body falls: its centre accelerates with g, whatever its velocity (Eq 2.69)."""
    v, f = rng.standard_normal((2, 6))
    a = -body.inverse_inertia(brick) @ body.bias_force(brick, v, gravity=GRAVITY)
    assert_allclose(rates.classical_acceleration(a, v, brick.com)[3:], GRAVITY, atol=1e-12)
    with_f = -body.inverse_inertia(brick) @ body.bias_force(brick, v, f, GRAVITY)
    assert_allclose(with_f - a, body.inverse_inertia(brick) @ f, atol=1e-12)


@pytest.mark.source("F2.24")
def test_tennis_racket_keeps_momentum_and_energy():
    """A torque-free body spun about its middle axis tumbles, and keeps |L| and T to the integrator's tolerance."""
    I = Inertia.box((0.3, 0.5, 0.7), mass=2.0)
    v0 = np.array([1e-3, 5.0, 0.0, 0.1, 0.0, 0.0])
    path = solve_ivp(lambda t, v: body.newton_euler(I, v), (0, 20), v0, rtol=1e-10, atol=1e-10).y.T
    assert path[:, 1].min() < -4.9  # it has turned over
    L = np.linalg.norm(path[:, :3] @ I.inertia_com, axis=1)
    T = [body.kinetic_energy(I, v) for v in path]
    assert_allclose(L, L[0], rtol=1e-7)
    assert_allclose(T, T[0], rtol=1e-7)


@pytest.mark.source("F2.25")
def test_inverse_inertia_closed_forms(brick):
    """Eq 2.74, and Eq 2.73 at the centre of mass, against the general matrix inverse."""
    assert_allclose(body.inverse_inertia(brick), np.linalg.inv(brick.matrix), rtol=0, atol=1e-11)
    at_C = Inertia(brick.mass, inertia_com=brick.inertia_com)
    Phi = body.inverse_inertia(at_C)
    assert_allclose(Phi[:3, :3], np.linalg.inv(brick.inertia_com))
    assert_array_equal(Phi[3:, 3:], np.eye(3) / 2.0)
    assert_array_equal(Phi[:3, 3:], 0)


@pytest.mark.source("F2.25")
def test_acceleration_inverts_the_equation_of_motion(brick, rng):
    """a = Phi f + b (Eq 2.72); b is the acceleration without force."""
    a, v = rng.standard_normal((2, 6))
    Phi, p = body.inverse_inertia(brick), body.bias_force(brick, v)
    f = body.force(brick, a, v)
    size = np.abs(Phi) @ (np.abs(f) + np.abs(p))  # of the terms that a is a sum of: they nearly cancel
    assert_allclose((body.acceleration(brick, f, v) - a) / size, 0, atol=8 * EPS)
    b = body.acceleration(brick, np.zeros(6), v)
    size = np.abs(brick.matrix) @ np.abs(b) + np.abs(p) + np.abs(brick.matrix) @ np.abs(Phi) @ np.abs(p)
    assert_allclose(body.force(brick, b, v) / size, 0, atol=4 * EPS)


@pytest.mark.source("F2.25")
def test_bodies_without_an_inverse_are_named():
    for singular in (Inertia(1.0), Inertia(1.0, inertia_com=np.diag([1.0, 1.0, 0.0])), Inertia.zero()):
        with pytest.raises(ModelError, match="no inverse"):
            body.inverse_inertia(singular)


@pytest.mark.source("S1.07")
def test_newton_euler_as_printed(rng):
    """Eq 1.23, block by block: I w' = -w x I w + tau, m v' = -w x m v + f, with the weight of Eq 1.22."""
    m, (w, v, tau, f) = 2.0, rng.standard_normal((4, 3))
    I, R = Inertia.box((0.3, 0.5, 0.7), mass=m), so3.random(rng)
    rate = body.newton_euler(I, [*w, *v], R, [*tau, *f], GRAVITY)
    assert_allclose(I.inertia_com @ rate[:3], -np.cross(w, I.inertia_com @ w) + tau, atol=1e-14)
    assert_allclose(m * rate[3:], -m * np.cross(w, v) + f + R.T @ (m * GRAVITY), atol=1e-13)


@pytest.mark.source("S1.07")
def test_newton_euler_is_the_balance_of_momentum_in_the_world(brick, rng):
    """The world momentum of the body changes at the rate of the world wrench, the centre of mass anywhere (Eq 1.21)."""
    T, phi, wrench, h = se3.random(rng), *rng.standard_normal((2, 6)), 1e-5
    rate = body.newton_euler(brick, phi, T[:3, :3], wrench, GRAVITY)

    def world_momentum(t):
        pose = T @ se3.exp(t * phi + t**2 / 2 * rate)
        return np.linalg.inv(se3.adjoint(pose)).T @ (brick @ (phi + t * rate))

    applied = np.linalg.inv(se3.adjoint(T)).T @ wrench
    weight = fields.point_force(brick.mass * GRAVITY, (T @ np.append(brick.com, 1.0))[:3])
    assert_allclose((world_momentum(h) - world_momentum(-h)) / (2 * h), applied + weight, atol=1e-8)
