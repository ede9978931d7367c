"""The bilateral holonomic constraints of a model: closure errors and Jacobian for the closure solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.model.constraint import Row
    from rbdkit.model.model import Model


class Held:
    """Bilateral holonomic constraints: their errors, in rad and characteristic lengths, with their Jacobian.

    Attributes
    ----------
    rows : tuple of Row
        One for each scalar constraint.
    row : ndarray (m,)
        Factors that scale errors from their units to rad or characteristic lengths.
    """

    def __init__(self, model: Model, t: float, length: float) -> None:
        from rbdkit.model.constraint_rows import constraint_rows  # which needs the tracer

        self.model, self.t = model, t
        self._all = constraint_rows(model)
        rows = () if self._all is None else self._all.rows
        self._which = np.array([row.holonomic and not row.unilateral for row in rows], dtype=bool)
        self.rows: tuple[Row, ...] = tuple(row for row, own in zip(rows, self._which, strict=True) if own)
        self.row = np.array([1.0 / length if row.unit == "m" else 1.0 for row in self.rows])

    def at(self, q: NDArray) -> tuple[NDArray, NDArray]:
        """Return the scaled constraint errors (m,) and their Jacobian (m, nv) at q."""
        if not self.rows:
            return np.zeros(0), np.zeros((0, self.model.nv))
        from rbdkit.model.constraint import seen
        from rbdkit.model.constraint_rows import in_joints

        assert self._all is not None
        v = np.zeros(self.model.nv)
        at = seen(self.model, q, v, self.t)
        found = self._all.at(q, v, self.t, at.motion)
        K = in_joints(self.model, q, self._all, found, at)
        return self.row * found.gap[self._which], self.row[:, None] * K[self._which]

    def worst(self, gaps: NDArray) -> list[tuple[float, Row, float]]:
        """Return the largest error of each constraint: scaled, the row that has it, and in the unit of the row."""
        found: dict[str, tuple[float, Row, float]] = {}
        for size, scale, row in zip(np.abs(gaps), self.row, self.rows, strict=True):
            if row.constraint not in found or found[row.constraint][0] < size:
                found[row.constraint] = float(size), row, float(size / scale)
        return list(found.values())
