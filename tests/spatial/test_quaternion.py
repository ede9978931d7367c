import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from rbdkit.errors import StateError
from rbdkit.spatial import quaternion, so3

EPS = np.finfo(float).eps


@pytest.mark.source("F4.25")
def test_matrix_is_the_transpose_of_the_printed_E(rng):
    """Eq 4.12, entry by entry as printed."""
    p0, p1, p2, p3 = p = quaternion.random(rng)
    E = 2 * np.array(
        [
            [p0**2 + p1**2 - 1 / 2, p1 * p2 + p0 * p3, p1 * p3 - p0 * p2],
            [p1 * p2 - p0 * p3, p0**2 + p2**2 - 1 / 2, p2 * p3 + p0 * p1],
            [p1 * p3 + p0 * p2, p2 * p3 - p0 * p1, p0**2 + p3**2 - 1 / 2],
        ]
    )
    assert_allclose(quaternion.to_matrix(p).T, E, atol=4 * EPS)


@pytest.mark.source("F4.25")
def test_agrees_with_scipy(rng):
    p, q = quaternion.random(rng, (2, 50))
    P, Q = (Rotation.from_quat(x, scalar_first=True) for x in (p, q))
    assert_allclose(quaternion.to_matrix(p), P.as_matrix(), atol=4 * EPS)
    assert_allclose(quaternion.from_matrix(P.as_matrix()), p, atol=4 * EPS)
    assert_allclose(quaternion.to_matrix(quaternion.multiply(p, q)), (P * Q).as_matrix(), atol=8 * EPS)
    assert_allclose(quaternion.to_matrix(quaternion.conjugate(p)), P.inv().as_matrix(), atol=4 * EPS)
    assert_allclose(quaternion.log(p), P.as_rotvec(), atol=8 * EPS)
    assert_allclose(quaternion.exp(P.as_rotvec()), p, atol=4 * EPS)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 3), st.tuples(*[st.floats(-1e-9, 1e-9)] * 4).map(np.array), st.integers(0, 2**32 - 1))
@pytest.mark.source("F4.25")
def test_from_matrix_keeps_all_digits_whichever_component_is_small(k, small, seed):
    """A quaternion with one component below 1e-9 comes back to 4 eps: no square root of a difference is taken."""
    p = np.random.default_rng(seed).standard_normal(4)
    p[k] = small[k]
    p /= np.linalg.norm(p)
    found = quaternion.from_matrix(quaternion.to_matrix(p))
    assert found[0] >= 0
    assert np.abs(found * np.sign(found @ p) - p).max() < 4 * EPS


@pytest.mark.source("F4.26")
def test_rate_is_the_derivative_along_a_rotation(rng):
    """p(t) = p exp(t omega) has the body angular velocity omega; central difference, error h^2 = 1e-10 and eps / h."""
    p, omega, h = quaternion.random(rng), rng.standard_normal(3), 1e-5
    ahead, behind = (quaternion.multiply(p, quaternion.exp(s * omega)) for s in (h, -h))
    assert_allclose(quaternion.rate(p, omega), (ahead - behind) / (2 * h), atol=1e-9)


@pytest.mark.source("F4.26")
def test_rate_matches_the_printed_matrix_and_keeps_the_norm(rng):
    p0, p1, p2, p3 = p = quaternion.random(rng)
    omega = rng.standard_normal(3)
    Q = np.array([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]])  # Eq 4.13
    assert_allclose(quaternion.rate(p, omega), 0.5 * Q @ omega, atol=2 * EPS)
    assert abs(p @ quaternion.rate(p, omega)) < 4 * EPS * np.linalg.norm(omega)


@pytest.mark.source("F4.26")
def test_integrating_without_renormalising_leaves_the_unit_sphere():
    """An explicit Euler step of Eq 4.13 lengthens p by 1 + (h w/2)^2/2, which scales the whole subtree behind a joint.

    Renormalised after each step the norm stays 1 and the rotation converges; `check` tells the two apart.
    """
    omega, h, n = np.array([0.3, -0.4, 1.2]), 0.01, 500
    raw = unit = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(n):
        raw = raw + h * quaternion.rate(raw, omega)
        unit = quaternion.normalize(unit + h * quaternion.rate(unit, omega))
    growth = (1 + (0.5 * h * np.linalg.norm(omega)) ** 2) ** (n / 2)
    assert_allclose(np.linalg.norm(raw), growth, rtol=1e-12)
    with pytest.raises(StateError, match=r"norm 1\.010"):
        quaternion.check(raw)
    quaternion.check(unit, tol=4 * EPS)
    assert_allclose(quaternion.to_matrix(unit), so3.exp(n * h * omega), atol=1e-3)
    exact = solve_ivp(lambda t, p: quaternion.rate(p, omega), (0, n * h), [1, 0, 0, 0], rtol=1e-12, atol=1e-12)
    assert_allclose(quaternion.to_matrix(exact.y[:, -1]), so3.exp(n * h * omega), atol=1e-9)


def test_exp_and_log_are_inverse_for_every_angle_up_to_pi():
    u = np.array([2.0, -3.0, 6.0]) / 7
    for angle in (1e-160, 1e-12, 1e-3, 1.0, np.pi - 1e-9):
        assert_allclose(quaternion.log(quaternion.exp(angle * u)), angle * u, rtol=4 * EPS)
    assert_array_equal(quaternion.exp(np.zeros(3)), [1, 0, 0, 0])
    assert_array_equal(quaternion.log([1.0, 0, 0, 0]), np.zeros(3))
    assert_array_equal(quaternion.log([-1.0, 0, 0, 0]), np.zeros(3))  # the same rotation


def test_both_signs_are_the_same_rotation(rng):
    p = quaternion.random(rng, (20,))
    assert_array_equal(quaternion.to_matrix(p), quaternion.to_matrix(-p))
    assert_array_equal(quaternion.log(p), quaternion.log(-p))


def test_single_and_stack_agree(rng):
    p, omega = quaternion.random(rng, (4, 5)), rng.standard_normal((4, 5, 3))
    assert_allclose(quaternion.rate(p, omega)[2, 3], quaternion.rate(p[2, 3], omega[2, 3]), atol=EPS)
    assert_allclose(quaternion.multiply(p[0, 0], p)[2, 3], quaternion.multiply(p[0, 0], p[2, 3]), atol=EPS)
    assert_allclose(quaternion.exp(omega)[1, 1], quaternion.exp(omega[1, 1]), atol=EPS)
    assert_array_equal(quaternion.to_matrix(p)[1, 2], quaternion.to_matrix(p[1, 2]))
    assert_array_equal(quaternion.check(p), p)
    p[3, 1] *= 1.5
    with pytest.raises(StateError, match=r"norm 1\.5"):
        quaternion.check(p)


def test_what_is_no_rotation_is_refused():
    with pytest.raises(StateError, match=r"norm 0\.9998"):
        quaternion.check([0.707, 0.0, 0.707, 0.0])
    with pytest.raises(StateError, match="norm nan"):
        quaternion.check([np.nan, 0, 0, 1])
    with pytest.raises(StateError, match="4 numbers"):
        quaternion.check([1.0, 0, 0])
    with pytest.raises(StateError, match="cannot be normalised"):
        quaternion.normalize(np.zeros(4))
    with pytest.raises(StateError, match="not a rotation matrix"):
        quaternion.from_matrix(np.diag([1.0, -1.0, 1.0]))
