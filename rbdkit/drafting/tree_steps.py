"""Operations on the tree: add a body, move it to another parent, delete it, and rename anything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.drafting.fresh import fitted, tip
from rbdkit.drafting.operation import Operation, text
from rbdkit.drafting.sheet import GROUND, Part, Sheet
from rbdkit.errors import ModelError
from rbdkit.forces.described import renamed
from rbdkit.joints import JointType, Revolute
from rbdkit.model import Box, Constraint, Force, Geometry, contact
from rbdkit.model.placement import as_pose
from rbdkit.spatial import se3

WATER = 1000.0  # kg/m3; the link of a robot, hollow and full of motors, is about as dense
ROD = (0.05, 0.05, 0.3)  # m


@dataclass(frozen=True, eq=False)
class AddBody(Operation):
    """Add a body, by default a rod along z that turns about y at the far end of its parent's shapes.

    Parameters
    ----------
    parent : int, optional
        Key of the parent.
    name : str, optional
        'body1', 'body2', ... if not given.
    joint : JointType, optional
        Its type.
    placement : array_like or object, optional
        Pose of the joint in the parent, what `Model.add_body` takes; by default the far end of the parent.
    geometry, density : optional
        Shapes, and what fills them, kg/m3.
    """

    parent: int = GROUND
    name: str | None = None
    joint: JointType = field(default_factory=lambda: Revolute("y"))
    placement: ArrayLike | object | None = None
    geometry: tuple[Geometry, ...] = field(default_factory=lambda: rod(*ROD))
    density: float | None = WATER

    def apply(self, sheet: Sheet) -> Sheet:
        sheet.check_body(self.parent)
        name = sheet.free_name("body") if self.name is None else text(self.name, "the name of a body")
        place = tip(sheet, self.parent) if self.placement is None else self.placement
        part = Part(
            sheet.next_key,
            name,
            self.parent,
            self.joint,
            as_pose(place, f"joint of {name!r}"),
            geometry=self.geometry,
            density=self.density,
        )
        return replace(sheet, parts=(*sheet.parts, fitted(part)), next_key=sheet.next_key + 1)

    def __str__(self) -> str:
        return "add a body" if self.name is None else f"add {self.name}"


def _with_names(sheet: Sheet, names: dict[str, str]) -> Sheet:
    """Return the sheet with names replaced in force elements, constraints and contact rules. names : new by old."""
    return replace(
        sheet,
        forces=tuple(Force(f.name, renamed(f.element, names)) for f in sheet.forces),
        constraints=tuple(Constraint(c.name, renamed(c.element, names)) for c in sheet.constraints),
        contact_rules=tuple(contact.renamed(rule, names) for rule in sheet.contact_rules),
    )


@dataclass(frozen=True, eq=False)
class Rename(Operation):
    """Rename a body, a loop joint or a frame; references to it are updated."""

    key: int
    name: str

    def apply(self, sheet: Sheet) -> Sheet:
        item, name = sheet.item(self.key), text(self.name, "a name")
        names = {item.name: name}
        if isinstance(item, Part) and item.joint_name is None:
            names[item.called] = f"{name}_joint"
        return _with_names(sheet.changed(replace(item, name=name)), names)

    def __str__(self) -> str:
        return f"rename to {self.name}"

    @property
    def subject(self) -> tuple[object, ...]:
        return "name", self.key


@dataclass(frozen=True, eq=False)
class RenameJoint(Operation):
    """Rename the joint of a body; None for ``<name>_joint``."""

    key: int
    name: str | None

    def apply(self, sheet: Sheet) -> Sheet:
        name = None if self.name is None else text(self.name, "the name of a joint")
        old, new = sheet.part(self.key), replace(sheet.part(self.key), joint_name=name)
        return _with_names(sheet.changed(new), {old.called: new.called})

    def __str__(self) -> str:
        return f"rename the joint to {self.name}"

    @property
    def subject(self) -> tuple[object, ...]:
        return "joint name", self.key


@dataclass(frozen=True, eq=False)
class Reparent(Operation):
    """Move a body with its subtree to another parent.

    Attributes
    ----------
    keep_place : bool
        Keep the pose of the joint in the world (all joints neutral) rather than its placement in the parent.
    """

    key: int
    parent: int
    keep_place: bool = True

    def apply(self, sheet: Sheet) -> Sheet:
        part = sheet.part(self.key)
        sheet.check_body(self.parent)
        if self.parent in sheet.subtree(self.key):
            whom = "itself" if self.parent == self.key else f"{sheet.body_name(self.parent)!r}, which it carries"
            raise ModelError(f"body {part.name!r} cannot hang on {whom}; hang it on a body outside its own branch")
        placement = part.placement
        if self.keep_place and self.parent != part.parent:
            placement = _rigid(se3.inverse(sheet.pose(self.parent)) @ sheet.pose(part.parent) @ placement)
        return sheet.changed(replace(part, parent=self.parent, placement=as_pose(placement, f"joint of {part.name!r}")))

    def __str__(self) -> str:
        return "hang on another body"


@dataclass(frozen=True, eq=False)
class Delete(Operation):
    """Delete a body with its subtree, a loop joint or a frame.

    Loop joints, frames and contact rules of deleted bodies are deleted too; mimics of their joints become independent.

    Attributes
    ----------
    splice : bool
        Whether to keep the children of a deleted body, moved to its parent without changing their poses.
    """

    key: int
    splice: bool = False

    def apply(self, sheet: Sheet) -> Sheet:
        item = sheet.item(self.key)
        if not isinstance(item, Part):
            kept = tuple(closure for closure in sheet.closures if closure.key != self.key)
            return replace(sheet, closures=kept, marks=tuple(mark for mark in sheet.marks if mark.key != self.key))
        if self.splice:
            for child in sheet.children(self.key):
                sheet = Reparent(child.key, item.parent).apply(sheet)
        return _without(sheet, sheet.subtree(self.key))

    def __str__(self) -> str:
        return "delete, keep what it carries" if self.splice else "delete"


def _without(sheet: Sheet, gone: set[int]) -> Sheet:
    parts = (part for part in sheet.parts if part.key not in gone)
    names = {part.name for part in sheet.parts if part.key in gone}
    rules = [contact.without(rule, names) for rule in sheet.contact_rules]
    freed = (replace(p, follows=None) if p.follows is not None and p.follows.leader in gone else p for p in parts)
    return replace(
        sheet,
        parts=tuple(freed),
        closures=tuple(c for c in sheet.closures if not gone & {c.predecessor, c.successor}),
        marks=tuple(mark for mark in sheet.marks if mark.body not in gone),
        contact_rules=tuple(rule for rule in rules if rule is not None),
    )


def _rigid(T: NDArray) -> NDArray:
    """Return the pose nearest to T, as the rotation of a long product of poses drifts off SO(3)."""
    U, _, Vt = np.linalg.svd(T[:3, :3])
    return se3.pose(U @ Vt, T[:3, 3])


def rod(x: float, y: float, z: float) -> tuple[Geometry, ...]:
    """Return a box along z that stands on the body's origin."""
    return (Geometry(Box((x, y, z)), as_pose([0.0, 0.0, z / 2], "a rod")),)
