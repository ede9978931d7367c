"""A list of contacts in a program, and what is known of each."""

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
"""Three numbers each, along normal and tangents: impulse, velocity, change of the impulse, velocity at the beginning of
the step; and what leads out of an overlap, of which the normal part counts."""
PART = OUT + 1
"""In place of a tangential one: into how many parts the masses of the bodies are split where all contacts change at
once."""
GAP, FRICTION, RESTITUTION, TARGET = range(27, 31)
"""Distance, coefficients, and the least normal velocity at the end of the step."""
NN, TT, N1, N2, T11, T12, T22 = range(31, 38)
"""What unit impulses do: normal velocity by the normal one; the larger eigenvalue of the tangential block; tangential
velocities by the normal one; the tangential block."""
PULL = 38
"""How much normal velocity the step brings without impulses."""
INVERSE = 39
"""Six numbers: the inverse of what the three unit impulses do to the three velocities, by rows of its upper half."""
EARLIER = 45
"""Three numbers: the impulse after the sweep before."""
CONTACT = 48
"""Numbers of a contact."""
SLOT, LINK_P, LINK_S, START, MIDDLE, END, SHIFT_1, SHIFT_2, WHERE_P, FORM = range(10)
"""Entries of a contact in "contact_parts": its slot; the links; its lines in "contact_J", from START to MIDDLE those of
the branch of the second shape, from there to END those of the other branch; what takes such a place to one among the
velocities; where the first shape has its numbers; and how many lines that are, see `rbdkit.engine.contact.branches`."""
PARTS = 10
COUNT, BEFORE, LINES = range(3)
"""Entries of "contact_counts": contacts of this step, of the one before, and how much of "contact_J" is taken."""
H_STEP, RESIDUAL, MARGIN, FULL, TOLERANCE, OVERLAP, NOW, SCALE, MISSED, ASIDE, TOGETHER, OPEN = range(12)
"""Places in "contact_state": length of the step, the largest change in a sweep, the gap up to which places are listed,
whether there was no room for one, the change that ends the sweeps, whether contacts would overlap after the step, the
time at its beginning, the largest velocity that is wrong without impulses, the largest that is with them, whether a
contact slides or parts, whether sweeps change all contacts at once, and whether there is another turn of them."""

OF_NEIGHBOURS = ("near_pairs", "near_ends", "near_state", "shapes_then")
KEPT = ("slot_impulses", "slots_before", "contact_counts", "pairs_now", *OF_NEIGHBOURS)
"""Arrays by which a step knows of those before."""


class Contacts:
    """The contacts of a step."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def count(self) -> Index:
        """How many there are at this point of the program."""
        return self.program.entry("contact_counts", COUNT)

    def each(self) -> Iterator[Contact]:
        """All of them, in the order in which they are visited."""
        with self.program.loop(0, self.count()) as k:
            yield Contact(self.program, self.program.entry("visit_order", k))

    def one_more(self) -> Iterator[Contact]:
        """A place behind them, for code that runs if there is one; else they are `FULL`."""
        program, c, room = self.program, self.count(), self.program.count("contact_room")
        with program.when_less(room - 1, c):
            program.store("contact_state", 0, FULL, 1.0)
        with program.when_less(c, room):
            yield Contact(program, c)
            program.put("visit_order", c, c)
            program.put("contact_counts", COUNT, c + 1)


class Contact:
    """One of them."""

    def __init__(self, program: Program, number: Index) -> None:
        self.program, self.number = program, number
        self.row, self.parts = number * CONTACT, number * PARTS

    def __getitem__(self, k: int) -> Scalar:
        return self.program.load("contacts", self.row, k)

    def __setitem__(self, k: int, value: Scalar) -> None:
        self.program.store("contacts", self.row, k, value)

    def vector(self, k: int) -> Vector:
        """Three numbers."""
        return Vector(self[k + j] for j in range(3))

    def keep(self, k: int, vector: Vector) -> None:
        """Write three numbers."""
        for j, x in enumerate(vector):
            self[k + j] = x

    def part(self, k: int) -> Index:
        """An entry of "contact_parts"."""
        return self.program.entry("contact_parts", self.parts + k)

    def keep_parts(self, own: Mapping[int, Whole]) -> None:
        """Write its entries of "contact_parts"."""
        for k, value in own.items():
            self.program.put("contact_parts", self.parts + k, value)


def contact_arrays(scene: Scene) -> dict[str, NDArray]:
    """Room for what a step computes of a scene, and for what it leaves to the next one."""
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
