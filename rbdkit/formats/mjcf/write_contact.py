"""Contact rules in MJCF: grounds as planes, which shapes may touch, pairs that may not, pairs of their own friction."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from rbdkit.errors import FormatError
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import AllTouch, Geometry, Ground, Material, Model, Touch
from rbdkit.spatial import quaternion

ALL, GROUNDED, NEVER = ("1", "1"), ("1", "0"), ("0", "0")
"""MuJoCo's contype and conaffinity of shapes that touch each other and grounds, grounds alone, nothing."""

COMPLIANCE = "restitution, stiffness and damping of surfaces"
"""What of surfaces is left out."""


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
        If there are several rules for all bodies, or one with a material of its own.
    """

    def __init__(self, model: Model, notes: list[str]) -> None:
        self._model, self._notes = model, notes
        self._grounds = [rule for rule in model.contact_rules if isinstance(rule, Ground)]
        self._general = [rule for rule in model.contact_rules if isinstance(rule, AllTouch)]
        for rule in self._general:
            if rule.material is not None:
                raise FormatError(
                    f"contact {rule.name!r} has a material of its own, which MJCF cannot express; save it as JSON"
                )
        if len(self._general) > 1:
            raise FormatError(f"contact {self._general[1].name!r} is a second rule for all bodies; save as JSON")
        named = {rule.name for rule in model.contact_rules if isinstance(rule, Touch)}
        self._pairs = [pair for pair in model.contact_pairs if pair.rule in named]
        self._needed = {id(shape) for pair in self._pairs for shape in (pair.shape_p, pair.shape_s)}
        self._written: dict[int, str] = {}
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
            self._written[id(ground)] = ground.name
            self._write_surface(plane, ground.material, what)

    def needs_name(self, geometry: Geometry) -> bool:
        """Return whether a pair must name a shape."""
        return id(geometry) in self._needed

    def write_shape(self, geom: Element, geometry: Geometry, touches: bool, what: str) -> None:
        """Say of a shape what it may touch, and with which friction."""
        kind, affinity = self._kind if touches else NEVER
        self._written[id(geometry)] = geom.get("name", "")
        geom.set("contype", kind)
        geom.set("conaffinity", affinity)
        if touches and self._kind != NEVER:
            self._write_surface(geom, geometry.material, what)

    def write_pairs(self, root: Element) -> None:
        """Add pairs of bodies that do not touch, and pairs of shapes that have rules of their own."""
        contact = Element("contact")
        if self._general:
            self._write_exclusions(contact)
        for pair in self._pairs:
            geoms = [self._written.get(id(shape)) for shape in (pair.shape_p, pair.shape_s)]
            if None in geoms:  # one is a shape that MuJoCo does not have, as is told
                continue
            written = SubElement(contact, "pair", geom1=geoms[0] or "", geom2=geoms[1] or "")
            slide = pair.material.friction
            if any(value for name, value in pair.material.numbers.items() if name != "friction"):
                self._notes.append(COMPLIANCE)
            written.set("friction", numbers_text([slide, slide, 0.005, 0.0001, 0.0001], f"contact {pair.name!r}"))
        if len(contact):
            root.append(contact)

    def _write_exclusions(self, contact: Element) -> None:
        """Add exceptions of the rule for all, and ends of loop joints, which that leaves out."""
        names = [body.name for body in self._model.bodies]
        looped = [(names[loop.predecessor], names[loop.successor]) for loop in self._model.loops]
        pairs = [two for two in (*self._general[0].but, *looped) if names[0] not in two]
        for a, b in dict.fromkeys(tuple(sorted(two)) for two in pairs):
            SubElement(contact, "exclude", body1=name_text(a, "body"), body2=name_text(b, "body"))

    def _write_surface(self, geom: Element, material: Material | None, what: str) -> None:
        """Set the friction; a surface without material is like the other, which has the larger friction then."""
        numbers = Material().numbers if material is None else material.numbers
        geom.set("friction", numbers_text([numbers.pop("friction"), 0.005, 0.0001], what))
        if numbers.pop("restitution") or numbers:
            self._notes.append(COMPLIANCE)
        if material is not None and material.combine == "mean" and material.friction > 0.0:
            self._notes.append("that friction of two surfaces is the geometric mean; MuJoCo takes the larger one")
