"""Unilateral constraints (joint limits and taut strings) among the contacts of a step.

Each row of such a constraint is one more contact, without a point in space and without friction, so one solver finds
all impulses. Rows whose gap is within the margin follow the contacts of shapes in the list. Gaps in rad are taken as
arcs at the model's length, so that one tolerance serves all contacts. `rbdkit.laws.stops` is the same on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.contact.branches import movers_of
from rbdkit.engine.contact.contacts import (
    ARRIVING,
    END,
    FIRST,
    FORM,
    FRICTION,
    GAP,
    H_STEP,
    LINES,
    LINK_P,
    LINK_S,
    MARGIN,
    MIDDLE,
    NORMAL,
    NOW,
    POINT,
    RESTITUTION,
    SECOND,
    SHIFT_1,
    SHIFT_2,
    SLOT,
    START,
    WHERE_P,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.rows import ROWS
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.own_constraints import OwnConstraints
from rbdkit.spatial.vector3 import Vector, dot
from rbdkit.trace import Index, Part, Scalar, Whole, maximum, minimum, select

DEPTH, TIME = range(2)
"""Numbers of a row in "stop_passed": its largest violation, m or rad, and the time of that, s."""
AXES = ((NORMAL, (0.0, 0.0, 1.0)), (FIRST, (1.0, 0.0, 0.0)), (SECOND, (0.0, 1.0, 0.0)), (POINT, (0.0, 0.0, 0.0)))


class Stops:
    """The rows of unilateral constraints at a state, see `Rows`, and the contacts that stand for them.

    "stop_J" holds the rows, "n_places" entries each: those of the row's branch, from its first place on. "stop_arc"
    has the length by which a row is multiplied: that of the model for angles, else 1.
    """

    asks = frozenset({"K", "gap", "slip"})

    def __init__(self, at: BaseMotion, code: OwnConstraints) -> None:
        self.at, self.program, self.code = at, at.tree.program, code
        self.n, self.length = self.program.count("n_stops"), self.program.count("n_places")

    # --- what codes write ---------------------------------------------------------------------------------------------

    def wrench(self, place: Whole, W: Sequence[Scalar]) -> None:
        """Write wrench number `place`."""
        for j, x in enumerate(W):
            self.program.store("stop_wrenches", place * 6, j, x)

    def hold(self, path: Whole, row: Whole, wrench: Whole, n: int) -> None:
        """Add n wrenches to the rows from `row` on, projected on the joints that move the link of a path."""
        program = self.program
        link = program.entry("stop_links", path)
        for a, S in movers_of(program, link):
            for r in range(n):
                W = [program.load("stop_wrenches", (wrench + r) * 6, j) for j in range(6)]
                self.add(row + r, a, dot(S, W))

    def add(self, row: Whole, velocity: Whole, x: Scalar) -> None:
        """Add to the entry of J in a row and a velocity."""
        here = row * self.length + self.program.entry("place_in_branch", velocity)
        x = self.program.load("stop_arc", row) * x
        self.program.store("stop_J", here, 0, self.program.load("stop_J", here) + x)

    def k(self, row: Whole, x: Scalar) -> None:
        raise AssertionError("k of a stop is not asked for")

    def opened(self, squared: Scalar) -> None:
        raise AssertionError("whether a stop is open is not asked for")

    def gap(self, row: Whole, x: Scalar) -> None:
        """Write the gap of a row, m or rad, as a length."""
        self.program.store("stop_gap", row, 0, self.program.load("stop_arc", row) * x)

    def slip(self, row: Whole, x: Scalar) -> None:
        """Write the rate of a row's gap, m/s or rad/s, as a velocity."""
        self.program.store("stop_slip", row, 0, self.program.load("stop_arc", row) * x)

    # --- contacts -----------------------------------------------------------------------------------------------------

    def look(self, v_free: Part) -> None:
        """Evaluate all rows; raise the margin to what can close in the step, at twice the speed of the fastest."""
        program = self.program
        with program.loop(0, self.n * self.length) as k:
            program.store("stop_J", k, 0, 0.0)
        self.code.record(self.at, self)
        with program.loop(0, self.n) as r:
            branch = program.entry("stop_branch", r)
            first, row = program.entry("branch_place", branch), r * self.length
            program.store("stop_speed", 0, 0, 0.0)
            with program.loop(0, program.entry("branch_size", branch)) as k:
                speed = v_free.load(program, program.entry("velocity_at", first + k))
                program.store(
                    "stop_speed", 0, 0, program.load("stop_speed", 0) + program.load("stop_J", row + k) * speed
                )
            # the faster approach of two: before the step, and after it without contacts
            closing = -minimum(program.load("stop_speed", 0), program.load("stop_slip", r))
            margin = maximum(
                program.load("contact_state", 0, MARGIN), 4.0 * program.load("contact_state", 0, H_STEP) * closing
            )
            program.store("contact_state", 0, MARGIN, margin)

    def record(self) -> None:
        """Append the rows within the margin to the contact list, and note the largest violation of each."""
        program = self.program
        with program.loop(0, self.n) as r, program.loop(0, 1):
            gap, passed = program.load("stop_gap", r), r * 2
            depth = -gap / program.load("stop_arc", r)
            deeper = depth > program.load("stop_passed", passed, DEPTH)
            for k, x in ((TIME, program.load("contact_state", 0, NOW)), (DEPTH, depth)):
                program.store("stop_passed", passed, k, select(deeper, x, program.load("stop_passed", passed, k)))
            near = gap <= program.load("contact_state", 0, MARGIN)
            program.break_if(select(near, 0.0, 1.0) > 0.5)  # NaN is not near
            for contact in Contacts(program).one_more():
                self._parts(contact, r)
                for place, axis in AXES:
                    contact.keep(place, Vector(axis))
                for k, x in ((0, program.load("stop_slip", r)), (1, 0.0), (2, 0.0)):
                    contact[ARRIVING + k] = x
                for k, x in ((GAP, program.load("stop_gap", r)), (FRICTION, 0.0), (RESTITUTION, 0.0)):
                    contact[k] = x

    def _parts(self, contact: Contact, r: Index) -> None:
        """Write the contact's entries of "contact_parts": one branch, and the world as both links."""
        program, branch = self.program, self.program.entry("stop_branch", r)
        start = program.entry("contact_counts", LINES)
        end = start + program.entry("branch_size", branch)
        own: dict[int, Whole] = {
            SLOT: program.count("first_stop") + r,
            START: start,
            MIDDLE: end,
            END: end,
            SHIFT_1: program.entry("branch_place", branch) - start,
            FORM: program.entry("form_of_lines", program.entry("branch_lines", branch) * 3),
            WHERE_P: start,
            LINK_P: 0,
            LINK_S: 0,
            SHIFT_2: 0,
        }
        contact.keep_parts(own)
        program.put("contact_counts", LINES, end)

    def jacobian(self, contact: Contact) -> None:
        """Copy the row of a contact that is a unilateral constraint to "contact_J" and "contact_Y"."""
        program, first_stop = self.program, self.program.count("first_stop")
        slot = contact.part(SLOT)
        with program.when_less(first_stop - 1, slot):
            row = (contact.part(SLOT) - first_stop) * self.length
            start = contact.part(START)
            with program.loop(start, contact.part(END)) as place:
                x = program.load("stop_J", row + (place - start))
                for array in ("contact_J", "contact_Y"):
                    program.store(array, place * ROWS, 0, x)
