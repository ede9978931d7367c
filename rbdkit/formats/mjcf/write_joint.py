"""The joints of an MJCF body: those of the model's joint, and of the massless bodies before it."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.elementary import steps_of
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.joints import Free, JointType, Prismatic, Revolute, Spherical
from rbdkit.model import Body, Joint

NO_LIMIT = 1e13
"""Number written for an infinite limit where the other one is finite; the reader takes it for none."""


def write_joints(element: Element, chain: Sequence[Body]) -> None:
    """Add the joints of a body. chain : the massless bodies before it, and the body."""
    below = np.eye(4)  # pose of the frame behind a joint in the body, while all coordinates are zero
    found = []
    for body in reversed(chain):
        found.append((body.joint, np.linalg.inv(below)))
        below = body.joint.placement @ below
    for joint, place in reversed(found):
        if joint.type.is_fixed:
            continue
        if isinstance(joint.type, Free):
            _write_free(element, joint, chain)
        elif isinstance(joint.type, Spherical):
            _write_ball(element, joint, place)
        else:
            _write_scalars(element, joint, place)


def _write_free(element: Element, joint: Joint, chain: Sequence[Body]) -> None:
    what = f"joint {joint.name!r}"
    if len(chain) > 1 or chain[-1].parent != 0:
        raise FormatError(f"{what}: MuJoCo has free joints of bodies in the world alone; save the model as JSON")
    if joint.type != Free():
        raise _refused(joint, "has its position in the axes of the body")
    for name in ("stiffness", "friction"):
        if getattr(joint, name).any():
            raise _refused(joint, f"has {name} {getattr(joint, name).tolist()}")
    if joint.armature[3:].any():
        raise _refused(joint, f"has armature {joint.armature.tolist()} along the axes of the body")
    written = SubElement(element, "joint", name=name_text(joint.name, "joint"), type="free")
    _write_alike(written, joint, ("damping", "armature"))


def _write_ball(element: Element, joint: Joint, place: NDArray) -> None:
    if np.abs(place[:3, :3] - np.eye(3)).max() > 1e-12:
        raise _refused(joint, "is followed by a joint on a massless body with other axes")
    if joint.stiffness.any() and not np.array_equal(joint.rest, joint.type.neutral()):
        raise _refused(joint, f"has a spring that is slack at {joint.rest.tolist()}")
    written = SubElement(element, "joint", name=name_text(joint.name, "joint"), type="ball")
    if place[:3, 3].any():
        written.set("pos", numbers_text(place[:3, 3], f"joint {joint.name!r}"))
    _write_alike(written, joint, ("damping", "friction", "armature", "stiffness"))


def _write_scalars(element: Element, joint: Joint, place: NDArray) -> None:
    """Add the hinges and slides that move as a joint does."""
    what = f"joint {joint.name!r}"
    for step in steps_of(joint.type, joint.name):
        if step.advance is not None or step.index is None or not isinstance(step.type, Revolute | Prismatic):
            raise _refused(joint, f"is a {joint.type.kind} joint")
        k = step.index
        kind = "hinge" if isinstance(step.type, Revolute) else "slide"
        written = SubElement(element, "joint", name=name_text(joint.name + step.suffix, "joint"), type=kind)
        if place[:3, 3].any():
            written.set("pos", numbers_text(place[:3, 3], what))
        written.set("axis", numbers_text(place[:3, :3] @ _axis(step.type), what))
        numbers = {"damping": joint.damping[k], "frictionloss": joint.friction[k], "armature": joint.armature[k]}
        if joint.stiffness[k]:
            numbers |= {"stiffness": joint.stiffness[k], "springref": joint.rest[k]}
        for name, value in numbers.items():
            if value:
                written.set(name, numbers_text([value], what))
        low, high = (np.asarray(bound)[k] for bound in (joint.limits.lower, joint.limits.upper))
        if np.isfinite([low, high]).any():
            written.set("range", numbers_text(np.clip([low, high], -NO_LIMIT, NO_LIMIT), what))
        effort = np.asarray(joint.limits.effort)[k]
        if np.isfinite(effort) and effort > 0.0:
            written.set("actuatorfrcrange", numbers_text([-effort, effort], what))


def _write_alike(element: Element, joint: Joint, names: Sequence[str]) -> None:
    """Add coefficients that are the same for all freedoms of a joint."""
    for name in names:
        values = getattr(joint, name)
        if np.any(values != values[0]):
            raise _refused(joint, f"has {name} {values.tolist()}, which differs among its freedoms")
        if values[0]:
            attribute = {"friction": "frictionloss"}.get(name, name)
            element.set(attribute, numbers_text(values[:1], f"joint {joint.name!r}"))


def _axis(type_: JointType) -> NDArray:
    assert isinstance(type_, Revolute | Prismatic)
    return np.asarray(type_.axis)


def _refused(joint: Joint, what: str) -> FormatError:
    return FormatError(f"joint {joint.name!r} {what}, which MJCF cannot express; save the model as JSON")
