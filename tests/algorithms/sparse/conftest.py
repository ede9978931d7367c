"""Matrices with the zeros of trees."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.algorithms.sparse import expand_parents, sparsity_pattern
from rbdkit.library.parent_arrays import random_parents


@pytest.fixture(scope="session")
def trees():
    """Parent arrays of 1 to 14 variables, from chains to stars."""
    rng = np.random.default_rng(6)
    shapes = [(int(rng.integers(1, 15)), seed, branching) for seed in range(6) for branching in (0.0, 0.4, 0.8, 1.0)]
    return [expand_parents(random_parents(*shape)) for shape in shapes]


@pytest.fixture(scope="session")
def positive_definite():
    """A random matrix with a tree's zeros, and a copy with NaN in every place that no algorithm may look at."""

    def make(lam, seed=0):
        rng, pattern = np.random.default_rng(seed), sparsity_pattern(lam)
        H = np.where(pattern, rng.normal(size=pattern.shape), 0.0)
        H = np.tril(H) + np.tril(H, -1).T + np.diag(np.full(len(lam), 1.0 + len(lam)))
        assert np.linalg.eigvalsh(H)[0] > 0.0
        return H, np.where(np.tril(pattern), H, np.nan)

    return make
