"""NumPy's ufuncs for one scalar (float or symbol), by name in `ELEMENTWISE`.

Those that are not listed, such as ``add``, NumPy computes on object arrays through the operators of `Symbol`. All
functions are branch-free (both sides of a `select` are computed), and agree with NumPy for NaN, infinite values and
signed zeros.
"""

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
from rbdkit.trace.graph import Condition, Graph, Scalar, Symbol
from rbdkit.trace.scalar import (
    arctan2,
    both,
    copysign,
    cos,
    divide,
    either,
    equal,
    holds,
    nearest,
    opposite,
    select,
    sin,
    sqrt,
)


def floor(x: Scalar) -> Scalar:
    """Return the largest whole number that is not larger than x."""
    close = nearest(x)
    return select(x < close, close - 1.0, close)


def ceil(x: Scalar) -> Scalar:
    """Return the smallest whole number that is not smaller than x."""
    close = nearest(x)
    return copysign(select(close < x, close + 1.0, close), x)  # -0 for -0.7


def trunc(x: Scalar) -> Scalar:
    """Return x without its fraction."""
    return copysign(floor(abs(x)), x)


STAGE = 2.0**25
"""Bound of the quotient in one stage of `fmod`: the product of a smaller whole number with half of the digits of a
divisor is exact in double precision."""


def fmod(x: Scalar, y: Scalar) -> Scalar:
    """Return the remainder of truncated division, with the sign of x, exact as in C; NaN for quotients above 2^50.

    Raises
    ------
    TypeError
        If both may be whole numbers of NumPy, whose quotients by 0 are 0.
    """
    graph = next((z.graph for z in (x, y) if isinstance(z, Symbol)), None)
    by_zero = isinstance(y, Symbol) or y == 0.0
    if by_zero and graph is not None and graph.exact and all(_may_be_counted(z, graph) for z in (x, y)):
        raise TypeError("whole numbers that are divided by one that may be 0, as counts and conditions are")
    size, step = abs(x), abs(y)
    far = equal(step, math.inf)
    known = select(far, 1.0, step)
    # two stages with quotients up to 2^25 each, so up to 2^50 together
    left = _left_over(_left_over(size, known * STAGE), known)
    left = select(size < known * STAGE * STAGE, left, math.nan)
    return copysign(select(either(less(size, step), far), size * select(equal(size, math.inf), math.nan, 1.0), left), x)


def _may_be_counted(x: Scalar, graph: Graph) -> bool:
    """Whether a number is computed from whole numbers and conditions alone, so that NumPy may hold it as an integer."""
    if not isinstance(x, Symbol):
        return float(x).is_integer()
    operation, *operands = graph.nodes[x.position]
    if operation == "const":
        return float(operands[0]).is_integer()
    if operation not in ("select", "add", "sub", "mul", "neg", "copysign"):
        return False
    return all(_may_be_counted(Symbol(graph, k), graph) for k in operands[operation == "select" :])


def is_float(x: Any) -> bool:
    """Whether NumPy certainly holds a number as a float, and a whole number beside it as one, too."""
    if isinstance(x, Symbol):
        return x.graph.exact and not isinstance(x, Condition) and not _may_be_counted(x, x.graph)
    return isinstance(x, float)


def reciprocal(x: Scalar) -> Scalar:
    """Return 1 / x.

    Raises
    ------
    TypeError
        If x may be a whole number of NumPy, whose reciprocal is a whole number, too: 0 for 3.
    """
    if isinstance(x, Symbol) and x.graph.exact and _may_be_counted(x, x.graph):
        raise TypeError(
            "numpy.reciprocal of what may be a whole number, as counts are, is a whole number; write 1.0 / x"
        )
    return 1.0 / x


def _left_over(x: Scalar, y: Scalar) -> Scalar:
    """Return x - n y with n = floor(x / y), for x, y >= 0 and n up to `STAGE`, without rounding error.

    The divisor is split into halves of its digits (Veltkamp splitting), whose products with n are exact. So fused and
    separate multiplications and additions give the same result.
    """
    n = floor(x / y)
    high = (y + y * 2.0**27) - y * 2.0**27
    left = (x - n * high) - n * (y - high)
    left = select(left < 0.0, left + y, left)  # the quotient was rounded up to a whole number, or down
    return select(left < y, left, left - y)


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """Return the remainder of floor division, with the sign of y."""
    left = fmod(x, y)
    crossed = differ(less(left, 0.0), less(y, 0.0))
    return select(equal(left, 0.0), copysign(0.0, y), select(crossed, left + y, left))


def floor_divide(x: Scalar, y: Scalar) -> Scalar:
    """Return the quotient of floor division, the one that belongs to `remainder`."""
    left = fmod(x, y)
    crossed = both(differ(less(left, 0.0), less(y, 0.0)), differ(left, 0.0))
    by = select(equal(y, 0.0), 1.0, y)
    # x - left is a multiple of y but for rounding, which `nearest` removes
    whole_part = nearest((x - left) / by) - select(crossed, 1.0, 0.0)
    whole_part = select(equal(whole_part, 0.0), copysign(0.0, x / by), whole_part)
    return select(equal(y, 0.0), divide(x, y), whole_part)


