"""Products of sparse factors, and of H itself, with a vector (Featherstone 2008, Table 6.5).

Vectors may be stacks of columns, (n, m). With ``unit=True`` the diagonal of L is taken to be 1 whatever stands there,
as `ltdl` leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError


def multiply_L(
    L: NDArray,
    x: NDArray,
    lam: Sequence[int],
    unit: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Return y = L x. out : output array for y; it may be x itself."""
    y = room(L, x, out)
    for i in reversed(range(len(lam))):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = lam[i]
        while j >= 0:
            y[i] += L[i, j] * x[j]
            j = lam[j]
    return y


def multiply_LT(
    L: NDArray,
    x: NDArray,
    lam: Sequence[int],
    unit: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Return y = L^T x. out : output array for y; it may be x itself only if `unit`."""
    y = room(L, x, out)
    if not unit:
        keep_apart("multiply_LT", x, y)
    for i in range(len(lam)):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = lam[i]
        while j >= 0:
            y[j] += L[i, j] * x[i]
            j = lam[j]
    return y


def multiply_H(H: NDArray, x: NDArray, lam: Sequence[int], out: NDArray | None = None) -> NDArray:
    """Return y = H x from the lower triangle of H. out : output array for y, which must not be x."""
    y = room(H, x, out)
    keep_apart("multiply_H", x, y)
    for i in range(len(lam)):
        y[i] = H[i, i] * x[i]
    for i in reversed(range(len(lam))):
        j = lam[i]
        while j >= 0:
            y[i] += H[i, j] * x[j]
            y[j] += H[i, j] * x[i]
            j = lam[j]
    return y


def room(L: NDArray, x: NDArray, out: NDArray | None) -> NDArray:
    """Return the output array for a result of L and x: a new one, or `out` if its shape and type fit.

    Raises
    ------
    StateError
        If `out` has another shape than x, or a type that cannot hold the result.
    """
    dtype = np.result_type(L, x, float)
    if out is None:
        return np.empty(np.shape(x), dtype)
    if out.shape != np.shape(x) or not np.can_cast(dtype, out.dtype, "same_kind"):
        raise StateError(f"out is {out.dtype}{out.shape}, but the result needs {dtype}{np.shape(x)}")
    return out


def keep_apart(name: str, x: NDArray, y: NDArray) -> None:
    """Raise `StateError` if a product would overwrite the vector that it still reads."""
    if np.may_share_memory(x, y):
        raise StateError(f"{name} cannot put its result where x stands: give another array as out, or none")
