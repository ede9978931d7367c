"""The list of contacts of a step in a program, and the numbers stored for each.

A contact has a row of floats in "contacts" and a row of whole numbers in "contact_parts"; the constants below are the
places in these rows. Its number is its place in the list, which is made anew in every step; what must be found again in
the next step, such as the impulse for the warm start, is stored by *slot* (see `scene`), the permanent number of a
place where two shapes may touch. Iterations visit contacts in the order of the table "visit_order".

The list has a fixed length. If it is too short, `Contacts.one_more` only says so (`FULL`), and the step ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.grid import grid_room
from rbdkit.engine.contact.scene import Scene
from rbdkit.spatial.vector3 import Vector
from rbdkit.trace import Index, Program, Scalar, Whole

POINT, NORMAL, FIRST, SECOND = 0, 3, 6, 9
"""Where the vectors of a contact begin in "contacts": the point in base coordinates, the normal and two tangents."""
IMPULSE, SPEED, CHANGE, ARRIVING, OUT = 12, 15, 18, 21, 24
"""Three numbers each, along the normal and the two tangents: impulse; velocity; change of the impulse; velocity at the
beginning of the step; and the impulse that resolves an overlap, of which only the normal component is used.
"""
PART = OUT + 1
"""Number of parts into which the masses of the bodies are split in simultaneous (Jacobi) iterations; it uses the place
of a tangential component of `OUT`.
"""
GAP, FRICTION, RESTITUTION, TARGET = range(27, 31)
"""Gap, m; coefficients of friction and restitution; and the least normal velocity at the end of the step, m/s."""
NN, TT, N1, N2, T11, T12, T22 = range(31, 38)
"""The contact's own block of J H^-1 J^T: NN, the normal diagonal entry; TT, the larger eigenvalue of the tangential
block; N1 and N2, tangential velocities per unit normal impulse; T11, T12 and T22, the tangential block.
"""
PULL = 38
"""Change of the normal velocity in the step without contact impulses, m/s."""
INVERSE = 39
"""Six numbers: the inverse of the contact's own 3x3 block, its upper triangle by rows."""
EARLIER = 45
"""Three numbers: the impulse after the iteration before."""
CONTACT = 48
"""Length of a contact's row in "contacts"."""
SLOT, LINK_P, LINK_S, START, MIDDLE, END, SHIFT_1, SHIFT_2, WHERE_P, FORM = range(10)
"""Entries of a contact in "contact_parts": its slot (its number among all places where shapes may touch); the links of
the first and second shape; its entries in "contact_J", from START to MIDDLE those of the branch of the second shape,
from there to END those of the other branch; the offsets from such an entry to its place among the velocities; where the
entries of the first shape's branch begin; and the line layout, see `rbdkit.engine.contact.branches`.
"""
PARTS = 10
COUNT, BEFORE, LINES = range(3)
"""Entries of "contact_counts": contacts of this step, of the step before, and the entries of "contact_J" in use."""
H_STEP, RESIDUAL, MARGIN, FULL, TOLERANCE, OVERLAP, NOW, SCALE, MISSED, ASIDE, TOGETHER, OPEN = range(12)
"""Places in "contact_state": step size, s; the largest change of a velocity in an iteration; the gap up to which
contacts are listed, m; whether the list was too short; the change that ends the iteration; whether shapes would overlap
after the step; the time at its beginning, s; the largest velocity error without contact impulses, and with them;
whether a contact slides or separates; whether all contacts are updated at once (Jacobi); and whether another round of
iterations follows.
"""

OF_NEIGHBOURS = ("near_pairs", "near_ends", "near_state", "shapes_then")
KEPT = ("slot_impulses", "slots_before", "contact_counts", "pairs_now", *OF_NEIGHBOURS)
"""Arrays that carry over from one step to the next."""


