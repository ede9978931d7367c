"""Impulses in their cones by projected Gauss-Seidel: contact after contact, sweep after sweep.

No matrix of all contacts is made: a contact changes the velocities of its two branches, where the next one reads them.
`visits` says what a contact does then, `momentum` how one sweep follows on others, and `even_shares` what is done
where points are more than needed. `rbdkit.laws.cone` is the same
on dense matrices.
"""

from __future__ import annotations

from typing import Any

from rbdkit.engine.contact.contacts import (
    ARRIVING,
    BEFORE,
    CHANGE,
    FIRST,
    FRICTION,
    FULL,
    GAP,
    H_STEP,
    IMPULSE,
    MISSED,
    NN,
    NORMAL,
    OPEN,
    OUT,
    OVERLAP,
    PULL,
    RESIDUAL,
    RESTITUTION,
    SCALE,
    SECOND,
    SLOT,
    SPEED,
    TARGET,
    TOGETHER,
    TOLERANCE,
    TT,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.even_shares import AT_ONCE, ENOUGH, TURNS, EvenShares
from rbdkit.engine.contact.momentum import Momentum
from rbdkit.engine.contact.rows import ROWS
from rbdkit.engine.contact.scene import FAST, LONG
from rbdkit.engine.contact.visits import Solving, both, in_disc, measure, push, visit
from rbdkit.spatial.vector3 import Vector, dot
from rbdkit.trace import LARGEST_WHOLE, Program, Scalar, equal, maximum, minimum, select, sqrt

MOST, RECOVERY, HARD, TOL = range(4)
"""Places in "contact_options": how many sweeps there are at most; the part of an overlap that goes in a step; the
velocity that may be wrong after the last sweep, as a part of the largest one that is wrong without impulses: a step
that does not come so far is too hard for sweeps. And the change in a sweep that ends them, as such a part, too: of
steps with few points, and with more than each of the numbers in `POINTS`."""
POINTS = (12, 150)
"""Points that are near, beyond which sweeps end sooner by default."""
BOUNCE = 1e-3
"""Approach, as a part of an ordinary speed, below which restitution has nothing to give back."""
WRONG = 1e-3
"""Velocity, as such a part, below which nothing is too wrong."""
INSIDE, LEADING = 1e-12, 1e-6
"""Overlaps, as a part of the length of the model, that are let be; and the tolerance of what leads out of others."""


CONTACT_LAW, LEAD_OUT = Solving("contact_v", IMPULSE, True), Solving("contact_out", OUT, False)


class Sweeps:
    """The impulses of all contacts of a step, on velocities in "contact_v"."""

    def __init__(self, program: Program) -> None:
        self.program, self.contacts = program, Contacts(program)

    def begin(self) -> None:
        """What each contact asks for, and its impulse of the step before."""
        program = self.program
        program.store("contact_state", 0, TOLERANCE, 0.0)
        for contact in self.contacts.each():
            measure(contact, CONTACT_LAW)
            free, *slip = (contact[SPEED + r] for r in range(ROWS))
            h, gap, arriving = program.load("contact_state", 0, H_STEP), contact[GAP], contact[ARRIVING]
            e = contact[RESTITUTION]
            comes_back = both(
                both(arriving < -BOUNCE * program.load("measures", 0, FAST), gap + h * free < 0.0), e > 0.0
            )
            least = select(comes_back, -e * arriving, -maximum(gap, 0.0) / h)
            contact[TARGET], contact[PULL] = least, free - arriving
            size = program.load("contact_state", 0, TOLERANCE)
            for wrong in (free - least, *slip):
                size = maximum(size, abs(wrong))
            program.store("contact_state", 0, TOLERANCE, size)
        scale = program.load("contact_state", 0, TOLERANCE)
        program.store("contact_state", 0, SCALE, scale)
        program.store("contact_state", 0, TOLERANCE, program.load("contact_options", 0, TOL) * scale)
        for k, points in enumerate(POINTS, start=1):
            with program.when_less(points, self.contacts.count()):
                tol = program.load("contact_options", 0, TOL + k)
                program.store("contact_state", 0, TOLERANCE, tol * program.load("contact_state", 0, SCALE))
        for contact in self.contacts.each():
            before = contact.part(SLOT) * ROWS
            for r in range(ROWS):
                contact[IMPULSE + r] = contact[CHANGE + r] = program.load("slot_impulses", before, r)
            push(contact, CONTACT_LAW)

    def record(self) -> None:
        """Impulses that obey the law of contact, on "contact_v"; the velocities of the contacts with these."""
        program, shares = self.program, EvenShares(self.program, CONTACT_LAW)
        shares.begin()
        with program.loop(0, TURNS) as turn:
            self._sweep(CONTACT_LAW)
            shares.record(turn)
            program.break_if(program.load("contact_state", 0, OPEN) < 0.5)
        program.store("contact_state", 0, MISSED, 0.0)
        for contact in self.contacts.each():
            measure(contact, CONTACT_LAW)
            missed = maximum(program.load("contact_state", 0, MISSED), self._missed(contact))
            program.store("contact_state", 0, MISSED, missed)

    def too_hard(self) -> Any:
        """Whether sweeps did not come near the law of contact: a condition for `select`."""
        missed, limit = self.program.load("contact_state", 0, MISSED), self.program.load("contact_options", 0, HARD)
        left = self.program.load("contact_state", 0, RESIDUAL) > self.program.load("contact_state", 0, TOLERANCE)
        wrong = both(
            missed > WRONG * self.program.load("measures", 0, FAST),
            missed > limit * self.program.load("contact_state", 0, SCALE),
        )
        return both(left, wrong)

    def _missed(self, contact: Contact) -> Scalar:
        """By how much a contact misses its law, as a velocity."""
        nn, tt = contact[NN], contact[TT]
        u, t = contact[SPEED] - contact[TARGET], [contact[IMPULSE + 1], contact[IMPULSE + 2]]
        step = select(tt > 0.0, tt, 1.0)
        wanted = [x - contact[SPEED + 1 + k] / step for k, x in enumerate(t)]
        off = [x - y for x, y in zip(t, in_disc(wanted, contact[FRICTION] * contact[IMPULSE]), strict=True)]
        return maximum(abs(minimum(u, nn * contact[IMPULSE])), step * sqrt(dot(off, off)))

    def lead_out(self) -> None:
        """Velocities, in "contact_out", that take a part of the overlaps back in this step; they are forgotten then."""
        program = self.program
        deep = INSIDE * program.load("measures", 0, LONG) + 10.0 * program.load(
            "contact_state", 0, H_STEP
        ) * program.load("contact_state", 0, TOLERANCE)
        program.store("contact_state", 0, FULL, deep)
        program.store("contact_state", 0, OVERLAP, 0.0)
        program.store("contact_state", 0, TOLERANCE, 0.0)
        for contact in self.contacts.each():
            ahead = contact[GAP] + program.load("contact_state", 0, H_STEP) * contact[SPEED]
            wrong = select(ahead < 0.0, program.load("contact_options", 0, RECOVERY), 1.0) * ahead
            wrong = wrong / program.load("contact_state", 0, H_STEP)
            contact[TARGET], contact[OUT] = -wrong, 0.0
            overlap = select(ahead < -program.load("contact_state", 0, FULL), 1.0, 0.0)
            program.store("contact_state", 0, OVERLAP, maximum(program.load("contact_state", 0, OVERLAP), overlap))
            size = maximum(program.load("contact_state", 0, TOLERANCE), LEADING * abs(wrong))
            program.store("contact_state", 0, TOLERANCE, size)
        overlaps = program.load("contact_state", 0, OVERLAP)
        recovers = select(program.load("contact_options", 0, RECOVERY) > 0.0, overlaps, 0.0)
        program.store("contact_state", 0, OVERLAP, recovers)
        with program.when("contact_state", 0, OVERLAP):
            self._sweep(LEAD_OUT)

    def _sweep(self, solving: Solving) -> None:
        """Sweep until nothing changes much, or as often as allowed."""
        program = self.program
        momentum = Momentum(program, solving)
        program.store("contact_sweeps", 0, 0, 0.0)
        momentum.begin()
        with program.loop(0, LARGEST_WHOLE // 2):
            program.store("contact_state", 0, RESIDUAL, 0.0)
            for contact in self.contacts.each():
                visit(contact, solving)
            if solving.rough:
                with program.when("contact_state", 0, TOGETHER):
                    for contact in self.contacts.each():
                        push(contact, solving)
            made = program.load("contact_sweeps", 0) + 1.0
            program.store("contact_sweeps", 0, 0, made)
            settled = program.load("contact_state", 0, RESIDUAL) <= program.load("contact_state", 0, TOLERANCE)
            most = program.load("contact_options", 0, MOST)
            second = equal(program.load("contact_state", 0, TOGETHER), float(AT_ONCE))
            most = select(second, minimum(most, float(ENOUGH)), most)
            last = select(made < most, 0.0, 1.0)
            program.break_if(select(settled, 1.0, last) > 0.5)
            momentum.record()

    def end(self) -> None:
        """Keep the impulses for the next step."""
        program = self.program
        with program.loop(0, program.entry("contact_counts", BEFORE)) as k:
            place = program.entry("slots_before", k) * ROWS
            for r in range(ROWS):
                program.store("slot_impulses", place, r, 0.0)
        for contact in self.contacts.each():
            slot = contact.part(SLOT)
            program.put("slots_before", contact.number, slot)
            place = slot * ROWS
            for r in range(ROWS):
                program.store("slot_impulses", place, r, contact[IMPULSE + r])
        program.put("contact_counts", BEFORE, self.contacts.count())


def impulse(contact: Contact) -> Vector:
    """On the second body, in world axes."""
    n, t, s = (contact.vector(k) for k in (NORMAL, FIRST, SECOND))
    return contact[IMPULSE] * n + contact[IMPULSE + 1] * t + contact[IMPULSE + 2] * s
