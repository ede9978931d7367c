"""Arrays of symbols, and NumPy functions on them.

`Symbols` is an object array whose elements are symbols, conditions and floats. NumPy calls the operators of `Symbol`
for plain arithmetic; functions that would need a value (``sin``, ``where``, ``maximum``, ``linalg.solve``, ``interp``)
are replaced through the protocols ``__array_ufunc__`` and ``__array_function__`` (NEP 13 and NEP 18) by versions that
record branch-free code. An array holds numbers or conditions, never both: mixed ones become numbers, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.elementwise import ELEMENTWISE, interpolated, is_float
from rbdkit.trace.graph import TRUTHS, Condition, SignedZero, Symbol, of_conditions
from rbdkit.trace.linear import LINEAR
from rbdkit.trace.scalar import equal, holds, opposite, select

REDUCTIONS = "maximum", "minimum", "logical_and", "logical_or"
"""Ufuncs behind the reductions `numpy.max`, `min`, `all` and `any`."""

SCALING = np.dot, np.inner
"""Functions that multiply, and add nothing to 0, where one of their operands has a single element."""
SUMS = (*SCALING, np.convolve, np.correlate)
"""Functions whose results are sums of products that begin at 0."""
SUMMING = "matmul", "matvec", "vecmat", "vecdot"
"""Ufuncs whose results are sums of products that begin at 0."""

LIKE = np.zeros_like, np.ones_like, np.full_like, np.empty_like
LARGEST = float(np.finfo(float).max)
LONGEST_TABLE = 64
"""Largest table that `numpy.interp` is recorded for: the argument is compared with each of its places."""


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
        found = _told(super().__array_function__(function, arrays, inputs, options))
        if function in SUMS and _are_truths(*inputs[:2]):
            return _each(holds, (found,))
        if function in SUMS and not (function in SCALING and any(np.size(x) == 1 for x in inputs[:2])):
            return _from_zero(found)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, list | tuple):
            value = symbols(value)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if self.size and isinstance(self.flat[0], Condition):
            value = _each(holds, (value,))
        # an array of numbers takes conditions as 1 and 0, as NumPy's float arrays do
        elif isinstance(value, Condition | np.ndarray):
            value = as_numbers(value)
        super().__setitem__(key, value)

    def dot(self, other: Any, out: Any = None) -> Any:
        """Return `numpy.dot`, to which NumPy's own method does not come."""
        return np.dot(self, other, out)

    def astype(self, dtype: Any, *given: Any, **options: Any) -> Any:
        """Convert conditions to numbers (float64, int64) or numbers to conditions (bool); else as in NumPy."""
        kind = np.dtype(dtype)
        conditions = all(isinstance(x, TRUTHS) for x in self.flat)
        if kind == np.float64 or (conditions and kind == np.int64):
            return as_numbers(self.copy())
        return _each(holds, (self,)) if kind == np.bool_ else super().astype(dtype, *given, **options)


def told(function: Any, inputs: Any, options: Any, known_alone: bool = False) -> Any:
    """Call a NumPy function that is no ufunc on symbols.

    A function without a version for symbols runs as NumPy wrote it, on object arrays; with `known_alone`, the result is
    NotImplemented instead.
    """
    if function is np.where and len(inputs) == 3:
        condition, *choices = inputs
        values = [x for choice in choices for x in np.asarray(choice, dtype=object).flat]
        if not all(isinstance(x, TRUTHS) for x in values):  # also where it is known which one it is
            floats = any(map(is_float, values))
            choices = [_each(_as_float, (choice,)) if floats else as_numbers(choice) for choice in choices]
        return _each(select, (condition, *choices))
    if function is np.count_nonzero and len(inputs) == 1 and not options:
        return np.sum(as_numbers(_each(holds, inputs)))
    if function is np.select:
        return _chosen(*inputs, **options)
    if function is np.nan_to_num:
        return _finite(*inputs, **options)
    if function in LIKE and any(isinstance(x, Condition) for x in np.asarray(inputs[0], dtype=object).flat):
        raise TypeError(
            f"numpy.{function.__name__} of conditions has room for conditions alone; give an array of numbers"
        )
    if function is np.interp and len(inputs) == 3 and not options:
        return _looked_up(*inputs)
    if function is np.cross and not options and len(inputs) == 2 and all(np.shape(x)[-1:] == (3,) for x in inputs):
        return _cross(*inputs)
    if function in LINEAR:
        return _told(LINEAR[function](*inputs, **options))
    return NotImplemented if known_alone else function._implementation(*inputs, **options)


