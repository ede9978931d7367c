"""A <link> of a URDF: its name, inertia and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.formats.meshes import MeshFinder
from rbdkit.formats.urdf.geometry import Color, read_geometry
from rbdkit.formats.urdf.origin import read_origin
from rbdkit.formats.xml.numbers import name, number
from rbdkit.formats.xml.reader import Element
from rbdkit.model import Geometry
from rbdkit.spatial.inertia import Inertia


@dataclass(frozen=True)
class UrdfLink:
    """A link as the file gives it. place : file and line; inertia : unchecked, None if the file gives none."""

    name: str
    place: str
    inertia: Inertia | None
    geometry: tuple[Geometry, ...]

    @property
    def empty(self) -> bool:
        """Whether it is a frame and nothing more."""
        return self.inertia is None and not self.geometry

    @cached_property
    def impossible(self) -> bool:
        """Whether it has an inertia that no body can have."""
        return self.inertia is not None and bool(self.inertia.findings())


def read_link(element: Element, materials: dict[str, Color], meshes: MeshFinder, notes: list[str]) -> UrdfLink:
    """The link of a <link> element."""
    own = name(element, "name", "a link")
    subject = f"link {own!r}"
    geometry = tuple(read_geometry(element, subject, materials, meshes, notes))
    return UrdfLink(own, element.place, _inertia(element.first("inertial"), subject), geometry)


def _inertia(inertial: Element | None, subject: str) -> Inertia | None:
    """The inertia in link coordinates; an impossible one is for `Model.validate` to report."""
    if inertial is None:
        return None
    parts = {tag: inertial.first(tag) for tag in ("mass", "inertia")}
    for tag, part in parts.items():
        if part is None:
            raise FormatError(f"{inertial.place}: {subject}: <inertial> lacks the element <{tag}>")
    mass = number(parts["mass"], "value", subject)
    xx, yy, zz = (number(parts["inertia"], key, subject) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (number(parts["inertia"], key, subject, default=0.0) for key in ("ixy", "ixz", "iyz"))
    pose = read_origin(inertial.first("origin"), subject)
    R, about_com = pose[:3, :3], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.array_equal(R, np.eye(3)):
        turned = R @ about_com @ R.T
        about_com = 0.5 * (turned + turned.T)
    return Inertia(mass, pose[:3, 3], about_com, check=False)
