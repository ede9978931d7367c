"""Output buffers of derivatives: the arrays of an earlier result, checked for shape and overlap.

Compiled code writes three matrices side by side into one array. An earlier result of rbdkit has that layout, so it is
written in place; arrays of other layouts are filled by a copy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbdkit import engine
from rbdkit.engine import Into
from rbdkit.errors import StateError
from rbdkit.results import require_room, thread_number
from rbdkit.spatial.read_numbers import FLOAT, shown

Result = TypeVar("Result")


def place_of(out: Any, kind: type[Result], threads: Any, v: NDArray, *inputs: NDArray) -> Into:
    """Return the output buffer for the last three arrays of a result, if `out` holds them in one piece.

    Parameters
    ----------
    out : an earlier result of this kind, or None. v : (..., nv), gives the number of states.
    inputs : arrays that are read meanwhile and must not overlap the buffer.

    Raises
    ------
    StateError
        As from `rbdkit.results.require_room`, for each array by name; or if arrays of `out` share memory.
    """
    number = thread_number(threads)
    if out is None:
        return Into(None, number)
    if type(out) is not kind:
        raise StateError(f"out is {shown(out)}, not {kind.__name__}; give the result of an earlier call")
    names = [field.name for field in fields(out)]  # type: ignore[arg-type]
    arrays, nv = [getattr(out, name) for name in names], v.shape[-1]
    shapes = [v.shape] * (len(names) - 3) + [(*v.shape, nv)] * 3
    for name, x, shape in zip(names, arrays, shapes, strict=True):
        try:
            require_room(x, shape, inputs)
        except StateError as fault:
            raise StateError(f"{kind.__name__}.{name}: {fault}") from None
    whole = _in_one_piece(arrays[-3:], (*v.shape, engine.row_length(3 * nv)))
    apart = arrays if whole is None else [*arrays[:-3], whole]
    for x, y in combinations(apart, 2):
        if np.shares_memory(x, y):
            raise StateError("arrays of out share memory, and one result would be written over another")
    if whole is not None and any(np.may_share_memory(whole, x) for x in inputs):
        whole = None
    return Into(whole, number)


def _in_one_piece(blocks: Sequence[Any], shape: tuple[int, ...]) -> NDArray | None:
    """Return the array of which three matrices are the first columns, side by side; None if they are not."""
    owner, first = getattr(blocks[0], "base", None), blocks[0]
    if type(owner) is not np.ndarray or owner.dtype is not FLOAT or not owner.flags.c_contiguous:
        return None
    start, size = (first.ctypes.data - owner.ctypes.data) // FLOAT.itemsize, math.prod(shape)
    if not 0 <= start <= owner.size - size:
        return None
    whole, n = owner.reshape(-1)[start : start + size].reshape(shape), shape[-2]
    for k, x in enumerate(blocks):
        own = whole[..., k * n : (k + 1) * n]
        if type(x) is not np.ndarray or (x.shape, x.strides, x.dtype) != (own.shape, own.strides, own.dtype):
            return None
        if x.ctypes.data != own.ctypes.data:
            return None
    return whole


def placed(kind: type[Result], found: Sequence[NDArray], out: Result | None) -> Result:
    """Return the computed arrays as a result; in `out`, which `place_of` has checked, if it is given."""
    if out is None:
        return kind(*found)
    for field, x in zip(fields(out), found, strict=True):  # type: ignore[arg-type]
        place = getattr(out, field.name)
        if (place.ctypes.data, place.strides) != (x.ctypes.data, x.strides):
            place[...] = x
    return out
