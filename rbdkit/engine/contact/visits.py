"""Contact update in a program: one projected Gauss-Seidel step, from a contact's velocity to its new impulse.

`one_point` has the law, on the numbers of one contact. Here these numbers are read from and written to a program's
arrays: the velocity J v is summed up over the velocities of the contact's two branches (see `branches`), the new
impulse is found with all others fixed, and its change times Y = H^-1 J^T is added to the velocities of the same
branches, where the next contact reads them. So an update costs as many operations as the contact has entries, and no
matrix of all contacts exists.

Most contacts move one free body, or two: for these the code is straight, `ONE` or `TWO` lines of six velocities. Any
other contact loops over its lines (`MORE`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rbdkit.engine.contact.branches import MORE, ONE, TWO
from rbdkit.engine.contact.contacts import (
    ARRIVING,
    ASIDE,
    CHANGE,
    FIRST,
    FORM,
    FRICTION,
    GAP,
    IMPULSE,
    INVERSE,
    MIDDLE,
    N1,
    N2,
    NN,
    NORMAL,
    NOW,
    RESIDUAL,
    RESTITUTION,
    SECOND,
    SHIFT_1,
    SHIFT_2,
    SPEED,
    START,
    TARGET,
    TOGETHER,
    TT,
    Contact,
)
from rbdkit.engine.contact.one_point import Disc, Friction, ImpulseLaw, Parts, arrested, slid, sticks
from rbdkit.engine.contact.rows import ROWS, Line, Lines, parts
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Feedback, Scalar, equal, maximum, select, sqrt

CONSTANTS = {name: f"{name}_constants" for name in ("friction", "rebound")}
"""Arrays of the constants of a user's law, by the traced function that reads them."""
OF_CONTACT = {
    "gap": GAP, "velocity": ARRIVING, "normal": NORMAL, "first": FIRST, "second": SECOND, "friction": FRICTION,
    "restitution": RESTITUTION,
}  # fmt: skip
"""Where a contact has what a law asks of a point."""


@dataclass(frozen=True)
class Solving:
    """The problem that iterations solve: an array of velocities, and where contacts keep the impulses.

    rough : whether there is friction. law : a user's law of impulses, or None.
    """

    velocities: str
    impulse: int
    rough: bool
    law: ImpulseLaw | None = None

    @property
    def rows(self) -> int:
        """Number of rows of a contact that take part."""
        return ROWS if self.rough else 1

    def friction(self, contact: Contact) -> Friction:
        """Return the friction of a contact; made anew in each block, as numbers are loaded where they are used."""
        law = None if self.law is None else self.law.friction
        return Disc(contact[FRICTION]) if law is None else _Traced(contact, law)


class _Traced(Friction):
    """A user's friction at a contact; without any where the coefficient of friction is zero."""

    def __init__(self, contact: Contact, law: Feedback) -> None:
        self.contact, self.law = contact, law

    def nearest(self, wanted: Parts, push: Scalar) -> Parts:
        found = asked(self.contact, self.law, "friction", {"wanted": wanted, "push": [push]})
        return [select(self.contact[FRICTION] > 0.0, x, 0.0) for x in found]


def asked(contact: Contact, law: Feedback, name: str, given: Mapping[str, Parts]) -> list[Scalar]:
    """Evaluate a function of a user's law at a contact. given : its arguments beside the point."""
    program = contact.program

    def load(argument: str, k: int) -> Scalar:
        if argument == "time":
            return program.load("contact_state", 0, NOW)
        return given[argument][k] if argument in given else contact[OF_CONTACT[argument] + k]

    return law.compute(program, load, CONSTANTS[name])


def measure(contact: Contact, solving: Solving) -> None:
    """Write the velocity of a contact to its `SPEED`."""
    for form in contact.program.switch(contact.part(FORM), (ONE, TWO, MORE)):
        for r, u in enumerate(_speeds(contact, solving, form)):
            contact[SPEED + r] = u


def push(contact: Contact, solving: Solving) -> None:
    """Apply the `CHANGE` of a contact's impulse to the velocities."""
    for form in contact.program.switch(contact.part(FORM), (ONE, TWO, MORE)):
        _push(contact, solving, form)


def visit(contact: Contact, solving: Solving) -> None:
    """Update the impulse of one contact, with all others fixed, and apply its change to the velocities.

    Where all contacts change `TOGETHER` (Jacobi), velocities wait for `push`.
    """
    program = contact.program
    for form in program.switch(contact.part(FORM), (ONE, TWO, MORE)):
        u = _speeds(contact, solving, form)
        if solving.rough:
            _rough(contact, solving, u)
        else:
            _smooth(contact, solving, u[0])
        with program.loop(0, 1):
            change = [contact[CHANGE + r] for r in range(solving.rows)]
            # nothing to apply, or to be applied later
            waits = select(equal(dot(change, change), 0.0), 1.0, program.load("contact_state", 0, TOGETHER))
            program.break_if(waits > 0.5)
            _push(contact, solving, form)


