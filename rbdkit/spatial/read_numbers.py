"""Conversion of users' numbers to floats, the same everywhere, so that invalid input is rejected alike."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, isfinite
from reprlib import Repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, RbdkitError, StateError

HUGE = 1e30
"""Numbers of a model beyond this are refused: what is computed of them and of velocities up to 1e100 stays finite.
Large is no mistake: the inertia of a tanker is 3e12 kg m^2, that of an asteroid 1e17. Mistakes are found by ratios."""

FEW = 100
"""So many numbers Python looks at faster than NumPy."""
ALONE = 8192
"""So many numbers are multiplied by one thread; for more, BLAS wakes others, which takes longer than the product."""

Says = Callable[[str], str]

FLOAT = np.dtype(float)
"""What most arrays are made of; as there is one of it, `is` tells it at once."""

_NO_NUMBERS = {
    "c": "complex numbers would lose their imaginary part; give the real part (.real) if that is meant",
    "U": "it is text; convert it first: float('1.5')",
    "S": "it is text; convert it first: float('1.5')",
    "M": "it holds dates; give numbers, in SI units",
    "m": "it holds times; give numbers, in seconds",
    "V": "it holds records; give one array of numbers for each of their fields",
    "-": "None is not a number",
    "masked": "masked entries would count as numbers; leave them out (.compressed()) or give numbers (.filled(0.0))",
}
_short = Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60
_short.maxlist = _short.maxtuple = _short.maxarray = _short.maxdict = _short.maxset = 8


def shown(value: Any, limit: int = 60) -> str:
    """Return the repr of a value on one line, cut to about `limit` characters, for error messages."""
    if isinstance(value, np.ndarray) and value.size > 12:
        return f"an array of shape {value.shape}"
    try:
        text = " ".join(_short.repr(value).split())
    except Exception:  # the repr of a foreign object may raise anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def floats(values: Any, says: Says, error: type[RbdkitError] = ModelError) -> NDArray:
    """Return the values as an array of floats, without a copy if they are one already.

    Parameters
    ----------
    values : object
        A number, nested sequences of numbers, or anything that NumPy makes an array of numbers from.
    says : Says
        Function from the text of the value to the beginning of the message: its name, and what it should be.
    error : optional
        Class of the error.

    Raises
    ------
    RbdkitError
        Of class `error`, if they are not numbers (text, dates, other objects), would lose something (complex numbers,
        masked entries), or do not make a rectangular array.
    """
    if type(values) is np.ndarray and values.dtype is FLOAT:
        return values
    try:
        array = np.asarray(values)
        if array.dtype is FLOAT and array.ndim < 2 and type(values) in (float, list, tuple):
            return array
        kind = _not_numbers(values, array)
        if kind is None:
            with np.errstate(over="ignore"):  # a number of a wider type becomes infinite, which the caller refuses
                return array.astype(float, copy=False)
    except Exception as fault:  # whatever a foreign object does when it is asked for its numbers
        own = fault.__traceback__ is not None and fault.__traceback__.tb_next is not None  # code of the object's class
        raise error(f"{says(shown(values))}: {first_line(fault)}") from (fault if own else None)
    raise error(f"{says(shown(values))}: {_NO_NUMBERS[kind]}")


def numbers(values: Any, shape: tuple[int, ...], says: Says, error: type[RbdkitError] = ModelError) -> NDArray:
    """The values as an array of floats of that shape, finite and not beyond `HUGE`; raises as `floats` does."""
    array = floats(values, says, error)
    if array.shape != shape:
        raise error(f"{says(shown(values))}: its shape is {array.shape}, not {shape}")
    require_sensible(array, says, error, values)
    return array


def finite(values: Any, says: Says, error: type[RbdkitError] = ModelError) -> NDArray:
    """The values as an array of floats of their own shape, finite and not beyond `HUGE`; raises as `floats` does."""
    array = floats(values, says, error)
    require_sensible(array, says, error, values)
    return array


def number(value: Any, says: Says, error: type[RbdkitError] = ModelError) -> float:
    """Return a value as one finite number, not beyond `HUGE`; raises as `floats` does."""
    return float(numbers(value, (), says, error))


def time_in_seconds(t: Any) -> float:
    """Return a value as one finite time in s, else raise `StateError`."""
    if type(t) is float and isfinite(t):
        return t
    return number(t, lambda value: f"t = {value} must be a time in s", StateError)


def require_sensible(array: NDArray, says: Says, error: type[RbdkitError] = ModelError, given: Any = None) -> None:
    """Raise `error` if a number is not finite or beyond `HUGE`. given : what is shown in place of the array."""
    if not within(array, HUGE):
        worst = array[~(np.abs(array) <= HUGE)].flat[0]
        why = f"beyond {HUGE:g}, which is taken for a mistake" if np.isfinite(worst) else "not a finite number"
        raise error(f"{says(shown(array.tolist() if given is None else given))}: {worst:g} is {why}")


def within(array: NDArray, limit: float) -> bool:
    """Return whether every number is finite and not beyond the limit, by the fastest test."""
    # a norm within the limit proves it at once; if it is not, for many large numbers, each is compared
    flat = array if array.ndim == 1 else array.ravel()
    if flat.size <= FEW:
        return hypot(*flat.tolist()) <= limit or bool((np.abs(flat) <= limit).all())
    with np.errstate(over="ignore", invalid="ignore"):
        parts = (flat[k : k + ALONE] for k in range(0, flat.size, ALONE))
        return bool(sum(part.dot(part) for part in parts) <= limit * limit) or bool((np.abs(flat) <= limit).all())


def first_line(fault: BaseException) -> str:
    """Return the message of an exception as one short line."""
    return " ".join(str(fault).split())[:120] or type(fault).__name__


def _not_numbers(values: Any, array: NDArray) -> str | None:
    """Return the key of `_NO_NUMBERS` that tells why values are not plain numbers, or None. array : made of them."""
    kind: str = array.dtype.kind
    if kind == "O":
        kinds = ["-" if entry is None else str(np.asarray(entry).dtype.kind) for entry in array.ravel().tolist()]
        kind = next((k for k in kinds if k in _NO_NUMBERS), kind)
    return "masked" if _masked(values) else kind if kind in _NO_NUMBERS else None


def _masked(values: Any) -> bool:
    """Return whether an array, or one of several in a list, has masked entries."""
    if isinstance(values, np.ndarray) and type(values) is not np.ndarray:
        return bool(np.any(getattr(values, "mask", False)))  # numpy.ma itself is slow to load
    return isinstance(values, list | tuple) and any(map(_masked, values))
