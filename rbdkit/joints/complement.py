"""Orthogonal complement of a subspace: the constraint-force subspace T of a motion subspace S."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def complement(S: NDArray) -> NDArray:
    """Return orthonormal columns T, (n, n - m), with ``T.T @ S = 0``, for independent columns S (n, m).

    These are the last columns of Q in ``S = Q R`` by Householder reflections. Reflections are explicit formulas, so
    compiled code computes the same T; and T varies continuously with S unless a reflection changes its sign.
    """
    return np.linalg.qr(S, mode="complete")[0][:, np.shape(S)[1] :]
