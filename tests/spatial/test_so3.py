import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from rbdkit.errors import StateError
from rbdkit.spatial import so3

EPS = np.finfo(float).eps
PI = np.pi

exact = settings(max_examples=60, deadline=None, derandomize=True)


def near(centre: float, lowest: float = -16.0) -> st.SearchStrategy[float]:
    """Angles at any distance from a critical one, on both sides of it."""
    return st.tuples(st.floats(lowest, -0.5), st.sampled_from([-1, 1])).map(lambda s: centre + s[1] * 10.0 ** s[0])


axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda u: np.linalg.norm(u) > 1e-3).map(np.array)
to_2_pi = st.one_of(
    st.floats(-12, 0.79).map(lambda e: 10.0**e), near(PI), near(2 * PI, -10).filter(lambda t: t < 2 * PI)
)
to_pi = st.one_of(st.floats(-12, 0.49).map(lambda e: 10.0**e), near(PI).filter(lambda t: t < PI))


def rotation_vector(axis: np.ndarray, angle: float) -> np.ndarray:
    return axis / np.linalg.norm(axis) * angle


@exact
@given(axes, to_2_pi)
@pytest.mark.source("S1.03")
def test_exp_is_the_matrix_exponential_to_round_off(exact_series, worst, axis, angle):
    """Largest error found: 4.4 eps; the rounding of the angle alone is up to 2 pi eps."""
    w = rotation_vector(axis, angle)
    assert worst(so3.exp(w), exact_series(so3.skew(w), 0)) < 8 * EPS


@exact
@given(axes, to_pi)
@pytest.mark.source("S1.03")
def test_log_inverts_the_exact_exponential_to_round_off(exact_series, axis, angle):
    """The exact rotation, rounded to floats, must give back the vector: 1.5 eps found, relative to the angle.

    Relative accuracy holds for the smallest angles too: a rotation by 1e-12 keeps all its digits.
    """
    w = rotation_vector(axis, angle)
    R = np.array(exact_series(so3.skew(w), 0).tolist(), dtype=float)
    found = so3.log(R)
    if PI - angle < 4 * EPS:  # a half turn within rounding: w and -w are both right
        found = found * np.sign(found @ w)
    assert np.abs(found - w).max() < 5 * EPS * angle


@exact
@given(axes, st.floats(PI + 1e-9, 2 * PI))
def test_log_of_more_than_a_half_turn_goes_the_short_way(axis, angle):
    """To the rounding of numbers as large as 2 pi, three times over."""
    w = rotation_vector(axis, angle)
    assert_allclose(so3.log(so3.exp(w)), w * (1 - 2 * PI / angle), rtol=0, atol=3 * 2 * PI * EPS)


@exact
@given(axes, to_2_pi)
def test_left_jacobian_to_round_off(exact_series, worst, axis, angle):
    """Largest error found: 2.7 eps."""
    w = rotation_vector(axis, angle)
    assert worst(so3.left_jacobian(w), exact_series(so3.skew(w), 1)) < 5 * EPS


@exact
@given(axes, to_2_pi)
def test_left_jacobian_inverse_to_round_off(exact_series, worst, axis, angle):
    """Relative to the largest element, 2.3 eps found below 5 rad; near 2 pi the rounding of the angle is amplified."""
    w = rotation_vector(axis, angle)
    inverse = exact_series(so3.skew(w), 1) ** -1
    scale = float(max(abs(x) for x in inverse))
    assert worst(so3.left_jacobian_inverse(w), inverse) < 5 * EPS * scale * (1 + 1 / (2 * PI - angle))


def test_inverse_jacobian_is_singular_at_a_full_turn():
    """J_l drops to rank 1 at |w| = 2 pi; the inverse grows like 2 pi / (2 pi - |w|)."""
    assert np.linalg.matrix_rank(so3.left_jacobian([0.0, 0.0, 2 * PI]), tol=1e-14) == 1
    for gap in (1e-3, 1e-6):
        assert_allclose(np.abs(so3.left_jacobian_inverse([0.0, 0.0, 2 * PI - gap])).max(), 2 * PI / gap, rtol=1e-3)


@pytest.mark.source("S1.01", "S1.03")
def test_exp_and_log_agree_with_the_dense_matrix_functions(rng):
    for _ in range(20):
        w = rotation_vector(rng.standard_normal(3), rng.uniform(0, 3))
        R = so3.exp(w)
        assert_allclose(R, expm(so3.skew(w)), rtol=0, atol=1e-14)  # the accuracy of expm
        assert_allclose(so3.skew(so3.log(R)), logm(R).real, rtol=0, atol=1e-12)  # the accuracy of logm


