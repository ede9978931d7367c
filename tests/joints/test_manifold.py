"""The coordinates of a joint as a manifold: integrate, difference, local_rate, neutral, random, check, project."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm

from rbdkit.errors import StateError
from rbdkit.joints import (
    Composite,
    EulerAngles,
    ExponentialSpherical,
    Free,
    Helical,
    Planar,
    Reversed,
    Revolute,
    SphereInCylinder,
    Spherical,
    SplineCurve,
    SplineSurface,
)
from rbdkit.joints.joint_type import VectorJoint

EPS = np.finfo(float).eps
PI = np.pi
LED = SplineCurve | SplineSurface
"""Their one coordinate goes from 0 to the number of segments, without a unit."""
exact = settings(max_examples=30, deadline=None, derandomize=True)
turns = st.one_of(st.floats(-12, 0.49).map(lambda e: 10.0**e), st.floats(-9, -1).map(lambda e: PI - 10.0**e))
small_vectors = st.tuples(*[st.floats(-1, 1, allow_subnormal=False)] * 3).map(np.array)
axes = small_vectors.filter(lambda u: np.linalg.norm(u) > 1e-3).map(lambda u: u / np.linalg.norm(u))


def step(joint, rng):
    """A displacement that turns by less than half a turn, so that it is the shortest."""
    dv = rng.normal(size=joint.nv)
    return dv if joint.nv == 0 else 2.5 * dv / np.linalg.norm(dv)


def test_rate_is_the_slope_of_integrate(joint, rng, slope):
    for _ in range(3):
        q, v = joint.random(rng), rng.normal(size=joint.nv)
        assert_allclose(slope(partial(joint.integrate, q), np.zeros(joint.nv), v), joint.rate(q, v), atol=2e-12)


def test_integrate_is_the_exponential_where_S_is_constant(joint, rng, twist_matrix):
    """pose(integrate(q, dv)) = pose(q) expm([S dv]); expm is good to a few eps of its norm."""
    for _ in range(3):
        q, dv = joint.random(rng), step(joint, rng)
        S = joint.motion_subspace(q)
        if not np.allclose(S, joint.motion_subspace(joint.random(rng)), atol=1e-14):
            # universal, Euler angles, rack and pinion; a bore that stays behind; joints seen from the other end
            assert isinstance(joint, VectorJoint | SphereInCylinder | Reversed | Composite)
            return
        reached = joint.pose(q) @ expm(twist_matrix(S @ dv))
        assert_allclose(joint.pose(joint.integrate(q, dv)), reached, atol=2e-14)


def test_difference_is_the_inverse_of_integrate(joint, rng):
    for _ in range(3):
        q, dv = joint.random(rng), step(joint, rng)
        assert_allclose(joint.difference(q, joint.integrate(q, dv)), dv, atol=2e-14)
        q1 = joint.random(rng)
        reached = joint.integrate(q, joint.difference(q, q1))
        assert_allclose(joint.pose(reached), joint.pose(q1), atol=2e-14)
        assert_allclose(joint.difference(q, q), np.zeros(joint.nv), atol=2e-15)


def test_local_rate_is_the_rate_of_local_coordinates(joint, rng, slope):
    """If u moves with A v, integrate(q0, u) moves with velocity v."""
    for _ in range(3):
        q0, u, v = joint.random(rng), step(joint, rng), rng.normal(size=joint.nv)
        du = joint.local_rate(u) @ v
        q = joint.integrate(q0, u)
        assert_allclose(slope(partial(joint.integrate, q0), u, du), joint.rate(q, v), atol=2e-11)


@exact
@given(st.one_of(turns, turns.map(lambda a: -a), st.floats(0.5, 5.0)), st.floats(-1, 1), st.floats(-1, 1))
def test_planar_local_rate_to_round_off(angle, x, y):
    """J_r = integral of expm(-s ad) from a block exponential; A J_r = 1 from tiny angles to near one turn."""
    ad = np.array([[0.0, 0.0, 0.0], [y, 0.0, -angle], [-x, angle, 0.0]])
    block = np.zeros((6, 6))
    block[:3, :3], block[:3, 3:] = -ad, np.eye(3)
    J_r = expm(block)[:3, 3:]
    A = Planar().local_rate(np.array([angle, x, y]))
    assert_allclose(A @ J_r, np.eye(3), atol=2e-14 * max(1.0, np.abs(A).max()))


@exact
@given(axes, turns, small_vectors)
@pytest.mark.parametrize("translation", ["predecessor", "successor"])
def test_free_difference_near_half_turns_and_tiny_ones(translation, axis, angle, linear):
    """The rotation vector keeps its digits; the quaternion fixes half turns to eps / 1."""
    joint = Free(translation)
    q = np.array([0.5, -0.5, 0.5, 0.5, 0.3, -0.2, 0.1])
    dv = np.concatenate([angle * axis, linear])
    assert_allclose(joint.difference(q, joint.integrate(q, dv)), dv, atol=5e-15 * (1 + 1 / (PI + 1e-9 - angle)))


@exact
@given(st.floats(-3.14159, 3.14159), st.floats(-2, 2), st.floats(-2, 2), st.integers(-3, 3))
@pytest.mark.parametrize("translation", ["predecessor", "successor"])
def test_planar_difference_is_the_shortest(translation, angle, x, y, k):
    """Whole turns of the angle do not count: the pose is the same."""
    joint = Planar("y", translation)
    q = np.array([1.1, -0.7, 0.4])
    dv = np.array([angle, x, y])
    q1 = joint.integrate(q, dv)
    q1[0] += 2 * PI * k
    assert_allclose(joint.difference(q, q1), dv, atol=5e-14 * (1 + 1e-2 / (PI - abs(angle))))


@pytest.mark.source("F4.16", "F4.26")
@pytest.mark.parametrize("made", [Spherical(), Free(), Reversed(Spherical())])
def test_many_steps_stay_on_the_manifold(made, rng):
    """Renormalising after each step keeps the norm at 1 to round-off, however many steps there are."""
    q = made.neutral()
    for dv in 0.3 * rng.normal(size=(3000, made.nv)):
        q = made.integrate(q, dv)
    assert abs(np.linalg.norm(q[:4]) - 1) < 4 * EPS
    made.check(q)


def test_stacks_equal_single_states(joint, rng):
    """Same operations in another order of loops: equal to the last digits that matrix products may differ in."""
    q = np.array([[joint.random(rng) for _ in range(3)] for _ in range(2)]).reshape(2, 3, joint.nq)
    p = np.array([joint.random(rng) for _ in range(6)]).reshape(2, 3, joint.nq)
    v = rng.normal(size=(2, 3, joint.nv))
    together = {
        "pose": joint.pose(q),
        "transform": joint.transform(q),
        "velocity": joint.velocity(q, v),
        "rate": joint.rate(q, v),
        "integrate": joint.integrate(q, v),
        "difference": joint.difference(q, p),
    }
    for i, j in np.ndindex(2, 3):
        alone = {
            "pose": joint.pose(q[i, j]),
            "transform": joint.transform(q[i, j]),
            "velocity": joint.velocity(q[i, j], v[i, j]),
            "rate": joint.rate(q[i, j], v[i, j]),
            "integrate": joint.integrate(q[i, j], v[i, j]),
            "difference": joint.difference(q[i, j], p[i, j]),
        }
        for name, value in alone.items():
            assert_allclose(together[name][i, j], value, atol=4e-15, err_msg=name)


def test_neutral_is_where_the_frames_coincide(joint):
    assert joint.neutral().shape == (joint.nq,)
    if isinstance(joint, LED):  # the pose at which a spline begins is taken off
        assert_allclose(joint.pose(joint.neutral()), np.eye(4), atol=4e-16)
    else:
        assert_array_equal(joint.pose(joint.neutral()), np.eye(4))
    joint.check(joint.neutral())


def test_random_is_on_the_manifold(joint):
    """Also: the same seed gives the same coordinates, angles stay within half a turn, lengths within a metre."""
    qs = np.array([joint.random(np.random.default_rng(k)) for k in range(50)]).reshape(50, joint.nq)
    joint.check(qs)
    assert_array_equal(qs[7], joint.random(np.random.default_rng(7)))
    if isinstance(joint, LED):
        assert np.all((qs >= 0.0) & (qs <= joint.segments))
        return
    reach = np.array([{"rad": PI, "m": 1.0, "1": 1.0}[unit] for unit in joint.q_units])
    assert np.all(np.abs(qs) <= reach)
    if joint.nq and not isinstance(joint, EulerAngles | ExponentialSpherical):  # away from locks; in a ball
        assert np.all(np.abs(qs).max(axis=0) > 0.8 * reach), "fifty samples reach near the bounds"


def test_project_recovers_coordinates(joint, rng):
    for _ in range(10):
        q = joint.random(rng)
        assert_allclose(joint.pose(joint.project(joint.pose(q))), joint.pose(q), atol=1e-14)


def test_project_of_a_pose_out_of_reach_is_near_it(joint, rng, twist_matrix):
    """An offset of size 1e-3 moves the projection by about as much."""
    q = joint.random(rng)
    d = 1e-3 * rng.normal(size=6)
    near = joint.project(joint.pose(q) @ expm(twist_matrix(d)))
    joint.check(near)
    assert np.abs(joint.pose(near) - joint.pose(q)).max() < 20 * np.linalg.norm(d)


@pytest.mark.source("F4.13")
def test_helical_projection_counts_turns():
    """The advance says how many turns lie behind an angle; a revolute joint cannot know."""
    for pitch in (0.2, -0.2):
        joint = Helical("x", pitch)
        for q in (-25.0, -0.1, 3.2, 100.0):
            assert_allclose(joint.project(joint.pose(np.array([q]))), [q], rtol=1e-14)
    assert_allclose(Revolute("x").project(Revolute("x").pose(np.array([7.0]))), [7.0 - 2 * PI], rtol=1e-14)


@pytest.mark.parametrize("made", [Spherical(), Free(), Reversed(Spherical())])
def test_check_shows_the_norm_of_a_quaternion(made):
    q = made.neutral()
    made.check(q * (1 + 5e-7))
    for factor, norm in ((1.01, "1.01"), (0.0, "0"), (np.nan, "nan")):
        with pytest.raises(StateError, match=rf"joint: quaternion .* has norm {norm}, not 1; divide it by its norm"):
            made.check(q * factor)
    with pytest.raises(StateError, match=r"\[0. 3. 0. 0.\] has norm 3"):
        made.check(np.stack([q, np.concatenate([[0.0, 3.0, 0.0, 0.0], q[4:]])]))


def test_check_refuses_the_wrong_number_of_coordinates(joint):
    with pytest.raises(StateError, match=rf"joint: q has shape \({joint.nq + 1},\), not \({joint.nq},\)"):
        joint.check(np.zeros(joint.nq + 1))


def test_names_and_units_match_the_sizes(joint):
    assert len(joint.q_names) == len(joint.q_units) == joint.nq
    assert len(joint.v_names) == len(joint.v_units) == joint.nv
    assert set(joint.q_units) <= {"rad", "m", "1"}
    assert set(joint.v_units) <= ({"1/s"} if isinstance(joint, LED) else {"rad/s", "m/s"})
    angular, linear = np.abs(joint.motion_subspace(joint.neutral())).reshape(2, 3, joint.nv).max(axis=1) > 0
    for k, unit in enumerate(joint.v_units):
        assert isinstance(joint, LED) or unit == ("rad/s" if angular[k] else "m/s")
        assert angular[k] or linear[k]


def test_a_joint_is_rebuilt_from_its_parameters(joint):
    again = type(joint)(**joint.parameters())
    assert again == joint
    assert hash(again) == hash(joint)
    assert repr(again) == repr(joint)


def test_joints_are_equal_by_type_and_numbers():
    assert Revolute("z") == Revolute([0.0, 0.0, 1.0])
    assert Revolute("z") != Revolute("-z")
    assert Helical("z", 0.0) != Revolute("z")
    assert Planar(translation="successor") != Planar()
    assert repr(Helical("-x", 0.25)) == "Helical(axis='-x', pitch=0.25)"
    assert repr(Reversed(Planar("x"))) == "Reversed(joint=Planar(axis='x', translation='predecessor'))"


@pytest.mark.parametrize("pitch", [np.nan, np.inf])
def test_pitch_must_be_finite(pitch):
    with pytest.raises(ValueError, match=r"pitch (nan|inf) of a helical joint is not a finite number"):
        Helical("z", pitch)
