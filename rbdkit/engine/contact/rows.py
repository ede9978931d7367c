"""The rows of each contact: its Jacobian J, Y = H^-1 J^T, and its own block J Y.

The rows of a contact are its normal and its two tangents. H^-1 J^T comes from the sparse L^T D L factors of the inertia
matrix (Featherstone 2008, Table 6.5), within the contact's branches only: L^-T inward, D^-1, then L^-1 outward.
Loops and constraints are eliminated between the two halves. The three entries that belong to one velocity are
adjacent in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rbdkit.engine.contact.branches import LINE, movers_of
from rbdkit.engine.contact.contacts import (
    END,
    FIRST,
    INVERSE,
    LINK_P,
    LINK_S,
    MIDDLE,
    N1,
    N2,
    NN,
    NORMAL,
    POINT,
    SECOND,
    SHIFT_1,
    SHIFT_2,
    START,
    T11,
    T12,
    T22,
    TT,
    WHERE_P,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.one_point import own_inverse, steepest
from rbdkit.engine.rows.elimination import Elimination
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.spatial.vector3 import Vector, cross, dot
from rbdkit.trace import Index, Program, Scalar, equal

if TYPE_CHECKING:
    from rbdkit.engine.contact.stops import Stops

ROWS = 3


@dataclass(frozen=True)
class Lines:
    """The entries of a contact in one branch: places start to end in its rows, velocities from start + shift on."""

    program: Program
    start: Index
    end: Index
    shift: Index

    def each(self, velocities: str = "contact_v") -> Iterator[Line]:
        """Loop over the lines."""
        with self.program.loop(self.start, self.end, LINE) as place:
            yield Line(self.program, place * ROWS, velocities, place + self.shift)


@dataclass(frozen=True)
class Line:
    """One line of `LINE` velocities: where it begins in "contact_J" and "contact_Y", and in an array of velocities."""

    program: Program
    place: Index
    velocities_in: str
    velocity: Index

    def row(self, array: str, r: int) -> list[Scalar]:
        """Return the entries of row r."""
        return [self.program.load(array, self.place, ROWS * k + r) for k in range(LINE)]

    def velocities(self) -> list[Scalar]:
        """Load the velocities of the line."""
        return [self.program.load(self.velocities_in, self.velocity, k) for k in range(LINE)]


def parts(contact: Contact) -> tuple[Lines, Lines]:
    """Return the contact's entries in the branch of its second body, and in that of its first if it is another."""
    start, middle, end, shift_1, shift_2 = (contact.part(k) for k in (START, MIDDLE, END, SHIFT_1, SHIFT_2))
    program = contact.program
    return Lines(program, start, middle, shift_1), Lines(program, middle, end, shift_2)


