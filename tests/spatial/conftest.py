"""References for the tests of the spatial algebra, computed with 50 digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mpmath
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2008)


@pytest.fixture(scope="session")
def exact_series() -> Callable[[np.ndarray, int], mpmath.matrix]:
    """sum_n A^n / (n + shift)!: the matrix exponential for shift 0, the left Jacobian of exp for shift 1."""

    def series(A: np.ndarray, shift: int) -> mpmath.matrix:
        A = mpmath.matrix(A.tolist())
        total, power, n = mpmath.mp.zeros(A.rows), mpmath.eye(A.rows), 0
        while n < 8 or mpmath.mnorm(power, 1) > mpmath.mpf(10) ** -50:  # power = A^n / (n + shift)!, times shift!
            total += power
            n += 1
            power = power * A / (n + shift)
        return total / mpmath.factorial(shift)

    return series


@pytest.fixture(scope="session")
def worst() -> Callable[[np.ndarray, mpmath.matrix], float]:
    """Largest elementwise difference between a float array and an exact matrix, taken with 50 digits."""

    def difference(array: np.ndarray, exact: mpmath.matrix) -> float:
        return float(
            max(abs(mpmath.mpf(float(array[i, j])) - exact[i, j]) for i in range(exact.rows) for j in range(exact.cols))
        )

    return difference
