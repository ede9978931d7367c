"""Short text for values of variables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Joint, Model

WIDEST = 12
"""Most numbers of a vector, rows of a matrix and entries of a list that are written out."""


def text_of(value: Any) -> str:
    """Write a value in a few short lines: numbers with four digits, matrices row by row."""
    if isinstance(value, bool | np.bool_ | str) or value is None:
        return repr(value)
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return number(float(value))
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, slice):
        return f"{value.start}:{value.stop}"
    if isinstance(value, Model):
        return f"Model {value.name!r}"
    if isinstance(value, Joint):
        return f"{value.name} ({value.type.kind})"
    if isinstance(value, list | tuple):
        return _entries(value)
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def number(x: float) -> str:
    """Write a number with four digits, or with an exponent if it is very small or very large."""
    if x == 0.0 or not np.isfinite(x):
        return f"{x:g}"
    return f"{x:.4g}" if 1e-4 <= abs(x) < 1e6 else f"{x:.2e}"


def _array(x: NDArray) -> str:
    if x.ndim == 0:
        return number(float(x))
    if x.size == 0 or x.dtype.kind not in "fiub":
        return f"empty {x.shape}" if x.size == 0 else f"{x.dtype} {x.shape}"
    if x.ndim == 1:
        parts = [number(float(v)) for v in x[:WIDEST]]
        tail = f", ... ({len(x)})" if len(x) > WIDEST else ""
        if len(x) == 6:  # a spatial vector: the angular and the linear three
            return f"({', '.join(parts[:3])} | {', '.join(parts[3:])})"
        return f"({', '.join(parts)}{tail})"
    if x.ndim == 2 and x.shape[0] <= WIDEST and x.shape[1] <= WIDEST:
        cells = [[number(float(v)) for v in row] for row in x]
        wide = max(len(cell) for row in cells for cell in row)
        return "\n".join("  ".join(f"{cell:>{wide}}" for cell in row) for row in cells)
    return f"array {x.shape}"


def _entries(values: list[Any] | tuple[Any, ...]) -> str:
    if len(values) > WIDEST or any(isinstance(v, np.ndarray) and v.ndim > 1 for v in values):
        return f"{len(values)} entries"
    text = ", ".join(text_of(v) for v in values)
    return f"[{text}]" if len(text) <= 80 else f"{len(values)} entries"
