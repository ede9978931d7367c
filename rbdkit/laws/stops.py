"""Constraints that hold on one side, stops of joints and taut strings, beside the points of a law of contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.element_rows import ElementRows, recorded_rows
from rbdkit.laws.model_pairs import pairs_of
from rbdkit.laws.near import NOTHING, Near, Pairs
from rbdkit.model import Material, Model
from rbdkit.model.constraint_rows import record
from rbdkit.model.kept import kept
from rbdkit.model.one_sided import one_sided, without_stops

NO_PLACE = np.array([0.0, 0.0, 1.0])
"""The normal of a row that has no place in space: it is pushed along, not at a point."""


class Stops:
    """`Pairs` of a model with its one-sided constraints behind them: a row of such a constraint is one more point.

    A row has a gap, which does not become negative, and a force that pushes it open, in N, or N m where the gap is an
    angle; no friction and no restitution.

    Parameters
    ----------
    model : Model
        With constraints of which some bound their gap on one side.
    """

    def __init__(self, model: Model) -> None:
        parts = one_sided(model)
        self.model = without_stops(model)
        self.pairs: Pairs | None = pairs_of(self.model)
        pairs = self.pairs
        self.stops = tuple(own.name for own in parts)
        self.recorded = record(self.model, parts)
        rows = self.recorded.rows
        self.units = {row.constraint: row.unit for row in rows}
        counts = [sum(row.constraint == name for row in rows) for name in self.stops]
        self.first = 0 if pairs is None else len(pairs.names)
        self.pair = self.first + np.repeat(np.arange(len(counts)), counts)
        self.slot = np.concatenate([np.arange(k) for k in counts])
        n, none, empty = len(parts), np.zeros(0), np.zeros((0, 2))
        self.names = (*(() if pairs is None else pairs.names), *self.stops)
        self.slots = np.concatenate([none if pairs is None else pairs.slots, counts]).astype(int)
        self.bodies = np.concatenate([empty if pairs is None else pairs.bodies, np.zeros((n, 2))]).astype(int)
        self.thickness = np.concatenate([none if pairs is None else pairs.thickness, np.full(n, np.inf)])
        self.reach = np.zeros(len(model.bodies)) if pairs is None else pairs.reach
        smooth = Material(friction=0.0, restitution=0.0)
        self.surfaces: Sequence[Any] = [*(() if pairs is None else pairs.surfaces), *[smooth] * n]
        self._row = {key: k for k, key in enumerate(zip(self.pair.tolist(), self.slot.tolist(), strict=True))}

    def at(self, t: float, q: NDArray, v: NDArray) -> ElementRows:
        """All rows of the constraints in a state."""
        return recorded_rows(self.model, self.recorded, q, v, t=t)

    def fastest(self, t: float, q: NDArray, v: NDArray) -> float:
        """How fast a gap may close, m/s or rad/s."""
        return float(np.maximum(-self.at(t, q, v).slip, 0.0).max(initial=0.0))

    def closest(self, t: float, q: NDArray) -> tuple[NDArray, NDArray]:
        """The slot of the row of each constraint that is nearest to its bound, and its gap, (stops,) each."""
        gap = self.at(t, q, np.zeros(self.model.nv)).gap
        own = [np.flatnonzero(self.pair == self.first + i) for i in range(len(self.stops))]
        rows = [int(each[np.argmin(gap[each])]) for each in own]
        return self.slot[rows], gap[rows]

    def pushes(self, near: Near, force: NDArray) -> NDArray:
        """What all rows push, (rows,), if forces (m, 3) act at some points."""
        here, rows = self.numbers(near)
        push = np.zeros(len(self.pair))
        push[rows] = force[here] @ NO_PLACE
        return push

    def spread(self, t: float, q: NDArray, push: NDArray) -> NDArray:
        """What all rows push, (rows,), if constraints push so much, (stops,): each in the row nearest to its bound."""
        slots, _ = self.closest(t, q)
        of_rows = np.zeros(len(self.pair))
        for i, slot in enumerate(slots.tolist()):
            of_rows[self._row[self.first + i, slot]] = push[i]
        return of_rows

    def numbers(self, near: Near) -> tuple[NDArray, NDArray]:
        """Which of some points are rows of constraints, and which rows these are."""
        here = np.flatnonzero(near.pair >= self.first)
        return here, np.array([self._row[near.keys[i]] for i in here], dtype=int)

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """What is nearer than the margin, m or rad."""
        found = NOTHING if self.pairs is None else self.pairs.near(t, q, v, margin)
        return self._with_rows(found, t, q, margin)

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """The same with the rates of points and normals."""
        found = NOTHING if self.pairs is None else self.pairs.moving(t, q, v, margin)
        return self._with_rows(found, t, q, margin)

    def _with_rows(self, found: Near, t: float, q: NDArray, margin: float) -> Near:
        gap = self.at(t, q, np.zeros(self.model.nv)).gap
        rows = np.flatnonzero(gap <= margin)
        still, normal = np.zeros((len(rows), 3)), np.tile(NO_PLACE, (len(rows), 1))
        own = (self.pair[rows], self.slot[rows], gap[rows], still, normal, still, still)
        parts = (found.pair, found.slot, found.gap, found.point, found.normal, found.point_rate, found.normal_rate)
        return Near(*(np.concatenate(both) for both in zip(parts, own, strict=True)))


def stops_of(model: Model) -> Stops:
    """The pairs of a model that has one-sided constraints, and these."""
    return kept(model, Stops)
