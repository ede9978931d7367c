"""Checks of the arguments `out` and `threads` that functions on states take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Into
from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import FLOAT, shown
from rbdkit.trace import Symbols


def into(out: Any, threads: Any, shape: tuple[int, ...], *inputs: NDArray) -> Into:
    """Return the checked `out` and `threads` for a result of the given shape, computed from the arrays `inputs`.

    Raises
    ------
    StateError
        If `out` has another shape or type, is not contiguous, is read-only or shares memory with an input; or if
        `threads` is no whole number from 1 on.
    """
    number = thread_number(threads)
    if out is None:
        return Into(None, number)
    if any(type(x) is Symbols for x in inputs):  # the caller is being traced: there are no numbers to store
        raise StateError("out= takes numbers, and here a law is recorded; leave it out")
    require_room(out, shape, inputs)
    if not out.flags.c_contiguous:
        raise StateError("out has gaps between its numbers, or another order (is it a slice, or transposed?); the "
                         f"result needs memory in one piece: np.empty({shape})")  # fmt: skip
    return Into(out, number)


def thread_number(threads: Any) -> int:
    """Return a number of threads as int; raise `StateError` if it is no positive whole number."""
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise StateError(f"threads = {shown(threads)} must be a whole number of threads, 1 or more")
    return int(threads)


def require_room(out: Any, shape: tuple[int, ...], inputs: Iterable[NDArray]) -> None:
    """Raise `StateError` if a result of the given shape, made from the arrays `inputs`, cannot be copied to `out`."""
    if type(out) is not np.ndarray:
        raise StateError(f"out is {shown(out)}, not an array to write to; make one by np.empty({shape})")
    if out.shape != shape:
        raise StateError(f"out has shape {out.shape}; the result has shape {shape}")
    if out.dtype is not FLOAT:
        raise StateError(f"out holds numbers of type {out.dtype}; the result is of type float64")
    if not out.flags.writeable:
        raise StateError("out is read-only; the result cannot be written to it")
    if any(np.may_share_memory(out, x) for x in inputs):
        raise StateError("out shares memory with an argument, which would change while it is read; take another array")


def handed(found: NDArray, out: Any, threads: Any, *inputs: NDArray) -> NDArray:
    """Return a result that is already computed; copy it to `out` and return that if it is given."""
    place = into(out, threads, found.shape, *inputs).out
    if place is None:
        return found
    place[...] = found
    return place
