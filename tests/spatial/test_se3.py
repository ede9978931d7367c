import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from rbdkit.errors import ArgumentError, StateError
from rbdkit.spatial import plucker, quaternion, se3, so3

EPS = np.finfo(float).eps
PI = np.pi

exact = settings(max_examples=40, deadline=None, derandomize=True)
axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda u: np.linalg.norm(u) > 1e-3).map(np.array)
vectors = st.tuples(*[st.floats(-1, 1, allow_subnormal=False)] * 3).map(np.array)
gaps = st.tuples(st.floats(-16, -0.5), st.sampled_from([-1, 1])).map(lambda s: s[1] * 10.0 ** s[0])
to_2_pi = st.one_of(
    st.floats(-12, 0.79).map(lambda e: 10.0**e),
    gaps.map(lambda gap: PI + gap),
    st.floats(-10, 0).map(lambda e: 2 * PI - 10.0**e),
)
to_pi = st.one_of(st.floats(-12, 0.49).map(lambda e: 10.0**e), gaps.map(lambda gap: PI - abs(gap)))


def twist(axis, angle, v):
    return np.concatenate([axis / np.linalg.norm(axis) * angle, v])


@exact
@given(axes, to_2_pi, vectors)
@pytest.mark.source("S1.03")
def test_exp_is_the_matrix_exponential_to_round_off(exact_series, worst, axis, angle, v):
    """Largest errors found: rotation 4.4 eps, position 2.1 eps times |v|."""
    xi = twist(axis, angle, v)
    assert worst(se3.exp(xi), exact_series(se3.bracket(xi), 0)) < 8 * EPS


@exact
@given(axes, to_pi, vectors)
@pytest.mark.source("S1.03")
def test_log_inverts_the_exact_exponential_to_round_off(exact_series, axis, angle, v):
    """The exact pose, rounded to floats, gives back the twist, position part to a few eps of |v|."""
    xi = twist(axis, angle, v)
    T = np.array(exact_series(se3.bracket(xi), 0).tolist(), dtype=float)
    found = se3.log(T)
    if PI - angle < 4 * EPS and found[:3] @ xi[:3] < 0:  # a half turn within rounding: the other logarithm
        assert_allclose(se3.exp(found), T, atol=8 * EPS)
    else:
        assert np.abs(found[:3] - xi[:3]).max() < 5 * EPS * angle
        assert np.abs(found[3:] - v).max() < 12 * EPS


@exact
@given(axes, to_2_pi, vectors)
def test_left_jacobian_to_round_off(exact_series, worst, axis, angle, v):
    """J_l = sum ad^n / (n + 1)!; largest error found: 3.4 eps."""
    xi = twist(axis, angle, v)
    assert worst(se3.left_jacobian(xi), exact_series(se3.ad(xi), 1)) < 8 * EPS


@exact
@given(axes, to_2_pi, vectors)
def test_left_jacobian_inverse_to_round_off(exact_series, worst, axis, angle, v):
    """Relative to the largest element 5.4 eps found below 5 rad; near 2 pi the rounding of the angle is amplified."""
    xi = twist(axis, angle, v)
    inverse = exact_series(se3.ad(xi), 1) ** -1
    scale = float(max(abs(x) for x in inverse))
    assert worst(se3.left_jacobian_inverse(xi), inverse) < 10 * EPS * scale * (1 + 1 / (2 * PI - angle))


def test_jacobians_are_the_derivative_of_exp(rng):
    """Central difference: error h^2 plus rounding eps / h, about 1e-10 at h = 1e-5."""
    h = 1e-5
    for _ in range(10):
        xi, d = rng.standard_normal((2, 6))
        T, dT = se3.exp(xi), (se3.exp(xi + h * d) - se3.exp(xi - h * d)) / (2 * h)
        assert_allclose(se3.unbracket(se3.inverse(T) @ dT), se3.right_jacobian(xi) @ d, atol=1e-8)
        assert_allclose(se3.unbracket(dT @ se3.inverse(T)), se3.left_jacobian(xi) @ d, atol=1e-8)


def test_right_and_left_jacobians_are_related(rng):
    xi = rng.standard_normal(6)
    assert_allclose(se3.left_jacobian(xi), se3.adjoint(se3.exp(xi)) @ se3.right_jacobian(xi), atol=20 * EPS)
    assert_allclose(se3.right_jacobian(xi) @ se3.right_jacobian_inverse(xi), np.eye(6), atol=10 * EPS)


