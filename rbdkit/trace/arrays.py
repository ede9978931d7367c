"""Arrays of symbols: what NumPy's functions do to them where its own loops would ask for values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.graph import Symbol
from rbdkit.trace.scalar import arctan2, equal, maximum, minimum, select

ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "less": operator.lt, "greater": operator.gt, "less_equal": operator.le, "greater_equal": operator.ge,
    "equal": equal, "maximum": maximum, "minimum": minimum,
    "arctan2": arctan2, "arctan": lambda x: arctan2(x, 1.0),
    "clip": lambda x, low, high: minimum(maximum(x, low), high),
    "sign": lambda x: select(x < 0.0, -1.0, select(x > 0.0, 1.0, 0.0)),
}  # fmt: skip
"""By the name of the ufunc; for all others NumPy calls the operators and methods of `Symbol`."""


class Symbols(np.ndarray):
    """An object array of symbols and numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return apply(ufunc, method, *inputs, **options)

    def __array_function__(self, function: Callable[..., Any], types: Any, inputs: Any, options: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            return _each(select, inputs)
        return super().__array_function__(function, types, inputs, options)


def symbols(values: Any) -> Symbols:
    """An array of symbols and numbers."""
    return np.asarray(values, dtype=object).view(Symbols)


def apply(ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """A ufunc on symbols and arrays of them."""
    if method == "__call__" and ufunc.__name__ in ELEMENTWISE:
        return _each(ELEMENTWISE[ufunc.__name__], inputs)
    if "out" in options:
        options["out"] = tuple(_plain(x) for x in options["out"])
    return _told(getattr(ufunc, method)(*(_plain(x) for x in inputs), **options))


def _each(function: Callable[..., Any], inputs: Any) -> Any:
    return _told(np.frompyfunc(function, len(inputs), 1)(*(_plain(x) for x in inputs)))


def _plain(x: Any) -> Any:
    """The same as an array that NumPy treats like any other."""
    if isinstance(x, Symbol):
        box: NDArray = np.empty((), dtype=object)
        box[()] = x
        return box
    return x.view(np.ndarray) if isinstance(x, Symbols) else x


def _told(result: Any) -> Any:
    """A result, as an array of symbols if it is one."""
    return result.view(Symbols) if isinstance(result, np.ndarray) and result.dtype == object else result
