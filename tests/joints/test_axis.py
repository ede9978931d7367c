import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from rbdkit.errors import ArgumentError, ModelError
from rbdkit.joints import Cylindrical, Helical, Planar, Prismatic, Revolute, Universal
from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis

EPS = np.finfo(float).eps
exact = settings(max_examples=30, deadline=None, derandomize=True)
directions = st.tuples(*[st.floats(-1, 1)] * 3).map(np.array).filter(lambda u: np.linalg.norm(u) > 1e-3)
units = directions.map(lambda u: u / np.linalg.norm(u))
angles = st.floats(-3.14159, 3.14159)


@pytest.mark.parametrize("name", ["x", "y", "z", "-x", "-y", "-z"])
def test_named_axes(name):
    n = unit_axis(name)
    sign = -1 if name[0] == "-" else 1
    assert_array_equal(n, sign * np.array({"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}[name[-1]]))
    assert not np.any(np.signbit(n) & (n == 0)), "a negative zero would show in messages and files"
    assert axis_argument(n) == name
    assert not n.flags.writeable


@exact
@given(units)
def test_an_exact_axis_keeps_its_digits(n):
    """Reading back what `axis_argument` writes gives the same bits: files lose nothing."""
    once = unit_axis(n)
    assert_allclose(once, n, atol=4 * EPS, rtol=0)
    written = axis_argument(once)
    assert_array_equal(unit_axis(written), once)


@exact
@given(units, st.floats(-9e-10, 9e-10))
def test_an_almost_exact_axis_becomes_exact(n, error):
    """Else every rotation about it would stretch by the error."""
    assert abs(np.linalg.norm(unit_axis(n * (1 + error))) - 1) < 8 * EPS


@pytest.mark.parametrize("wrong, says", [
    ("w", "axis 'w' is unknown: give 'x', 'y', 'z'"),
    ("--x", "'--x' is unknown"),
    ([1, 1, 0], "has length 1.41421356, not 1; divide it by its length"),
    ([0, 0, 0], "has length 0, not 1; give the direction of the joint axis"),
    ([0.707, 0.707, 0], "has length 0.999848"),
    ([np.nan, 0, 1], "not a vector of three finite numbers"),
    ([np.inf, 0, 1], "not a vector of three finite numbers"),
    ([0, 1], "not a vector of three finite numbers"),
    (np.eye(3), "not a vector of three finite numbers"),
    (["a", 0, 1], "not a vector of three finite numbers"),
    (None, "not a vector of three finite numbers"),
])  # fmt: skip
@pytest.mark.parametrize("make", [
    Revolute, Prismatic, Helical, Cylindrical, Planar, Universal, lambda axis: Universal("x", axis),
])  # fmt: skip
def test_wrong_axes(make, wrong, says):
    with pytest.raises(ModelError, match=re.escape(says)):
        make(wrong)


@exact
@given(units)
def test_plane_basis_is_a_rotation_onto_the_normal(n):
    B = plane_basis(n)
    assert_allclose(B[:, 2], n, atol=EPS, rtol=0)
    assert_allclose(B.T @ B, np.eye(3), atol=8 * EPS)
    assert np.linalg.det(B) > 0


def test_plane_basis_is_cyclic_for_the_frame_axes():
    x, y, z = np.eye(3)
    for normal, first, second in ((z, x, y), (x, y, z), (y, z, x)):
        assert_array_equal(plane_basis(normal), np.column_stack([first, second, normal]))


@exact
@given(units, angles)
def test_rotation_about_is_that_of_scipy(n, angle):
    assert_allclose(rotation_about(n, np.float64(angle)), Rotation.from_rotvec(n * angle).as_matrix(), atol=8 * EPS)


@exact
@given(units, angles, directions)
def test_angle_about_finds_the_closest_rotation(n, angle, tilt):
    """For any rotation matrix no other angle comes closer, measured by the Frobenius inner product."""
    R = Rotation.from_rotvec(n * angle).as_matrix() @ Rotation.from_rotvec(0.5 * tilt).as_matrix()
    found = angle_about(n, R)
    closeness = [np.sum(R * Rotation.from_rotvec(n * a).as_matrix()) for a in found + np.linspace(-np.pi, np.pi, 40)]
    assert np.sum(R * Rotation.from_rotvec(n * found).as_matrix()) >= max(closeness) - 20 * EPS


@exact
@given(units, angles)
def test_angle_about_recovers_the_angle(n, angle):
    found = angle_about(n, Rotation.from_rotvec(n * angle).as_matrix())
    assert abs(np.remainder(found - angle + np.pi, 2 * np.pi) - np.pi) < 10 * EPS


def test_what_belongs_to_a_joint_in_its_place_is_told():
    with pytest.raises(ArgumentError, match=r"Revolute has no argument 'damping'.*add_body\(.*damping="):
        Revolute("y", damping=0.1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        Revolute("y", colour="red")
