"""Shapes and colours of a URDF: <visual>, <collision>, <material>."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.formats.meshes import MeshFinder
from rbdkit.formats.urdf.origin import read_origin
from rbdkit.formats.xml.numbers import LONGEST_TEXT, number, vector
from rbdkit.formats.xml.reader import Element
from rbdkit.model import Box, Capsule, Cylinder, Geometry, Shape, Sphere

Color = tuple[float, ...]


def read_materials(robot: Element) -> dict[str, Color]:
    """Colours by name: those of the robot, then those that links define on the way, for others to use."""
    found: dict[str, Color] = {}
    inner = (
        material for link in robot.all("link") for visual in link.all("visual") for material in visual.all("material")
    )
    for material in [*robot.all("material"), *inner]:
        name, color = material.attributes.get("name"), _color(material)
        if name and color is not None:
            found.setdefault(name, color)
    return found


def _color(material: Element) -> Color | None:
    element = material.first("color")
    if element is None or "rgba" not in element.attributes:
        return None
    subject = f"material {material.attributes.get('name', '')!r}"
    rgba = vector(element, "rgba", (3, 4), subject)
    if rgba[:3].max() > 2.0:  # some files count to 255
        rgba[:3] /= 255.0
    return tuple(float(c) for c in np.clip(rgba, 0.0, 1.0))


def _color_of(visual: Element, materials: dict[str, Color]) -> Color | None:
    """Colour of a visual: its own, or that of the material it names."""
    material = visual.first("material")
    if material is None:
        return None
    return _color(material) or materials.get(material.attributes.get("name", ""))


def read_geometry(
    link: Element, subject: str, materials: dict[str, Color], meshes: MeshFinder, notes: list[str]
) -> Iterator[Geometry]:
    """The shapes of a link; what cannot be drawn is left out with a note."""
    roles: tuple[Literal["visual", "collision"], ...] = ("visual", "collision")
    for role in roles:
        for element in link.all(role):
            shapes = element.first("geometry")
            if shapes is None or not shapes.children:
                notes.append(f"{element.place}: {subject}: <{role}> without a shape is left out")
                continue
            try:
                shape = _shape(shapes.children[0], subject, meshes)
            except ModelError as fault:
                notes.append(f"{shapes.children[0].place}: {subject}: <{role}> is left out: {fault}")
                continue
            yield Geometry(
                shape,
                placement=read_origin(element.first("origin"), subject),
                color=_color_of(element, materials),
                name=element.attributes.get("name", ""),
                role=role,
            )


def _shape(element: Element, subject: str, meshes: MeshFinder) -> Shape:
    match element.tag:
        case "box":
            x, y, z = vector(element, "size", 3, subject)
            return Box((x, y, z))
        case "sphere":
            return Sphere(number(element, "radius", subject))
        case "cylinder":
            return Cylinder(number(element, "radius", subject), number(element, "length", subject))
        case "capsule":
            return Capsule(number(element, "radius", subject), number(element, "length", subject))
        case "mesh":
            written = element.attributes.get("scale", "1")
            if len(written.split()) not in (1, 3):
                raise ModelError(f'scale="{written:.60}" of the mesh is not 1 number or 3')
            scale = vector(element, "scale", (1, 3), subject, default=(1.0, 1.0, 1.0))
            filename = element.attributes.get("filename", "").strip()
            if not filename:
                raise ModelError("the mesh has no file name")
            if len(filename) > LONGEST_TEXT:
                raise ModelError(f"the file name of the mesh has {len(filename)} characters, which no path has")
            return meshes.mesh(filename, tuple(np.broadcast_to(scale, 3)))
    raise ModelError(f"shape <{element.tag}> is unknown; URDF has box, sphere, cylinder, capsule and mesh")
