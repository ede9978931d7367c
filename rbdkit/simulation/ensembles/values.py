"""Values of a sweep: formatting, comparison, and summaries."""

from __future__ import annotations

from typing import Any

import numpy as np

SAME = 1e-9
"""Relative difference up to which two numbers are the same value of a parameter."""


def label(value: Any) -> Any:
    """Return the label of a value on an axis, a number or a text; None if it is neither and has no name."""
    if isinstance(value, str | bool | int | float | np.number):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else None


def show(value: Any) -> str:
    """Return a value as a text for a sentence."""
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    written = label(value)
    if written is not None:
        return str(written)
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=8, separator=", ").replace("\n", "")
    return name_of(value) if callable(value) else repr(value)


def name_of(function: Any) -> str:
    """Return the qualified name of a function."""
    return getattr(function, "__qualname__", repr(function))


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, numbers to round-off."""
    if a is b:
        return True
    try:
        x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return isinstance(a, str) and isinstance(b, str) and a == b
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=SAME, atol=0.0))


def closest(values: tuple[Any, ...], value: Any) -> str:
    """Return a hint for messages: the closest of numeric values, or a list of the first other values."""
    try:
        numbers = np.asarray(values, dtype=float)
        return f"the closest is {numbers[np.argmin(np.abs(numbers - float(value)))]:.9g}"
    except (TypeError, ValueError, OverflowError):
        return "there are " + ", ".join(map(show, values[:8]))


def span(values: tuple[Any, ...], unit: str) -> str:
    """Return the range of numeric values with its unit, as a text; empty for other values."""
    if not all(isinstance(value, int | float | np.number) for value in values):
        return ""
    low, high = min(values), max(values)
    return (f", {low:.4g}" + f" .. {high:.4g}" * (len(values) > 1) + f" {unit}").rstrip()
