"""Crossover of costs: where one algorithm becomes cheaper than another, Fig 10.4 (Featherstone 2008)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.costs.published import best

Curve = Callable[[ArrayLike], NDArray]


def inertia_matrix_method(n: ArrayLike, addition: float = 1.0) -> NDArray:
    """Return the cost of forward dynamics by way of H, the "O(n^3) algorithm": RNEA, CRBA, factorize and solve.

    Parameters
    ----------
    n : array_like
        Number of joints.
    addition : float, optional
        Cost of an addition relative to a multiplication.
    """
    parts = [best(name).total(n, addition) for name in ("rnea", "crba", "factor_and_solve")]
    return np.sum(parts, axis=0)


def articulated_body_method(n: ArrayLike, addition: float = 1.0) -> NDArray:
    """Return the cost of forward dynamics by the articulated-body algorithm."""
    return best("aba").total(n, addition)


def last_not_dearer(first: Curve, second: Curve, up_to: int = 200) -> int:
    """Return the largest n such that the first costs no more than the second for all of 2, ..., n; 1 if none."""
    n = np.arange(2, up_to + 1)
    dearer = np.flatnonzero(first(n) > second(n))
    return int(n[dearer[0]]) - 1 if len(dearer) else up_to


def crossing(first: Curve, second: Curve, low: float = 2.0, high: float = 200.0) -> float:
    """Return the real n between low and high at which two curves cross, by bisection; NaN if they do not."""

    def gap(n: float) -> float:
        return float(np.asarray(first(n)) - np.asarray(second(n)))

    if gap(low) * gap(high) > 0.0:
        return float("nan")
    sign = np.sign(gap(high))
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if gap(middle) * sign > 0.0 else (middle, high)
    return 0.5 * (low + high)
