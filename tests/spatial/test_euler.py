import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from rbdkit.errors import StateError
from rbdkit.spatial import euler, plucker, so3

EPS = np.finfo(float).eps


@pytest.mark.source("F4.25")
def test_matrix_is_three_turns_in_sequence(rng):
    """Eq 4.7: E = rx(q3) ry(q2) rz(q1); scipy's intrinsic z-y-x sequence is the transpose."""
    for q in rng.uniform(-3, 3, (20, 3)):
        E = plucker.rx(q[2]) @ plucker.ry(q[1]) @ plucker.rz(q[0])
        assert_allclose(euler.to_matrix(q).T, E, atol=4 * EPS)
        assert_allclose(euler.to_matrix(q), Rotation.from_euler("ZYX", q).as_matrix(), atol=8 * EPS)


@pytest.mark.source("F4.25")
def test_angles_come_back(rng):
    q = rng.uniform([-3.1, -1.5, -3.1], [3.1, 1.5, 3.1], (100, 3))
    assert_allclose(euler.from_matrix(euler.to_matrix(q)), q, atol=20 * EPS / np.cos(1.5))  # ill-conditioned at 1.5


@pytest.mark.source("F4.25")
@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_in_gimbal_lock_the_rotation_still_comes_back(pitch):
    R = euler.to_matrix([0.4, pitch, 0.9])
    q = euler.from_matrix(R)
    assert q[2] == 0
    assert_allclose(euler.to_matrix(q), R, atol=4 * EPS)


@pytest.mark.source("F4.25")
def test_rate_matrix_is_the_derivative(rng):
    """Eq 4.8 against the central difference of R^T R': error h^2 + eps / h."""
    for q, rates in rng.uniform(-1.4, 1.4, (10, 2, 3)):
        h = 1e-5
        R = euler.to_matrix(q)
        dR = (euler.to_matrix(q + h * rates) - euler.to_matrix(q - h * rates)) / (2 * h)
        assert_allclose(euler.rate_matrix(q) @ rates, so3.unskew(R.T @ dR), atol=1e-9)
        assert_allclose(euler.rates(q, euler.rate_matrix(q) @ rates), rates, atol=1e-13)


@pytest.mark.source("F4.25")
def test_gimbal_lock_indicator_is_the_inverse_condition_number():
    """The singular values of Eq 4.8 give it by another way."""
    pitches = np.array([0.0, 0.5, -1.2, 1.5, np.pi / 2 - 1e-6])
    q = np.stack([0.3 * np.ones(5), pitches, -0.8 * np.ones(5)], axis=-1)
    assert_allclose(euler.conditioning(q), 1 / np.linalg.cond(euler.rate_matrix(q)), rtol=1e-9)
    assert euler.conditioning([0.3, np.pi / 2, 0.1]) < 1e-16
    with pytest.raises(StateError, match="gimbal lock"):
        euler.rates([0.3, np.pi / 2, 0.1], [1.0, 0.0, 0.0])
