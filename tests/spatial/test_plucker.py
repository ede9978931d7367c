import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from rbdkit.spatial import fields, plucker, se3, so3

EPS = np.finfo(float).eps


@pytest.mark.source("F2.11")
@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_turns_of_the_frame_are_transposed_turns_of_the_body(name):
    """Table 2.2, against scipy's active rotations."""
    R = Rotation.from_euler(name, 0.7).as_matrix()
    E = {"x": plucker.rx, "y": plucker.ry, "z": plucker.rz}[name](0.7)
    X = {"x": plucker.rotx, "y": plucker.roty, "z": plucker.rotz}[name](0.7)
    assert_allclose(E, R.T, atol=2 * EPS)
    assert_array_equal(X, np.block([[E, np.zeros((3, 3))], [np.zeros((3, 3)), E]]))
    assert_array_equal(plucker.rot(E), X)


@pytest.mark.source("F2.11", "F2.12")
def test_the_printed_example_of_turning_about_x():
    """A frame turned by 90 deg about x sees the old y axis along its -z axis."""
    assert_allclose(plucker.rx(np.pi / 2) @ [0, 1, 0], [0, 0, -1], atol=EPS)


@pytest.mark.source("F2.11", "F2.12")
def test_motion_transform_keeps_the_velocity_field(rng):
    """The velocity of any body point is the same vector, whichever frame it is computed in (Eq 2.19, 2.21, 2.24)."""
    E, r, v, points = so3.random(rng), rng.standard_normal(3), rng.standard_normal(6), rng.standard_normal((20, 3))
    there = (points - r) @ E.T  # the same points in B coordinates
    assert_allclose(
        fields.velocity_at(plucker.plucker(E, r) @ v, there), fields.velocity_at(v, points) @ E.T, atol=1e-14
    )
    assert_allclose(plucker.plucker(E, r), plucker.rot(E) @ plucker.xlt(r), atol=2 * EPS)


@pytest.mark.source("F2.12")
def test_force_transform_keeps_the_moments(rng):
    """The moment about any point is the same vector in both frames (Eq 2.20, 2.22, 2.25)."""
    E, r, f, points = so3.random(rng), rng.standard_normal(3), rng.standard_normal(6), rng.standard_normal((20, 3))
    X = plucker.plucker(E, r)
    there = (points - r) @ E.T
    assert_allclose(fields.moment_about(plucker.force(X) @ f, there), fields.moment_about(f, points) @ E.T, atol=1e-14)


@pytest.mark.source("F2.01", "F2.12")
def test_closed_form_inverses(rng):
    """Eq 2.26, 2.27 and X* = X^-T against the general matrix inverse."""
    X = plucker.plucker(so3.random(rng, (10,)), rng.standard_normal((10, 3)))
    assert_allclose(plucker.inverse(X), np.linalg.inv(X), atol=1e-14)
    assert_allclose(plucker.force(X), np.linalg.inv(X).swapaxes(-1, -2), atol=1e-14)
    assert_allclose(plucker.force(plucker.inverse(X)), X.swapaxes(-1, -2), atol=1e-15)


@pytest.mark.source("F2.12", "F2.13")
def test_composition_is_that_of_the_poses(rng):
    """C_X_A = C_X_B B_X_A where A_T_C = A_T_B B_T_C."""
    A_T_B, B_T_C = se3.random(rng, (2,))
    assert_allclose(plucker.from_pose(B_T_C) @ plucker.from_pose(A_T_B), plucker.from_pose(A_T_B @ B_T_C), atol=1e-14)


@pytest.mark.source("F2.13")
def test_homogeneous_transform(rng):
    """B_T_A = [E, -E r; 0 1] (Eq 2.28) takes points from A to B; pose and X carry the same E and r."""
    E, r = so3.random(rng, (5,)), rng.standard_normal((5, 3))
    X = plucker.plucker(E, r)
    A_T_B = plucker.to_pose(X)
    B_T_A = np.linalg.inv(A_T_B)
    assert_allclose(B_T_A[:, :3, :3], E, atol=1e-15)
    assert_allclose(B_T_A[:, :3, 3], -(E @ r[..., None])[..., 0], atol=1e-14)
    assert_allclose(plucker.from_pose(A_T_B), X, atol=1e-14)
    found_E, found_r = plucker.split(X)
    assert_array_equal(found_E, E)
    assert_allclose(found_r, r, atol=1e-14)


@pytest.mark.source("F2.13")
def test_motion_of_points_is_the_motion_of_the_frame(rng):
    """Points carried by a frame with the body twist v: finite difference of Eq 2.28."""
    T, v, h = se3.random(rng), rng.standard_normal(6), 1e-6
    x = np.array([0.3, -0.8, 0.5, 1.0])  # fixed in the frame
    velocity = (T @ se3.exp(h * v) @ x - T @ se3.exp(-h * v) @ x)[:3] / (2 * h)
    in_parent = plucker.inverse(plucker.from_pose(T)) @ v
    assert_allclose(fields.velocity_at(in_parent, (T @ x)[:3]), velocity, atol=1e-9)


def test_a_transform_is_not_taken_for_a_pose():
    with pytest.raises(ValueError, match=r"\(4, 4\) on its last axes, got \(6, 6\)"):
        plucker.from_pose(np.eye(6))
