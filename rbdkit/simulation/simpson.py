"""Cumulative integration over recorded times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def integral(y: NDArray, t: NDArray) -> NDArray:
    """Integrate y (n,) from t[0] to every t (n,), by Simpson's rule for unequal intervals (Cartwright 2016).

    The area of each interval is that under the parabola through its ends and the next point, or the one before. SciPy's
    `cumulative_simpson` gives the same result, but takes longer to load and to call.
    """
    if not y.any():
        return np.zeros(len(y))
    h, whole = np.diff(t), np.zeros(len(y))
    if len(y) < 3:
        whole[1:] = np.cumsum(h * (y[1:] + y[:-1]) / 2.0)
        return whole
    parts, last = np.empty(len(h)), len(h) - 1
    first = slice(0, last, 2)  # the intervals that look ahead; the others, and the last one, look back
    parts[first] = _under_parabola(h[first], h[1::2], y[:-2:2], y[1:-1:2], y[2::2])
    parts[1::2] = _under_parabola(h[1::2], h[:-1:2], y[2::2], y[1:-1:2], y[:-2:2])
    parts[-1] = _under_parabola(h[-1], h[-2], y[-1], y[-2], y[-3])
    np.cumsum(parts, out=whole[1:])
    return whole


def _under_parabola(h: NDArray, beyond: NDArray, y0: NDArray, y1: NDArray, y2: NDArray) -> NDArray:
    """Return the area from y0 to y1, a distance h apart, under the parabola through y2, another distance beyond."""
    share = h / (h + beyond)
    bend = share * h / beyond
    return h / 6.0 * ((3.0 - share) * y0 + (3.0 + bend + share) * y1 - bend * y2)
