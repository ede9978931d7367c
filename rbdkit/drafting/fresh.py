"""Default values of a new part: joint parameters of the right length, and a placement on its parent."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.drafting.sheet import GROUND, Closure, Part, Sheet
from rbdkit.joints import JointType
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Sphere

Jointed = TypeVar("Jointed", Part, Closure)

OF_V = {"damping": 0.0, "friction": 0.0, "stiffness": 0.0, "armature": 0.0, "velocity": inf, "effort": inf}
"""Joint parameters with one entry for each velocity variable, and their defaults."""
OF_Q = {"lower": -inf, "upper": inf}
"""Joint parameters with one entry for each coordinate; `rest` is a third, by default the neutral coordinates."""
FIELDS = (*OF_V, *OF_Q, "rest")

IN_LOOPS = ("damping", "friction", "stiffness", "rest")
"""Joint parameters that loop joints have as well."""


def size(joint: JointType, name: str) -> int:
    """Return the number of entries of a joint parameter."""
    return joint.nv if name in OF_V else joint.nq


def usual(joint: JointType, name: str) -> tuple[float, ...]:
    """Return the default of a joint parameter."""
    if name == "rest":
        return tuple(joint.neutral().tolist())
    return ({**OF_V, **OF_Q}[name],) * size(joint, name)


def fitted(item: Jointed, former: JointType | None = None) -> Jointed:
    """Return a body or loop joint with parameters of the length that its joint type needs.

    Parameters
    ----------
    former : JointType, optional
        The former type of the joint. Parameters with the same units on the new type are kept, the others reset to
        their defaults; a mimic is kept only if the joint has one coordinate.
    """
    values: dict[str, Any] = {}
    for name in FIELDS if isinstance(item, Part) else IN_LOOPS:
        own = getattr(item, name)
        kept = len(own) == size(item.joint, name) and (
            former is None or _units(former, name) == _units(item.joint, name)
        )
        values[name] = own if kept else usual(item.joint, name)
    if isinstance(item, Part):
        values["follows"] = item.follows if item.joint.nq == 1 else None
    return replace(item, **values)


def _units(joint: JointType, name: str) -> tuple[str, ...]:
    return joint.v_units if name in OF_V else joint.q_units


def tip(sheet: Sheet, key: int) -> NDArray:
    """Return the far end of a body along z, where the next one is attached, (3,) m in its frame; 0 for the world."""
    if key == GROUND:
        return np.zeros(3)
    ends = [_top(geometry) for geometry in sheet.part(key).geometry if geometry.role == "visual"]
    return max(ends, key=lambda end: float(end[2]), default=np.zeros(3))


def _top(geometry: Geometry) -> NDArray:
    """Return the end of a shape along the z axis of the body, on that of its own axes that is nearest to z."""
    match geometry.shape:
        case Box(size=lengths):
            half = np.array(lengths) / 2
        case Sphere(radius=r):
            half = np.full(3, r)
        case Ellipsoid(radii=radii):
            half = np.array(radii)
        case Cylinder(radius=r, length=h) | Cone(radius=r, length=h):
            half = np.array([r, r, h / 2])
        case Capsule(radius=r, length=h):
            half = np.array([r, r, h / 2 + r])
        case _:
            return geometry.placement[:3, 3].copy()
    axis = int(np.argmax(np.abs(geometry.placement[2, :3])))  # the shape's own axis that looks along z most
    ends = [geometry.placement[:3, 3] + sign * half[axis] * geometry.placement[:3, axis] for sign in (1.0, -1.0)]
    return max(ends, key=lambda end: float(end[2]))
