"""The 3-vectors and matrices below everything: NumPy's numbers, at the cost of the formula on paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import so3
from rbdkit.spatial.compact import Matrix, Symmetric, Vector
from rbdkit.spatial.vector3 import cross, dot, skew


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_scalar_product(n, rng, cost):
    a, b = rng.normal(size=(2, n))
    assert dot(a, b) == pytest.approx(a @ b, rel=1e-14)
    assert cost(dot, n, n) == (f"{n}m + {n - 1}a" if n > 1 else "1m")


def test_scalar_product_of_nothing_is_zero():
    assert dot([], []) == 0.0


def test_products_and_sums(rng, cost):
    A, B = (Matrix.of(rng.normal(size=9).tolist()) for _ in range(2))
    a, b = (Vector(rng.normal(size=3).tolist()) for _ in range(2))
    assert_allclose(A @ B, np.array(A) @ np.array(B), rtol=1e-13, atol=1e-15)
    assert_allclose(A @ a, np.array(A) @ np.array(a), rtol=1e-13, atol=1e-15)
    assert_allclose(2.0 * A - B, 2.0 * np.array(A) - np.array(B), rtol=0, atol=0)
    assert_allclose(cross(a, b), np.cross(a, b), rtol=1e-14)
    assert_allclose(skew(a) @ b, np.cross(a, b), rtol=1e-13, atol=1e-15)
    assert cost(lambda A, a: Matrix.of(A) @ Vector(a), 9, 3) == "9m + 6a"
    assert cost(lambda a, b: cross(Vector(a), Vector(b)), 3, 3) == "6m + 3a"


def test_symmetric_matrices_are_their_lower_triangle_column_by_column(rng):
    A = rng.normal(size=(3, 3))
    A += A.T
    S = Symmetric.upper(Matrix.of(A.ravel().tolist()))
    assert S.flat() == [A[0, 0], A[1, 0], A[2, 0], A[1, 1], A[2, 1], A[2, 2]]
    assert_allclose(S.full, A, rtol=0, atol=0)
    assert_allclose((2.0 * S - S + S).full, 2.0 * A, rtol=1e-15)
    R = so3.random(rng)
    assert_allclose(S.rotated(Matrix.of(R.ravel().tolist())).full, R @ A @ R.T, rtol=0, atol=1e-14)
