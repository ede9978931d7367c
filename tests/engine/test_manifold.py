"""Rotations and twists on scalars against the functions of rbdkit.spatial, which have cases for small angles."""

import numpy as np
import pytest

from rbdkit.engine.steps.manifold import (
    exp,
    half_cotangent,
    jacobian_inverse,
    log,
    quaternion_matrix,
    quaternion_product,
)
from rbdkit.spatial import quaternion, se3, so3
from rbdkit.spatial.stumpff import half_cotangent as reference_half_cotangent
from rbdkit.spatial.vector3 import Vector

ANGLES = [0.0, 1e-200, 1e-160, 1e-30, 1e-9, 1e-4, 0.03, 0.9, 0.9999, 1.0001, 1.5, 3.0, 3.14159, 4.0, 6.0]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(9)


def of_angle(rng: np.random.Generator, angle: float) -> np.ndarray:
    n = rng.normal(size=3)
    return angle * n / np.linalg.norm(n)


def floats(x: np.ndarray) -> Vector:
    return Vector(map(float, x))


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential(rng, angle):
    w, v = of_angle(rng, angle), rng.normal(size=3)
    q, mean = exp(floats(w))
    assert np.allclose(q, quaternion.exp(w), rtol=1e-15, atol=1e-15)
    assert np.allclose(mean(floats(v)), so3.left_jacobian(w) @ v, rtol=1e-15, atol=2e-15)


@pytest.mark.parametrize("angle", [angle for angle in ANGLES if angle < np.pi])
def test_logarithm_undoes_the_exponential(rng, angle):
    w = of_angle(rng, angle)
    for sign in (1.0, -1.0):
        found = np.array(log([sign * float(x) for x in quaternion.exp(w)]))
        # the quaternion holds an angle near pi to eps / cos(angle / 2)... of its scalar part, absolutely
        assert np.allclose(found, w, rtol=4e-16, atol=2e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_inverse_jacobians(rng, angle):
    w, v, x, y = of_angle(rng, angle), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    J, D = jacobian_inverse(floats(w), floats(v))
    found = np.concatenate([J(floats(x)), np.add(D(floats(x)), J(floats(y)))])
    expected = se3.right_jacobian_inverse(np.concatenate([w, v])) @ np.concatenate([x, y])
    assert np.allclose(found, expected, rtol=1e-14, atol=1e-14 * np.max(np.abs(expected)))
    J_T, D_T = jacobian_inverse(floats(-w), floats(-v))
    transposed = np.concatenate([np.add(J_T(floats(x)), D_T(floats(y))), J_T(floats(y))])
    expected = se3.right_jacobian_inverse(np.concatenate([w, v])).T @ np.concatenate([x, y])
    assert np.allclose(transposed, expected, rtol=1e-14, atol=1e-14 * np.max(np.abs(expected)))


@pytest.mark.parametrize("angle", ANGLES)
def test_half_cotangent(angle):
    # in the closed form e loses two digits just above one radian; what it is used for does not feel them
    assert np.allclose(half_cotangent(angle * angle), reference_half_cotangent(angle), rtol=2e-13)


def test_quaternions(rng):
    p, q = quaternion.random(rng, (2,))
    assert np.allclose(quaternion_product(list(p), list(q)), quaternion.multiply(p, q), atol=1e-15)
    assert np.allclose(quaternion_matrix(list(p)), quaternion.to_matrix(p), atol=1e-15)