def test_jacobians_are_the_derivative_of_exp(rng):
    """Central difference: error h^2 plus rounding eps / h, about 1e-10 at h = 1e-5."""
    h = 1e-5
    for _ in range(10):
        w, dw = rng.standard_normal(3), rng.standard_normal(3)
        R, dR = so3.exp(w), (so3.exp(w + h * dw) - so3.exp(w - h * dw)) / (2 * h)
        assert_allclose(so3.unskew(R.T @ dR), so3.right_jacobian(w) @ dw, atol=1e-9)
        assert_allclose(so3.unskew(dR @ R.T), so3.left_jacobian(w) @ dw, atol=1e-9)


def test_right_and_left_jacobians_are_related(rng):
    w = rng.standard_normal(3)
    assert_allclose(so3.left_jacobian(w), so3.exp(w) @ so3.right_jacobian(w), atol=4 * EPS)
    assert_allclose(so3.right_jacobian(w) @ so3.right_jacobian_inverse(w), np.eye(3), atol=4 * EPS)
    assert_allclose(so3.right_jacobian_inverse(w), so3.left_jacobian_inverse(w).T, atol=EPS)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 2, 2), (-3, 0, -4), (1, -2, 1)])
def test_log_of_an_exact_half_turn(axis):
    """2 u u^T - 1 has the logarithms pi u and -pi u; the one returned has its largest component positive."""
    u = np.array(axis) / np.linalg.norm(axis)
    w = so3.log(2 * np.outer(u, u) - np.eye(3))
    assert_allclose(np.abs(w @ u), PI, rtol=2 * EPS)
    assert_allclose(np.cross(w, u), 0, atol=4 * EPS)
    assert w[np.argmax(np.abs(w))] > 0


def test_no_rotation_and_the_smallest_rotations():
    assert_array_equal(so3.exp(np.zeros(3)), np.eye(3))
    assert_array_equal(so3.log(np.eye(3)), np.zeros(3))
    w = np.array([3e-200, -1e-160, 2e-180])  # its square underflows
    assert_array_equal(so3.log(so3.exp(w)), w)


@pytest.mark.source("S1.01")
def test_rotations_are_orthogonal_with_determinant_one(rng):
    R = so3.exp(rng.standard_normal((200, 3)) * 3)
    assert_allclose(R @ R.swapaxes(-1, -2), np.broadcast_to(np.eye(3), R.shape), atol=2e-15)
    assert_allclose(np.linalg.det(R), 1, atol=2e-15)
    assert so3.is_rotation(R, tol=2e-15).all()


@pytest.mark.source("F2.14")
def test_skew_is_the_cross_product(rng):
    a, b = rng.standard_normal((2, 50, 3))
    assert_allclose((so3.skew(a) @ b[..., None])[..., 0], np.cross(a, b), atol=4 * EPS)
    assert_array_equal(so3.unskew(so3.skew(a)), a)
    with pytest.raises(ValueError, match="3 numbers"):
        so3.skew(np.zeros(6))


vectors = st.tuples(*[st.floats(-10, 10, allow_subnormal=False)] * 3).map(np.array)


@pytest.mark.source("F2.14")
@settings(max_examples=60, deadline=None, derandomize=True)
@given(vectors, vectors, vectors, st.floats(-10, 10))
def test_identities_of_table_2_1(a, b, w, factor):
    x, E, tolerance = so3.skew, so3.exp(w), {"rtol": 0, "atol": 1e4 * EPS}  # products of up to 10 * 10 * 10
    assert_array_equal(x(a), -x(a).T)
    assert_array_equal(x(factor * a), factor * x(a))
    assert_allclose(x(a + b), x(a) + x(b), **tolerance)
    assert_allclose(x(E @ a), E @ x(a) @ E.T, **tolerance)
    assert_allclose(x(a) @ b, -x(b) @ a, **tolerance)
    assert_allclose(np.cross(a, b), a @ x(b), **tolerance)
    assert_allclose(x(np.cross(a, b)), x(a) @ x(b) - x(b) @ x(a), **tolerance)
    assert_allclose(x(np.cross(a, b)), np.outer(b, a) - np.outer(a, b), **tolerance)
    assert_allclose(x(a) @ x(b), np.outer(b, a) - a @ b * np.eye(3), **tolerance)


