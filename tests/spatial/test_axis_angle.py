import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.errors import StateError
from rbdkit.spatial import axis_angle, plucker, quaternion


@pytest.mark.source("F4.25")
def test_turns_about_the_axes_are_the_table_2_2_functions():
    for axis, function in zip(np.eye(3), (plucker.rx, plucker.ry, plucker.rz)):
        assert_allclose(axis_angle.to_matrix(axis, 0.7).T, function(0.7), atol=2e-16)


@pytest.mark.source("F4.25")
def test_euler_parameters_of_an_axis_and_an_angle(rng):
    """Eq 4.10: p = (cos(t/2), sin(t/2) u)."""
    u, t = rng.standard_normal((30, 3)), rng.uniform(0, np.pi, 30)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    p = np.concatenate([np.cos(t / 2)[:, None], np.sin(t / 2)[:, None] * u], axis=1)
    assert_allclose(axis_angle.to_matrix(u, t), quaternion.to_matrix(p), atol=1e-15)
    axis, angle = axis_angle.from_matrix(quaternion.to_matrix(p))
    assert_allclose(angle, t, atol=2e-15)
    assert_allclose(axis * np.sin(t)[:, None], u * np.sin(t)[:, None], atol=2e-15)


def test_no_rotation_has_the_axis_x():
    axis, angle = axis_angle.from_matrix(np.eye(3))
    assert_array_equal(axis, [1, 0, 0])
    assert angle == 0


def test_an_axis_that_is_no_unit_vector_is_refused():
    with pytest.raises(StateError, match=r"length 2\.0"):
        axis_angle.to_matrix([0.0, 0.0, 2.0], 1.0)
