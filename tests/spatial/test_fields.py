import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import fields, plucker, se3, so3


@pytest.mark.source("F2.03")
def test_velocity_of_points_is_the_derivative_of_their_motion(rng):
    v, points, h = rng.standard_normal(6), rng.standard_normal((10, 3)), 1e-6
    homogeneous = np.column_stack([points, np.ones(10)])
    moved = (homogeneous @ (se3.exp(h * v) - se3.exp(-h * v)).T)[:, :3] / (2 * h)
    assert_allclose(fields.velocity_at(v, points), moved, atol=1e-9)


@pytest.mark.source("F2.03")
def test_example_2_1_fields_add_like_the_vectors(rng):
    v1, v2 = rng.standard_normal((2, 6))
    points, field = fields.velocity_field(v1 + v2, n=3)
    assert points.shape == field.shape == (27, 3)
    assert_allclose(field, fields.velocity_field(v1, n=3)[1] + fields.velocity_field(v2, n=3)[1], atol=1e-14)


@pytest.mark.source("F2.03")
def test_the_sampled_field_is_that_of_a_rigid_body(rng):
    """No two sampled points approach each other: (v_P - v_Q) . (P - Q) = 0."""
    points, field = fields.velocity_field(rng.standard_normal(6), (0, -1, 2), (1, 1, 5), (2, 3, 4))
    assert_array_equal(points.min(axis=0), [0, -1, 2])
    assert_array_equal(points.max(axis=0), [1, 1, 5])
    assert len(points) == 24
    d, dv = points[:, None] - points, field[:, None] - field
    assert_allclose((d * dv).sum(axis=-1), 0, atol=1e-13)


@pytest.mark.source("F2.05")
def test_moment_of_many_point_forces(rng):
    """n_P = sum (x - P) x f, from the definition, at several P (Eq 2.6)."""
    x, f = rng.standard_normal((2, 8, 3))
    total = sum(fields.point_force(force, point) for force, point in zip(f, x))
    for P in rng.standard_normal((3, 3)):
        assert_allclose(fields.moment_about(total, P), np.cross(x - P, f).sum(axis=0), atol=1e-13)


@pytest.mark.source("S1.05")
def test_printed_material_jacobian():
    """The MATLAB example of section 1.4."""
    G = fields.material_jacobian([1.0, 0.0, 0.0])
    assert_array_equal(G, [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, -1, 0, 0, 0, 1]])
    assert_array_equal(G @ [0, 0, 1, 0, 0, 0], [0, 1, 0])  # turning about z
    assert_array_equal(G @ [0, 0, 0, 1, 0, 0], [1, 0, 0])  # translating along x: the text prints (0, 1, 0) here


@pytest.mark.source("S1.05")
def test_material_jacobian_is_the_velocity_of_a_body_point(rng):
    """Eq 1.12 by finite difference; its transpose makes wrenches (Eq 1.13): equal power for any motion."""
    T, phi, x, F, h = se3.random(rng), rng.standard_normal(6), *rng.standard_normal((2, 3)), 1e-6
    J = T[:3, :3] @ fields.material_jacobian(x)
    point = np.append(x, 1.0)
    velocity = (T @ (se3.exp(h * phi) - se3.exp(-h * phi)) @ point)[:3] / (2 * h)
    assert_allclose(J @ phi, velocity, atol=1e-9)
    world_wrench = fields.point_force(F, (T @ point)[:3])
    assert_allclose(J.T @ F, plucker.force(plucker.from_pose(T)) @ world_wrench, atol=1e-14)
    stack = rng.standard_normal((4, 3))
    assert_array_equal(fields.material_jacobian(stack)[2, :, :3], -so3.skew(stack[2]))