def heaviside(x: Scalar, at_zero: Scalar) -> Scalar:
    """Return the unit step: 0 below zero, `at_zero` at zero, 1 above."""
    return select(less(x, 0.0), 0.0, select(equal(x, 0.0), at_zero, select(less(0.0, x), 1.0, x)))


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1 by the sign of x, NaN for NaN."""
    return select(x < 0.0, -1.0, select(x > 0.0, 1.0, select(equal(x, 0.0), 0.0, x)))


def logaddexp(x: Scalar, y: Scalar) -> Scalar:
    """Return log(e^x + e^y), a smooth maximum, without overflow."""
    same = equal(x, y)  # infinite ones have no difference
    return larger(x, y) + select(same, math.log(2.0), log1p(exp(-abs(select(same, 0.0, x - y)))))


def differ(x: Any, y: Any) -> Any:
    """Whether two numbers differ."""
    return opposite(equal(x, y))


def less(x: Any, y: Any) -> Any:
    """Whether x is less than y."""
    return x < y


def is_nan(x: Any) -> Any:
    """Whether x is NaN."""
    return differ(x, x)


def larger(x: Scalar, y: Scalar) -> Scalar:
    """Return the larger of two numbers, or NaN if one of them is NaN (which `scalar.maximum` does not check)."""
    x, y = (x, y) if isinstance(x, Symbol) else (y, x)  # only y is checked for NaN; a constant is checked for free
    return select(either(less(x, y), is_nan(y)), y, x)


def smaller(x: Scalar, y: Scalar) -> Scalar:
    """Return the smaller of two numbers, or NaN if one of them is NaN."""
    x, y = (x, y) if isinstance(x, Symbol) else (y, x)
    return select(either(less(y, x), is_nan(y)), y, x)


def angle(y: Scalar, x: Scalar) -> Scalar:
    """Return `numpy.arctan2`: that of `scalar`, with C's rules for signed zeros and infinite arguments."""
    high, wide = abs(y), abs(x)
    far = both(equal(high, math.inf), equal(wide, math.inf))
    found = arctan2(select(far, 1.0, high), select(far, 1.0, wide))
    # x = -0 counts as negative, too
    back = less(copysign(1.0, x), 0.0)
    return copysign(select(back, (math.pi - found) + 1.2246467991473532e-16, found), y)


def hypot(x: Scalar, y: Scalar) -> Scalar:
    """Return the root of x^2 + y^2, scaled so that the squares neither overflow nor underflow."""
    size = larger(abs(x), abs(y))
    scale = select(size > 2.0**500, 2.0**-600, select(size < 2.0**-450, 2.0**600, 1.0))
    a, b = x * scale, y * scale
    far = either(equal(abs(x), math.inf), equal(abs(y), math.inf))
    return select(far, math.inf, sqrt(a * a + b * b) / scale)


def interpolated(x: Scalar, places: Sequence[float], values: Sequence[Scalar]) -> Scalar:
    """Interpolate linearly between values, as `numpy.interp`: constant before the first place and after the last."""
    found: Scalar = values[-1]
    # built from the last interval on, so that the outermost condition is that of the first one
    for k in range(len(places) - 2, -1, -1):
        step = places[k + 1] - places[k]
        slope = (values[k + 1] - values[k]) / step if step > 0.0 else 0.0
        found = select(x < places[k + 1], values[k] + slope * (x - places[k]), found)
    return select(is_nan(x), x, select(x < places[0], values[0], found))


def _near_zero(function: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
    """Wrap a function with f(x) ~ x at 0, so that in `exact` graphs it keeps the sign of a zero."""

    def one(x: Scalar) -> Scalar:
        found = function(x)
        return select(equal(x, 0.0), x, found) if isinstance(x, Symbol) and x.graph.exact else found

    return one


LIKE_X = {
    "sin": sin, "tan": lambda x: sin(x) / cos(x), "arctan": lambda x: arctan2(x, 1.0),
    "arcsin": lambda x: arctan2(x, sqrt((1.0 - x) * (1.0 + x))), "sinh": sinh, "tanh": tanh, "arcsinh": arcsinh,
    "arctanh": arctanh, "expm1": expm1, "log1p": log1p,
}  # fmt: skip
"""Functions with f(x) ~ x at 0, which return signed zeros unchanged."""
ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "less": operator.lt, "greater": operator.gt, "less_equal": operator.le, "greater_equal": operator.ge,
    "equal": equal, "not_equal": differ, "maximum": larger, "minimum": smaller,
    "fmax": lambda x, y: select(either(less(x, y), is_nan(x)), y, x),
    "fmin": lambda x, y: select(either(less(y, x), is_nan(x)), y, x),
    "isnan": is_nan, "isinf": lambda x: equal(abs(x), math.inf), "isfinite": lambda x: abs(x) < math.inf,
    "signbit": lambda x: copysign(1.0, x) < 0.0,
    "logical_and": both, "logical_or": either, "logical_not": opposite,
    "logical_xor": lambda x, y: differ(holds(x), holds(y)),
    "clip": lambda x, low, high: smaller(larger(x, low), high), "fabs": abs, "heaviside": heaviside,
    "conjugate": lambda x: x, "sign": sign, "copysign": copysign,
    "floor": floor, "ceil": ceil, "trunc": trunc, "rint": nearest, "remainder": remainder,
    "fmod": fmod, "floor_divide": floor_divide,
    **{name: _near_zero(function) for name, function in LIKE_X.items()}, "cos": cos, "arctan2": angle,
    "arccos": lambda x: arctan2(sqrt((1.0 - x) * (1.0 + x)), x),
    "deg2rad": lambda x: x * (math.pi / 180.0), "radians": lambda x: x * (math.pi / 180.0),
    "rad2deg": lambda x: x * (180.0 / math.pi), "degrees": lambda x: x * (180.0 / math.pi),
    "reciprocal": reciprocal, "square": lambda x: x * x,
    "sqrt": sqrt, "cbrt": cbrt, "hypot": hypot, "power": power, "float_power": power,
    "exp": exp, "exp2": lambda x: power(2.0, x), "logaddexp": logaddexp,
    "log": log, "log2": lambda x: log(x) / math.log(2.0), "log10": lambda x: log(x) / math.log(10.0),
    "cosh": cosh, "arccosh": arccosh,
}  # fmt: skip