def test_agrees_with_pinocchio(rng):
    """Pinocchio's twists are linear first."""
    order = [3, 4, 5, 0, 1, 2]
    for _ in range(10):
        xi = rng.standard_normal(6)
        M = pin.exp6(xi[order])
        T = se3.exp(xi)
        assert_allclose(T, M.homogeneous, atol=1e-14)
        assert_allclose(se3.log(T)[order], pin.log6(M).vector, atol=1e-13)
        assert_allclose(se3.adjoint(T)[np.ix_(order, order)], M.toActionMatrix(), atol=1e-14)
        assert_allclose(se3.right_jacobian(xi)[np.ix_(order, order)], pin.Jexp6(pin.Motion(xi[order])), atol=1e-13)


MATLAB_E = np.array(
    [
        [-0.7372, -0.2659, 0.6211, 0.6877],
        [-0.1676, -0.8186, -0.5493, 0.3886],
        [0.6545, -0.5091, 0.5589, 0.9371],
        [0, 0, 0, 1.0000],
    ]
)
MATLAB_LOG = np.array(
    [[0, -2.7242, -0.9257, 1.3245], [2.7242, 0, -1.1157, -0.6727], [0.9257, 1.1157, 0, 0.3156], [0, 0, 0, 0]]
)


@pytest.mark.source("S1.03")
def test_printed_session_of_section_1_3():
    """Four printed digits on both sides: half a unit of the last one, 5e-5, enters and may double on the way."""
    assert_allclose(se3.exp(se3.unbracket(MATLAB_LOG)), MATLAB_E, atol=1e-4)
    E = MATLAB_E.copy()
    E[:3, :3] = so3.project(E[:3, :3])  # the printed digits are orthogonal to 1e-4 only
    assert_allclose(se3.bracket(se3.log(E)), MATLAB_LOG, atol=1e-4)
    assert_allclose(se3.bracket(se3.log(E)), logm(E).real, atol=1e-12)
    assert_allclose(se3.exp(se3.unbracket(MATLAB_LOG)), expm(MATLAB_LOG), atol=1e-14)


@pytest.mark.source("S1.04")
def test_printed_finite_difference_of_section_1_3():
    """E' = E [phi], Eq 1.8 and 1.11, printed with four digits; the finite difference of exp gives the same."""
    E = np.array(
        [
            [-0.9227, -0.3845, -0.0274, -0.5020],
            [0.2865, -0.6364, -0.7162, 0.4564],
            [0.2579, -0.6687, 0.6973, -1.5617],
            [0, 0, 0, 1],
        ]
    )
    phi = np.array([-0.1285, 1.2666, 0.8058, -0.6903, -0.5538, -0.1246])
    printed = [
        [-0.2751, 0.7470, -1.2181, 0.8533],
        [0.3944, -0.1388, 0.2811, 0.2439],
        [-1.4221, -0.2974, 0.2408, 0.1054],
        [0, 0, 0, 0],
    ]
    assert_allclose(E @ se3.bracket(phi), printed, atol=2e-4)  # inputs to 5e-5, times |phi| = 1.5
    h = 1e-6
    assert_allclose((E @ se3.exp(h * phi) - E @ se3.exp(-h * phi)) / (2 * h), E @ se3.bracket(phi), atol=1e-9)


@pytest.mark.source("S1.01")
def test_inverse_pose(rng):
    T = se3.random(rng, (200,))
    size = 1.0 + np.abs(T[:, :3, 3]).max(axis=-1)[:, None, None]
    assert_allclose((T @ se3.inverse(T) - np.eye(4)) / size, 0, atol=8 * EPS)
    assert_allclose((se3.inverse(T) - np.linalg.inv(T)) / size, 0, atol=8 * EPS)


@pytest.mark.source("S1.02")
def test_bracket_acts_on_points_and_has_an_inverse(rng):
    xi, x = rng.standard_normal(6), rng.standard_normal(3)
    assert_allclose((se3.bracket(xi) @ [*x, 1.0])[:3], xi[3:] + np.cross(xi[:3], x), atol=4 * EPS)
    assert_array_equal(se3.unbracket(se3.bracket(xi)), xi)


