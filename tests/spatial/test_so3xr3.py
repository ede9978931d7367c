"""The direct product of rotations and positions as a group: product, exponential map, tangent operators, velocities."""

import numpy as np
import pytest
from scipy.linalg import expm

from rbdkit.spatial import se3, so3, so3xr3

EPS = np.finfo(float).eps


@pytest.fixture
def rng():
    return np.random.default_rng(17)


def matrix(C):
    """An element as a 7x7 matrix, so that the product of the group is that of matrices."""
    M = np.eye(7)
    M[:3, :3], M[3:6, 6] = C[:3, :3], C[:3, 3]
    return M


def algebra(X):
    M = np.zeros((7, 7))
    M[:3, :3], M[3:6, 6] = so3.skew(X[:3]), X[3:]
    return M


@pytest.mark.source("M.02")
def test_product_inverse_and_exponential_are_those_of_the_matrix_group(rng):
    C1, C2, X = so3xr3.random(rng), so3xr3.random(rng), rng.normal(size=6)
    np.testing.assert_allclose(matrix(so3xr3.multiply(C1, C2)), matrix(C1) @ matrix(C2), atol=1e-15)  # Eq 16
    np.testing.assert_allclose(matrix(so3xr3.inverse(C1)), np.linalg.inv(matrix(C1)), atol=1e-15)
    np.testing.assert_allclose(matrix(so3xr3.exp(X)), expm(algebra(X)), atol=1e-14)  # Eq 18
    np.testing.assert_allclose(so3xr3.log(so3xr3.exp(X)), X, atol=1e-14)


@pytest.mark.source("M.02")
def test_the_bracket_is_the_commutator(rng):
    X1, X2 = rng.normal(size=(2, 6))
    commutator = algebra(X1) @ algebra(X2) - algebra(X2) @ algebra(X1)
    np.testing.assert_allclose(algebra(so3xr3.bracket(X1, X2)), commutator, atol=1e-15)  # Eq 17


@pytest.mark.source("M.02")
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 3.0, 6.0])
def test_the_right_jacobian_takes_rates_to_hybrid_velocities(rng, angle):
    """C^-1 C' = J_r X' (Eqs 19, 20), by differences of the matrix exponential."""
    X, rate = rng.normal(size=(2, 6))
    X[:3] *= angle / np.linalg.norm(X[:3])
    h = 1e-4  # central difference of order 4: truncation h^4, rounding eps / h
    values = {k: expm(algebra(X + k * h * rate)) for k in (-2, -1, 1, 2)}
    slope = (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)
    V = np.linalg.inv(expm(algebra(X))) @ slope
    np.testing.assert_allclose(algebra(so3xr3.right_jacobian(X) @ rate), V, atol=1e-10)
    np.testing.assert_allclose(so3xr3.right_jacobian_inverse(X) @ so3xr3.right_jacobian(X), np.eye(6), atol=1e-13)


@pytest.mark.source("M.02")
def test_hybrid_velocities_are_twists_with_the_linear_part_in_fixed_axes(rng):
    """Both describe one motion: R' and r' are the same (Eqs 6, 20)."""
    C, V = so3xr3.random(rng), rng.normal(size=6)
    C_rate = C @ se3.bracket(so3xr3.twist(C, V))
    np.testing.assert_allclose(C_rate[:3, 3], V[3:], atol=1e-15)
    np.testing.assert_allclose(so3xr3.hybrid(C, so3xr3.twist(C, V)), V, atol=1e-15)


def test_stacks_are_taken_element_by_element(rng):
    X = rng.normal(size=(4, 6))
    C = so3xr3.exp(X)
    for i in range(4):
        np.testing.assert_allclose(C[i], so3xr3.exp(X[i]), rtol=0, atol=2 * EPS)  # powers of W, summed as it suits
        np.testing.assert_allclose(so3xr3.twist(C, X)[i], so3xr3.twist(C[i], X[i]), atol=1e-15)
        np.testing.assert_allclose(so3xr3.multiply(C, C)[i], so3xr3.multiply(C[i], C[i]), atol=1e-15)
        np.testing.assert_array_equal(so3xr3.right_jacobian_inverse(X)[i], so3xr3.right_jacobian_inverse(X[i]))
