"""Unilateral constraints (joint limits, strings) as additional contact points of a contact law.

A row of a unilateral constraint has a gap that must not become negative and a force that can only push: the same
complementarity as a frictionless contact (Featherstone 2008, section 11.4). So it joins the contact points as one more
point, and every solver treats both alike.

A row has no place in space. Its bodies are set to the fixed base and its normal to the nominal `NO_PLACE`, so that
arrays keep their form; its Jacobian, velocity and acceleration come from the constraint itself, wherever a law
computes those of contact points (`Scene.rows`, `Scene.carried`, `rbdkit.laws.accelerations`). Rows are numbered after
all contact pairs, so ``pair >= first`` tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.element_rows import ElementRows, recorded_rows
from rbdkit.laws.model_pairs import pairs_of
from rbdkit.laws.near import NOTHING, Near, Pairs
from rbdkit.model import Material, Model
from rbdkit.model.closing.length import length_of
from rbdkit.model.constraint_rows import record
from rbdkit.model.kept import kept
from rbdkit.model.one_sided import one_sided, without_stops

NO_PLACE = np.array([0.0, 0.0, 1.0])
"""Nominal normal of a row of a unilateral constraint, which has no place in space; its force is stored along it."""


class Stops:
    """`Pairs` of a model, followed by its unilateral constraints: each of their rows is one more contact point.

    A row has a gap, which must not become negative, and a force that pushes it open; it has no friction and no
    restitution. Gaps in rad are taken as arcs, in m, at the model's characteristic length, and torques as forces there,
    in N, so that laws compare them with those of other points; `arcs` are these lengths.

    Parameters
    ----------
    model : Model
        A model with unilateral constraints.
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
        length = length_of(self.model)
        self.arcs = np.array([length if self.units[name] == "rad" else 1.0 for name in self.stops])
        counts = [sum(row.constraint == name for row in rows) for name in self.stops]
        self.first = 0 if pairs is None else len(pairs.names)
        self.pair = self.first + np.repeat(np.arange(len(counts)), counts)
        self._arc = self.arcs[self.pair - self.first]
        self.slot = np.concatenate([np.arange(k) for k in counts])
        n, none, empty = len(parts), np.zeros(0), np.zeros((0, 2))
        self.names = (*(() if pairs is None else pairs.names), *self.stops)
        self.slots = np.concatenate([none if pairs is None else pairs.slots, counts]).astype(int)
        # both ends on the fixed base: nothing of a row's Jacobian comes from bodies, see `Scene.rows`
        self.bodies = np.concatenate([empty if pairs is None else pairs.bodies, np.zeros((n, 2))]).astype(int)
        # a gap stays negative however far its bound is passed, unlike that of a thin shape: no step is too long to see
        # it
        self.thickness = np.concatenate([none if pairs is None else pairs.thickness, np.full(n, np.inf)])
        self.reach = np.zeros(len(model.bodies)) if pairs is None else pairs.reach
        smooth = Material(friction=0.0, restitution=0.0)
        self.surfaces: Sequence[Any] = [*(() if pairs is None else pairs.surfaces), *[smooth] * n]
        self._row = {key: k for k, key in enumerate(zip(self.pair.tolist(), self.slot.tolist(), strict=True))}

    def at(self, t: float, q: NDArray, v: NDArray) -> ElementRows:
        """Return gaps, Jacobian and velocities of all constraint rows in a state, those of angles as arcs."""
        found, arc = recorded_rows(self.model, self.recorded, q, v, t=t), self._arc
        return ElementRows(found.rows, arc[:, None] * found.K, arc * found.k, arc * found.gap, arc * found.slip)

    def fastest(self, t: float, q: NDArray, v: NDArray) -> float:
        """Return the largest speed at which a gap closes, m/s."""
        return float(np.maximum(-self.at(t, q, v).slip, 0.0).max(initial=0.0))

    def closest(self, t: float, q: NDArray) -> tuple[NDArray, NDArray]:
        """Return, for each constraint, the slot and the gap of its row that is nearest to its bound, (stops,) each."""
        gap = self.at(t, q, np.zeros(self.model.nv)).gap
        own = [np.flatnonzero(self.pair == self.first + i) for i in range(len(self.stops))]
        rows = [int(each[np.argmin(gap[each])]) for each in own]
        return self.slot[rows], gap[rows]

    def pushes(self, near: Near, force: NDArray) -> NDArray:
        """Return the forces of all constraint rows, (rows,), N, from forces (m, 3) at the near points."""
        here, rows = self.numbers(near)
        push = np.zeros(len(self.pair))
        push[rows] = force[here] @ NO_PLACE
        return push

    def spread(self, t: float, q: NDArray, push: NDArray) -> NDArray:
        """Return forces of all rows, (rows,), N, with each constraint's force (stops,), N or N m, on its row nearest to
        the bound."""
        slots, _ = self.closest(t, q)
        of_rows = np.zeros(len(self.pair))
        for i, slot in enumerate(slots.tolist()):
            of_rows[self._row[self.first + i, slot]] = push[i] / self.arcs[i]
        return of_rows

    def numbers(self, near: Near) -> tuple[NDArray, NDArray]:
        """Return which of the points are rows of unilateral constraints, and the numbers of these rows."""
        here = np.flatnonzero(near.pair >= self.first)
        return here, np.array([self._row[near.keys[i]] for i in here], dtype=int)

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return points and rows with gaps below the margin, m, without rates."""
        found = NOTHING if self.pairs is None else self.pairs.near(t, q, v, margin)
        return self._with_rows(found, t, q, margin)

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return points and rows with gaps below the margin, with the rates of points and normals."""
        found = NOTHING if self.pairs is None else self.pairs.moving(t, q, v, margin)
        return self._with_rows(found, t, q, margin)

    def _with_rows(self, found: Near, t: float, q: NDArray, margin: float) -> Near:
        # gaps do not depend on velocities
        gap = self.at(t, q, np.zeros(self.model.nv)).gap
        rows = np.flatnonzero(gap <= margin)
        still, normal = np.zeros((len(rows), 3)), np.tile(NO_PLACE, (len(rows), 1))
        # rates are zero, as there is no point that moves; accelerations of rows do not need them
        own = (self.pair[rows], self.slot[rows], gap[rows], still, normal, still, still)
        parts = (found.pair, found.slot, found.gap, found.point, found.normal, found.point_rate, found.normal_rate)
        return Near(*(np.concatenate(both) for both in zip(parts, own, strict=True)))


def stops_of(model: Model) -> Stops:
    """Return the `Stops` of a model with unilateral constraints, from the model's cache."""
    return kept(model, Stops)