@pytest.mark.source("S1.06")
def test_adjoint_is_conjugation_of_the_bracket(rng):
    """T [xi] T^-1 = [Ad xi]: the definition, without the 6x6 formula of Eq 1.14."""
    T, xi = se3.random(rng), rng.standard_normal(6)
    assert_allclose(se3.adjoint(T) @ xi, se3.unbracket(T @ se3.bracket(xi) @ np.linalg.inv(T)), atol=1e-14)


@pytest.mark.source("S1.06")
def test_rate_of_the_adjoint(rng):
    """d/dt Ad = Ad ad(phi) (Eq 1.19), by the difference quotient of Eq 1.20, central."""
    T, phi, h = se3.random(rng), rng.standard_normal(6), 1e-6
    difference = (se3.adjoint(T @ se3.exp(h * phi)) - se3.adjoint(T @ se3.exp(-h * phi))) / (2 * h)
    assert_allclose(difference, se3.adjoint(T) @ se3.ad(phi), atol=1e-8)


@pytest.mark.source("S1.06")
def test_ad_is_the_commutator(rng):
    a, b = rng.standard_normal((2, 6))
    A, B = se3.bracket(a), se3.bracket(b)
    assert_allclose(se3.ad(a) @ b, se3.unbracket(A @ B - B @ A), atol=1e-14)


def test_adjoint_of_exp_is_exp_of_ad(rng):
    xi = rng.standard_normal(6)
    assert_allclose(se3.adjoint(se3.exp(xi)), expm(se3.ad(xi)), atol=1e-13)


def test_pose_takes_every_kind_of_rotation(rng):
    p, r = quaternion.random(rng), rng.standard_normal(3)
    R = quaternion.to_matrix(p)
    for rotation in (R, p, Rotation.from_quat(p, scalar_first=True)):
        T = se3.pose(rotation, r)
        assert_allclose(T[:3, :3], R, atol=4 * EPS)
        assert_array_equal(T[:, 3], [*r, 1.0])
    assert_array_equal(se3.pose(), np.eye(4))
    assert_array_equal(se3.pose(position=np.zeros((5, 3))), np.broadcast_to(np.eye(4), (5, 4, 4)))
    with pytest.raises(StateError, match="norm 2"):
        se3.pose([2.0, 0.0, 0.0, 0.0])
    with pytest.raises(StateError, match="not a rotation matrix"):
        se3.pose(np.ones((3, 3)))
    with pytest.raises(StateError, match="position is not finite"):
        se3.pose(position=(0.0, np.nan, 0.0))


def test_stacks_give_the_same_as_single_twists(rng):
    xi = rng.standard_normal((2, 3, 6)) * np.array([1e-9, 1.0])[:, None, None]
    functions = (se3.exp, se3.left_jacobian, se3.right_jacobian, se3.left_jacobian_inverse, se3.bracket, se3.ad)
    for function in functions:
        each = [[function(xi[i, j]) for j in range(3)] for i in range(2)]
        assert_allclose(function(xi), each, rtol=0, atol=4 * EPS)
    assert_allclose(se3.log(se3.exp(xi)), xi, atol=8 * EPS)
    assert_allclose(se3.adjoint(se3.exp(xi))[1, 2], se3.adjoint(se3.exp(xi[1, 2])), atol=4 * EPS)


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="6 numbers"):
        se3.exp(np.zeros(3))
    with pytest.raises(ValueError, match=r"\(4, 4\)"):
        se3.inverse(np.eye(3))


@pytest.mark.source("F2.13")
def test_adjoint_is_the_plucker_transform_from_child_to_parent(rng):
    T = se3.random(rng)
    assert_allclose(se3.adjoint(T), np.linalg.inv(plucker.from_pose(T)), atol=1e-14)


def test_rotations_as_others_write_them_are_answered():
    with pytest.raises(ArgumentError, match=r"pose has no argument 'rpy'; .*Rotation.from_euler"):
        se3.pose(rpy=(0.0, 0.0, 1.0))
    with pytest.raises(ArgumentError, match="xyz is called position here"):
        se3.pose(xyz=(0.0, 0.0, 1.0))
    with pytest.raises(StateError, match="has three numbers: give a matrix"):
        se3.pose([0.0, 0.0, 1.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        se3.pose(colour=1)
