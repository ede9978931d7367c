"""The <joint> of a joint that URDF has."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.write_link import write_origin
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.joints import Fixed, Free, Planar, Prismatic, Revolute
from rbdkit.model import Joint

NO_LIMIT = 1e16
"""Number written for an infinite limit; `rbdkit.formats.xml.numbers.bound` reads it as no limit."""


def write_joint(robot: Element, joint: Joint, parent: str, child: str) -> None:
    """Add a fixed, revolute, prismatic, planar or free joint."""
    what = f"joint {joint.name!r}"
    limits = {key: np.asarray(getattr(joint.limits, key)) for key in ("lower", "upper", "velocity", "effort")}
    ranged = bool(np.any(np.isfinite([*limits["lower"], *limits["upper"]])))
    kind = {Fixed: "fixed", Prismatic: "prismatic", Planar: "planar", Free: "floating"}.get(type(joint.type))
    if kind is None:
        kind = "revolute" if ranged else "continuous"
    element = SubElement(robot, "joint", name=name_text(joint.name, "joint"), type=kind)
    write_origin(element, joint.placement, what)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if isinstance(joint.type, Revolute | Prismatic | Planar):
        SubElement(element, "axis", xyz=numbers_text(joint.type.axis, what))
    if isinstance(joint.type, Revolute | Prismatic) and (joint.limits.bounded or kind == "prismatic"):
        names = ("velocity", "effort") if kind == "continuous" else tuple(limits)
        SubElement(element, "limit", {name: _bound(limits[name][0]) for name in names})
    dynamics = {name: _alike(joint, name) for name in ("damping", "friction") if np.any(getattr(joint, name))}
    if dynamics:
        SubElement(element, "dynamics", {name: numbers_text([value], what) for name, value in dynamics.items()})
    if joint.mimic is not None:
        numbers = {key: numbers_text([getattr(joint.mimic, key)], what) for key in ("multiplier", "offset")}
        SubElement(element, "mimic", {"joint": name_text(joint.mimic.leader, "joint"), **numbers})


def _bound(value: float) -> str:
    return repr(float(np.clip(value, -NO_LIMIT, NO_LIMIT)))


def _alike(joint: Joint, name: str) -> float:
    """Return the single number that URDF has for all freedoms of a joint; raises `FormatError` if they differ."""
    values = getattr(joint, name)
    if np.any(values != values[0]):
        raise FormatError(
            f"joint {joint.name!r}: URDF has one {name} for all directions of a {joint.type.kind} joint, "
            f"not {values.tolist()}; save the model as JSON"
        )
    return float(values[0])
