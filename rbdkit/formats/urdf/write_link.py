"""The <link> of a body."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.origin import rpy_from_matrix
from rbdkit.formats.xml.numbers import LONGEST_TEXT
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import Body, Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from rbdkit.spatial.inertia import Inertia

ROUND_OFF = 1e-12
"""An inertia may be unsymmetric by this much of its largest element."""


def write_link(robot: Element, body: Body, notes: list[str]) -> None:
    """Add the link of a body; shapes that URDF does not have are noted."""
    link = SubElement(robot, "link", name=name_text(body.name, "body"))
    if body.inertia is not None:
        _write_inertia(link, body.inertia, f"body {body.name!r}")
    for geometry in body.geometry:
        _write_geometry(link, geometry, body.name, notes)


def write_origin(element: Element, pose: NDArray, what: str) -> None:
    """Add an <origin>, unless the pose is the identity."""
    if not np.array_equal(pose, np.eye(4)):
        rpy = rpy_from_matrix(pose[:3, :3])
        SubElement(element, "origin", xyz=numbers_text(pose[:3, 3], what), rpy=numbers_text(rpy, what))


def _write_inertia(link: Element, inertia: Inertia, what: str) -> None:
    I = inertia.inertia_com
    if np.abs(I - I.T).max() > ROUND_OFF * np.abs(I).max():
        raise FormatError(f"{what}: URDF cannot express an inertia that is not symmetric: {I.tolist()}")
    inertial = SubElement(link, "inertial")
    if inertia.com.any():
        SubElement(inertial, "origin", xyz=numbers_text(inertia.com, what))
    SubElement(inertial, "mass", value=numbers_text([inertia.mass], what))
    upper = {f"i{'xyz'[j]}{'xyz'[k]}": 0.5 * (I[j, k] + I[k, j]) for j in range(3) for k in range(j, 3)}
    SubElement(inertial, "inertia", {key: numbers_text([value], what) for key, value in upper.items()})


def _write_geometry(link: Element, geometry: Geometry, body: str, notes: list[str]) -> None:
    what = f"a shape of body {body!r}"
    shape = _shape(geometry, what)
    if shape is None:
        notes.append(f"{type(geometry.shape).__name__.lower()} of body {body!r}")
        return
    if geometry.collide is not None:
        notes.append(f"collide={geometry.collide} of a shape of body {body!r}")
    if geometry.material is not None:
        notes.append(f"material of the surface of a shape of body {body!r}")
    attributes = {"name": name_text(geometry.name, what)} if geometry.name else {}
    element = SubElement(link, geometry.role, attributes)
    write_origin(element, geometry.placement, what)
    SubElement(element, "geometry").append(shape)
    if geometry.color is not None and geometry.role == "visual":
        rgba = numbers_text(geometry.color, what)
        SubElement(SubElement(element, "material", name=f"rgba {rgba}"), "color", rgba=rgba)


def _shape(geometry: Geometry, what: str) -> Element | None:
    match geometry.shape:
        case Box(size):
            return Element("box", size=numbers_text(size, what))
        case Sphere(radius):
            return Element("sphere", radius=numbers_text([radius], what))
        case Cylinder(radius, length):
            return Element("cylinder", radius=numbers_text([radius], what), length=numbers_text([length], what))
        case Capsule(radius, length):
            return Element("capsule", radius=numbers_text([radius], what), length=numbers_text([length], what))
        case Mesh(path=str(path), scale=scale):
            return Element("mesh", filename=name_text(path, what, LONGEST_TEXT), scale=numbers_text(scale, what))
    return None
