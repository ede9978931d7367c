"""Functions of one scalar that compute with floats and record with symbols."""

from __future__ import annotations

import math

from rbdkit.trace.graph import Scalar, Symbol


def sin(x: Scalar) -> Scalar:
    """Sine of an angle in rad."""
    return x.sin() if isinstance(x, Symbol) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle in rad."""
    return x.cos() if isinstance(x, Symbol) else math.cos(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return x.sqrt() if isinstance(x, Symbol) else math.sqrt(x)


def equal(a: Scalar, b: Scalar) -> bool | Symbol:
    """Whether two numbers are the same; ``==`` on symbols asks whether they are the same symbol."""
    for x in (a, b):
        if isinstance(x, Symbol):
            return x.graph.apply("equal", a, b)
    return a == b


def select(condition: bool | Symbol, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition (``x < y``, ``x > y``, `equal`) holds, else b. Both are computed, so neither may fail."""
    return condition.graph.select(condition, a, b) if isinstance(condition, Symbol) else (a if condition else b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers."""
    return select(a < b, b, a)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two numbers."""
    return select(b < a, b, a)


def whole(x: Scalar) -> Scalar:
    """The whole number nearest to x, ties to even, for \\|x\\| < 2**51: the sum has no room for a fraction."""
    shift = 6755399441055744.0  # 1.5 * 2**52
    return (x + shift) - shift


def polynomial(coefficients: list[float], x: Scalar) -> Scalar:
    """c[0] + c[1] x + c[2] x**2 + ... by Horner's rule."""
    value: Scalar = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * x + c
    return value
