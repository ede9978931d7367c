"""Unique rows of integers, found by sorting one combined key per row instead of many columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unique_rows(rows: NDArray) -> tuple[NDArray, NDArray]:
    """Return for integer rows (n, k) the first row of each kind (kinds,) and the kind of each row (n,)."""
    low = rows.min(axis=0)
    spans = [int(span) for span in rows.max(axis=0) - low + 1]
    if np.prod([float(span) for span in spans]) < 2.0**62:
        key = np.zeros(len(rows), dtype=np.int64)
        for column, span, least in zip(rows.T, spans, low, strict=True):
            key = key * span + (column - least)
        _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)