class ContactRows:
    """Computes the rows of all contacts of a step from "columns" and the factors of H in "L" and "D_inv".

    held : the factorised rows K of loops and constraints; H^-1 is then replaced by the constrained inverse
        ``H^-1 - H^-1 K^T (K H^-1 K^T)^-1 K H^-1``. stops : unilateral constraints among the contacts.
    """

    def __init__(self, tree: LoopTree, held: Elimination | None = None, stops: Stops | None = None) -> None:
        self.tree, self.program, self.held, self.stops = tree, tree.program, held, stops
        self.contacts = Contacts(tree.program)

    def record(self) -> None:
        """Compute J, Y = H^-1 J^T and J Y of all contacts."""
        for contact in self.contacts.each():
            self._jacobian(contact)
            if self.stops is not None:
                self.stops.jacobian(contact)
            self._yield(contact)
            self._products(contact)

    def _jacobian(self, contact: Contact) -> None:
        program = self.program
        with program.loop(contact.part(START), contact.part(END)) as place:
            at = place * ROWS
            for r in range(ROWS):
                program.store("contact_J", at, r, 0.0)
        for link, first, sign in ((LINK_S, START, 1.0), (LINK_P, WHERE_P, -1.0)):
            self._moved(contact, contact.part(link), contact.part(first), sign)
        with program.loop(contact.part(START), contact.part(END)) as place:
            at = place * ROWS
            for r in range(ROWS):
                program.store("contact_Y", at, r, program.load("contact_J", at, r))

    def _moved(self, contact: Contact, link: Index, first: Index, sign: float) -> None:
        """Add the Jacobian of the contact point as a point of one link, with a sign."""
        program = self.program
        for a, S in movers_of(program, link):
            at = (first + program.entry("place_in_branch", a)) * ROWS
            v = Vector(S[3:]) + cross(Vector(S[:3]), contact.vector(POINT))
            for r, vector in enumerate((NORMAL, FIRST, SECOND)):
                x = program.load("contact_J", at, r) + sign * dot(contact.vector(vector), v)
                program.store("contact_J", at, r, x)

    def _yield(self, contact: Contact) -> None:
        """Turn J^T in "contact_Y" into H^-1 J^T (Featherstone 2008, Table 6.5)."""
        for lines in parts(contact):
            self._inward(lines)
        if self.held is not None:
            self._answer(contact, self.held)
        for lines in parts(contact):
            self._outward(lines)

    def _each(self, which: str, velocity: Index) -> Iterator[tuple[Index, Index]]:
        program = self.program
        first, end = (program.entry(f"first_{which}", velocity + k) for k in range(2))
        with program.loop(first, end) as k:
            yield program.entry(which, k), program.entry(f"{which}_factor", k)

    def _subtract(self, other: Index, at: Index, factor: Index) -> None:
        program = self.program
        for r in range(ROWS):
            y = program.load("contact_Y", other, r)
            y = y - program.load("L", factor) * program.load("contact_Y", at, r)
            program.store("contact_Y", other, r, y)

    def _inward(self, lines: Lines) -> None:
        program = self.program
        with program.loop(lines.end - 1, lines.start - 1, -1) as place, program.loop(0, 1):  # L.T y = x
            at = place * ROWS
            numbers = [program.load("contact_Y", at, r) for r in range(ROWS)]
            program.break_if(equal(dot(numbers, numbers), 0.0))  # it does not move the contact
            for distance, factor in self._each("above", place + lines.shift):
                self._subtract((place - distance) * ROWS, at, factor)
        with program.loop(lines.start, lines.end) as place:  # D z = y
            at, a = place * ROWS, program.entry("velocity_at", place + lines.shift)
            for r in range(ROWS):
                program.store("contact_Y", at, r, program.load("D_inv", a) * program.load("contact_Y", at, r))

    def _answer(self, contact: Contact, held: Elimination) -> None:
        """Project out the reactions of loops and constraints from the velocities that the contact impulses make.

        It works between the two halves of the solution, where "contact_Y" holds D^-1 L^-T J^T; "Y" holds L^-T K^T.
        """
        program = self.program
        with program.loop(0, ROWS) as row:
            with program.loop(0, held.m) as s:
                program.store("reactions", s, 0, 0.0)
            for lines in parts(contact):
                for here, at in self._held_lines(lines, row):
                    with program.loop(0, held.m) as s:
                        own = program.load("Y", here + s) * program.load("contact_Y", at)
                        program.store("reactions", s, 0, program.load("reactions", s) + own)
            held.react(anew=True)
            for lines in parts(contact):
                for here, at in self._held_lines(lines, row):
                    with program.loop(0, held.m) as s:
                        back = program.load("factor", 0) * program.load("Y", here + s) * program.load("reactions", s)
                        program.store("contact_Y", at, 0, program.load("contact_Y", at) - back)

    def _held_lines(self, lines: Lines, row: Index) -> Iterator[tuple[Index, Index]]:
        """Loop over velocities: yield where the constraint rows begin in "Y", and the entry of `row`.

        "factor" gets D^-1 of each. Padding stands for velocity 0, with J = 0, so whatever is computed moves nothing.
        """
        program = self.program
        with program.loop(lines.start, lines.end) as place:
            a = program.entry("velocity_at", place + lines.shift)
            program.store("factor", 0, 0, program.load("D_inv", a))
            yield a * program.count("K_row"), place * ROWS + row

    def _outward(self, lines: Lines) -> None:
        program = self.program
        with program.loop(lines.start, lines.end) as place:  # L x = z by columns: sums do not wait for each other
            at = place * ROWS
            for distance, factor in self._each("below", place + lines.shift):
                self._subtract((place + distance) * ROWS, at, factor)

    def _products(self, contact: Contact) -> None:
        """Compute the contact's own block of J H^-1 J^T."""
        pairs = {NN: (0, 0), N1: (1, 0), N2: (2, 0), T11: (1, 1), T12: (1, 2), T22: (2, 2)}
        for k in pairs:
            contact[k] = 0.0
        for lines in parts(contact):
            for line in lines.each():
                for k, (r, s) in pairs.items():
                    contact[k] = contact[k] + dot(line.row("contact_J", r), line.row("contact_Y", s))
        for k, x in enumerate(own_inverse(*(contact[k] for k in (NN, N1, N2, T11, T12, T22)))):
            contact[INVERSE + k] = x
        contact[TT] = steepest(contact[T11], contact[T12], contact[T22])
