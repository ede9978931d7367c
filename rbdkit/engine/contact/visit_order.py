"""Order in which iterations visit contacts: by position and normal, whatever the numbering of bodies.

Gauss-Seidel results depend on the order of the contacts where impulses are not unique. Sorted with Shell's sort (1959)
with the gaps of Ciura (2001), which needs no recursion and no memory. `rbdkit.laws.scene.Scene.as_visited` is the same
on arrays.
"""

from __future__ import annotations

from rbdkit.engine.contact.contacts import COUNT, NORMAL, POINT, Contacts
from rbdkit.engine.contact.scene import LONG
from rbdkit.spatial.vector3 import Vector, dot
from rbdkit.trace import Index, Program

ACROSS = (0.4713, 0.2917, 0.8323)
"""A direction that is not orthogonal to any direction along axes or at common angles."""
# Worth its 5 to 10 % of a step: iterations end at a tolerance, and what they leave depends on their order. A pile of
# ten balls, numbered differently, was elsewhere by 9e-6 m after 0.2 s; sorted, by 1e-13 m.
GAPS = (1577, 701, 301, 132, 57, 23, 10, 4, 1)


class VisitOrder:
    """Sorts the contacts that are listed."""

    def __init__(self, program: Program) -> None:
        self.program, self.contacts = program, Contacts(program)

    def record(self) -> None:
        """Sort the contacts along `ACROSS`; where several share a point, as in corners, normals tell them apart."""
        program, across = self.program, Vector(ACROSS)
        for contact in self.contacts.each():
            along = dot(across, contact.vector(NORMAL))
            # squared, so that the key stays if two bodies change places and the normal turns round
            key = dot(across, contact.vector(POINT)) + program.load("measures", 0, LONG) * (along * along)
            program.store("contact_keys", contact.number, 0, key)
        for gap in GAPS:
            later = program.loop(gap, program.entry("contact_counts", COUNT))
            with later as end, program.loop(end - gap, -1, -gap) as place:
                self._swap(place, place + gap)

    def _swap(self, place: Index, other: Index) -> None:
        program = self.program
        here, there = (program.entry("visit_order", k) for k in (place, other))
        program.break_if(program.load("contact_keys", here) <= program.load("contact_keys", there))
        program.put("visit_order", place, there)
        program.put("visit_order", other, here)
