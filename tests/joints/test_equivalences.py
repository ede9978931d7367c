"""Joints that are made of others, or are others under another name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbdkit.joints import Cylindrical, EulerSpherical, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from rbdkit.spatial import quaternion

exact = settings(max_examples=25, deadline=None, derandomize=True)
angles = st.floats(-6, 6)
lengths = st.floats(-3, 3)
AXIS = np.array([2.0, -3.0, 6.0]) / 7.0
OTHER = np.array([6.0, 2.0, -3.0]) / 7.0


def pose(joint, *q):
    return joint.pose(np.array(q, dtype=float))


@pytest.mark.source("F4.13")
@exact
@given(angles)
def test_helical_of_pitch_zero_is_revolute(q):
    screw, hinge = Helical(AXIS), Revolute(AXIS)
    assert_array_equal(pose(screw, q), pose(hinge, q))
    at = np.array([q])
    assert_array_equal(screw.motion_subspace(at), hinge.motion_subspace(at))
    assert_array_equal(screw.calc_loop(screw.transform(at))[1][:3, :2], hinge.calc_loop(hinge.transform(at))[1][:3, :2])


@pytest.mark.source("F4.13")
@exact
@given(angles, st.floats(-0.5, 0.5))
def test_helical_is_the_exponential_of_a_screw(q, pitch):
    """expm rounds at a few eps times the angle."""
    n = AXIS
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = np.cross(np.eye(3), n), pitch * n
    assert_allclose(pose(Helical(n, pitch), q), expm(q * twist), atol=2e-14)


@pytest.mark.source("F4.14")
@exact
@given(angles, lengths)
def test_cylindrical_is_revolute_and_prismatic_in_either_order(q1, q2):
    made = pose(Cylindrical(AXIS), q1, q2)
    turn, slide = pose(Revolute(AXIS), q1), pose(Prismatic(AXIS), q2)
    assert_allclose(made, turn @ slide, atol=4e-15)
    assert_allclose(made, slide @ turn, atol=4e-15)


@pytest.mark.source("F4.14", "F4.13")
def test_cylindrical_contains_every_helical(rng):
    q = rng.normal()
    assert_allclose(pose(Cylindrical("y"), q, 0.3 * q), pose(Helical("y", 0.3), q), atol=1e-15)


@exact
@given(angles, angles)
def test_universal_is_two_revolutes(q1, q2):
    first, second = pose(Revolute(AXIS), q1), pose(Revolute(OTHER), q2)
    assert_allclose(pose(Universal(AXIS, OTHER), q1, q2), first @ second, atol=2e-15)


@pytest.mark.source("F4.15")
@exact
@given(angles, lengths, lengths)
def test_planar_is_two_sliders_and_a_hinge(q1, x, y):
    """In predecessor axes: slide first; in successor axes: turn first. About y the plane's axes are z and x."""
    turn, slide = pose(Revolute("y"), q1), pose(Prismatic("z"), x) @ pose(Prismatic("x"), y)
    assert_allclose(pose(Planar("y"), q1, x, y), slide @ turn, atol=4e-15)
    assert_allclose(pose(Planar("y", "successor"), q1, x, y), turn @ slide, atol=4e-15)


@pytest.mark.source("F4.17")
@exact
@given(angles, angles, angles)
def test_euler_angles_are_those_of_scipy(yaw, pitch, roll):
    expected = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_matrix()
    assert_allclose(pose(EulerSpherical(), yaw, pitch, roll)[:3, :3], expected, atol=2e-15)


@pytest.mark.source("F4.16", "F4.17")
def test_euler_and_quaternion_coordinates_are_one_joint(rng):
    """The same body angular velocity and acceleration: S qdd + c_J against v and vdot of the quaternion joint."""
    euler, ball = EulerSpherical(), Spherical()
    q, qd, qdd = rng.uniform(-1.2, 1.2, 3), rng.normal(size=3), rng.normal(size=3)
    p = ball.project(euler.pose(q))
    assert_allclose(ball.pose(p), euler.pose(q), atol=1e-15)
    h = 1e-3

    def omega(t):
        """From three rotations by SciPy, with a central difference of order 2 h^2 = 2e-6."""
        R = [Rotation.from_euler("ZYX", q + qd * s + 0.5 * qdd * s * s) for s in (t - h, t + h)]
        return (R[0].inv() * R[1]).as_rotvec() / (2 * h)

    S, v_J, c_J = euler.calc(q, qd)[1:]
    assert_allclose(omega(0.0), v_J[:3], atol=1e-5)
    assert_allclose((omega(h) - omega(-h)) / (2 * h), (S @ qdd + c_J)[:3], atol=1e-4)
    assert_allclose(quaternion.rate(p, v_J[:3]), ball.rate(p, v_J[:3]), atol=1e-16)


@pytest.mark.source("F4.17")
def test_pitch_beyond_a_quarter_turn_projects_to_the_same_rotation():
    q = np.array([0.3, 2.0, -0.4])
    found = EulerSpherical().project(EulerSpherical().pose(q))
    assert abs(found[1]) <= np.pi / 2
    assert_allclose(EulerSpherical().pose(found), EulerSpherical().pose(q), atol=1e-15)
    locked = np.array([0.3, np.pi / 2, -0.4])
    again = EulerSpherical().project(EulerSpherical().pose(locked))
    assert_allclose(EulerSpherical().pose(again), EulerSpherical().pose(locked), atol=1e-15)


@pytest.mark.source("F4.11")
def test_opposite_axis_is_opposite_angle(rng):
    q = rng.normal(size=1)
    for kind in (Revolute, Prismatic):
        assert_allclose(kind("-y").pose(q), kind("y").pose(-q), atol=1e-16)
