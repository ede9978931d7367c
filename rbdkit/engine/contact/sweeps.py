"""Impulses in their cones by projected Gauss-Seidel: contact after contact, sweep after sweep.

Each contact makes its normal velocity what it must be, as far as an impulse that pushes can, and then its tangential
velocity as small as an impulse in the disc of radius mu times the normal impulse can. No matrix of all contacts is
made: a contact changes the velocities of its two branches, where the next one reads them. `gauss_seidel` of
`rbdkit.algorithms.solvers` is the same on dense matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    N1,
    N2,
    NN,
    NORMAL,
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
    TOLERANCE,
    TT,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.rows import ROWS, parts
from rbdkit.spatial.vector3 import Vector, dot
from rbdkit.trace import LARGEST_WHOLE, Program, Scalar, equal, maximum, minimum, select, sqrt

TOL, MOST, RECOVERY, HARD = range(4)
"""Places in "contact_options": the change in a sweep that ends them, as a part of the largest velocity that is wrong
without impulses; how many there are at most; the part of an overlap that goes in a step; and the velocity that may be
wrong after the last sweep, as such a part, too: a step that does not come so far is too hard for sweeps."""
BOUNCE = 1e-3
"""Approach, m/s, below which restitution has nothing to give back."""
WRONG = 1e-3
"""Velocity, m/s, below which nothing is too wrong."""
INSIDE, LEADING = 1e-12, 1e-6
"""Overlaps, m, that are let be; and the tolerance of what leads out of others."""


@dataclass(frozen=True)
class Solving:
    """What sweeps work on: velocities in an array, and where contacts have the impulses that change these.

    rough : whether there is friction.
    """

    velocities: str
    impulse: int
    rough: bool


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
            self._measure(contact, CONTACT_LAW)
            free, *slip = (contact[SPEED + r] for r in range(ROWS))
            h, gap, arriving = program.load("contact_state", 0, H_STEP), contact[GAP], contact[ARRIVING]
            e = contact[RESTITUTION]
            comes_back = both(both(arriving < -BOUNCE, gap + h * free < 0.0), e > 0.0)
            least = select(comes_back, -e * arriving, -maximum(gap, 0.0) / h)
            contact[TARGET], contact[PULL] = least, free - arriving
            size = program.load("contact_state", 0, TOLERANCE)
            for wrong in (free - least, *slip):
                size = maximum(size, abs(wrong))
            program.store("contact_state", 0, TOLERANCE, size)
        scale = program.load("contact_state", 0, TOLERANCE)
        program.store("contact_state", 0, SCALE, scale)
        program.store("contact_state", 0, TOLERANCE, program.load("contact_options", 0, TOL) * scale)
        for contact in self.contacts.each():
            before = contact.part(SLOT) * ROWS
            for r in range(ROWS):
                contact[IMPULSE + r] = contact[CHANGE + r] = program.load("slot_impulses", before, r)
            self._push(contact, CONTACT_LAW)

    def record(self) -> None:
        """Impulses that obey the law of contact, on "contact_v"; the velocities of the contacts with these."""
        self._sweep(CONTACT_LAW)
        program = self.program
        program.store("contact_state", 0, MISSED, 0.0)
        for contact in self.contacts.each():
            self._measure(contact, CONTACT_LAW)
            missed = maximum(program.load("contact_state", 0, MISSED), self._missed(contact))
            program.store("contact_state", 0, MISSED, missed)

    def too_hard(self) -> Any:
        """Whether sweeps did not come near the law of contact: a condition for `select`."""
        missed, limit = self.program.load("contact_state", 0, MISSED), self.program.load("contact_options", 0, HARD)
        left = self.program.load("contact_state", 0, RESIDUAL) > self.program.load("contact_state", 0, TOLERANCE)
        wrong = both(missed > WRONG, missed > limit * self.program.load("contact_state", 0, SCALE))
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
        deep = INSIDE + 10.0 * program.load("contact_state", 0, H_STEP) * program.load("contact_state", 0, TOLERANCE)
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
        program.store("contact_sweeps", 0, 0, 0.0)
        with program.loop(0, LARGEST_WHOLE // 2):
            program.store("contact_state", 0, RESIDUAL, 0.0)
            for contact in self.contacts.each():
                self._measure(contact, solving)
                self._solve(contact, solving)
                with program.loop(0, 1):
                    change = [contact[CHANGE + k] for k in range(ROWS)]
                    program.break_if(equal(dot(change, change), 0.0))
                    self._push(contact, solving)
            made = program.load("contact_sweeps", 0) + 1.0
            program.store("contact_sweeps", 0, 0, made)
            settled = program.load("contact_state", 0, RESIDUAL) <= program.load("contact_state", 0, TOLERANCE)
            last = select(made < program.load("contact_options", 0, MOST), 0.0, 1.0)
            program.break_if(select(settled, 1.0, last) > 0.5)

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

    def _measure(self, contact: Contact, solving: Solving) -> None:
        """The velocity of a contact, to its `SPEED`."""
        rows = range(ROWS if solving.rough else 1)
        for r in rows:
            contact[SPEED + r] = 0.0
        for lines in parts(contact):
            for line in lines.each(solving.velocities):
                v = line.velocities()
                for r in rows:
                    contact[SPEED + r] = contact[SPEED + r] + dot(line.row("contact_J", r), v)

    def _push(self, contact: Contact, solving: Solving) -> None:
        """The velocities after the change of an impulse."""
        for lines in parts(contact):
            for line in lines.each(solving.velocities):
                v = line.velocities()
                for r in range(ROWS if solving.rough else 1):
                    x = contact[CHANGE + r]
                    v = [a + y * x for a, y in zip(v, line.row("contact_Y", r), strict=True)]
                for k, x in enumerate(v):
                    self.program.store(line.velocities_in, line.velocity, k, x)

    def _solve(self, contact: Contact, solving: Solving) -> None:
        """The impulse of a contact in the light of all others, and its change."""
        program = self.program
        nn, tt, n = contact[NN], contact[TT], contact[solving.impulse]
        new_n = maximum(n - (contact[SPEED] - contact[TARGET]) / select(nn > 0.0, nn, 1.0), 0.0)
        new_n = select(nn > 0.0, new_n, n)
        change_n = new_n - n
        worst = maximum(program.load("contact_state", 0, RESIDUAL), nn * abs(change_n))
        contact[solving.impulse], contact[CHANGE] = new_n, change_n
        if not solving.rough:
            contact[CHANGE + 1] = contact[CHANGE + 2] = 0.0
            program.store("contact_state", 0, RESIDUAL, worst)
            return
        t = [contact[IMPULSE + 1 + k] for k in range(2)]
        slip = [contact[SPEED + 1 + k] + contact[k_n] * change_n for k, k_n in enumerate((N1, N2))]
        wanted = [x - u / select(tt > 0.0, tt, 1.0) for x, u in zip(t, slip, strict=True)]
        moves = both(nn > 0.0, tt > 0.0)
        for k, (old, x) in enumerate(zip(t, in_disc(wanted, contact[FRICTION] * new_n), strict=True), start=1):
            new = select(moves, x, old)
            contact[IMPULSE + k], contact[CHANGE + k] = new, new - old
            worst = maximum(worst, tt * abs(new - old))
        program.store("contact_state", 0, RESIDUAL, worst)


def both(a: Any, b: Any) -> Any:
    """Whether two conditions hold."""
    return select(a, select(b, 1.0, 0.0), 0.0) > 0.5


def in_disc(x: list[Scalar], radius: Scalar) -> list[Scalar]:
    """The nearest point of a disc about the origin."""
    square = dot(x, x)
    outside = square > radius * radius
    factor = select(outside, radius / sqrt(select(outside, square, 1.0)), 1.0)
    return [factor * part for part in x]


def impulse(contact: Contact) -> Vector:
    """On the second body, in world axes."""
    n, t, s = (contact.vector(k) for k in (NORMAL, FIRST, SECOND))
    return contact[IMPULSE] * n + contact[IMPULSE + 1] * t + contact[IMPULSE + 2] * s
