"""The contact log of a run: points of recorded states, events, and statistics of all steps.

The log has a fixed length. Before a step writes, `Diary.leave_if_full` compares the free entries with the most that the
step can need; if they may not do, the program is left before anything is written, the caller empties the log, and the
step is done again. So no entry is lost, and none is written twice.

An event is a change of what a *pair* of shapes does, not of one of its points, which come and go as a body rocks: a
pair sticks if one of its pushing points does, and slides if all of them do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.contacts import (
    ARRIVING,
    BEFORE,
    COUNT,
    FRICTION,
    FULL,
    GAP,
    H_STEP,
    IMPULSE,
    MISSED,
    NORMAL,
    NOW,
    OUT,
    POINT,
    PULL,
    RESIDUAL,
    SLOT,
    SPEED,
    TOLERANCE,
    Contact,
    Contacts,
    contact_arrays,
)
from rbdkit.engine.contact.one_point import both
from rbdkit.engine.contact.scene import FAST, Scene
from rbdkit.engine.contact.sweeps import impulse
from rbdkit.spatial.vector3 import Vector
from rbdkit.trace import Index, Program, Scalar, equal, maximum, minimum, select

ENTRY = 12
"""Length of a log entry. A contact point: steps done, slot, gap, point, normal, force on the second body, in world
axes. Anything else: steps done, one of the negative codes below, and the numbers that belong to it.
"""
ENERGY, IMPACT, GAIN, SLIP, STICK, LOSS = range(-1, -7, -1)
"""Codes in the place of a slot: energy taken so far by normal impulses and by friction; or an event, with slot and
impulse."""
TAKEN, LEFT, EVERY, DUE = range(4)
"""Places in "log_state": entries in the log, steps until the next logged one, logging interval, whether this one is
logged."""
DEEPEST, UNSETTLED, MOST_SWEEPS, WORST, MOST_CONTACTS, CROWDED, NORMAL_WORK, FRICTION_WORK, WHERE, WHEN, STUCK = range(
    11
)
"""Places in "account", the statistics: largest penetration, m; steps whose iteration did not converge; most iterations
of a step; the largest velocity by which a step violated the contact law, m/s; most contacts of a step; whether the
contact list was too short; energy taken by normal impulses and by friction, J; the slot and the time, s, of the largest
penetration; whether a step was too hard for the iteration.
"""
ACCOUNT = 11
ACCOUNTED = {"deepest": DEEPEST, "unsettled": UNSETTLED, "worst": WORST, "crowded": CROWDED, "stuck": STUCK}
"""The statistics that a web page reports."""
BLOW = 1e-2
"""Approach velocity from which on a touch is an impact, relative to the typical speed of the model."""
SLIDES = 1e-6
"""Speed from which on a point slides, relative to the typical speed of the model."""
PUSH, HARDEST, SLIDING, ROUGH, STATUS = range(5)
"""Numbers of a pair in "pairs_now": sum of its normal impulses; lowest normal velocity before the step; whether all of
its points slide; whether it has friction; and its status in the step before, one of the codes below.
"""
OF_PAIR = 5
APART, STICKING, MOVING = 0.0, 1.0, 2.0
LOG_ROOM = 16384
"""Least number of entries of the log."""


def run_arrays(scene: Scene, every: int) -> tuple[dict[str, NDArray], dict[str, int]]:
    """Allocate what a run with contacts reads and writes, and its counts. every : logging interval in steps."""
    room = max(3 * scene.room + 1, LOG_ROOM)
    log = {"log": np.zeros((room, ENTRY)), "log_state": np.array([0.0, 0.0, every, 0.0])}
    arrays = {**scene.numbers, **scene.tables, **contact_arrays(scene), **log}
    return arrays, {**scene.counts, "log_room": room}


class Diary:
    """Writes the log and the statistics of a run from its program."""

    def __init__(self, program: Program) -> None:
        self.program, self.contacts = program, Contacts(program)

    def leave_if_full(self) -> None:
        """Leave the program, so that the step is done again, if the log might not have room for all its entries."""
        program = self.program
        taken, count = program.truncated("log_state", TAKEN), program.entry("contact_counts", COUNT)
        # At most a point and an event for each contact, a loss for each of the step before, and one entry of energy.
        most = taken + (count * 2 + program.entry("contact_counts", BEFORE)) + 1
        program.store("contact_state", 0, FULL, 0.0)
        with program.when_less(program.count("log_room"), most):
            program.store("contact_state", 0, FULL, 1.0)
            # tells the batch runner that the run is not over: it empties the log and goes on
            program.store("turns", 0, 0, 0.0)
        program.leave_if(program.load("contact_state", 0, FULL) > 0.5)

    def write(self) -> None:
        """Log a step once its impulses and the contacts' velocities with them are known."""
        program = self.program
        left = program.load("log_state", 0, LEFT)
        due = left < 0.5
        program.store("log_state", 0, DUE, select(due, 1.0, 0.0))
        program.store("log_state", 0, LEFT, select(due, program.load("log_state", 0, EVERY), left) - 1.0)
        with program.when("log_state", 0, DUE):
            place = self._next()
            work = [program.load("account", 0, k) for k in (NORMAL_WORK, FRICTION_WORK)]
            self._enter(place, [program.load("done", 0), float(ENERGY), *work])
            for contact in self.contacts.each():
                with program.loop(0, 1):
                    program.break_if(both(contact[GAP] > 0.0, contact[IMPULSE] <= 0.0))
                    place = self._next()
                    self._enter(place, self._point(contact))
        self._account()
        self._events()

    def write_lifted(self) -> None:
        """Count the energy that resolving overlaps adds, once the impulses for that are known.

        Bodies that are lifted out of an overlap gain potential energy: the impulse times the normal velocity that the
        forces of the step bring.
        """
        program = self.program
        for contact in self.contacts.each():
            given = program.load("account", 0, NORMAL_WORK) + contact[OUT] * contact[PULL]
            program.store("account", 0, NORMAL_WORK, given)

    def _next(self) -> Index:
        """Reserve the next entry of the log and return where it begins."""
        program = self.program
        place = program.truncated("log_state", TAKEN) * ENTRY
        program.store("log_state", 0, TAKEN, program.load("log_state", 0, TAKEN) + 1.0)
        return place

    def _enter(self, place: Index, numbers: list[Scalar]) -> None:
        for k, x in enumerate(numbers):
            self.program.store("log", place, k, x)

    def _point(self, contact: Contact) -> list[Scalar]:
        program = self.program
        h, slot = program.load("contact_state", 0, H_STEP), program.load("slot_numbers", contact.part(SLOT))
        world = contact.vector(POINT) + Vector(program.load("base_origin", 0, k) for k in range(3))
        force = [x / h for x in impulse(contact)]
        return [program.load("done", 0), slot, contact[GAP], *world, *contact.vector(NORMAL), *force]

    def _account(self) -> None:
        program = self.program

        def raise_to(place: int, value: Scalar) -> None:
            program.store("account", 0, place, maximum(program.load("account", 0, place), value))

        program.store("contact_state", 0, FULL, 0.0)
        for contact in self.contacts.each():
            program.store("contact_state", 0, FULL, program.load("contact_state", 0, FULL) + 1.0)
            # the factor is 0 for joint limits and the like, which penetrate nothing
            depth = -contact[GAP] * program.load("slot_in_space", contact.part(SLOT))
            deeper = depth > program.load("account", 0, DEEPEST)
            slot = program.load("slot_numbers", contact.part(SLOT))
            found = ((WHERE, slot), (WHEN, program.load("contact_state", 0, NOW)), (DEEPEST, depth))
            for place, value in found:
                program.store("account", 0, place, select(deeper, value, program.load("account", 0, place)))
            # The work of an impulse is exactly its product with the mean of the velocities before and after it.
            n, *t = (0.5 * contact[IMPULSE + r] * (contact[ARRIVING + r] + contact[SPEED + r]) for r in range(3))
            for place, work in ((NORMAL_WORK, n), (FRICTION_WORK, t[0] + t[1])):
                program.store("account", 0, place, program.load("account", 0, place) - work)
        raise_to(MOST_CONTACTS, program.load("contact_state", 0, FULL))
        raise_to(WORST, program.load("contact_state", 0, MISSED))
        raise_to(MOST_SWEEPS, program.load("contact_sweeps", 0))
        over = program.load("contact_state", 0, RESIDUAL) > program.load("contact_state", 0, TOLERANCE)
        program.store("account", 0, UNSETTLED, program.load("account", 0, UNSETTLED) + select(over, 1.0, 0.0))

    def _events(self) -> None:
        """Log the pairs that begin or cease to push, to slide and to stick."""
        program = self.program
        # pairs of the step before as well, since they may have lost contact
        for pair in self._before():
            for k, x in ((PUSH, 0.0), (HARDEST, 1e300), (SLIDING, 1.0), (ROUGH, 0.0)):
                program.store("pairs_now", pair, k, x)
        for contact in self.contacts.each():
            pair = self._pair(contact.part(SLOT))
            for k, x in ((PUSH, 0.0), (HARDEST, 1e300), (SLIDING, 1.0), (ROUGH, 0.0)):
                program.store("pairs_now", pair, k, x)
        for contact in self.contacts.each():
            pair = self._pair(contact.part(SLOT))
            pushes, rough = contact[IMPULSE] > 0.0, contact[FRICTION] > 0.0
            push, hardest, sliding, is_rough = (program.load("pairs_now", pair, k) for k in range(4))
            square = contact[SPEED + 1] * contact[SPEED + 1] + contact[SPEED + 2] * contact[SPEED + 2]
            slow = SLIDES * program.load("measures", 0, FAST)
            still = both(both(pushes, rough), square <= slow * slow)
            now: dict[int, Scalar] = {
                PUSH: push + contact[IMPULSE],
                # points that do not push have not been hit
                HARDEST: select(pushes, minimum(hardest, contact[ARRIVING]), hardest),
                SLIDING: select(still, 0.0, sliding),
                ROUGH: select(both(pushes, rough), 1.0, is_rough),
            }
            for k, y in now.items():
                program.store("pairs_now", pair, k, y)
        for contact in self.contacts.each():
            pair = self._pair(contact.part(SLOT))
            with program.loop(0, 1):
                program.break_if(program.load("pairs_now", pair, PUSH) <= 0.0)
                self._compare(pair, contact.part(SLOT))
        with program.loop(0, program.entry("contact_counts", BEFORE)) as number:
            slot = program.entry("slots_before", number)
            pair = self._pair(slot)
            with program.loop(0, 1):
                # several slots may belong to one pair: the first resets its status, so the loss is logged once
                gone = both(program.load("pairs_now", pair, STATUS) > 0.5, program.load("pairs_now", pair, PUSH) <= 0.0)
                program.break_if(select(gone, 0.0, 1.0) > 0.5)
                program.store("pairs_now", pair, STATUS, APART)
                place = self._next()
                self._enter(place, [program.load("done", 0), float(LOSS), self._number(slot), 0.0])

    def _before(self) -> Iterator[Index]:
        """Loop over the pairs that were in contact in the step before: yield where their numbers begin."""
        with self.program.loop(0, self.program.entry("contact_counts", BEFORE)) as k:
            yield self._pair(self.program.entry("slots_before", k))

    def _compare(self, pair: Index, slot: Index) -> None:
        """Compare the status of a pair that pushes with that of the step before, and log an event if it changed."""
        program = self.program
        _, hardest, sliding, rough, before = (program.load("pairs_now", pair, k) for k in range(OF_PAIR))
        status = select(both(rough > 0.5, sliding > 0.5), MOVING, STICKING)
        new = before < 0.5
        same = select(rough > 0.5, select(equal(before, status), 1.0, 0.0), 1.0)
        blow = hardest < -BLOW * program.load("measures", 0, FAST)
        changed = select(status > 1.5, float(SLIP), float(STICK))
        kind = select(new, select(blow, float(IMPACT), float(GAIN)), changed)
        program.store("pairs_now", pair, STATUS, status)
        program.store("contact_event", 0, 0, kind)
        program.store("contact_event", 0, 1, select(both(new, blow), 1.0, 0.0))
        program.break_if(both(before > 0.5, same > 0.5))
        place = self._next()
        impulse_ = program.load("contact_event", 0, 1) * program.load("pairs_now", pair, PUSH)
        self._enter(place, [program.load("done", 0), program.load("contact_event", 0, 0), self._number(slot), impulse_])

    def _pair(self, slot: Index) -> Index:
        return self.program.entry("pair_of_slot", slot) * OF_PAIR

    def _number(self, slot: Index) -> Scalar:
        return self.program.load("slot_numbers", slot)
