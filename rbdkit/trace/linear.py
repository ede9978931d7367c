"""Small systems of linear equations on symbols: recorded versions of functions of `numpy.linalg`.

NumPy's own functions call LAPACK, which knows no symbols. Elimination recorded operation by operation grows with n^3,
and partial pivoting, which a recording cannot branch on, compares and selects every element of the rows that may be
exchanged. So these are meant for the few unknowns of a controller or a joint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.graph import Scalar, Symbol
from rbdkit.trace.scalar import select


def solve(A: NDArray, b: NDArray) -> NDArray:
    """Solve ``A x = b``, (..., n, n) and (n,) or (..., n, m), by elimination with partial pivoting (Golub and Van Loan,
    Algorithm 3.4.1).

    A recording cannot branch, so rows are exchanged by `select`, element by element: use it for few unknowns only.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not square, or singular whatever the values of its symbols.
    """
    A, b = np.asarray(A, dtype=object), np.asarray(b, dtype=object)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise np.linalg.LinAlgError(f"a matrix of shape {A.shape} is not square")
    if b.ndim == 1:
        return solve(A, b[:, None])[..., 0]
    lead = np.broadcast_shapes(A.shape[:-2], b.shape[:-2])
    A, b = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (A, b))
    if A.shape[-1] != b.shape[-2]:
        raise ValueError(f"{A.shape[-1]} equations have {b.shape[-2]} right-hand sides")
    found = np.empty(b.shape, dtype=object)
    for place in np.ndindex(lead):
        found[place] = _solved(A[place].tolist(), b[place].tolist())
    return found


def _solved(A: list[list[Scalar]], b: list[list[Scalar]]) -> list[list[Scalar]]:
    rows, n = [[*left, *right] for left, right in zip(A, b, strict=True)], len(A)
    for k in range(n):
        for i in range(k + 1, n):
            _exchange(rows, k, i)
        pivot = rows[k][k]
        if not isinstance(pivot, Symbol) and pivot == 0.0:
            raise np.linalg.LinAlgError("Singular matrix")
        for i in range(k + 1, n):
            factor = _by_pivot(rows[i][k], pivot)
            rows[i][k:] = [0.0, *(x - factor * y for x, y in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True))]
    for k in reversed(range(n)):
        for i in range(k + 1, n):
            rows[k][n:] = [x - rows[k][i] * y for x, y in zip(rows[k][n:], rows[i][n:], strict=True)]
        scale = _by_pivot(1.0, rows[k][k])  # one division for all right-hand sides, and for those of other calls
        rows[k][n:] = [x * scale for x in rows[k][n:]]
    return [row[n:] for row in rows]


def _by_pivot(x: Scalar, pivot: Scalar) -> Scalar:
    """Return x / pivot: a pivot that is zero means a singular matrix, whatever its sign."""
    found = x / pivot
    if isinstance(found, Symbol) and found.graph.nodes[found.position][0] == "div":
        found.graph.pivots.add(found.position)
    return found


def _exchange(rows: list[list[Scalar]], k: int, i: int) -> None:
    """Exchange rows k and i if element k of row i has the larger absolute value."""
    below, here = rows[i][k], rows[k][k]
    # a structural zero is never the larger one
    if not isinstance(below, Symbol) and below == 0.0:
        return
    larger = abs(below) > abs(here)
    rows[k], rows[i] = (
        [*rows[k][:k], *(select(larger, x, y) for x, y in zip(rows[i][k:], rows[k][k:], strict=True))],
        [*rows[i][:k], *(select(larger, y, x) for x, y in zip(rows[i][k:], rows[k][k:], strict=True))],
    )


def inverse(A: NDArray) -> NDArray:
    """Return the inverse of a matrix A (..., n, n)."""
    A = np.asarray(A, dtype=object)
    return solve(A, np.eye(A.shape[-1]))


def norm(x: NDArray, ord: int | None = None, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the Euclidean norm, of a matrix the Frobenius norm (if neither order nor axis is given).

    Raises
    ------
    TypeError
        For any other norm.
    """
    x = np.asarray(x, dtype=object)
    if ord not in (None, 2) or (ord == 2 and x.ndim > 1 and axis is None) or isinstance(axis, tuple):
        raise TypeError("of numpy.linalg.norm only the root of the sum of squares can be recorded")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


LINEAR: dict[Any, Callable[..., Any]] = {np.linalg.solve: solve, np.linalg.inv: inverse, np.linalg.norm: norm}
"""Functions of `numpy.linalg`, and their versions for symbols."""
