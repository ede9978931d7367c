"""Contact rules in MJCF: grounds as planes, which shapes may touch, pairs of bodies that may not."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from rbdkit.errors import FormatError
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import AllTouch, Geometry, Ground, Material, Model, Touch
from rbdkit.spatial import quaternion

ALL, GROUNDED, NEVER = ("1", "1"), ("1", "0"), ("0", "0")
"""MuJoCo's contype and conaffinity of shapes that touch each other and grounds, grounds alone, nothing."""


class Contacts:
    """Writes what may touch.

    Parameters
    ----------
    model : Model
        The model.
    notes : list of str
        Gets what is left out.

    Raises
    ------
    FormatError
        If there are rules for single pairs, or with a material of their own.
    """

    def __init__(self, model: Model, notes: list[str]) -> None:
        self._model, self._notes = model, notes
        self._grounds = [rule for rule in model.contact_rules if isinstance(rule, Ground)]
        self._general = [rule for rule in model.contact_rules if isinstance(rule, AllTouch)]
        for rule in model.contact_rules:
            if isinstance(rule, Touch) or (isinstance(rule, AllTouch) and rule.material is not None):
                own = "is for one pair" if isinstance(rule, Touch) else "has a material of its own"
                raise FormatError(f"contact {rule.name!r} {own}, which is not written to MJCF; save the model as JSON")
        if len(self._general) > 1:
            raise FormatError(f"contact {self._general[1].name!r} is a second rule for all bodies; save as JSON")
        self._kind = ALL if self._general else GROUNDED if self._grounds else NEVER

    def write_grounds(self, world: Element) -> None:
        """Add a plane for each ground."""
        for ground in self._grounds:
            what, pose = f"ground {ground.name!r}", ground.placement
            plane = SubElement(world, "geom", name=name_text(ground.name, "ground"), type="plane", size="0 0 1")
            plane.set("pos", numbers_text(pose[:3, 3], what))
            plane.set("quat", numbers_text(quaternion.from_matrix(pose[:3, :3]), what))
            plane.set("contype", "0" if self._kind == GROUNDED else "1")
            plane.set("conaffinity", "1")
            self._write_surface(plane, ground.material, what)

    def write_shape(self, geom: Element, geometry: Geometry, touches: bool, what: str) -> None:
        """Say of a shape what it may touch, and with which friction."""
        kind, affinity = self._kind if touches else NEVER
        geom.set("contype", kind)
        geom.set("conaffinity", affinity)
        if touches and self._kind != NEVER:
            self._write_surface(geom, geometry.material, what)

    def write_exclusions(self, root: Element) -> None:
        """Add pairs of bodies that do not touch: exceptions of the rule for all, and ends of loop joints."""
        if not self._general:
            return
        names = [body.name for body in self._model.bodies]
        looped = [(names[loop.predecessor], names[loop.successor]) for loop in self._model.loops]
        pairs = [two for two in (*self._general[0].but, *looped) if names[0] not in two]
        contact = SubElement(root, "contact") if pairs else root
        for a, b in dict.fromkeys(tuple(sorted(two)) for two in pairs):
            SubElement(contact, "exclude", body1=name_text(a, "body"), body2=name_text(b, "body"))

    def _write_surface(self, geom: Element, material: Material | None, what: str) -> None:
        """Set the friction; a surface without material is like the other, which has the larger friction then."""
        numbers = Material().numbers if material is None else material.numbers
        geom.set("friction", numbers_text([numbers.pop("friction"), 0.005, 0.0001], what))
        if numbers.pop("restitution") or numbers:
            self._notes.append("restitution, stiffness and damping of surfaces")
        if material is not None and material.combine == "mean" and material.friction > 0.0:
            self._notes.append("that friction of two surfaces is the geometric mean; MuJoCo takes the larger one")
