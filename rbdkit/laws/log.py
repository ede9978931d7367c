"""The contact log of a run: points and forces of states, events, dissipated energy, solver statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.laws.near import NOTHING, Near
from rbdkit.laws.record import ContactEvent, ContactRecord, gathered

SLIDES = 1e-6
"""Speed above which a point counts as sliding, as a part of the reference speed."""

PASSED = 1e-9
"""Violation of a unilateral constraint above which the report mentions it, rad, or parts of the model's length."""

RATTLING = 0.25
"""Part of the steps that 'time_stepping' may finish for an event-driven law before that is an alarm."""

Rows = tuple[NDArray, NDArray, NDArray, NDArray, NDArray]
"""pair, point, normal, gap, force of the points of one state."""

NOTHING_TOUCHES: Rows = np.zeros(0, dtype=int), NOTHING.point, NOTHING.normal, NOTHING.gap, NOTHING.point
"""Rows of a state without contacts."""


class Log:
    """The contact log of one run, which a contact law writes and `contact_report` reads.

    Parameters
    ----------
    names : sequence of str
        Names of the pairs, followed by those of the unilateral constraints.
    steps, every : int
        Number of steps of the run; points are kept for every `every`-th state and the last one.
    stops : mapping of str to str, optional
        Names of the unilateral constraints, with the unit of their gaps.
    speed, length : float, optional
        Reference speed, m/s, and characteristic length, m, of the model, for tolerances and for the arcs of `Stops`.
    """

    def __init__(
        self,
        names: Sequence[str],
        steps: int,
        every: int,
        stops: Mapping[str, str] | None = None,
        speed: float = 1.0,
        length: float = 1.0,
    ) -> None:
        self.speed = speed
        self.names, self.steps, self.every = tuple(names), steps, every
        self.stops = dict(stops or {})
        angular = np.array([unit == "rad" for unit in self.stops.values()], dtype=bool)
        self.arcs, self.sizes = np.where(angular, length, 1.0), np.where(angular, 1.0, length)
        self.first_stop = len(self.names) - len(self.stops)
        self.pushes: dict[int, NDArray] = {}
        self.passed: dict[str, tuple[float, float]] = {}
        self.kept: dict[int, Rows] = {}
        self.events: list[ContactEvent] = []
        self.lost_normal, self.lost_friction = [0.0], [0.0]
        self.driven = [0.0]
        self.deepest, self.deepest_where, self.deepest_when = 0.0, "", 0.0
        self.residual, self.rounds, self.unsettled = 0.0, 0, 0
        self.notes: list[str] = []
        self.alarms: list[str] = []
        self._touching: dict[int, bool] = {}
        self._chatter: tuple[int, float, tuple[str, ...]] = (0, 0.0, ())

    def state(self, k: int, t: float, near: Near, force: NDArray) -> None:
        """Log state k with its points and forces (m, 3) in world axes, including rows of unilateral constraints."""
        if self.stops:
            near, force = self._without_stops(k, t, near, force)
        self.reached(t, near.pair, near.gap)
        if k % self.every == 0 or k == self.steps:
            order = np.lexsort((near.slot, near.pair))
            shown = order[(near.gap[order] <= 0.0) | (np.abs(force[order]).sum(axis=1) > 0.0)]
            self.kept[k] = (near.pair[shown], near.point[shown], near.normal[shown], near.gap[shown], force[shown])

    def _without_stops(self, k: int, t: float, near: Near, force: NDArray) -> tuple[Near, NDArray]:
        """Log forces and violations of the unilateral constraints; return the other points and forces."""
        own = near.pair >= self.first_stop
        stop, push = near.pair[own] - self.first_stop, np.einsum("ij,ij->i", force[own], near.normal[own])
        self.pushes[k] = self.arcs * np.bincount(stop, push, minlength=len(self.stops))
        for i, gap in zip(stop.tolist(), (near.gap[own] / self.arcs[stop]).tolist(), strict=True):
            self.passed_by(self.first_stop + i, -gap, t)
        return near.of(~own), force[~own]

    def keep(self, k: int, rows: Rows) -> None:
        """Keep the points of state k, including rows of unilateral constraints, whatever `every` is."""
        pair, _, normal, _, force = rows
        own = pair >= self.first_stop
        if self.stops:
            push = np.einsum("ij,ij->i", force[own], normal[own])
            self.pushes[k] = self.arcs * np.bincount(pair[own] - self.first_stop, push, minlength=len(self.stops))
        pair, point, normal, gap, force = (x[~own] for x in rows)
        self.kept[k] = pair, point, normal, gap, force

    def passed_by(self, stop: int, depth: float, t: float) -> None:
        """Log the violation of a unilateral constraint at time t. stop : its number. depth : m or rad."""
        name, least = self.names[stop], PASSED * self.sizes[stop - self.first_stop]
        if depth > self.passed.get(name, (least, 0.0))[0]:
            self.passed[name] = depth, t

    def reached(self, t: float, pair: NDArray, gap: NDArray) -> None:
        """Log the gaps (m,) of pairs (m,) at time t; the largest penetration is kept."""
        if not len(gap):
            return
        i = int(np.argmin(gap))
        if -gap[i] > self.deepest:
            self.deepest, self.deepest_when, self.deepest_where = -float(gap[i]), t, self.names[int(pair[i])]

    def took(self, normal: float, friction: float, driven: float = 0.0) -> None:
        """Log the energy that a step dissipated by normal forces and by friction, and the motors' work `driven`, J."""
        self.driven.append(self.driven[-1] + driven)
        self.lost_normal.append(self.lost_normal[-1] + normal)
        self.lost_friction.append(self.lost_friction[-1] + friction)

    def solved(self, residual: float, rounds: int, settled: bool) -> None:
        """Log how a step was solved: residual, m/s, iterations, and whether the solver converged."""
        self.residual = max(self.residual, residual)
        self.rounds = max(self.rounds, rounds)
        self.unsettled += not settled

    def event(self, t: float, kind: str, pairs: Sequence[int], impulse: float = 0.0, note: str = "") -> None:
        """Log an event of pairs, given by their numbers.

        impulse : sum of their normal impulses, N s; at a stop in rad that of the force at the arc, see `Stops`.
        """
        names, unit = tuple(self.names[p] for p in sorted(set(pairs))), "N s"
        if impulse and (own := max(pairs) - self.first_stop) >= 0:  # only one pair at a time has an impact
            impulse *= float(self.arcs[own])
            unit = "N m s" if self.stops[names[0]] == "rad" else unit
        self.events.append(ContactEvent(float(t), kind, names, float(impulse), note, unit))

    def chattered(self, t: float, names: Sequence[str]) -> None:
        """Log that 'time_stepping' made the rest of the step from time t on, with the names of the pairs."""
        self.event(t, "chatter", [self.names.index(name) for name in names])
        steps, first, who = self._chatter
        self._chatter = (steps + 1, first if steps else t, who if steps else tuple(names))

    def watch(
        self,
        t: float,
        near: Near,
        alpha: NDArray,
        arriving: NDArray,
        sliding: NDArray,
        rough: NDArray,
        threshold: float,
    ) -> None:
        """Detect events by comparing the pairs that push now with those that pushed in the last step.

        Parameters
        ----------
        alpha : (m,) normal impulses, N s. arriving : (m,) normal velocities before the step, m/s.
        sliding : (m,) tangential speeds after it, m/s. rough : (m,) whether there is friction.
        threshold : approach speed above which a new contact counts as an impact, m/s.
        """
        now: dict[int, bool] = {}
        for p in np.unique(near.pair[alpha > 0.0]):
            own = (near.pair == p) & (alpha > 0.0)
            # a pair slides if all its rough points do; a body that turns about one of them does not
            slides = bool((sliding[own & rough] > SLIDES * self.speed).all()) if (own & rough).any() else False
            now[int(p)] = slides
            if int(p) not in self._touching:
                hard = -float(arriving[own].min())
                blow = hard > threshold
                self.event(t, "impact" if blow else "gain", [int(p)], float(alpha[own].sum()) if blow else 0.0)
            elif self._touching[int(p)] != slides and (own & rough).any():
                self.event(t, "slip" if slides else "stick", [int(p)])
        for p in self._touching.keys() - now.keys():
            self.event(t, "loss", [p])
        self._touching = now

    def all_notes(self) -> tuple[str, ...]:
        """Return the notes for the report, including violated constraints and chatter."""
        steps, first, who = self._chatter
        passed = (
            f"constraint {name!r} is passed by up to {depth:.2g} {self.stops[name]} (t = {t:.4g} s)"
            for name, (depth, t) in self.passed.items()
        )
        notes = (*self.notes, *passed)
        if not steps:
            return notes
        chatter = (
            f"{steps} of {self.steps} steps were ended with impulses, as 'time_stepping' has them: from "
            f"t = {first:.4g} s on blows or changes of friction of {', '.join(who)} followed each other too fast"
        )
        return (*notes, chatter)

    def all_alarms(self, passes: float) -> tuple[str, ...]:
        """Return the alarms for the report.

        passes : admissible violation of unilateral constraints, rad, or parts of the model's length.
        """
        steps, sizes = self._chatter[0], dict(zip(self.stops, self.sizes, strict=True))
        lost = [
            f"STOP PASSED: constraint {name!r} is passed by {depth:.2g} {self.stops[name]} at t = {t:.4g} s, and its "
            "law lets nothing pass; take a shorter step, or contact='time_stepping'"
            for name, (depth, t) in self.passed.items()
            if depth > passes * sizes[name]
        ]
        if steps <= RATTLING * self.steps:
            return (*self.alarms, *lost)
        often = (
            f"CHATTER: {steps} of {self.steps} steps were ended with impulses and are of first order; take "
            "contact='time_stepping', less friction, or bodies that touch at fewer points"
        )
        return (*self.alarms, *lost, often)

    def delay(self, steps: int) -> None:
        """Number the states of a law that began after the given number of steps without it from the first of these."""
        self.steps += steps
        self.kept = {k + steps: rows for k, rows in self.kept.items()}
        self.pushes = {k + steps: push for k, push in self.pushes.items()}
        for total in ("lost_normal", "lost_friction", "driven"):
            setattr(self, total, [0.0] * steps + list(getattr(self, total)))

    def record(self, times: NDArray, t: NDArray) -> ContactRecord:
        """Return the contact record of a motion with states at times t, which are among the times of the steps."""
        # times of states are those of steps but for round-off, which must not choose the next step
        numbers = np.searchsorted(times, t - 1e-12 * max(1.0, abs(float(times[-1]))))
        none = np.zeros(len(self.stops))
        pushes = np.array([self.pushes.get(int(k), none) for k in numbers]).reshape(len(t), len(none))
        states = [self.kept.get(int(k), NOTHING_TOUCHES) for k in numbers]
        of_states = self.lost(times, t), tuple(self.stops), pushes, self.brought(times, t)
        return gathered(self.names[: self.first_stop], t, states, *of_states)

    def lost(self, times: NDArray, t: NDArray) -> NDArray:
        """Return the energy that contacts dissipated until each state, (n,), J."""
        return _until(times, t, np.array(self.lost_normal) + np.array(self.lost_friction))

    def brought(self, times: NDArray, t: NDArray) -> NDArray:
        """Return the energy that prescribed joints brought in through contacts until each state, (n,), J."""
        return _until(times, t, np.array(self.driven))


def _until(times: NDArray, t: NDArray, total: NDArray) -> NDArray:
    """Sample at times t a running total that is known after each step."""
    numbers = np.searchsorted(times, t - 1e-12 * max(1.0, abs(float(times[-1]))))
    return total[np.minimum(numbers, len(total) - 1)]