def _chosen(conditions: Any, choices: Any, default: Any = 0.0) -> Any:
    """Record `numpy.select`: the choice of the first condition that holds."""
    found = default
    # built from the last, so that the first condition that holds is the outermost
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = _each(select, (condition, choice, found))
    return found


def _finite(x: Any, copy: bool = True, nan: float = 0.0, posinf: float = LARGEST, neginf: float = -LARGEST) -> Any:
    """Record `numpy.nan_to_num`; NumPy's own would leave an object array unchanged."""
    if not copy:
        raise TypeError("numpy.nan_to_num is recorded with copy=True")

    def one(x: Any) -> Any:
        bounded = select(x < -LARGEST, neginf, select(x > LARGEST, posinf, x))
        return select(opposite(equal(x, x)), nan, bounded)

    return _each(one, (as_numbers(x),))


def _looked_up(x: Any, places: Any, values: Any) -> Any:
    """Record `numpy.interp` (linear interpolation) for a known table of at most `LONGEST_TABLE` places."""
    if symbolic(places) is not None or len(places) > LONGEST_TABLE:
        raise TypeError(f"numpy.interp is recorded for at most {LONGEST_TABLE} places, which are known")
    known, heights = np.asarray(places, dtype=float).tolist(), np.asarray(values, dtype=object).tolist()
    if len(known) != len(heights):
        raise TypeError(f"numpy.interp takes a value for each place, and there are {len(heights)} for {len(known)}")
    return _each(lambda one: interpolated(one, known, heights), (x,))


def symbols(values: Any) -> Symbols:
    """Return an array of symbols and numbers."""
    array = np.asarray(values, dtype=object)
    if any(isinstance(x, np.ndarray) for x in array.flat):  # an array without axes stands for its element
        elements = [x.item() if isinstance(x, np.ndarray) else x for x in array.flat]
        flat = np.empty(len(elements), dtype=object)
        flat[:] = elements
        array = flat.reshape(array.shape)
    return _of_a_kind(array).view(Symbols)


def as_numbers(values: Any) -> Any:
    """Convert conditions to 1.0 or 0.0; numbers stay as they are."""
    if isinstance(values, np.ndarray):
        if values.dtype != object or not any(isinstance(x, TRUTHS) for x in values.flat):
            return values
        return _told(np.frompyfunc(_as_number, 1, 1)(_plain(values)))
    return _as_number(values)


def _as_number(x: Any) -> Any:
    return x.number() if isinstance(x, Condition) else float(x) if isinstance(x, TRUTHS) else x


def _as_float(x: Any) -> Any:
    return float(x) if isinstance(x, int | np.integer) else _as_number(x)


def _of_a_kind(array: NDArray) -> NDArray:
    """Return an array of conditions only or of numbers only: if both occur, conditions become numbers, as in NumPy."""
    if any(isinstance(x, Condition) for x in array.flat) and not all(isinstance(x, TRUTHS) for x in array.flat):
        numbers: NDArray = np.frompyfunc(_as_number, 1, 1)(array)
        return numbers
    return array


