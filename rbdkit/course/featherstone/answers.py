"""Answers as they come: numbers in whatever form, and functions that may fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers(answer: Any, *shape: int) -> NDArray | None:
    """The answer as an array of that shape, or None if it is no such thing or not finite; -1 stands for any length."""
    try:
        found = np.asarray(answer, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    if found.ndim == len(shape) + 1 and 1 in found.shape and -1 not in shape:
        found = found.reshape(shape) if found.size == int(np.prod(shape)) else found  # a row or column of its own
    fits = found.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, found.shape, strict=True))
    return found if fits and np.isfinite(found).all() else None


def call(function: Any, *arguments: Any) -> tuple[Any, str]:
    """What the student's function returns, and in words what went wrong, or ''."""
    if not callable(function):
        return None, f"{function!r} is not a function."
    try:
        return function(*arguments), ""
    except Exception as fault:
        return None, f"your function stopped with {type(fault).__name__}: {fault}"


def short(x: NDArray) -> str:
    """A vector as it is read in a sentence."""
    return "(" + ", ".join(f"{value:.3g}" for value in np.asarray(x) + 0.0) + ")"
