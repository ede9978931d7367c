"""The geoms of an MJCF body."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rbdkit.formats.mjcf.write_contact import Contacts
from rbdkit.formats.unique_names import UniqueNames
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import Body, Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from rbdkit.model.geometry import colliding
from rbdkit.spatial import quaternion

BEFORE_FACES, OF_A_FACE = 84, 50
"""Bytes of a binary STL file."""
HIDDEN_GROUP = "3"
"""Group of geoms that viewers do not show at first."""


class Geoms:
    """Writes shapes; those that MuJoCo does not have are noted.

    Parameters
    ----------
    assets : Element
        The element <asset>, which gets the meshes.
    contacts : Contacts
        What may touch.
    notes : list of str
        Gets what is left out.
    """

    def __init__(self, assets: Element, contacts: Contacts, notes: list[str]) -> None:
        self._assets, self._contacts, self._notes = assets, contacts, notes
        self._names, self._meshes = UniqueNames([]), UniqueNames([])

    def write(self, element: Element, body: Body) -> None:
        """Add the shapes of a body."""
        touching = colliding(body.geometry)
        for k, geometry in enumerate(body.geometry):
            what = f"{type(geometry.shape).__name__.lower()} of body {body.name!r}"
            numbers = self._shape(geometry.shape, what)
            if numbers is None:
                self._notes.append(what)
                continue
            geom = SubElement(element, "geom", numbers)
            if geometry.name or self._contacts.needs_name(geometry):
                geom.set("name", self._names.new(name_text(geometry.name or f"{body.name}_shape{k}", "shape")))
            self._write_place(geom, geometry, what)
            self._contacts.write_shape(geom, geometry, k in touching, what)

    def _write_place(self, geom: Element, geometry: Geometry, what: str) -> None:
        pose = geometry.placement
        if pose[:3, 3].any():
            geom.set("pos", numbers_text(pose[:3, 3], what))
        if not np.array_equal(pose[:3, :3], np.eye(3)):
            geom.set("quat", numbers_text(quaternion.from_matrix(pose[:3, :3]), what))
        if geometry.color is not None:
            geom.set("rgba", numbers_text(geometry.color, what))
        if geometry.role == "collision":
            geom.set("group", HIDDEN_GROUP)

    def _shape(self, shape: Shape, what: str) -> dict[str, str] | None:
        """Return the attributes of a shape, None if MuJoCo has none like it."""
        if isinstance(shape, Mesh):
            return self._mesh(shape, what)
        lengths: tuple[float, ...]
        match shape:
            case Box(size):
                kind, lengths = "box", tuple(0.5 * x for x in size)
            case Sphere(radius):
                kind, lengths = "sphere", (radius,)
            case Ellipsoid(radii):
                kind, lengths = "ellipsoid", radii
            case Cylinder(radius, length):
                kind, lengths = "cylinder", (radius, 0.5 * length)
            case Capsule(radius, length):
                kind, lengths = "capsule", (radius, 0.5 * length)
            case _:
                return None
        return {"type": kind, "size": numbers_text(lengths, what)} if min(lengths) > 0.0 else None

    def _mesh(self, mesh: Mesh, what: str) -> dict[str, str] | None:
        numbers = {"scale": numbers_text(mesh.scale, what), "inertia": "shell"}
        if mesh.vertices is not None and mesh.faces is not None:
            if len(mesh.vertices) < 4:
                return None
            numbers["vertex"] = numbers_text(mesh.vertices.ravel(), what)
            numbers["face"] = " ".join(map(str, mesh.faces.ravel().tolist()))
        elif mesh.found is not None and _is_read_by_mujoco(Path(mesh.found)):
            numbers["file"] = name_text(str(Path(mesh.found).absolute()), what, 10_000)
        else:
            return None
        name = self._meshes.new("mesh" if mesh.path is None else Path(mesh.path).stem)
        SubElement(self._assets, "mesh", {"name": name_text(name, "mesh")} | numbers)
        return {"type": "mesh", "mesh": name}


def _is_read_by_mujoco(file: Path) -> bool:
    """Return whether MuJoCo reads a mesh file: OBJ, its own MSH, and STL that is not text."""
    kind = file.suffix.lower()
    if kind != ".stl":
        return kind in (".obj", ".msh")
    try:
        with file.open("rb") as opened:
            head = opened.read(BEFORE_FACES)
        count = int.from_bytes(head[-4:], "little")
        return len(head) == BEFORE_FACES and file.stat().st_size == BEFORE_FACES + OF_A_FACE * count and count > 0
    except OSError:
        return False