class Contacts:
    """The contacts of a step, as a recorded program sees them."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def count(self) -> Index:
        """Return the number of contacts at this point of the program."""
        return self.program.entry("contact_counts", COUNT)

    def each(self) -> Iterator[Contact]:
        """Loop over all contacts in the order in which iterations visit them."""
        with self.program.loop(0, self.count()) as k:
            yield Contact(self.program, self.program.entry("visit_order", k))

    def one_more(self) -> Iterator[Contact]:
        """Append a contact and run the body of the loop on it; without room for one, set `FULL` and skip the body."""
        program, c, room = self.program, self.count(), self.program.count("contact_room")
        with program.when_less(room - 1, c):
            program.store("contact_state", 0, FULL, 1.0)
        with program.when_less(c, room):
            yield Contact(program, c)
            # in the order of the list, until `VisitOrder` sorts
            program.put("visit_order", c, c)
            program.put("contact_counts", COUNT, c + 1)


class Contact:
    """One contact: access to its row of "contacts" and of "contact_parts"."""

    def __init__(self, program: Program, number: Index) -> None:
        self.program, self.number = program, number
        self.row, self.parts = number * CONTACT, number * PARTS

    def __getitem__(self, k: int) -> Scalar:
        return self.program.load("contacts", self.row, k)

    def __setitem__(self, k: int, value: Scalar) -> None:
        self.program.store("contacts", self.row, k, value)

    def vector(self, k: int) -> Vector:
        """Return the three numbers that begin at place k."""
        return Vector(self[k + j] for j in range(3))

    def keep(self, k: int, vector: Vector) -> None:
        """Write three numbers from place k on."""
        for j, x in enumerate(vector):
            self[k + j] = x

    def part(self, k: int) -> Index:
        """Return an entry of "contact_parts"."""
        return self.program.entry("contact_parts", self.parts + k)

    def keep_parts(self, own: Mapping[int, Whole]) -> None:
        """Write entries of "contact_parts"."""
        for k, value in own.items():
            self.program.put("contact_parts", self.parts + k, value)


def contact_arrays(scene: Scene) -> dict[str, NDArray]:
    """Allocate the buffers of a step's contacts, and those that it leaves to the next step."""
    # A contact has entries in two branches at most, so the two largest bound what it can take of "contact_J".
    sizes = np.sort(scene.tables["branch_size"])
    lines, slots = int(sizes[-2:].sum()), len(scene.pair)
    whole = {
        "contact_parts": np.zeros(scene.room * PARTS, dtype=np.int64),
        "contact_counts": np.zeros(3, dtype=np.int64),
        "visit_order": np.zeros(scene.room, dtype=np.int64),
        "slots_before": np.zeros(scene.room, dtype=np.int64),
        "near_pairs": np.zeros(len(scene.numbers["surfaces"]), dtype=np.int64),
        "near_ends": np.zeros(len(scene.kinds), dtype=np.int64),
    }
    return {
        **whole,
        **grid_room(len(scene.tables["shape_link"]), len(scene.numbers["surfaces"])),
        "shapes_now": np.zeros(len(scene.numbers["shapes"]) * 13),
        "shapes_then": np.zeros(len(scene.numbers["shapes"]) * 3),
        "near_state": np.zeros(3),
        "candidates": np.zeros(7 * max((kind.slots for kind in scene.kinds), default=0)),
        "contacts": np.zeros(scene.room * CONTACT),
        "contact_keys": np.zeros(scene.room),
        "contact_J": np.zeros(scene.room * lines * 3),
        "contact_Y": np.zeros(scene.room * lines * 3),
        **{name: np.zeros(len(scene.tables["velocity_at"])) for name in ("contact_v", "contact_out")},
        "velocities_earlier": np.zeros(len(scene.tables["velocity_at"])),
        "momentum": np.zeros(3),
        "base_origin": np.zeros(3),
        "contact_state": np.zeros(12),
        "points_of_branch": np.zeros(len(scene.tables["velocity_at"])),
        "points_of_couple": np.zeros(int(scene.tables["couples_of_slot"].max(initial=-1)) + 1),
        "parts_of_mass": np.zeros(1),
        "slot_impulses": np.zeros(3 * slots),
        "slot_numbers": np.arange(slots, dtype=float),
        "pair_of_slot": scene.pair.astype(np.int64),
        "pairs_now": np.zeros(5 * (int(scene.pair.max(initial=-1)) + 1)),
        "contact_event": np.zeros(2),
        "slot_in_space": np.where(np.arange(slots) < scene.counts["first_stop"], 1.0, 0.0),
        **scene.of_stops,
    }
