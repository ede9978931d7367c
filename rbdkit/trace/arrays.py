"""Arrays of symbols: what NumPy's functions do to them where its own loops would ask for values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.elementwise import ELEMENTWISE, interpolated
from rbdkit.trace.graph import Symbol
from rbdkit.trace.linear import LINEAR
from rbdkit.trace.scalar import select

REDUCTIONS = "maximum", "minimum", "logical_and", "logical_or"
"""Ufuncs that `numpy.max`, `min`, `all` and `any` go along an axis with."""

LONGEST_TABLE = 64
"""So many places of `numpy.interp` are compared with one by one."""


class Symbols(np.ndarray):
    """An object array of symbols and numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return apply(ufunc, method, *inputs, **options)

    def __array_function__(self, function: Callable[..., Any], types: Any, inputs: Any, options: Any) -> Any:
        if (own := told(function, inputs, options, known_alone=True)) is not NotImplemented:
            return own
        if getattr(function, "__module__", "").startswith("numpy.linalg"):
            known = ", ".join(f"numpy.linalg.{known.__name__}" for known in LINEAR)
            raise TypeError(f"numpy.linalg.{function.__name__} cannot be recorded; {known} can")
        arrays = [kind for kind in types if kind is not Symbol]
        return _told(super().__array_function__(function, arrays, inputs, options))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, list | tuple):
            value = symbols(value)
        super().__setitem__(key, value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value)


def told(function: Any, inputs: Any, options: Any, known_alone: bool = False) -> Any:
    """What a function of NumPy is on symbols, told by others than ufuncs; else as it stands, or NotImplemented."""
    if function is np.where and len(inputs) == 3:
        return _each(select, inputs)
    if function is np.select:
        return _chosen(*inputs, **options)
    if function is np.interp and len(inputs) == 3 and not options:
        return _looked_up(*inputs)
    if function in LINEAR:
        return _told(LINEAR[function](*inputs, **options))
    return NotImplemented if known_alone else function._implementation(*inputs, **options)


def _chosen(conditions: Any, choices: Any, default: Any = 0.0) -> Any:
    """`numpy.select`: the choice of the first condition that holds."""
    found = default
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = _each(select, (condition, choice, found))
    return found


def _looked_up(x: Any, places: Any, values: Any) -> Any:
    """`numpy.interp`."""
    if symbolic(places) is not None or len(places) > LONGEST_TABLE:
        raise TypeError(f"numpy.interp is recorded for at most {LONGEST_TABLE} places, which are known")
    known, heights = np.asarray(places, dtype=float).tolist(), np.asarray(values, dtype=object).tolist()
    if len(known) != len(heights):
        raise TypeError(f"numpy.interp takes a value for each place, and there are {len(heights)} for {len(known)}")
    return _each(lambda one: interpolated(one, known, heights), (x,))


def symbols(values: Any) -> Symbols:
    """An array of symbols and numbers."""
    array = np.asarray(values, dtype=object)
    if any(isinstance(x, np.ndarray) for x in array.flat):  # an array without axes stands for its element
        elements = [x.item() if isinstance(x, np.ndarray) else x for x in array.flat]
        flat = np.empty(len(elements), dtype=object)
        flat[:] = elements
        array = flat.reshape(array.shape)
    return array.view(Symbols)


def symbolic(values: Any) -> Symbols | None:
    """The values as an array of symbols and numbers, if there are symbols among them."""
    if type(values) is Symbols:
        return values
    if isinstance(values, np.ndarray):
        found = values.dtype == object and any(isinstance(x, Symbol) for x in values.flat)
    else:
        found = isinstance(values, list | tuple) and any(
            isinstance(x, Symbol) or symbolic(x) is not None for x in values
        )
    return symbols(np.array(values, dtype=object)) if found else None


def apply(ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """A ufunc on symbols and arrays of them."""
    if method == "__call__" and ufunc.__name__ in ELEMENTWISE:
        result = _each(ELEMENTWISE[ufunc.__name__], inputs)
        for out in options.get("out", ()):
            out[...] = result
        return result
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        return _reduced(ELEMENTWISE[ufunc.__name__], *inputs, **options)
    if "out" in options:
        options["out"] = tuple(_plain(x) for x in options["out"])
    return _told(getattr(ufunc, method)(*(_plain(x) for x in inputs), **options))


def _reduced(function: Callable[..., Any], array: Any, axis: Any = 0, keepdims: bool = False, **options: Any) -> Any:
    """All elements along an axis in one."""
    unknown = [name for name, value in options.items() if name != "dtype" and value is not None and value is not True]
    if unknown:
        raise TypeError(f"largest and smallest symbols are found along an axis alone, not with {', '.join(unknown)}")
    found = _plain(array)
    if axis is None:
        found, axis = found.ravel(), 0
    return _told(np.frompyfunc(function, 2, 1).reduce(found, axis=axis, keepdims=keepdims))


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
