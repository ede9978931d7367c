"""Costs as the book writes them, and 6x6 matrices to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit.spatial.compact import abi, abi_z, fv, mv, rbi
from rbdkit.trace import trace


@pytest.fixture(scope="session")
def cost() -> Callable[..., str]:
    """All operations that a function executes on symbols: ``cost(f, 6, (3, 3))`` is "9m + 6a", say."""

    def count(function: Callable[..., Any], *shapes: int | tuple[int, ...]) -> str:
        return str(trace(lambda *x: flat(function(*x)), *shapes, simplify=False).operations())

    return count


@pytest.fixture(scope="session")
def array() -> Callable[[Any], NDArray]:
    """A vector (6,), or the matrix (6, 6) of an inertia or a transform."""
    return lambda x: np.array(x.rows() if hasattr(x, "rows") else x.flat(), dtype=float)


def flat(x: Any) -> Any:
    """The scalars that make a result; a scalar is one itself."""
    return x.flat() if callable(getattr(x, "flat", None)) else x


@pytest.fixture
def some(rng) -> Callable[[type], Any]:
    """A random value of a kind, of numbers about 1; inertias are those of bodies that may be."""

    def make(kind: type) -> Any:
        if kind in (mv, fv):
            return kind.of(rng.normal(size=6))
        if kind is rbi:
            c, A = rng.normal(size=3), rng.normal(size=(3, 3))
            return rbi(2.0, 2.0 * c, A @ A.T + 2.0 * (c @ c * np.eye(3) - np.outer(c, c)))
        A = rng.normal(size=(6, 6))
        A = A @ A.T
        if kind is abi:
            return abi.of_rows(A)
        A -= np.outer(A[2], A[2]) / A[2, 2]
        return abi_z(A[3:, 3:], A[:2, 3:], (A[0, 0], A[0, 1], A[1, 1]))

    return make
