"""What NumPy's ufuncs are on one scalar, by their names; for all others NumPy calls the operators of `Symbol`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rbdkit.trace.exponentials import (
    arccosh,
    arcsinh,
    arctanh,
    cbrt,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    power,
    sinh,
    tanh,
)
from rbdkit.trace.graph import Scalar, Symbol
from rbdkit.trace.scalar import arctan2, cos, equal, maximum, minimum, select, sin, sqrt, whole


def floor(x: Scalar) -> Scalar:
    """The largest whole number that is not larger."""
    nearest = whole(x)
    return select(x < nearest, nearest - 1.0, nearest)


def trunc(x: Scalar) -> Scalar:
    """The nearest whole number towards zero."""
    return select(x < 0.0, -floor(-x), floor(x))


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """What floor division leaves, with the sign of y."""
    return x - y * floor(x / y)


def copysign(x: Scalar, y: Scalar) -> Scalar:
    """The size of x with the sign of y, of which -0.0 has none."""
    return select(y < 0.0, -abs(x), abs(x))


def heaviside(x: Scalar, at_zero: Scalar) -> Scalar:
    """The unit step."""
    return select(x < 0.0, 0.0, select(equal(x, 0.0), at_zero, 1.0))


def logaddexp(x: Scalar, y: Scalar) -> Scalar:
    """log(e^x + e^y): the larger of two, made smooth."""
    return maximum(x, y) + log1p(exp(-abs(x - y)))


def differ(x: Any, y: Any) -> Any:
    """Whether two numbers are not the same."""
    same = equal(x, y)
    return ~same if isinstance(same, Symbol) else not same


def interpolated(x: Scalar, places: Sequence[float], values: Sequence[Scalar]) -> Scalar:
    """`numpy.interp` at one place: on straight lines between values, constant beyond the first and the last."""
    found: Scalar = values[-1]
    for k in range(len(places) - 2, -1, -1):
        step = places[k + 1] - places[k]
        slope = (values[k + 1] - values[k]) / step if step > 0.0 else 0.0
        found = select(x < places[k + 1], values[k] + slope * (x - places[k]), found)
    return select(x < places[0], values[0], found)


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "less": operator.lt, "greater": operator.gt, "less_equal": operator.le, "greater_equal": operator.ge,
    "equal": equal, "not_equal": differ, "maximum": maximum, "minimum": minimum, "fmax": maximum, "fmin": minimum,
    "logical_and": lambda x, y: x & y, "logical_or": lambda x, y: x | y, "logical_not": lambda x: ~x,
    "logical_xor": lambda x, y: differ(select(x, 1.0, 0.0), select(y, 1.0, 0.0)),
    "clip": lambda x, low, high: minimum(maximum(x, low), high), "fabs": abs, "heaviside": heaviside,
    "sign": lambda x: select(x < 0.0, -1.0, select(x > 0.0, 1.0, 0.0)), "copysign": copysign,
    "floor": floor, "ceil": lambda x: -floor(-x), "trunc": trunc, "rint": whole, "remainder": remainder,
    "fmod": lambda x, y: x - y * trunc(x / y), "floor_divide": lambda x, y: floor(x / y),
    "sin": sin, "cos": cos, "tan": lambda x: sin(x) / cos(x), "arctan2": arctan2, "arctan": lambda x: arctan2(x, 1.0),
    "arcsin": lambda x: arctan2(x, sqrt(1.0 - x * x)), "arccos": lambda x: arctan2(sqrt(1.0 - x * x), x),
    "deg2rad": lambda x: x * (math.pi / 180.0), "radians": lambda x: x * (math.pi / 180.0),
    "rad2deg": lambda x: x * (180.0 / math.pi), "degrees": lambda x: x * (180.0 / math.pi),
    "sqrt": sqrt, "cbrt": cbrt, "hypot": lambda x, y: sqrt(x * x + y * y), "power": power, "float_power": power,
    "exp": exp, "exp2": lambda x: power(2.0, x), "expm1": expm1, "logaddexp": logaddexp,
    "log": log, "log1p": log1p, "log2": lambda x: log(x) / math.log(2.0), "log10": lambda x: log(x) / math.log(10.0),
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "arcsinh": arcsinh, "arccosh": arccosh, "arctanh": arctanh,
}  # fmt: skip
