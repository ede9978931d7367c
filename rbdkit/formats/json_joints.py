"""Joint types in JSON: a kind and the arguments that rebuild it."""

from __future__ import annotations

from typing import Any

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats.json_node import Node
from rbdkit.joints import (
    Cylindrical,
    EulerSpherical,
    Fixed,
    Free,
    Helical,
    JointType,
    Planar,
    Prescribed,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    SphereInCylinder,
    Spherical,
    Universal,
)

MAX_REVERSALS = 16
KINDS: dict[str, type[JointType]] = {
    cls.kind: cls
    for cls in (
        Fixed, Revolute, Prismatic, Helical, Cylindrical, Planar, Universal, Spherical, EulerSpherical, Free, Reversed,
        RackAndPinion, SphereInCylinder,
    )
}  # fmt: skip


def joint_type_to_dict(type_: JointType, joint: str) -> dict[str, Any]:
    """A joint type as plain data. joint : name of the joint, for messages.

    Raises
    ------
    FormatError
        If the type is not of this package, or `Prescribed`, whose motion is a Python function.
    """
    if isinstance(type_, Prescribed):
        raise FormatError(
            f"joint {joint!r}: a prescribed joint holds a Python function, which no file can; "
            "save the model with the joint that is driven, and prescribe its motion after loading"
        )
    if KINDS.get(type_.kind) is not type(type_):
        raise FormatError(
            f"joint {joint!r}: its type {type(type_).__name__} is not one of rbdkit.joints; it cannot be saved"
        )
    arguments = {
        name: joint_type_to_dict(value, joint) if isinstance(value, JointType) else value
        for name, value in type_.parameters().items()
    }
    return {"kind": type_.kind, **arguments}


def joint_type_from_node(node: Node, depth: int = 0) -> JointType:
    """The joint type of a JSON object."""
    kind = node["kind"].text()
    if kind not in KINDS:
        raise node["kind"].fault(f"joint kind {kind!r} is unknown; known: {', '.join(KINDS)}")
    if depth > MAX_REVERSALS:
        raise node.fault(f"joints are reversed more than {MAX_REVERSALS} times over")
    arguments: dict[str, Any] = {}
    for name in ("axis", "axis1", "axis2"):
        if (given := node.get(name)) is not None:
            arguments[name] = given.text() if isinstance(given.value, str) else given.array((3,))
    for name in ("pitch", "radius"):
        if (given := node.get(name)) is not None:
            arguments[name] = given.number()
    if (given := node.get("translation")) is not None:
        arguments["translation"] = given.text()
    if (given := node.get("joint")) is not None:
        arguments["joint"] = joint_type_from_node(given, depth + 1)
    expected = _ARGUMENTS[kind]
    node.only({"kind", *expected})
    if kind == Reversed.kind:
        node["joint"]
    try:
        return KINDS[kind](**arguments)
    except ModelError as fault:
        raise node.fault(str(fault)) from None


_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **{kind: () for kind in KINDS},
    **{cls.kind: ("axis",) for cls in (Revolute, Prismatic, Cylindrical, SphereInCylinder)},
    Helical.kind: ("axis", "pitch"),
    RackAndPinion.kind: ("axis", "radius"),
    Planar.kind: ("axis", "translation"),
    Universal.kind: ("axis1", "axis2"),
    Free.kind: ("translation",),
    Reversed.kind: ("joint",),
}
