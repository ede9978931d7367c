"""A <joint> of a URDF: what it connects, where, and how it moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.origin import read_origin
from rbdkit.formats.xml.numbers import bound, name, number, text, vector
from rbdkit.formats.xml.reader import Element
from rbdkit.joints import Fixed, Free, JointType, Planar, Prismatic, Revolute
from rbdkit.model import Limits, Mimic
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SLOPPY = 1e-3
"""An axis may miss unit length by this much without a word: three printed digits."""


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as the file gives it. place : file and line; origin : (4, 4) pose of its frame in the parent link."""

    name: str
    place: str
    parent: str
    child: str
    origin: NDArray
    type: JointType
    limits: Limits
    damping: float
    friction: float
    mimic: Mimic | None

    @property
    def fixed(self) -> bool:
        """Whether it allows no motion."""
        return self.type.nv == 0


def read_joint(element: Element, notes: list[str]) -> UrdfJoint:
    """The joint of a <joint> element."""
    own = name(element, "name", "a joint")
    subject = f"joint {own!r}"
    kind = text(element, "type", subject)
    if kind not in KINDS:
        raise FormatError(
            f"{element.place}: {subject}: joint type {shown(kind)} is unknown{did_you_mean(kind, KINDS)}; "
            f"URDF has {', '.join(KINDS)}"
        )
    type_ = _type(kind, element, subject, notes)
    return UrdfJoint(
        name=own,
        place=element.place,
        parent=_end("parent", element, subject),
        child=_end("child", element, subject),
        origin=read_origin(element.first("origin"), subject),
        type=type_,
        limits=_limits(kind, element, subject, notes),
        damping=_loss("damping", element, subject, notes) if type_.nv else 0.0,
        friction=_loss("friction", element, subject, notes) if type_.nv else 0.0,
        mimic=_mimic(element.first("mimic"), subject) if type_.nv else None,
    )


def _end(tag: str, joint: Element, subject: str) -> str:
    """Name of the parent or child link."""
    end = joint.first(tag)
    if end is None:
        raise FormatError(f"{joint.place}: {subject}: it lacks the element <{tag} link=...>")
    return name(end, "link", subject)


def _type(kind: str, joint: Element, subject: str, notes: list[str]) -> JointType:
    if kind == "fixed":
        return Fixed()
    if kind == "floating":
        return Free()
    axis = read_axis(joint, subject, notes)
    return {"prismatic": Prismatic, "planar": Planar}.get(kind, Revolute)(axis)


def read_axis(joint: Element, subject: str, notes: list[str]) -> NDArray:
    """The unit vector of an <axis>; x if it is missing."""
    element = joint.first("axis")
    n = vector(element, "xyz", 3, subject, default=(1.0, 0.0, 0.0))
    length = math.hypot(*n)
    if element is not None and not length > 1e-12:
        raise FormatError(f"{element.place}: {subject}: axis {n.tolist()} has no direction; give a unit vector")
    if element is not None and abs(length - 1.0) > SLOPPY:
        notes.append(f"{element.place}: {subject}: axis {n.tolist()} has length {length:.6g}; it was divided by that")
    return n / length + 0.0


def _loss(key: str, joint: Element, subject: str, notes: list[str]) -> float:
    """Damping or friction."""
    dynamics = joint.first("dynamics")
    value = number(dynamics, key, subject, default=0.0)
    if dynamics is not None and value < 0.0:
        notes.append(f"{dynamics.place}: {subject}: negative {key} {value:g} is taken as 0")
        return 0.0
    return value


def _limits(kind: str, joint: Element, subject: str, notes: list[str]) -> Limits:
    """Limits of a joint with one freedom; none for the others, for which URDF does not say what they mean."""
    limit = joint.first("limit")
    if limit is None or kind not in ("revolute", "continuous", "prismatic"):
        return Limits()
    magnitudes = {key: bound(limit, key, subject, default=math.inf) for key in ("velocity", "effort")}
    for key, value in magnitudes.items():
        if value < 0.0:
            notes.append(f"{limit.place}: {subject}: negative {key} limit {value:g} is taken as none")
            magnitudes[key] = math.inf
    if kind == "continuous" or not {"lower", "upper"} & limit.attributes.keys():
        return Limits(**magnitudes)
    # one of the two alone: the other is 0, as the specification has it
    lower, upper = (bound(limit, key, subject, default=0.0) for key in ("lower", "upper"))
    if lower > upper:
        notes.append(
            f"{limit.place}: {subject}: lower limit {lower:g} lies above upper limit {upper:g}; they were swapped"
        )
        lower, upper = upper, lower
    return Limits(lower, upper, **magnitudes)


def _mimic(element: Element | None, subject: str) -> Mimic | None:
    if element is None:
        return None
    leader = name(element, "joint", subject)
    return Mimic(leader, number(element, "multiplier", subject, 1.0), number(element, "offset", subject, 0.0))
