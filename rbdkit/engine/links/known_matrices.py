"""Symbolic 6x6 matrices known to be transforms or inertias, so that their products cost as few operations as possible.

A user's algorithm is written with NumPy matrices: ``X @ v`` takes 36 products, and ``X.T @ I @ X`` 432. While it is
traced, any array with exactly the elements of a known matrix is taken for that matrix, and its product is computed by
the typed values of `rbdkit.spatial.compact`. The result has the same elements, so any other code that reads it is
right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.compact import abi, fv, mv, plx, rbi
from rbdkit.trace import Symbol, roomy

SIX = (6, 6)


class KnownMatrices:
    """The known matrices of one trace, looked up by their elements."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[str, Any]] = {}

    def transform(self, X: plx) -> NDArray:
        """Return a transform as the matrix X; X, its transpose and the force transform X* become known."""
        matrix = roomy(X.rows())
        # X* has the same blocks as X, with the lower left one at the upper right
        force = roomy(np.zeros(SIX))
        force[:3, :3] = force[3:, 3:] = matrix[:3, :3]
        force[:3, 3:] = matrix[3:, :3]
        for found, kind in ((matrix, "X"), (matrix.T, "X.T"), (force, "X*")):
            self._known.setdefault(_key(found), (kind, X))
        return matrix

    def inertia(self, I: rbi | abi) -> NDArray:
        """Return an inertia as a matrix, which becomes known."""
        matrix = roomy(I.rows())
        self._known.setdefault(_key(matrix), ("I", I))
        return matrix

    def result(self, ufunc: np.ufunc, a: Any, b: Any) -> NDArray | None:
        """Return ``a @ b``, ``a + b`` or ``a - b`` for a known matrix a; None where NumPy's own rule applies."""
        if np.shape(a) != SIX or (found := self._known.get(_key(a))) is None:
            return None
        kind, A = found
        if ufunc is not np.matmul:
            return self._sum(ufunc, A, b) if kind == "I" and np.shape(b) == SIX else None
        if np.shape(b) == SIX and (other := self._known.get(_key(b))) is not None:
            product = self._of_two(kind, A, *other)
            if product is not None:
                return product
        if np.ndim(b) == 1:
            return roomy(_times(kind, A, list(b)))
        columns = np.asarray(b, dtype=object).T
        return roomy(np.array([_times(kind, A, list(column)) for column in columns], dtype=object).reshape(-1, 6).T)

    def _of_two(self, kind: str, A: Any, other: str, B: Any) -> NDArray | None:
        """Return the product of two known matrices if it is a known one, else None."""
        if (kind, other) == ("X", "X"):
            return self.transform(A @ B)
        if (kind, other) == ("X.T", "I"):
            half = roomy(np.array([_times("X.T", A, column) for column in B.rows()], dtype=object).T)
            self._known.setdefault(_key(half), ("X.T I", (A, B)))
            return half
        # X.T I X of one and the same X is an inertia again; of two different ones it is any matrix
        if (kind, other) == ("X.T I", "X") and _key(A[0].flat()) == _key(B.flat()):
            return self.inertia(B.inv_apply(A[1]))
        return None

    def _sum(self, ufunc: np.ufunc, A: rbi | abi, b: Any) -> NDArray | None:
        """Return the sum of inertias, or of one and another matrix taken for symmetric by its lower triangle.

        Symmetry is not checked here: a trace is compared with the function itself before it is used.
        """
        other = self._known.get(_key(b))
        if ufunc is np.add and other is not None and other[0] == "I":
            return self.inertia(A + other[1])
        rows, given = A.rows(), np.asarray(b, dtype=object)
        if any(isinstance(x, Symbol) for x in given.flat):
            sign = 1.0 if ufunc is np.add else -1.0
            lower = [[rows[i][j] + sign * given[max(i, j), min(i, j)] for j in range(6)] for i in range(6)]
            return self.inertia(abi.of_rows(lower))
        return None


def _times(kind: str, A: Any, x: list[Any]) -> list[Any]:
    """Multiply a known matrix by six numbers; a transform takes them as motion or force alike."""
    match kind:
        case "X":
            return A.apply(mv.of(x)).flat()
        case "X.T":
            return A.inv_apply(fv.of(x)).flat()
        case "X*":
            return A.apply(fv.of(x)).flat()
        case "X.T I":
            X, I = A
            return X.inv_apply(I @ mv.of(x)).flat()
    return (A @ mv.of(x)).flat()


def _key(matrix: Any) -> tuple[Any, ...]:
    """Return the lookup key of a matrix: its numbers, and the graph nodes of its symbols."""
    flat = matrix.ravel().tolist() if isinstance(matrix, np.ndarray) else matrix
    return tuple(("node", x.position) if isinstance(x, Symbol) else x for x in flat)
