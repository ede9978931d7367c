"""One projected Gauss-Seidel step: the new impulse of one contact, with the impulses of all others fixed.

First the impulse that stops the contact point altogether, by the inverse of the contact's own 3x3 block; if it pushes
and lies in the friction cone, the contact sticks and this is the solution. Otherwise the contact separates or slides:
then the normal impulse that makes the normal velocity what it must be, and after it a projected gradient step of the
tangential impulse onto the disc of radius mu times the normal impulse, with the larger eigenvalue as step size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rbdkit.engine.contact.branches import MORE, ONE, TWO
from rbdkit.engine.contact.contacts import (
    ASIDE,
    CHANGE,
    FORM,
    FRICTION,
    IMPULSE,
    INVERSE,
    MIDDLE,
    N1,
    N2,
    NN,
    RESIDUAL,
    SHIFT_1,
    SHIFT_2,
    SPEED,
    START,
    TARGET,
    TOGETHER,
    TT,
    Contact,
)
from rbdkit.engine.contact.rows import ROWS, Line, Lines, parts
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Scalar, equal, maximum, select, sqrt


@dataclass(frozen=True)
class Solving:
    """The problem that iterations solve: an array of velocities, and where contacts keep the impulses.

    rough : whether there is friction.
    """

    velocities: str
    impulse: int
    rough: bool

    @property
    def rows(self) -> int:
        """Number of rows of a contact that take part."""
        return ROWS if self.rough else 1


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
            _rough(contact, u)
        else:
            _smooth(contact, solving, u[0])
        with program.loop(0, 1):
            change = [contact[CHANGE + r] for r in range(solving.rows)]
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
    new = select(nn > 0.0, maximum(n - (u - contact[TARGET]) / select(nn > 0.0, nn, 1.0), 0.0), n)
    contact[solving.impulse], contact[CHANGE] = new, new - n
    _note(contact, nn * abs(new - n))


def _rough(contact: Contact, u: list[Scalar]) -> None:
    program = contact.program
    x, wrong = [contact[IMPULSE + r] for r in range(ROWS)], [u[0] - contact[TARGET], *u[1:]]
    for r in range(ROWS):
        contact[SPEED + r], contact[CHANGE + r] = u[r], x[r]
    a, b, c, d, e, f = (contact[INVERSE + k] for k in range(6))
    n, *t = (y - dot(row, wrong) for y, row in zip(x, ((a, b, c), (b, d, e), (c, e, f)), strict=True))
    for r, y in enumerate((n, *t)):
        contact[IMPULSE + r] = y
    limit = contact[FRICTION] * n
    aside = select(a > 0.0, select(n > 0.0, select(dot(t, t) <= limit * limit, 0.0, 1.0), 1.0), 1.0)
    program.store("contact_state", 0, ASIDE, aside)
    with program.when("contact_state", 0, ASIDE):
        _row_by_row(contact)
    for r in range(ROWS):
        contact[CHANGE + r] = contact[IMPULSE + r] - contact[CHANGE + r]
    normal, *along = (contact[CHANGE + r] for r in range(ROWS))
    _note(contact, contact[NN] * abs(normal), contact[TT] * sqrt(dot(along, along)))


def _row_by_row(contact: Contact) -> None:
    """Update normal and tangential impulse in turn, from the velocities in `SPEED` and the old impulse in `CHANGE`."""
    nn, tt = contact[NN], contact[TT]
    n, *t = (contact[CHANGE + r] for r in range(ROWS))
    new_n = maximum(n - (contact[SPEED] - contact[TARGET]) / select(nn > 0.0, nn, 1.0), 0.0)
    new_n = select(nn > 0.0, new_n, n)
    slip = [contact[SPEED + 1 + k] + contact[k_n] * (new_n - n) for k, k_n in enumerate((N1, N2))]
    wanted = [y - u / select(tt > 0.0, tt, 1.0) for y, u in zip(t, slip, strict=True)]
    moves = both(nn > 0.0, tt > 0.0)
    contact[IMPULSE] = new_n
    for k, (old, y) in enumerate(zip(t, in_disc(wanted, contact[FRICTION] * new_n), strict=True), start=1):
        contact[IMPULSE + k] = select(moves, y, old)


def _note(contact: Contact, *changes: Scalar) -> None:
    """Raise the residual of the iteration to the largest of some changes of velocity."""
    program = contact.program
    worst = program.load("contact_state", 0, RESIDUAL)
    for change in changes:
        worst = maximum(worst, change)
    program.store("contact_state", 0, RESIDUAL, worst)


def both(a: Any, b: Any) -> Any:
    """Return whether both conditions hold, as a condition for `select`."""
    return select(a, select(b, 1.0, 0.0), 0.0) > 0.5


def in_disc(x: list[Scalar], radius: Scalar) -> list[Scalar]:
    """Project a vector onto the disc of a radius about the origin."""
    square = dot(x, x)
    outside = square > radius * radius
    factor = select(outside, radius / sqrt(select(outside, square, 1.0)), 1.0)
    return [factor * part for part in x]
