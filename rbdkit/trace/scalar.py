"""Functions of one scalar that compute with floats, element by element with arrays of floats, and record with symbols.

So one text computes one state, a stack of states (structure of arrays), and is recorded. Sine, cosine and arctan2 of
NumPy may differ from those of the C library that floats take in the last digit; all else is equal bit by bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rbdkit.trace.graph import Condition, Scalar, SignedZero, Symbol


def sin(x: Scalar) -> Scalar:
    """Sine of an angle in rad."""
    return x.sin() if isinstance(x, Symbol) else np.sin(x) if isinstance(x, np.ndarray) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle in rad."""
    return x.cos() if isinstance(x, Symbol) else np.cos(x) if isinstance(x, np.ndarray) else math.cos(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return x.sqrt() if isinstance(x, Symbol) else np.sqrt(x) if isinstance(x, np.ndarray) else math.sqrt(x)


def divide(a: Scalar, b: Scalar) -> Scalar:
    """a / b as IEEE 754 has it: no exception where b is zero."""
    if _is_array(a, b):
        with np.errstate(divide="ignore", invalid="ignore"):
            return a / b
    try:
        return a / b
    except ZeroDivisionError:
        return a * math.copysign(math.inf, b)


def copysign(x: Any, y: Any) -> Scalar:
    """Return the absolute value of x with the sign of y, which may be a signed zero."""
    if _is_array(x, y):
        return np.copysign(x, y)
    y = y.sign if isinstance(y, SignedZero) else y
    if not isinstance(y, Symbol):
        return math.copysign(x, y) if not isinstance(x, Symbol) else x.graph.apply("copysign", x, math.copysign(1.0, y))
    return y.graph.apply("copysign", x if isinstance(x, Symbol) else abs(x), y)


def equal(a: Scalar, b: Scalar) -> bool | Symbol:
    """Whether two numbers are equal; use it in place of ``==``, which symbols refuse."""
    for x in (a, b):
        if isinstance(x, Symbol):
            return x.graph.apply("equal", a, b)
    return a == b


def select(condition: bool | Symbol, a: Scalar, b: Scalar) -> Scalar:
    """Return a where the condition (``x < y``, `equal`, ...) holds, else b. Both are computed, so neither may fail."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    return condition.graph.select(condition, a, b) if isinstance(condition, Symbol) else (a if condition else b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger of two numbers."""
    return select(a < b, b, a)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller of two numbers."""
    return select(b < a, b, a)


def holds(x: Any) -> Any:
    """Whether a condition holds; of a number, whether it is not zero."""
    if isinstance(x, np.ndarray):
        return x != 0.0
    if isinstance(x, Condition) or not isinstance(x, Symbol):
        return x if isinstance(x, Condition) else bool(x)
    return x.graph.opposite(equal(x, 0.0))


def both(x: Any, y: Any) -> Any:
    """Whether both hold, or are not zero."""
    if _graph_of(x, y):
        return _graph_of(x, y).both(holds(x), holds(y))
    return np.logical_and(x, y) if _is_array(x, y) else bool(x) and bool(y)


def either(x: Any, y: Any) -> Any:
    """Whether one of two holds, or is not zero, or both."""
    if _graph_of(x, y):
        return _graph_of(x, y).either(holds(x), holds(y))
    return np.logical_or(x, y) if _is_array(x, y) else bool(x) or bool(y)


def opposite(x: Any) -> Any:
    """Whether x does not hold, or is zero."""
    return x.graph.opposite(x) if isinstance(x, Symbol) else np.logical_not(x) if isinstance(x, np.ndarray) else not x


def _is_array(x: Scalar, y: Scalar) -> bool:
    return isinstance(x, np.ndarray) or isinstance(y, np.ndarray)


def _graph_of(*values: Any) -> Any:
    """Return the graph of the symbols among values."""
    return next((x.graph for x in values if isinstance(x, Symbol)), None)


def whole(x: Scalar) -> Scalar:
    """Return x rounded to the nearest whole number, ties to even, for \\|x\\| < 2**51.

    Adding 1.5 * 2**52 leaves no bits for a fraction, so the processor rounds.
    """
    shift = 6755399441055744.0  # 1.5 * 2**52
    return (x + shift) - shift


def nearest(x: Scalar) -> Scalar:
    """Return x rounded to the nearest whole number, ties to even; x itself from 2**51 on."""
    return select(abs(x) < 2.0**51, copysign(whole(x), x), x)


def polynomial(coefficients: Sequence[Scalar], x: Scalar) -> Scalar:
    """c[0] + c[1] x + c[2] x**2 + ... by Horner's rule."""
    value: Scalar = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * x + c
    return value


_ATAN_P = [-64.85021904942025, -122.88666844901361, -75.00855792314705, -16.157537187333652, -0.8750608600031904]
_ATAN_Q = [194.5506571482614, 485.3903996359137, 432.88106049129027, 165.02700983169885, 24.858464901423062, 1.0]
"""Coefficients of the rational approximation of atan in the Cephes library, \\|x\\| < 0.66; constant term first."""


def arctan2(y: Any, x: Any) -> Scalar:
    """Return the angle of the point (x, y) in (-pi, pi], rad, to 2 units of the last digit; 0 at the origin."""
    if _is_array(x, y):
        return np.arctan2(y, x)
    if not isinstance(x, Symbol) and not isinstance(y, Symbol):
        return math.atan2(y, x)
    wide, high = maximum(x, -x), maximum(y, -y)
    steep = high > wide
    larger, smaller = select(steep, high, wide), select(steep, wide, high)  # never the same: derivatives need both
    t = smaller / select(equal(larger, 0.0), 1.0, larger)
    beyond = t > 0.66
    z = select(beyond, (t - 1.0) / (t + 1.0), t)
    w = z * z
    angle = z + z * (w * polynomial(_ATAN_P, w) / polynomial(_ATAN_Q, w))
    angle = select(beyond, math.pi / 4.0 + (angle + 3.061616997868383e-17), angle)  # pi / 4 has more digits than that
    angle = select(steep, (math.pi / 2.0 - angle) + 6.123233995736766e-17, angle)
    angle = select(x < 0.0, (math.pi - angle) + 1.2246467991473532e-16, angle)
    return select(y < 0.0, -angle, angle)
