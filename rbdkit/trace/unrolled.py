"""Newton's corrections in straight-line code: derivatives of residuals on the graph, and elimination in order."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.trace.chain_rule import tangents
from rbdkit.trace.graph import Scalar, Symbol


def derivatives(z: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return the derivatives of residuals with respect to the symbols z, by rows."""
    symbols = [x for x in z if isinstance(x, Symbol)]
    graph = symbols[0].graph
    outputs = [graph.position(r) for r in residuals]
    return [list(row) for row in zip(*(tangents(graph, outputs, {x.position: 1.0}) for x in symbols), strict=True)]


def solution(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """Solve A x = b, overwriting both, by elimination without pivoting; constant zeros of A cost nothing."""
    n = len(b)
    for k in range(n):
        pivot = 1.0 / A[k][k]
        for i in range(k + 1, n):
            if isinstance(A[i][k], float):  # a constant, and then it is zero
                continue
            factor = A[i][k] * pivot
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - factor * A[k][j]
            b[i] = b[i] - factor * b[k]
    x: list[Scalar] = [0.0 for _ in b]
    for k in reversed(range(n)):
        left = b[k]
        for j in range(k + 1, n):
            left = left - A[k][j] * x[j]
        x[k] = left / A[k][k]
    return x