def test_stacks_give_the_same_as_single_vectors(rng):
    w = rng.standard_normal((2, 3, 3)) * np.array([1e-9, 0.3, 1.0])[:, None]
    for function in (so3.exp, so3.left_jacobian, so3.right_jacobian, so3.left_jacobian_inverse, so3.skew):
        each = [[function(w[i, j]) for j in range(3)] for i in range(2)]
        assert_allclose(function(w), each, rtol=0, atol=2 * EPS)
    assert_allclose(so3.log(so3.exp(w)), w, atol=4 * EPS)
    assert so3.exp(np.zeros((0, 3))).shape == so3.log(np.zeros((0, 3, 3))).shape + (3,)


def test_random_rotations_are_uniform():
    """The angle of a uniform rotation has the density (1 - cos t)/pi; 4 standard errors of the mean."""
    R = so3.random(np.random.default_rng(1), (20000,))
    angles = np.linalg.norm(so3.log(R), axis=-1)
    assert abs(angles.mean() - (PI / 2 + 2 / PI)) < 4 * angles.std() / np.sqrt(angles.size)
    assert np.abs(R.mean(axis=0)).max() < 4 * np.sqrt(1 / 3 / 20000)


def test_check_names_the_deviation():
    with pytest.raises(StateError, match=r"det R is -1.*project"):
        so3.log(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(StateError, match=r"differs from 1 by 0\.21"):
        so3.check(1.1 * np.eye(3))
    with pytest.raises(StateError, match="shape"):
        so3.check(np.eye(4))
    with pytest.raises(StateError, match="nan"):
        so3.check(np.full((3, 3), np.nan))
    assert not so3.is_rotation(np.eye(4))
    assert_array_equal(so3.is_rotation(np.stack([np.eye(3), 2 * np.eye(3)])), [True, False])


def test_one_matrix_is_judged_as_a_stack_of_them(rng):
    """Rotations, reflections, what is neither, numbers that overflow and that are none."""
    R = so3.random(rng, (50,))
    other = [-R, R[:, [1, 0, 2]], rng.standard_normal((50, 3, 3)), 1e300 * R, np.full((1, 3, 3), np.nan), 0.0 * R]
    for M in (R, *other):
        with np.errstate(over="ignore", invalid="ignore"):
            expected = so3.is_rotation(M, 1e-12)
            found = [so3.is_rotation(one, 1e-12) for one in M]
        assert_array_equal(found, expected)
        assert all(found) == (M is R) == any(found)


def test_project_finds_the_nearest_rotation(rng):
    """No rotation near the projection is closer to M; scipy's own orthogonalisation agrees."""
    off = rng.choice([0.0, 1e-3, 0.1, 0.5], (2000, 1, 1)) * rng.standard_normal((2000, 3, 3))
    assert so3.is_rotation(so3.project(so3.random(rng, (2000,)) + off), tol=4 * EPS).all()  # 2 eps found among 200,000
    for M in (so3.random(rng) + 0.1 * rng.standard_normal((3, 3)), -np.eye(3) + 0.1 * rng.standard_normal((3, 3))):
        R = so3.project(M)
        assert so3.is_rotation(R, tol=4 * EPS)
        distances = np.linalg.norm(R @ so3.exp(0.01 * rng.standard_normal((200, 3))) - M, axis=(1, 2))
        assert (distances > np.linalg.norm(R - M)).all()
    M = so3.random(rng) + 0.1 * rng.standard_normal((3, 3))
    assert_allclose(so3.project(M), Rotation.from_matrix(M).as_matrix(), atol=1e-14)


def test_mpmath_reference_is_itself_right(exact_series):
    """Rodrigues' formula with 50 digits and the series agree, so a wrong series cannot hide a wrong exp."""
    w = [mpmath.mpf(1), mpmath.mpf(-2), mpmath.mpf("0.5")]
    t = mpmath.sqrt(sum(x * x for x in w))
    W = mpmath.matrix(so3.skew([1.0, -2.0, 0.5]).tolist())
    R = mpmath.eye(3) + mpmath.sin(t) / t * W + (1 - mpmath.cos(t)) / t**2 * W * W
    assert mpmath.mnorm(R - exact_series(so3.skew([1.0, -2.0, 0.5]), 0), 1) < mpmath.mpf(10) ** -45
