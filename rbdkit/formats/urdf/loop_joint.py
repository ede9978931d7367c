"""A <loop_joint> of a URDF, an extension that several programs write: a joint that closes a kinematic loop.

::

    <loop_joint name="pin" type="revolute">
      <link1 link="coupler" xyz="0.5 0 0" rpy="0 0 0"/>
      <link2 link="rocker" xyz="0 0 1" rpy="0 0 0"/>
      <axis xyz="0 1 0"/>
    </loop_joint>

Its two frames are on the two links; the axis is in these frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats.urdf.joint import read_axis
from rbdkit.formats.urdf.link import UrdfLink
from rbdkit.formats.urdf.origin import read_origin
from rbdkit.formats.xml.numbers import name, text
from rbdkit.formats.xml.reader import Element
from rbdkit.joints import Fixed, JointType, Prismatic, Revolute, Spherical
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

KINDS = ("spherical", "revolute", "continuous", "prismatic", "fixed")
Place = tuple[str, NDArray]
"""A link and a pose in it, or a body of the model and a pose in it."""


@dataclass(frozen=True)
class UrdfLoop:
    """A loop joint as the file gives it. place : file and line; first, second : its frames on the two links."""

    name: str
    place: str
    type: JointType
    first: Place
    second: Place


def read_loop(element: Element, notes: list[str]) -> UrdfLoop:
    """The loop joint of a <loop_joint> element."""
    own = name(element, "name", "a loop joint")
    subject = f"loop joint {own!r}"
    kind = text(element, "type", subject)
    if kind not in KINDS:
        raise FormatError(f"{element.place}: {subject}: type {shown(kind)} is unknown{did_you_mean(kind, KINDS)}")
    type_: JointType
    if kind == "fixed":
        type_ = Fixed()
    elif kind == "spherical":
        type_ = Spherical()
    else:
        type_ = (Prismatic if kind == "prismatic" else Revolute)(read_axis(element, subject, notes))
    for tag in ("limit", "dynamics", "mimic"):
        if (left_out := element.first(tag)) is not None:
            notes.append(f"{left_out.place}: {subject}: <{tag}> is left out")
    return UrdfLoop(own, element.place, type_, _end("link1", element, subject), _end("link2", element, subject))


def add_loops(model: Model, loops: list[UrdfLoop], links: Mapping[str, UrdfLink], places: Mapping[str, Place]) -> None:
    """Add loop joints to a model. places : body of each link, and the pose of the link in it."""
    for loop in loops:
        ends = []
        for link, pose in (loop.first, loop.second):
            if link not in links:
                hint = did_you_mean(link, links)
                raise FormatError(f"{loop.place}: loop joint {loop.name!r}: link {link!r} does not exist{hint}")
            body, of_link = places[link]
            ends.append((body, of_link @ pose))
        (one, first), (two, second) = ends
        if one == two:
            raise FormatError(
                f"{loop.place}: loop joint {loop.name!r} closes nothing: links {loop.first[0]!r} and "
                f"{loop.second[0]!r} are one body"
            )
        try:
            model.add_loop(loop.name, one, two, loop.type, first, second)
        except ModelError as fault:
            raise FormatError(f"{loop.place}: loop joint {loop.name!r}: {fault}") from None


def _end(tag: str, element: Element, subject: str) -> Place:
    end = element.first(tag)
    if end is None:
        raise FormatError(f"{element.place}: {subject}: it lacks the element <{tag} link=...>")
    return name(end, "link", subject), read_origin(end, subject)