def _lines(contact: Contact, velocities: str, form: int) -> list[Line]:
    """Return the lines of a contact with one or two."""
    places = [(contact.part(START), contact.part(SHIFT_1)), (contact.part(MIDDLE), contact.part(SHIFT_2))]
    count = {ONE: 1, TWO: 2}[form]
    return [Line(contact.program, place * ROWS, velocities, place + shift) for place, shift in places[:count]]


def _speeds(contact: Contact, solving: Solving, form: int) -> list[Scalar]:
    """Compute J v of a contact; with `MORE` lines it is summed up in its `SPEED`."""
    rows = range(solving.rows)
    if form == MORE:
        for r in rows:
            # summed up in memory, since values of a block do not outlive the loop over lines
            contact[SPEED + r] = 0.0
        for line in _each(parts(contact), solving.velocities):
            v = line.velocities()
            for r in rows:
                contact[SPEED + r] = contact[SPEED + r] + dot(line.row("contact_J", r), v)
        return [contact[SPEED + r] for r in rows]
    lines = _lines(contact, solving.velocities, form)
    of_lines = [line.velocities() for line in lines]
    speeds: list[Scalar] = []
    for r in rows:
        first, *others = (dot(line.row("contact_J", r), x) for line, x in zip(lines, of_lines, strict=True))
        speeds.append(sum(others, start=first))
    return speeds


def _each(lines: tuple[Lines, Lines], velocities: str) -> Iterator[Line]:
    for of_branch in lines:
        yield from of_branch.each(velocities)


def _push(contact: Contact, solving: Solving, form: int) -> None:
    """Apply the `CHANGE` of a contact's impulse to the velocities, for one line layout."""
    of_form = _each(parts(contact), solving.velocities) if form == MORE else _lines(contact, solving.velocities, form)
    for line in of_form:
        v = line.velocities()
        for r in range(solving.rows):
            x = contact[CHANGE + r]
            v = [a + y * x for a, y in zip(v, line.row("contact_Y", r), strict=True)]
        for k, x in enumerate(v):
            contact.program.store(line.velocities_in, line.velocity, k, x)


def _smooth(contact: Contact, solving: Solving, u: Scalar) -> None:
    nn, n = contact[NN], contact[solving.impulse]
    # where nn = 0, impulses move nothing, and the contact keeps its own
    new = select(nn > 0.0, maximum(n - (u - contact[TARGET]) / select(nn > 0.0, nn, 1.0), 0.0), n)
    contact[solving.impulse], contact[CHANGE] = new, new - n
    _note(contact, nn * abs(new - n))


def _rough(contact: Contact, solving: Solving, u: list[Scalar]) -> None:
    program = contact.program
    old, wrong = [contact[IMPULSE + r] for r in range(ROWS)], [u[0] - contact[TARGET], *u[1:]]
    for r in range(ROWS):
        # stored for the conditional part below, which cannot use values of this block; until the end, CHANGE holds the
        # old impulse
        contact[SPEED + r], contact[CHANGE + r] = u[r], old[r]
    inverse = [contact[INVERSE + k] for k in range(6)]
    new = arrested(old, wrong, inverse)
    for r, x in enumerate(new):
        contact[IMPULSE + r] = x
    # most points stick: what follows is skipped for these
    program.store("contact_state", 0, ASIDE, select(sticks(new, inverse, solving.friction(contact)), 0.0, 1.0))
    with program.when("contact_state", 0, ASIDE):
        old, wrong = [contact[CHANGE + r] for r in range(ROWS)], wrong_of(contact)
        own = contact[NN], contact[TT], (contact[N1], contact[N2])
        for r, x in enumerate(slid(old, wrong, *own, solving.friction(contact))):
            contact[IMPULSE + r] = x
    for r in range(ROWS):
        contact[CHANGE + r] = contact[IMPULSE + r] - contact[CHANGE + r]
    normal, *along = (contact[CHANGE + r] for r in range(ROWS))
    _note(contact, contact[NN] * abs(normal), contact[TT] * sqrt(dot(along, along)))


def wrong_of(contact: Contact) -> list[Scalar]:
    """Return the measured velocity of a contact, along the normal less the least that is allowed."""
    return [contact[SPEED] - contact[TARGET], contact[SPEED + 1], contact[SPEED + 2]]


def _note(contact: Contact, *changes: Scalar) -> None:
    """Raise the residual of the iteration to the largest of some changes of velocity."""
    program = contact.program
    worst = program.load("contact_state", 0, RESIDUAL)
    for change in changes:
        worst = maximum(worst, change)
    program.store("contact_state", 0, RESIDUAL, worst)
