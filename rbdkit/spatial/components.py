"""Vectors taken apart and put together along the last axis.

A single vector comes apart into Python floats, whose arithmetic is several times faster than that of NumPy scalars; a
stack into arrays.  Formulas written on components thus serve both, and are cheap in inner loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def split(v: ArrayLike, n: int) -> list[Any]:
    """The n components of vectors (..., n): of numbers, or of symbols in an array of objects.

    Raises
    ------
    ValueError
        If the last axis does not have n entries.
    """
    v = v if isinstance(v, np.ndarray) and v.dtype == object else np.asarray(v, dtype=float)
    if v.shape[-1:] != (n,):
        raise ValueError(f"needs vectors of {n} numbers on the last axis, got an array of shape {v.shape}.")
    return v.tolist() if v.ndim == 1 else [v[..., i] for i in range(n)]


def join(parts: Sequence[Any]) -> NDArray:
    """Vectors (..., n) from their n components, which all have the same shape."""
    return np.array(parts) if isinstance(parts[0], float) else np.stack(parts, axis=-1)


def norm(v: NDArray) -> Any:
    """Length of vectors (..., n): a float, or an array (...)."""
    return math.sqrt(v @ v) if v.ndim == 1 else np.sqrt((v * v).sum(axis=-1))


def angle(w: NDArray) -> Any:
    """Length of rotation vectors (..., 3): a float, or an array (..., 1, 1) that scales matrices."""
    return norm(w) if w.ndim == 1 else norm(w)[..., None, None]