def symbolic(values: Any) -> Symbols | None:
    """Return values as an array of symbols and numbers, or None if no symbol is among them."""
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
    """Apply a ufunc (method "__call__", "reduce", ...) to symbols and arrays of them."""
    if method == "__call__" and ufunc.__name__ in ELEMENTWISE:
        result = _each(_function_of(ufunc), inputs)
        for out in options.get("out", ()):
            out[...] = result
            return out
        return result
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        array, *others = inputs
        array = _each(holds, (array,)) if ufunc.__name__.startswith("logical") else array
        return _reduced(_function_of(ufunc), array, *others, **options)
    if method in ("reduce", "accumulate", "reduceat") and ufunc in (np.add, np.multiply):  # truth values are counted
        inputs = (as_numbers(inputs[0]), *inputs[1:])
    if "out" in options:
        options["out"] = tuple(_plain(x) for x in options["out"])
    with np.errstate(all="ignore"):  # NumPy 2.5 tells of flags that symbols leave when constants are folded
        result = _told(getattr(ufunc, method)(*(_plain(x) for x in inputs), **options))
    summing = ufunc.__name__ in SUMMING
    if summing or (method == "reduce" and ufunc is np.add):
        result = _each(holds, (result,)) if summing and _are_truths(*inputs[:2]) else _from_zero(result)
        for out in options.get("out", ()):
            out[...] = result
    return result


def _are_truths(*inputs: Any) -> bool:
    """Whether there are truth values alone, the sums of whose products are truth values, too."""
    return all(isinstance(x, TRUTHS) for one in inputs for x in np.asarray(one, dtype=object).flat)


def _from_zero(result: Any) -> Any:
    """Return sums as NumPy has them, which begin at 0 and so never are -0."""

    def one(x: Any) -> Any:
        if isinstance(x, Symbol):
            return x + 0.0 if x.graph.signed and x.graph.exact and not isinstance(x, Condition) else x
        return np.float64(x + 0.0) if isinstance(x, float) else x  # by which Python divides, too, where it is 0

    if isinstance(result, Symbol | SignedZero | Symbols):
        return _each(one, (result,))
    return result


@cache
def _function_of(ufunc: np.ufunc) -> Callable[..., Any]:
    """Return the version of a ufunc for scalars: numbers and symbols, or truth values and conditions."""
    function = ELEMENTWISE[ufunc.__name__]

    def on_scalars(*given: Any) -> Any:
        if any(isinstance(x, Condition) for x in given):
            if all(isinstance(x, (*TRUTHS, int, np.integer)) for x in given):
                return of_conditions(ufunc, *given)
            given = tuple(map(_as_number, given))
        graph = next((x.graph for x in given if isinstance(x, Symbol)), None)
        if graph is None:
            return function(*given)
        # these functions take care of the signs of zeros themselves
        with graph.without_signs():
            return function(*given)

    return on_scalars


def _reduced(function: Callable[..., Any], array: Any, axis: Any = 0, keepdims: bool = False, **options: Any) -> Any:
    """Reduce an array along an axis with a binary function."""
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
    """Return a plain object array (0-d for a symbol), so that NumPy does not come back to `Symbols`."""
    if isinstance(x, Symbol | SignedZero):
        box: NDArray = np.empty((), dtype=object)
        box[()] = x
        return box
    return x.view(np.ndarray) if isinstance(x, Symbols) else x


def _cross(a: Any, b: Any) -> Any:
    """Return the cross product of vectors (..., 3), in the order in which NumPy computes it.

    NumPy before 2.3 puts products into arrays of floats where they happen to be numbers.
    """
    a, b = (x if isinstance(x, np.ndarray) else symbols(x) for x in (a, b))
    found = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=object).view(Symbols)
    for n, (i, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        np.multiply(a[..., i], b[..., k], out=found[..., n])
        found[..., n] -= np.multiply(a[..., k], b[..., i])
    return _told(found)


def _told(result: Any) -> Any:
    """Return the result of a NumPy call, viewed as `Symbols` if it is an object array."""
    if isinstance(result, np.ndarray) and result.dtype == object:
        return _of_a_kind(result).view(Symbols)
    return result
