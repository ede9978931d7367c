"""Collision detection in a program: place the shapes, find near pairs, list their contacts.

The broad phase keeps a list of neighbours for many steps (a Verlet list): pairs whose bounding balls are closer than
`REACH`. It is built anew only when shapes have moved so far that a pair outside the list could come within the margin,
which is when twice the largest displacement plus the margin reaches `REACH`. (To test all pairs in every step took a
third of the time of 400 balls.) The narrow phase evaluates the closed form of each kind of pair for those whose
bounding balls are within the margin, and lists the points whose gap is.
"""

from __future__ import annotations

from typing import Any

from rbdkit.collision import Kind, Pose
from rbdkit.engine.contact.contacts import (
    ARRIVING,
    COUNT,
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
from rbdkit.engine.contact.grid import Grid
from rbdkit.engine.contact.scene import LENGTHS, RADIUS, SHAPE, SURFACE, TOUCH, name_of
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.steps.base import STILL
from rbdkit.engine.steps.loop_tree import slot_of
from rbdkit.engine.steps.nodes import Body
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Index, Part, Scalar, Whole, maximum, select, sqrt, symbols

NOW = 13
"""Numbers of a shape in "shapes_now": its pose in base coordinates (12) and the radius of its bounding ball."""
MOVED, REACH, ANEW = range(3)
"""Places in "near_state": squared largest displacement of a shape since the list of neighbours was built, the distance
of bounding balls up to which it was built, and whether it is to be built anew."""
TILTED = (0.1237, 0.1741, 1.0)
"""A direction near z that is not orthogonal to any direction along axes or at common angles."""
CANDIDATE = 7
"""Numbers of a possible contact in "candidates": gap, point, normal."""


class Search:
    """Lists the contacts of some kinds of pairs, with the links placed as a `BaseMotion` has them.

    A contact is listed if its gap could close within the step at twice the speed of the fastest shape.
    """

    def __init__(self, at: BaseMotion, kinds: tuple[Kind, ...]) -> None:
        self.at, self.program, self.kinds = at, at.tree.program, kinds
        self._v_free = at.tree.field(mv)
        # a half-space has no bounding ball, so no cell of the grid either
        round_kinds = [(k, name_of(kind)) for k, kind in enumerate(kinds) if kind.first != "half-space"]
        self._grid = Grid(self.program, round_kinds, NOW)

    def record(self) -> None:
        """List all contacts, in the order of kinds, pairs and slots."""
        program = self.program
        self._place()
        self._neighbours()
        program.put("contact_counts", COUNT, 0)
        program.put("contact_counts", LINES, 0)
        for k, kind in enumerate(self.kinds):
            name = name_of(kind)
            first = program.count(f"first_{name}")
            # the inner loop of one turn makes `break_if` skip a single pair
            with program.loop(first, program.entry("near_ends", k)) as place, program.loop(0, 1):
                number = program.entry("near_pairs", place)
                entry = number * TOUCH
                p, s = program.entry("pair_shapes", entry), program.entry("pair_shapes", entry + 1)
                program.break_if(self._far(kind, p, s, MARGIN))
                self._narrow(kind, p, s)
                slot = program.count(f"slot_{name}") + (number - first) * kind.slots
                with program.loop(0, kind.slots) as j:
                    self._list(number, slot + j, j * CANDIDATE, p, s)

    def _neighbours(self) -> None:
        """Build the list of neighbours anew if shapes have moved too far since it was built."""
        program = self.program
        program.store("near_state", 0, MOVED, 0.0)
        with program.loop(0, program.count("n_shapes")) as shape:
            now, then = shape * NOW, shape * 3
            by = [program.load("shapes_now", now, 9 + j) - program.load("shapes_then", then, j) for j in range(3)]
            program.store("near_state", 0, MOVED, maximum(program.load("near_state", 0, MOVED), dot(by, by)))
        margin = program.load("contact_state", 0, MARGIN)
        # both shapes of a pair may have moved towards each other
        closer = 2.0 * sqrt(program.load("near_state", 0, MOVED)) + margin
        program.store("near_state", 0, ANEW, select(closer < program.load("near_state", 0, REACH), 0.0, 1.0))
        with program.when("near_state", 0, ANEW):
            # far enough for several steps at this speed, and for slow motions by the skin alone
            reach = 4.0 * program.load("contact_state", 0, MARGIN) + program.load("shape_skin", 0)
            program.store("near_state", 0, REACH, reach)
            with program.loop(0, program.count("n_shapes")) as shape:
                now, then = shape * NOW, shape * 3
                for j in range(3):
                    program.store("shapes_then", then, j, program.load("shapes_now", now, 9 + j))
            for of_kind, kind in enumerate(self.kinds):
                name = name_of(kind)
                first = program.count(f"first_{name}")
                program.put("near_ends", of_kind, first)
                with program.loop(first, program.count(f"singly_{name}")) as number, program.loop(0, 1):
                    entry = number * TOUCH
                    p, s = program.entry("pair_shapes", entry), program.entry("pair_shapes", entry + 1)
                    program.break_if(self._far(kind, p, s, None))
                    place = program.entry("near_ends", of_kind)
                    program.put("near_pairs", place, number)
                    program.put("near_ends", of_kind, place + 1)
            with program.when_less(0, program.count("n_gridded")):
                self._grid.record(("near_state", REACH))

    def fastest(self, v_free: Part) -> None:
        """Set the margin from the velocities before the step and those after it without contacts."""
        program, at, tree = self.program, self.at, self.at.tree
        self._v_free[tree.world] = STILL
        for i in tree.outward():
            v = self._v_free[i.parent]
            slot = slot_of(tree, i)
            for k in range(i.motion.nv):
                column = (slot + k) * 12
                speed = program.load(v_free.array, i.v + v_free.start, k)
                v = v + speed * mv.of([program.load("columns", column, r) for r in range(6)])
            self._v_free[i] = v
        program.store("contact_state", 0, MARGIN, 0.0)
        with program.loop(0, program.count("n_shapes")) as shape:
            link, given = at.body(program.entry("shape_link", shape)), shape * SHAPE
            x = [program.load("shapes", given, j) for j in range(SHAPE)]
            p = at.p[link] + at.R[link] @ Vector(x[9:12])
            margin = program.load("contact_state", 0, MARGIN)
            for w, v_0 in (at.v[link].halves, self._v_free[link].halves):
                v_p = v_0 + cross(w, p)
                fast = sqrt(dot(v_p, v_p)) + x[RADIUS] * sqrt(dot(w, w))
                # 4 h v: both shapes of a pair may move at the largest speed, and the step may speed them up to twice
                # that.
                margin = maximum(margin, 4.0 * program.load("contact_state", 0, H_STEP) * fast)
            program.store("contact_state", 0, MARGIN, margin)

    def _place(self) -> None:
        """Place the shapes in base coordinates."""
        program, at = self.program, self.at
        with program.loop(0, program.count("n_shapes")) as k:
            link, given, now = at.body(program.entry("shape_link", k)), k * SHAPE, k * NOW
            x = [program.load("shapes", given, j) for j in range(SHAPE)]
            R_i = at.R[link]
            p = at.p[link] + R_i @ Vector(x[9:12])
            for j, number in enumerate([*(R_i @ Matrix.of(x[:9])).flat(), *p, x[RADIUS]]):
                program.store("shapes_now", now, j, number)

    def _now(self, shape: Index) -> list[Scalar]:
        place = shape * NOW
        return [self.program.load("shapes_now", place, j) for j in range(NOW)]

    def _far(self, kind: Kind, p: Index, s: Index, margin: int | None) -> Any:
        """Return whether the bounding balls of two shapes are farther apart than a margin; None stands for `REACH`."""
        x_p, x_s = self._now(p), self._now(s)
        between = Vector(x_s[9:12]) - Vector(x_p[9:12])
        where = ("near_state", REACH) if margin is None else ("contact_state", margin)
        near = x_s[12] + x_p[12] + self.program.load(where[0], 0, where[1])
        if kind.first == "half-space":
            # the normal of a half-space is the third column of its rotation
            return dot([x_p[2], x_p[5], x_p[8]], between) > near
        return dot(between, between) > near * near

    def _narrow(self, kind: Kind, p: Index, s: Index) -> None:
        """Write gap, point and normal of all slots of a pair to "candidates"."""
        program = self.program
        given: list[Any] = []
        for shape, size in zip((p, s), kind.numbers, strict=True):
            x, lengths = self._now(shape), shape * SHAPE
            given += [Pose(symbols(x[:9]).reshape(3, 3), symbols(x[9:12]))]
            given += [symbols([program.load("shapes", lengths, LENGTHS + j) for j in range(size)])]
        found = kind.function(*given)
        for j in range(kind.slots):
            for k, x in enumerate([found.gap[j], *found.point[j], *found.normal[j]]):
                program.store("candidates", 0, j * CANDIDATE + k, x)

    def _list(self, number: Index, slot: Index, candidate: Index, p: Index, s: Index) -> None:
        """Append a candidate to the contact list if its gap is within the margin."""
        program = self.program
        links = [program.entry("shape_link", shape) for shape in (p, s)]
        with program.loop(0, 1):
            near = program.load("candidates", candidate, 0) <= program.load("contact_state", 0, MARGIN)
            program.break_if(select(near, 0.0, 1.0) > 0.5)  # NaN is not near
            for contact in Contacts(program).one_more():
                self._parts(contact, number, slot, links)
                gap, *rest = (program.load("candidates", candidate, k) for k in range(CANDIDATE))
                x, n = Vector(rest[:3]), Vector(rest[3:])
                v_p, v_s = (self._velocity(self.at.body(link), x) for link in links)
                t_1, t_2 = tangents_of(n)
                for place, axis in ((NORMAL, n), (FIRST, t_1), (SECOND, t_2)):
                    contact.keep(place, axis)
                    contact[ARRIVING + (place - NORMAL) // 3] = dot(axis, v_s - v_p)
                contact.keep(POINT, x)
                surface = number * SURFACE
                friction, restitution = (program.load("surfaces", surface, k) for k in range(SURFACE))
                for place, value in ((GAP, gap), (FRICTION, friction), (RESTITUTION, restitution)):
                    contact[place] = value

    def _velocity(self, link: Body, x: Vector) -> Vector:
        w, v_0 = self.at.v[link].halves
        return v_0 + cross(w, x)

    def _parts(self, contact: Contact, number: Index, slot: Index, links: list[Index]) -> None:
        """Write the contact's entries of "contact_parts": links, branches and where its rows begin."""
        program = self.program
        # whole numbers have no select: a product with 1 or 0 takes its place
        apart = program.entry("pair_shapes", number * TOUCH + 2)
        of_p, of_s = (program.entry("branch_of_link", link) for link in links)
        place_p, place_s = (program.entry("branch_place", branch) for branch in (of_p, of_s))
        start = program.entry("contact_counts", LINES)
        middle = start + program.entry("branch_size", of_s)
        end = middle + program.entry("branch_size", of_p) * apart
        own: dict[int, Whole] = {
            SLOT: slot,
            LINK_P: links[0],
            LINK_S: links[1],
            START: start,
            MIDDLE: middle,
            END: end,
            SHIFT_1: place_s - start,
            SHIFT_2: place_p - middle,
            WHERE_P: start + (middle - start) * apart,
            FORM: program.entry("form_of_lines", self._lines(of_s) * 3 + self._lines(of_p) * apart),
        }
        contact.keep_parts(own)
        program.put("contact_counts", LINES, end)

    def _lines(self, branch: Index) -> Index:
        return self.program.entry("branch_lines", branch)


def tangents_of(n: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors that complete a unit vector to an orthonormal basis (after Duff and others, 2017).

    Those of -n are opposite, so impulses have the same components if two bodies change places. They jump where n is
    orthogonal to `TILTED`, which no ordinary wall is: so round-off does not decide which ones are taken.
    """
    x, y, z = n
    s = select(dot(TILTED, n) < 0.0, -1.0, 1.0)
    # s has the sign of z unless z is small: the denominator is never near 0
    a = -1.0 / (s + z)
    b = x * y * a
    return Vector((s + x * x * a, b, -x)), Vector((b, s + y * y * a, -y))
