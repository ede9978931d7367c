"""Distribution of impulses among redundant contact points, independent of their order (mass splitting).

Where two bodies have more contact points than their relative motion has degrees of freedom, the impulses are not
unique, and the friction of a body that slides and turns depends on which are taken. Gauss-Seidel iterations load the
first points that they visit. Where that matters a second round begins at zero impulses and updates all contacts at once
(Jacobi): each point sees the velocities before the iteration, and only its share of the masses of its bodies, which are
split into as many parts as they have points (Tonge, Benevolenski and Voroshilov 2012, "Mass splitting for jitter-free
parallel rigid body simulation"). All points are treated alike, so the order of contacts has no influence and symmetric
problems have symmetric solutions. The iteration never adds a null-space component to the zero impulses it begins with,
so the impulses are the smallest. It takes about five times as many iterations, therefore the first round stays
Gauss-Seidel. `rbdkit.laws.even_cone` is the same on dense matrices.
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
from rbdkit.engine.contact.one_point import both
from rbdkit.engine.contact.rows import ROWS, parts
from rbdkit.engine.contact.scene import LONG, MANY
from rbdkit.engine.contact.visits import Solving, push
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Index, Program, Scalar, equal, maximum, select

ONE_BY_ONE, AT_ONCE, SLOWER, AGAIN = range(4)
"""Rounds of iterations: Gauss-Seidel; Jacobi, all points at once; Jacobi with changes half as large, if the second does
not converge (it can cycle); and Gauss-Seidel from there, if that was not enough, as in tall piles.
"""
# Measured: by Gauss-Seidel alone, a sliding table was elsewhere by 1e-3 m after half a second if its feet were listed
# in another order.
TURNS = 4
ENOUGH = 200
"""Most iterations of the second round."""
FLAT = 1e-6
"""Velocity error at which a Jacobi round may stop, relative to the largest error without impulses: feet whose heights
differ by so little could be told apart only by very many iterations.
"""
POOR = 1e-4
"""Velocity error, relative to the same, above which the third round has not converged well enough."""
ONE_PLACE = 1e-9
"""Largest difference of keys in the order of visits, as a part of the model's length, of contacts at one place and with
one normal. Shares decide there if coefficients of friction differ."""
NOTICED = 10.0
"""Sliding speed that counts as sliding, as a multiple of the velocity error left by the iteration."""


class EvenShares:
    """Decides after each round of iterations whether another one follows, and prepares it."""

    def __init__(self, program: Program, solving: Solving) -> None:
        self.program, self.contacts, self.solving = program, Contacts(program), solving

    def begin(self) -> None:
        """Start with Gauss-Seidel, from point to point."""
        self.program.store("contact_state", 0, TOGETHER, 0.0)

    def record(self, turn: Index) -> None:
        """Prepare the next round; `OPEN` says whether there is one."""
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
                # what has not converged by now may be cycling
                left = program.load("contact_state", 0, RESIDUAL) > enough
                program.store("contact_state", 0, OPEN, select(left, 1.0, 0.0))
                program.store("contact_state", 0, TOGETHER, select(left, float(SLOWER), 0.0))
                for contact in self.contacts.each():
                    # changes half as large if another round follows, else the full masses again
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
        """Set `OPEN` if the distribution matters: something slides, and two bodies have many contact points, or some at
        one place with different friction, as on two grounds of one height."""
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
                # listed contacts that stay apart carry nothing, and do not count
                touches = select(contact[SPEED] - contact[TARGET] <= near, 1.0, 0.0)
                for couple, many in self._couples(contact):
                    points = program.load("points_of_couple", couple) + touches
                    program.store("points_of_couple", couple, 0, points)
                    is_open = select(points > many - 0.5, 1.0, program.load("contact_state", 0, OPEN))
                    program.store("contact_state", 0, OPEN, is_open)
            with program.loop(1, self.contacts.count()) as place:
                # contacts at one place have equal keys, and so are neighbours in the order of visits
                at = [Contact(program, program.entry("visit_order", place - k)) for k in (1, 0)]
                last, here = (program.load("contact_keys", contact.number) for contact in at)
                ties = here - last < ONE_PLACE * program.load("measures", 0, LONG)
                was_open, mu = program.load("contact_state", 0, OPEN), [contact[FRICTION] for contact in at]
                is_open = select(equal(*mu), was_open, select(ties, 1.0, was_open))
                program.store("contact_state", 0, OPEN, is_open)

    def _couples(self, contact: Contact) -> Iterator[tuple[Index, int]]:
        """Yield the numbers of a contact's couples, see `MANY`, and how many points of each are many."""
        first = contact.part(SLOT) * len(MANY)
        for k, many in enumerate(MANY):
            yield self.program.entry("couples_of_slot", first + k), many

    def _forget(self) -> None:
        """Set all impulses to zero."""
        for contact in self.contacts.each():
            for r in range(ROWS):
                # the velocities must forget the impulses, too
                contact[CHANGE + r] = -contact[IMPULSE + r]
                contact[IMPULSE + r] = 0.0
            push(contact, self.solving)

    def _split(self) -> None:
        """Split the masses: each contact sees only its share of the masses of its bodies."""
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
                # of its two bodies, the one with more points decides
                most = maximum(program.load("parts_of_mass", 0), program.load("points_of_branch", branch))
                program.store("parts_of_mass", 0, 0, most)
            self._stiffen(contact, program.load("parts_of_mass", 0))

    def _stiffen(self, contact: Contact, factor: Scalar) -> None:
        """Divide the mass that a contact sees by a factor."""
        for k in (PART, NN, TT, N1, N2):
            # less mass means a larger response to the same impulse
            contact[k] = contact[k] * factor
        for k in range(INVERSE, INVERSE + 6):
            contact[k] = contact[k] / factor


def _branches(contact: Contact) -> Iterator[Index]:
    """Yield where the velocities of each branch that a contact moves begin."""
    for lines in parts(contact):
        with contact.program.when_less(lines.start, lines.end):
            yield lines.start + lines.shift
