"""Checks of the matrices of articulated bodies: symmetry and rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError

SYMMETRIC = 1e-9
"""What is put down to round-off, relative to the largest element: asymmetry, or an eigenvalue below zero."""
RANK = 1e-10
"""Eigenvalues of an inverse inertia below this fraction of the largest count as zero."""


def rank(Phi: NDArray) -> int:
    """Rank of a symmetric positive semidefinite matrix, the units of its rows levelled out first."""
    size = np.sqrt(np.maximum(np.diag(Phi), 0.0))
    size[size <= RANK * size.max(initial=0.0)] = 1.0  # rows of nothing
    values = np.linalg.eigvalsh(Phi / np.outer(size, size))
    return int(np.sum(values > RANK * values.max(initial=0.0)))


def symmetric(matrix: ArrayLike, what: str) -> NDArray:
    """The matrix (6, 6), read-only and symmetric to the last digit.

    Raises
    ------
    ModelError
        If it is not six by six, not finite or not symmetric; `what` names it.
    """
    try:
        M = np.array(matrix, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"an {what} is a 6x6 matrix of numbers, got {matrix!r}.") from error
    if M.shape != (6, 6):
        raise ModelError(f"an {what} is a 6x6 matrix, got shape {M.shape}.")
    if not np.isfinite(M).all():
        raise ModelError(f"an {what} must be finite, got {M.tolist()}.")
    asymmetry = float(np.abs(M - M.T).max())
    if asymmetry > SYMMETRIC * np.abs(M).max():
        raise ModelError(f"an {what} is symmetric; elements of this matrix differ by {asymmetry:.3g}.")
    M = 0.5 * (M + M.T)
    M.setflags(write=False)
    return M
