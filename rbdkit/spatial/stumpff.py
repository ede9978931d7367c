"""The scalar functions under the exponential map and its derivatives, accurate to a few ulp from 0 to 2 pi.

Every coefficient of SO(3) and SE(3) is one of the Stumpff functions of the angle t,

    c_k(t) = 1/k! - t^2/(k+2)! + t^4/(k+4)! - ...      c_1 = sin(t)/t,   c_2 = (1 - cos t)/t^2,

which obey c_k = 1/k! - t^2 c_(k+2).  Solved for c_(k+2) the rule gives the closed forms; these cancel when t is
small, so below `SWITCH` the series is summed instead.  The inverse Jacobians need one more function,
`half_cotangent`.  Functions take a float or an array of angles t >= 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SWITCH = 2.5  # rad; here the closed forms lose less than one digit and the series below still converge fast


def sinc(t: Any) -> Any:
    """c_1 = sin(t) / t."""
    if isinstance(t, float):
        return math.sin(t) / t if t else 1.0
    return np.sin(t) / np.where(t == 0.0, 1.0, t) + (t == 0.0)  # exact to rounding for the smallest t; only 0/0 is not


def versine(t: Any) -> Any:
    """c_2 = (1 - cos t) / t^2, from the half angle so that nothing cancels."""
    return 0.5 * sinc(0.5 * t) ** 2


def stumpff(k: int, t: Any) -> Any:
    """c_k(t) for k >= 1."""
    if k == 1:
        return sinc(t)
    if k == 2:
        return versine(t)
    return _switch(t, _STUMPFF_SERIES[k], lambda t: (1 / math.factorial(k - 2) - stumpff(k - 2, t)) / t**2)


def half_cotangent(t: Any) -> tuple[Any, Any]:
    """The pair d, e with (t/2) cot(t/2) = 1 - d t^2 and d = 1/12 + e t^2; infinite at t = 2 pi."""
    e = _switch(t, _COTANGENT_SERIES, lambda t: ((1 - 0.5 * t / np.tan(0.5 * t)) / t**2 - 1 / 12) / t**2)
    return 1 / 12 + e * t**2, e


def _switch(t: Any, series: Sequence[float], closed: Callable[[Any], Any]) -> Any:
    """The power series in t^2 below SWITCH, the closed form above it."""
    if isinstance(t, float):
        return _horner(series, t * t) if t < SWITCH else closed(t)
    small = t < SWITCH
    out = np.asarray(closed(np.where(small, SWITCH, t)))
    out[small] = _horner(series, t[small] ** 2)
    return out


def _horner(series: Sequence[float], x: Any) -> Any:
    value = series[-1]
    for coefficient in reversed(series[:-1]):
        value = coefficient + x * value
    return value


def _cotangent_series(terms: int) -> list[float]:
    """Coefficients b_2, b_3, ... of 1 - (t/2) cot(t/2) = b_1 t^2 + b_2 t^4 + ...

    With g = (t/2) cot(t/2), t g' = g - t^2/4 - g^2 gives (2n+1) b_n = sum_i b_i b_(n-i): positive terms only.
    """
    b = [0.0, 1 / 12]
    for n in range(2, terms + 2):
        b.append(sum(b[i] * b[n - i] for i in range(1, n)) / (2 * n + 1))
    return b[2:]


_STUMPFF_SERIES = {k: [(-1) ** n / math.factorial(2 * n + k) for n in range(14)] for k in (3, 4, 5)}
_COTANGENT_SERIES = _cotangent_series(22)
