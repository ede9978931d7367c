"""Contact impulses in their friction cones by projected Gauss-Seidel iteration.

The matrix of all contacts (the Delassus matrix) is never formed: the update of a contact changes the velocities of its
two branches, and the next contact reads them from there, so an iteration costs as much as the contacts have rows.
Impulses start from those of the step before (warm start). `one_point` is the law, `visits` the update of one contact,
`momentum` the acceleration, and `even_shares` what is done about redundant points. Iterations end when no contact's
velocity changes by more than a tolerance, which is relative to the velocity error at zero impulses.

Overlaps are not resolved by the velocities of the step, which would gain energy, but by displacements of their own:
`lead_out` solves a second problem, without friction, whose velocities move the bodies in this step and are forgotten.
`rbdkit.laws.cone` is the same on dense matrices.
"""

from __future__ import annotations

from typing import Any

from rbdkit.engine.contact.contacts import (
    ARRIVING,
    BEFORE,
    CHANGE,
    FIRST,
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
from rbdkit.engine.contact.one_point import ImpulseLaw, both, least_speed, missed
from rbdkit.engine.contact.rows import ROWS
from rbdkit.engine.contact.scene import FAST, LONG
from rbdkit.engine.contact.visits import Solving, asked, measure, push, visit, wrong_of
from rbdkit.spatial.vector3 import Vector
from rbdkit.trace import LARGEST_WHOLE, Program, Scalar, equal, maximum, minimum, select

MOST, RECOVERY, HARD, TOL = range(4)
"""Places in "contact_options": most iterations; the fraction of an overlap that is resolved in a step; the velocity
error after the last iteration above which a step is too hard, relative to the largest error without impulses; and the
change in an iteration that ends it, relative to the same: for steps with few points, and for more than each number in
`POINTS`."""
POINTS = (12, 150)
"""Numbers of listed points beyond which the iteration ends sooner by default."""
BOUNCE = 1e-3
"""Approach velocity, relative to the typical speed, below which there is no restitution."""
WRONG = 1e-3
"""Velocity error, relative to the typical speed, below which a step is never too hard."""
INSIDE, LEADING = 1e-12, 1e-6
"""Overlap that is tolerated, relative to the length of the model; and the relative tolerance for resolving others."""


LEAD_OUT = Solving("contact_out", OUT, False)


class Sweeps:
    """Computes the impulses of all contacts of a step, on velocities in "contact_v". law : a user's, or None."""

    def __init__(self, program: Program, law: ImpulseLaw | None = None) -> None:
        self.program, self.contacts = program, Contacts(program)
        self.solving = Solving("contact_v", IMPULSE, True, law)

    def begin(self) -> None:
        """Set the target velocity of each contact and the tolerance, and apply the impulses of the step before."""
        program = self.program
        program.store("contact_state", 0, TOLERANCE, 0.0)
        for contact in self.contacts.each():
            measure(contact, self.solving)
            free, *slip = (contact[SPEED + r] for r in range(ROWS))
            h, gap, arriving = program.load("contact_state", 0, H_STEP), contact[GAP], contact[ARRIVING]
            slow = BOUNCE * program.load("measures", 0, FAST)
            least = least_speed(gap, arriving, free, self._rebound(contact), h, slow)
            contact[TARGET], contact[PULL] = least, free - arriving
            size = program.load("contact_state", 0, TOLERANCE)
            # the velocity error at zero impulses is the scale of all tolerances of the step
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
                # warm start: applied below like any other change of the impulses
                contact[IMPULSE + r] = contact[CHANGE + r] = program.load("slot_impulses", before, r)
            push(contact, self.solving)

    def record(self) -> None:
        """Find the impulses that obey the contact law, on "contact_v", and the contacts' velocities with them."""
        program, shares = self.program, EvenShares(self.program, self.solving)
        shares.begin()
        with program.loop(0, TURNS) as turn:
            self._sweep(self.solving)
            shares.record(turn)
            program.break_if(program.load("contact_state", 0, OPEN) < 0.5)
        program.store("contact_state", 0, MISSED, 0.0)
        for contact in self.contacts.each():
            measure(contact, self.solving)
            impulses, friction = [contact[IMPULSE + r] for r in range(ROWS)], self.solving.friction(contact)
            off = missed(wrong_of(contact), impulses, contact[NN], contact[TT], friction)
            program.store("contact_state", 0, MISSED, maximum(program.load("contact_state", 0, MISSED), off))

    def too_hard(self) -> Any:
        """Return whether the iteration failed to come near the contact law: a condition for `select`."""
        off, limit = self.program.load("contact_state", 0, MISSED), self.program.load("contact_options", 0, HARD)
        left = self.program.load("contact_state", 0, RESIDUAL) > self.program.load("contact_state", 0, TOLERANCE)
        # both limits, as a small error is no harm, and a step with large velocities has a larger one
        wrong = both(
            off > WRONG * self.program.load("measures", 0, FAST),
            off > limit * self.program.load("contact_state", 0, SCALE),
        )
        return both(left, wrong)

    def _rebound(self, contact: Contact) -> Scalar:
        law = None if self.solving.law is None else self.solving.law.rebound
        if law is not None:
            return asked(contact, law, "rebound", {})[0]
        return -contact[RESTITUTION] * contact[ARRIVING]

    def lead_out(self) -> None:
        """Find velocities, in "contact_out", that resolve a part of the overlaps in this step only."""
        program = self.program
        # Overlaps that the tolerance of the velocities explains are left alone.
        deep = INSIDE * program.load("measures", 0, LONG) + 10.0 * program.load(
            "contact_state", 0, H_STEP
        ) * program.load("contact_state", 0, TOLERANCE)
        program.store("contact_state", 0, FULL, deep)
        program.store("contact_state", 0, OVERLAP, 0.0)
        program.store("contact_state", 0, TOLERANCE, 0.0)
        for contact in self.contacts.each():
            ahead = contact[GAP] + program.load("contact_state", 0, H_STEP) * contact[SPEED]
            # a part of an overlap is undone; a gap that stays open may close altogether, and no more
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
        """Iterate until no contact changes much, or up to the most iterations."""
        program = self.program
        momentum = Momentum(program, solving)
        program.store("contact_sweeps", 0, 0, 0.0)
        momentum.begin()
        # left from inside: the most iterations are a number of the method, not part of the code
        with program.loop(0, LARGEST_WHOLE // 2):
            program.store("contact_state", 0, RESIDUAL, 0.0)
            for contact in self.contacts.each():
                visit(contact, solving)
            if solving.rough:
                # Jacobi: velocities change only when all contacts have read them
                with program.when("contact_state", 0, TOGETHER):
                    for contact in self.contacts.each():
                        push(contact, solving)
            made = program.load("contact_sweeps", 0) + 1.0
            program.store("contact_sweeps", 0, 0, made)
            settled = program.load("contact_state", 0, RESIDUAL) <= program.load("contact_state", 0, TOLERANCE)
            most = program.load("contact_options", 0, MOST)
            second = equal(program.load("contact_state", 0, TOGETHER), float(AT_ONCE))
            # the second round gives up sooner, as another one follows
            most = select(second, minimum(most, float(ENOUGH)), most)
            last = select(made < most, 0.0, 1.0)
            program.break_if(select(settled, 1.0, last) > 0.5)
            momentum.record()

    def end(self) -> None:
        """Keep the impulses as the warm start of the next step."""
        program = self.program
        # slots of the step before are cleared first: their contacts may be gone
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
    """Return a contact's impulse on the second body, in world axes."""
    n, t, s = (contact.vector(k) for k in (NORMAL, FIRST, SECOND))
    return contact[IMPULSE] * n + contact[IMPULSE + 1] * t + contact[IMPULSE + 2] * s
