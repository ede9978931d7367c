"""Collect the results of a sweep's members into arrays, in memory or in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.simulation.ensembles.axes import Axes
from rbdkit.simulation.ensembles.chunk import INTERRUPTED
from rbdkit.simulation.ensembles.ensemble import Ensemble
from rbdkit.simulation.ensembles.family import Family
from rbdkit.simulation.ensembles.outcome import Outcome
from rbdkit.simulation.ensembles.plan import recorded_times
from rbdkit.simulation.ensembles.report import Failure, SweepReport
from rbdkit.simulation.ensembles.store import Entry, Store


class Collection:
    """The arrays of a sweep, in memory or in a folder, with an entry for each finished member.

    Parameters
    ----------
    store : Store or None
        The folder for the motions, or None. Members that it holds already are not computed again.
    """

    def __init__(self, family: Family, axes: Axes, store: Store | None) -> None:
        self.family, self.axes, self.store = family, axes, store
        self.t = recorded_times(family, axes)
        self.q: NDArray
        self.v: NDArray
        self.z: NDArray
        model, shape = family.reference, (len(axes), len(self.t))
        self.entries: dict[int, Entry] = {} if store is None else store.entries()
        if store is None:
            self.q, self.v, self.z = (np.full((*shape, n), np.nan) for n in (model.nq, model.nv, model.nz))
        self.resumed = len(self.entries)
        self._without: list[int] = []

    def missing(self) -> NDArray:
        """Return the numbers of the members that have not been computed."""
        left = np.ones(len(self.axes), dtype=bool)
        left[list(self.entries)] = False
        return np.flatnonzero(left)

    def take(self, outcomes: list[Outcome]) -> None:
        """Store the outcomes of some members."""
        members = [self._member(outcome) for outcome in outcomes]
        if self.store is not None:
            self.store.add(members)
        else:
            for entry, rows in members:
                for array, row in zip((self.q, self.v, self.z), rows, strict=True):
                    array[entry.number] = row
        self.entries |= {entry.number: entry for entry, _ in members}

    def _member(self, o: Outcome) -> tuple[Entry, tuple[NDArray, ...]]:
        """Return the entry of a member, and its rows of q, v and z, NaN where there is no state."""
        n, end, t, model = len(o.t), None, self.t, self.family.reference
        if n and abs(o.t[-1] - t[min(n, len(t)) - 1]) > 1e-9 * self.family.interval:
            n -= 1  # it ended between two recorded times
            end = float(o.t[-1]), *(x[-1].tolist() for x in ((o.q, o.v, o.z) if model.nz else (o.q, o.v)))
        rows = []
        for size, own in ((model.nq, o.q), (model.nv, o.v), (model.nz, o.z)):
            row = np.full((len(t), size), np.nan)
            if n:
                row[:n] = own[:n]
            rows.append(row)
        last = float(o.t[-1]) if len(o.t) else 0.0
        entry = Entry(o.number, n, last, end, o.steps, o.how, o.stopped, o.interrupted, float(o.drift))
        return entry, tuple(rows)

    def lose(self, numbers: NDArray, reason: str) -> None:
        """Mark members as lost, with a reason; a store does not keep them, so that the next run tries them again."""
        for number in numbers:
            self.entries[int(number)] = Entry(int(number), 0, 0.0, None, 0, "", reason, False, np.nan)
            self._without.append(int(number))

    def ensemble(self, place: str, wall_time: float, interrupted: bool) -> Ensemble:
        """Return the finished ensemble.

        Raises
        ------
        SimulationError
            If no member has a motion, or the store cannot be written to any more.
        """
        if left := self.missing().tolist():
            nothing = {number: Entry(number, 0, 0.0, None, 0, "", INTERRUPTED, True, np.nan) for number in left}
            self._without += left
            self.entries |= nothing
        if self.store is not None:
            self.store.leave_open(self._without)
        entries = [self.entries[number] for number in range(len(self.axes))]
        failures = tuple(
            Failure(e.number, self.axes.parameters(e.number), e.stopped, e.t) for e in entries if e.stopped
        )
        interrupted = interrupted or any(entry.interrupted for entry in entries)
        if not interrupted and not any(e.rows or e.end for e in entries):
            raise SimulationError(f"none of {len(entries)} members can be simulated; {failures[0]}")
        judged = {entry.number: entry.drift for entry in entries if np.isfinite(entry.drift)}
        worst = max(judged, key=judged.__getitem__, default=None)
        report = SweepReport(
            code=Counter(entry.how for entry in entries if entry.how),
            place=place,
            steps=sum(entry.steps for entry in entries),
            wall_time=wall_time,
            drift=None if worst is None else judged[worst],
            worst=worst,
            failures=failures,
            interrupted=interrupted,
        )
        q, v, z = (self.q, self.v, self.z) if self.store is None else _three(self.store.reading())
        shape, rows = self.axes.shape, np.array([entry.rows for entry in entries])
        ends = {e.number: _state(*e.end) for e in entries if e.end is not None}
        return Ensemble(
            self.axes,
            self.family,
            self.t,
            q.reshape(*shape, *q.shape[1:]),
            v.reshape(*shape, *v.shape[1:]),
            report,
            rows,
            ends,
            z.reshape(*shape, *z.shape[1:]),
        )


def _three(arrays: Sequence[NDArray]) -> tuple[NDArray, NDArray, NDArray]:
    """Return q, v and z of a folder; z is empty if force elements have no states."""
    q, v, *rest = arrays
    return q, v, rest[0] if rest else np.zeros((*q.shape[:2], 0))


def _state(t: float, *numbers: list[float]) -> tuple[float, NDArray, NDArray, NDArray]:
    q, v, z = (*map(np.array, numbers), np.zeros(0))[:3]
    return t, q, v, z
