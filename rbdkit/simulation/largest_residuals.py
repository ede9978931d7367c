"""The largest residuals of constraints in a motion, without keeping all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIDE_BY_SIDE = 16
"""So many states are compared with so many others at once: rows of residuals are short, and NumPy is slow on these."""


@dataclass(frozen=True, eq=False)
class LargestResiduals:
    """Of residuals (n, m).

    Attributes
    ----------
    rows : (m,) the largest absolute value in each column.
    state, row : where the first of the largest of all stands, state by state, or the first that is no number.
    """

    rows: NDArray
    state: int
    row: int

    @property
    def value(self) -> float:
        """The largest of all."""
        return float(self.rows[self.row])


def largest_residuals(parts: Iterable[NDArray]) -> LargestResiduals | None:
    """The largest of residuals that come some states after the other, (n1, m), (n2, m), ...; None if there are none."""
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
    """The largest of each column, or what is no number there."""
    n, m = sizes.shape
    whole = n - n % SIDE_BY_SIDE
    folded = sizes[:whole].reshape(-1, SIDE_BY_SIDE * m).max(axis=0, initial=0.0).reshape(SIDE_BY_SIDE, m)
    return np.concatenate([folded, sizes[whole:]]).max(axis=0)
