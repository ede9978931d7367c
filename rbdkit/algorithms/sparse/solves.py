"""Solutions with sparse factors (Featherstone 2008, Table 6.5); stacks of columns and ``unit`` as in `products`."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from rbdkit.algorithms.sparse.products import room


def solve_L(
    L: NDArray,
    x: NDArray,
    lam: Sequence[int],
    unit: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Return L^-1 x. out : output array; with ``out=x`` nothing is copied."""
    x = in_place(L, x, out)
    for i in range(len(lam)):
        j = lam[i]
        while j >= 0:
            x[i] -= L[i, j] * x[j]
            j = lam[j]
        if not unit:
            x[i] /= L[i, i]
    return x


def solve_LT(
    L: NDArray,
    x: NDArray,
    lam: Sequence[int],
    unit: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Return L^-T x. out : output array; with ``out=x`` nothing is copied."""
    x = in_place(L, x, out)
    for i in reversed(range(len(lam))):
        if not unit:
            x[i] /= L[i, i]
        j = lam[i]
        while j >= 0:
            x[j] -= L[i, j] * x[i]
            j = lam[j]
    return x


def solve_LTL(L: NDArray, tau: NDArray, lam: Sequence[int]) -> NDArray:
    """Return H^-1 tau with the L of `ltl`: back-substitution, first L^-T, then L^-1."""
    y = solve_LT(L, tau, lam)
    return solve_L(L, y, lam, out=y)


def solve_LTDL(LD: NDArray, tau: NDArray, lam: Sequence[int]) -> NDArray:
    """Return H^-1 tau with the factors of `ltdl`."""
    y = solve_LT(LD, tau, lam, unit=True)
    for i in range(len(lam)):
        y[i] /= LD[i, i]
    return solve_L(LD, y, lam, unit=True, out=y)


def in_place(L: NDArray, x: NDArray, out: NDArray | None) -> NDArray:
    """Return the array that a solution overwrites: a copy of x, or `out` filled with x."""
    y = room(L, x, out)
    if y is not x:
        y[...] = x
    return y
