"""Conversion of a form field and what was typed in it to an operation on the draft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rbdkit.drafting import (
    GROUND,
    Closure,
    Follow,
    Mark,
    MoveFrame,
    MoveLoop,
    Operation,
    Part,
    Rename,
    RenameJoint,
    Reparent,
    SetDensity,
    SetGeometry,
    SetGravity,
    SetInertia,
    SetJoint,
    SetName,
    SetNumbers,
    SetPlacement,
    Sheet,
    joint_of_kind,
)
from rbdkit.drafting.assemble import inertia_of
from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Reversed
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Shape, Sphere
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.builder.form import LIMITS, LOSSES, dimensions

GRAVITIES = {"down z": (0.0, 0.0, -9.81), "down y": (0.0, -9.81, 0.0), "none": (0.0, 0.0, 0.0)}
WATER = 1000.0
LARGEST = 1e20
"""Largest number that may be typed: products of larger ones would exceed the single precision of pictures."""
NEW_SHAPE = Box((0.1, 0.1, 0.1))


def operation(sheet: Sheet, key: int, field: str, value: Any, shape: int) -> Operation:
    """Return the operation of a form field.

    Parameters
    ----------
    key : int
        Key of what is selected.
    field, value
        Id of the field and what it was set to.
    shape : int
        Number of the shape.

    Raises
    ------
    ModelError
        If the value cannot be read; the operations themselves refuse what has no meaning.
    """
    if key == GROUND:
        return _whole(field, value)
    item = sheet.item(key)
    if field == "name":
        return Rename(key, str(value))
    place = field.removeprefix("successor_")
    if place in ("position", "angles", "turn"):
        return _place(item, place, place != field, value)
    if isinstance(item, Closure) and field in ("predecessor", "successor"):
        ends = {"predecessor": item.predecessor, "successor": item.successor, field: int(value)}
        return MoveLoop(key, ends["predecessor"], ends["successor"])
    if isinstance(item, Mark):
        return MoveFrame(key, int(value))
    if field in (
        "joint",
        "axis",
        "axis1",
        "axis2",
        "axis_of",
        "axis1_of",
        "axis2_of",
        "pitch",
        "radius",
        "translation",
        "seen_from",
    ):
        return SetJoint(key, _joint(item.joint, field, value))
    if isinstance(item, Closure):
        return SetNumbers(key, field, _floats(value, field))
    return _of_body(item, field, value, shape)


def _whole(field: str, value: Any) -> Operation:
    if field == "model":
        return SetName(str(value))
    return SetGravity(GRAVITIES[value] if field == "gravity_of" else _floats(value, "gravity"))


def _place(item: Part | Closure | Mark, place: str, successor: bool, value: Any) -> Operation:
    pose = np.array(item.successor_placement if successor and isinstance(item, Closure) else item.placement)
    if place == "position":
        pose[:3, 3] = _floats(value, "position")
    elif place == "angles":
        pose[:3, :3] = neat(Rotation.from_euler("xyz", _floats(value, "angles"), degrees=True).as_matrix())
    else:
        quarter = Rotation.from_rotvec(np.pi / 2 * np.eye(3)["xyz".index(str(value)[-1])]).as_matrix()
        pose[:3, :3] = neat(pose[:3, :3] @ quarter)
    return SetPlacement(item.key, pose, successor)


def neat(R: NDArray) -> NDArray:
    """Round entries of a rotation matrix that are next to 0, 1 and -1, so that quarter turns are exact."""
    whole = np.round(R)
    return np.where(np.abs(R - whole) < 1e-14, whole, R) + 0.0


def _joint(joint: JointType, field: str, value: Any) -> JointType:
    inner = joint.joint if isinstance(joint, Reversed) else joint
    if field == "seen_from":
        return Reversed(inner) if value == "body" else inner
    if field == "joint":
        changed = joint_of_kind(str(value), inner)
    else:
        name = field.removesuffix("_of")
        given: Any = value if field.endswith("_of") or field == "translation" else _floats(value, name)
        changed = joint_of_kind(inner.kind, inner, **{name: given[0] if name in ("pitch", "radius") else given})
    return Reversed(changed) if isinstance(joint, Reversed) else changed


def _of_body(part: Part, field: str, value: Any, shape: int) -> Operation:
    if field == "parent":
        return Reparent(part.key, int(value))
    if field == "joint_name":
        return RenameJoint(part.key, str(value) or None)
    if field in LOSSES or field in LIMITS:
        empty = {"lower": -math.inf}.get(field, math.inf) if field in LIMITS else None
        return SetNumbers(part.key, field, _floats(value, field, empty))
    if field == "follows":
        return Follow(part.key, int(value) if value else None)
    if field == "ratio":
        multiplier, offset = _floats(value, "ratio")
        return Follow(part.key, None if part.follows is None else part.follows.leader, multiplier, offset)
    if field.startswith(("shape", "dimensions")):
        return SetGeometry(part.key, _shapes(part, field, value, shape))
    return _inertia(part, field, value)


def _shapes(part: Part, field: str, value: Any, number: int) -> Sequence[Geometry]:
    shapes = list(part.geometry)
    if field == "shapes" and value == "add":
        return [*shapes, Geometry(NEW_SHAPE)]
    number = min(number, len(shapes) - 1)
    geometry = shapes[number]
    if field == "shapes":
        return shapes[:number] + shapes[number + 1 :]
    if field == "shape":
        shapes[number] = replace(geometry, shape=converted(geometry.shape, str(value)))
    elif field == "dimensions":
        shapes[number] = replace(geometry, shape=made(type(geometry.shape).__name__.lower(), _floats(value, "size")))
    else:
        pose = np.array(geometry.placement)
        if field == "shape_position":
            pose[:3, 3] = _floats(value, "place of the shape")
        else:
            pose[:3, :3] = np.roll(np.eye(3), "xyz".index(str(value)) - 2, axis=0)
        shapes[number] = replace(geometry, placement=pose)
    return shapes


def made(kind: str, numbers: Sequence[float]) -> Shape:
    """Make a shape of a kind from its dimensions."""
    if kind == "box":
        return Box((numbers[0], numbers[1], numbers[2]))
    if kind == "ellipsoid":
        return Ellipsoid((numbers[0], numbers[1], numbers[2]))
    if kind == "sphere":
        return Sphere(numbers[0])
    if kind == "cylinder":
        return Cylinder(numbers[0], numbers[1])
    return (Capsule if kind == "capsule" else Cone)(numbers[0], numbers[1])


def converted(shape: Shape, kind: str) -> Shape:
    """Return a shape of another kind that fills about the same box."""
    numbers = dimensions(shape)
    if isinstance(shape, Box):
        box = np.array(numbers)
    elif isinstance(shape, Ellipsoid):
        box = 2.0 * np.array(numbers)
    elif isinstance(shape, Sphere):
        box = np.full(3, 2.0 * numbers[0])
    else:
        ends = 2.0 * numbers[0] if isinstance(shape, Capsule) else 0.0
        box = np.array([2.0 * numbers[0], 2.0 * numbers[0], numbers[1] + ends])
    radius, height = float(min(box[0], box[1])) / 2.0, float(box[2])
    if kind == "box":
        return made(kind, box.tolist())
    if kind == "ellipsoid":
        return made(kind, (box / 2.0).tolist())
    if kind == "sphere":
        return made(kind, [float(box.max()) / 2.0])
    return made(kind, [radius, max(height - 2.0 * radius, radius) if kind == "capsule" else height])


def _inertia(part: Part, field: str, value: Any) -> Operation:
    if field == "inertia_of":
        if value == "none":
            return SetInertia(part.key, None)
        if value == "density":
            return SetDensity(part.key, WATER)
        return SetInertia(part.key, inertia_of(part) or Inertia(1.0))
    if field == "density":
        return SetDensity(part.key, _floats(value, "density")[0])
    inertia = inertia_of(part)
    if inertia is None:
        raise ModelError(f"the body has no inertia whose {field} could be set")
    mass, com, I = inertia.mass, inertia.com, np.array(inertia.inertia_com)
    numbers = _floats(value, field)
    if field == "mass":
        mass = numbers[0]
    elif field == "com":
        com = np.array(numbers)
    elif field == "moments":
        I[np.diag_indices(3)] = numbers
    else:
        for (i, j), number in zip(((0, 1), (0, 2), (1, 2)), numbers, strict=True):
            I[i, j] = I[j, i] = number
    return SetInertia(part.key, Inertia(mass, com, I, check=False))


def _floats(texts: Sequence[str], what: str, empty: float | None = None) -> list[float]:
    """Convert what was typed to numbers; `empty` is the value of an empty field."""
    return [_float(text, what, empty) for text in texts]


def _float(text: Any, what: str, empty: float | None) -> float:
    typed = str(text).strip().replace("\u2212", "-").replace(",", ".")
    if not typed and empty is not None:
        return empty
    try:
        number = float(typed)
    except ValueError:
        raise ModelError(f"{what}: {str(text)!r} is not a number") from None
    if math.isfinite(number) and abs(number) > LARGEST:
        raise ModelError(f"{what}: {typed} is too large; type numbers up to {LARGEST:g}")
    return number
