"""Split a force on a constrained body into the part that accelerates it and the part that its constraint bears."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError


class ForceSplit(NamedTuple):
    """Parts of a force f = f_a + f_c, (6,) each: f_a causes the acceleration, the constraint balances f_c by -f_c."""

    f_a: NDArray
    f_c: NDArray


def split_force(f: NDArray, I: NDArray, S: NDArray) -> ForceSplit:
    """Split a force into a part in the range of I S and one without work along S (Featherstone 2008, Example 3.1).

    Parameters
    ----------
    f : ndarray (n,)
        Force.
    I : ndarray (n, n)
        Inertia.
    S : ndarray (n, m)
        Motion subspace, any basis of it. All in the same coordinates.

    Raises
    ------
    ModelError
        If S^T I S is singular.
    """
    f_a = I @ S @ apparent(S.T @ I @ S, S.T @ f)  # Eq 3.28
    return ForceSplit(f_a, f - f_a)


def apparent(H: NDArray, tau: NDArray) -> NDArray:
    """Return H^-1 tau with H = S^T I S, shape (m, m).

    Raises
    ------
    ModelError
        If H is singular: columns of S are dependent, or one of them moves no inertia.
    """
    try:
        return np.linalg.solve(H, tau)
    except np.linalg.LinAlgError:
        raise ModelError(
            "S^T I S is singular: give S independent columns, and the body inertia in every direction of S"
        ) from None
