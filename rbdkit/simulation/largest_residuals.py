"""The largest constraint residuals in a motion, found without storing all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIDE_BY_SIDE = 16
"""Number of rows that are folded into one: NumPy is slow in reducing many short rows."""


@dataclass(frozen=True, eq=False)
class LargestResiduals:
    """The largest constraint residuals of a motion, over n states and m constraint rows.

    Attributes
    ----------
    rows : (m,) largest absolute value of each constraint row.
    state, row : index of state and row of the largest of all (the first of equals), or of the first NaN.
    """

    rows: NDArray
    state: int
    row: int

    @property
    def value(self) -> float:
        """Largest absolute residual of all."""
        return float(self.rows[self.row])


def largest_residuals(parts: Iterable[NDArray]) -> LargestResiduals | None:
    """Return the largest of residuals given in parts (n1, m), (n2, m), ... of the states; None if there are none."""
    found: LargestResiduals | None = None
    states = 0
    for part in parts:
        if not part.size:
            continue
        sizes = np.abs(part)
        state, row = divmod(int(sizes.argmax()), part.shape[1])
        here = LargestResiduals(_of_columns(sizes), states + state, row)
        if found is None:
            found = here
        else:
            rows = np.maximum(found.rows, here.rows)
            first = found if np.isnan(found.value) or here.value <= found.value else here
            found = LargestResiduals(rows, first.state, first.row)
        states += len(part)
    return found


def _of_columns(sizes: NDArray) -> NDArray:
    """Return the largest value of each column, or NaN if it contains one."""
    n, m = sizes.shape
    whole = n - n % SIDE_BY_SIDE
    folded = sizes[:whole].reshape(-1, SIDE_BY_SIDE * m).max(axis=0, initial=0.0).reshape(SIDE_BY_SIDE, m)
    return np.concatenate([folded, sizes[whole:]]).max(axis=0)
