"""Shares of impulses among points of which two bodies have more than needed, independent of their order.

Impulses of such points are not determined, and friction of what slides and turns follows them: so the motion depends
on which are taken. Sweeps from point to point load the first ones. Where that matters a second turn begins without
impulses, and changes all of them at once: each point then sees the velocities before the sweep, and its part alone of
the masses of its bodies, one of as many as they have points (Tonge, Benevolenski and Voroshilov 2012, "Mass splitting
for jitter-free parallel rigid body simulation"). Whatever is done to one point is done to all, so order has no part
in it, and what is symmetric remains so; nothing that does not move anything is added to no impulses, so shares are the
smallest. It takes some five times as many sweeps, therefore the first turn is what it was.
`rbdkit.laws.shares` is the same on dense matrices.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.engine.contact.contacts import (
    ARRIVING,
    CHANGE,
    FRICTION,
    IMPULSE,
    INVERSE,
    N1,
    N2,
    NN,
    OPEN,
    PART,
    RESIDUAL,
    SCALE,
    SLOT,
    SPEED,
    TARGET,
    TOGETHER,
    TOLERANCE,
    TT,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.rows import ROWS, parts
from rbdkit.engine.contact.scene import MANY
from rbdkit.engine.contact.visits import Solving, both, push
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Index, Program, Scalar, maximum, select

ONE_BY_ONE, AT_ONCE, SLOWER, AGAIN = range(4)
"""Turns of sweeps: from point to point; all points at once; the same with half as large changes, if these go round in
circles; and from point to point from there, if that was not enough: as in tall piles."""
TURNS = 4
ENOUGH = 200
"""Sweeps of the second turn."""
FLAT = 1e-6
"""Part of the largest velocity that is wrong without impulses, which points at once may leave: feet that stand out by
so little would have to be told from such that do not by as many sweeps."""
POOR = 1e-4
"""Such a part, from which on that was not enough."""
NOTICED = 10.0
"""Times what sweeps leave: speed from which on a point slides."""


class EvenShares:
    """What comes after each turn of sweeps on the impulses of a step."""

    def __init__(self, program: Program, solving: Solving) -> None:
        self.program, self.contacts, self.solving = program, Contacts(program), solving

    def begin(self) -> None:
        """The first turn goes from point to point."""
        self.program.store("contact_state", 0, TOGETHER, 0.0)

    def record(self, turn: Index) -> None:
        """Prepare the next turn; `OPEN` says whether there is one to be."""
        program = self.program
        program.store("contact_state", 0, OPEN, 0.0)
        for done in program.switch(turn, range(TURNS)):
            if done == ONE_BY_ONE:
                with program.when_less(0, program.count("couples_of_many")):
                    self._look()
                with program.when("contact_state", 0, OPEN):
                    program.store("contact_state", 0, TOGETHER, float(AT_ONCE))
                    self._forget()
                    self._split()
            elif done == AT_ONCE:
                enough = maximum(
                    program.load("contact_state", 0, TOLERANCE), FLAT * program.load("contact_state", 0, SCALE)
                )
                left = program.load("contact_state", 0, RESIDUAL) > enough
                program.store("contact_state", 0, OPEN, select(left, 1.0, 0.0))
                program.store("contact_state", 0, TOGETHER, select(left, float(SLOWER), 0.0))
                for contact in self.contacts.each():
                    self._stiffen(
                        contact, select(program.load("contact_state", 0, OPEN) > 0.5, 2.0, 1.0 / contact[PART])
                    )
            elif done == SLOWER:
                left = program.load("contact_state", 0, RESIDUAL) > POOR * program.load("contact_state", 0, SCALE)
                program.store("contact_state", 0, OPEN, select(left, 1.0, 0.0))
                program.store("contact_state", 0, TOGETHER, 0.0)
                for contact in self.contacts.each():
                    self._stiffen(contact, 1.0 / contact[PART])

    def _look(self) -> None:
        """Whether shares matter: something slides before the step or after it, and some two bodies have many points."""
        program = self.program
        for contact in self.contacts.each():
            before, after = ([contact[k + r] for r in range(1, ROWS)] for k in (ARRIVING, SPEED))
            left = (program.load("contact_state", 0, k) for k in (TOLERANCE, RESIDUAL))
            least = NOTICED * maximum(*left)
            rubs = both(contact[FRICTION] > 0.0, contact[IMPULSE] > 0.0)
            slides = both(rubs, maximum(dot(before, before), dot(after, after)) > least * least)
            program.store("contact_state", 0, OPEN, select(slides, 1.0, program.load("contact_state", 0, OPEN)))
        with program.when("contact_state", 0, OPEN):
            program.store("contact_state", 0, OPEN, 0.0)
            for contact in self.contacts.each():
                for couple, _ in self._couples(contact):
                    program.store("points_of_couple", couple, 0, 0.0)
            for contact in self.contacts.each():
                near = 10.0 * FLAT * program.load("contact_state", 0, SCALE)
                touches = select(contact[SPEED] - contact[TARGET] <= near, 1.0, 0.0)
                for couple, many in self._couples(contact):
                    points = program.load("points_of_couple", couple) + touches
                    program.store("points_of_couple", couple, 0, points)
                    is_open = select(points > many - 0.5, 1.0, program.load("contact_state", 0, OPEN))
                    program.store("contact_state", 0, OPEN, is_open)

    def _couples(self, contact: Contact) -> Iterator[tuple[Index, int]]:
        """The numbers of the two bodies of a contact, and of each with one shape; and how many points are many."""
        first = contact.part(SLOT) * len(MANY)
        for k, many in enumerate(MANY):
            yield self.program.entry("couples_of_slot", first + k), many

    def _forget(self) -> None:
        """Take all impulses away."""
        for contact in self.contacts.each():
            for r in range(ROWS):
                contact[CHANGE + r] = -contact[IMPULSE + r]
                contact[IMPULSE + r] = 0.0
            push(contact, self.solving)

    def _split(self) -> None:
        """Let each contact see its part alone of the masses of its bodies."""
        program = self.program
        for contact in self.contacts.each():
            for branch in _branches(contact):
                program.store("points_of_branch", branch, 0, 0.0)
        for contact in self.contacts.each():
            for branch in _branches(contact):
                program.store("points_of_branch", branch, 0, program.load("points_of_branch", branch) + 1.0)
        for contact in self.contacts.each():
            contact[PART] = 1.0
            program.store("parts_of_mass", 0, 0, 1.0)
            for branch in _branches(contact):
                most = maximum(program.load("parts_of_mass", 0), program.load("points_of_branch", branch))
                program.store("parts_of_mass", 0, 0, most)
            self._stiffen(contact, program.load("parts_of_mass", 0))

    def _stiffen(self, contact: Contact, factor: Scalar) -> None:
        """Let a contact see so many times less mass than it does."""
        for k in (PART, NN, TT, N1, N2):
            contact[k] = contact[k] * factor
        for k in range(INVERSE, INVERSE + 6):
            contact[k] = contact[k] / factor


def _branches(contact: Contact) -> Iterator[Index]:
    """Where the velocities begin of each branch that a contact moves."""
    for lines in parts(contact):
        with contact.program.when_less(lines.start, lines.end):
            yield lines.start + lines.shift
