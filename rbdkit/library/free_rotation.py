"""The free rotation of a rigid body to more digits than floats have, to measure integrators against."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.library.ready import ready
from rbdkit.spatial.read_numbers import finite, numbers

Series = list[list[Decimal]]
"""Coefficients of the powers of time of Omega_1..3 and of the quaternion's four components."""

ORDER = 40
"""Of the Taylor series; with steps that keep the last terms below the digits asked for."""


@ready
def free_rotation(moments: ArrayLike, spin: ArrayLike, times: ArrayLike, digits: int = 30) -> tuple[NDArray, NDArray]:
    """Angular velocity and attitude of a body on which nothing acts, by Taylor series in decimal arithmetic.

    Close to an unstable rotation the rounding errors of floats grow by many orders of magnitude; those here are at
    10^-digits to begin with. A second of the tumbling box of `rbdkit.library.tumbling_box` takes about a second.

    Parameters
    ----------
    moments : array_like (3,)
        Principal moments of inertia, kg m^2.
    spin : array_like (3,)
        Angular velocity at t = 0, body axes, rad/s.
    times : array_like (n,)
        s, ascending, none before 0.
    digits : int, optional
        Of the arithmetic.

    Returns
    -------
    Omega : ndarray (n, 3)
        In body axes, rad/s.
    p : ndarray (n, 4)
        Unit quaternions, (1, 0, 0, 0) at t = 0; rounded to floats.

    Examples
    --------
    A ball turns steadily: half a turn in a second, at pi rad/s.

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> Omega, p = rbd.library.free_rotation([2.0, 2.0, 2.0], [0.0, 0.0, np.pi], [1.0])
    >>> p.round(12).tolist()
    [[0.0, 0.0, 0.0, 1.0]]
    """
    times = finite(times, "free_rotation: times = {} must be a sequence (s)".format)
    if times.ndim != 1 or np.any(np.diff(times, prepend=0.0) < 0.0):
        raise ModelError(f"times must be a sequence that ascends from 0 or later, not {times}")
    moments = numbers(moments, (3,), "free_rotation: moments = {} must be three moments of inertia (kg m2)".format)
    if not (moments > 0.0).all():
        raise ModelError(f"free_rotation: moments = {moments} must be three positive moments of inertia (kg m2)")
    spin = numbers(spin, (3,), "free_rotation: spin = {} must be an angular velocity (rad/s)".format)
    with localcontext() as context:
        context.prec = digits
        J = [Decimal(float(x)) for x in np.asarray(moments)]
        k = [(J[1] - J[2]) / J[0], (J[2] - J[0]) / J[1], (J[0] - J[1]) / J[2]]
        y = [Decimal(float(x)) for x in (*np.asarray(spin), 1.0, 0.0, 0.0, 0.0)]
        t, rows = Decimal(0), []
        series = _series(k, y)
        reach = _reach(series, digits)
        for end in (Decimal(float(x)) for x in times):
            while t + reach < end:
                y, t = [_horner(c, reach) for c in series], t + reach
                series = _series(k, y)
                reach = _reach(series, digits)
            rows.append([float(_horner(c, end - t)) for c in series])
    states = np.array(rows).reshape(-1, 7)
    return states[:, :3], states[:, 3:]


def _series(k: Sequence[Decimal], y: Sequence[Decimal]) -> Series:
    """Taylor coefficients of ``Omega_1' = k_1 Omega_2 Omega_3`` and its like and of ``p' = p (0, Omega)/2``."""
    series = [[value] for value in y]
    a, b, c, p0, p1, p2, p3 = series
    for n in range(ORDER):
        m, twice = Decimal(n + 1), Decimal(2 * n + 2)
        following = (
            k[0] * _product(b, c) / m,
            k[1] * _product(c, a) / m,
            k[2] * _product(a, b) / m,
            (-_product(p1, a) - _product(p2, b) - _product(p3, c)) / twice,
            (_product(p0, a) - _product(p3, b) + _product(p2, c)) / twice,
            (_product(p3, a) + _product(p0, b) - _product(p1, c)) / twice,
            (-_product(p2, a) + _product(p1, b) + _product(p0, c)) / twice,
        )
        for coefficients, value in zip(series, following, strict=True):
            coefficients.append(value)
    return series


def _product(f: Sequence[Decimal], g: Sequence[Decimal]) -> Decimal:
    """The last coefficient of the product of two series of equal length."""
    return sum((x * y for x, y in zip(f, reversed(g), strict=True)), Decimal(0))


def _reach(series: Series, digits: int) -> Decimal:
    """The step at which the last two terms are below the last digit of the largest component."""
    scale = max(abs(c[0]) for c in series)
    longest = min((scale / abs(c[n])).ln() / n if c[n] else Decimal(10) for c in series for n in (ORDER - 1, ORDER))
    return (longest - Decimal(digits) * Decimal(10).ln() / (ORDER - 1)).exp()


def _horner(coefficients: Sequence[Decimal], t: Decimal) -> Decimal:
    value = Decimal(0)
    for c in reversed(coefficients):
        value = c + t * value
    return value
