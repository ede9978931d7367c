"""Operations on tree and loop joints: type, placement, springs, losses, limits, mimics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from rbdkit.drafting.fresh import FIELDS, IN_LOOPS, fitted, size
from rbdkit.drafting.operation import Operation, numbers, one_of
from rbdkit.drafting.sheet import GROUND, Closure, Follows, Mark, Part, Sheet
from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.model.placement import as_pose

UNBOUNDED = ("lower", "upper", "velocity", "effort")


@dataclass(frozen=True, eq=False)
class SetJoint(Operation):
    """Change the type of a body's joint or of a loop joint; parameters that fit the new type are kept."""

    key: int
    joint: JointType

    def apply(self, sheet: Sheet) -> Sheet:
        if not isinstance(self.joint, JointType):
            raise ModelError(f"{self.joint!r} is not a joint type; give an instance such as Revolute('z') or Free()")
        item = sheet.item(self.key)
        if isinstance(item, Mark):
            raise ModelError(f"frame {item.name!r} has no joint; it is fixed to its body")
        if isinstance(item, Part):
            return sheet.changed(fitted(replace(item, joint=self.joint), item.joint))
        return sheet.changed(fitted(replace(item, joint=self.joint), item.joint))

    def __str__(self) -> str:
        return f"{self.joint.kind} joint"

    @property
    def subject(self) -> tuple[object, ...]:
        return "joint", self.key


@dataclass(frozen=True, eq=False)
class SetPlacement(Operation):
    """Change the placement of a joint in its parent (of a loop joint in its predecessor), or of a frame on its body.

    Attributes
    ----------
    placement : array_like or object
        A position, a rotation or a pose, as `Model.add_body` takes.
    successor : bool
        For a loop joint, whether to place its frame in the successor instead.
    """

    key: int
    placement: ArrayLike | object
    successor: bool = False

    def apply(self, sheet: Sheet) -> Sheet:
        item = sheet.item(self.key)
        pose = as_pose(self.placement, repr(item.name))
        if not self.successor:
            return sheet.changed(replace(item, placement=pose))
        if not isinstance(item, Closure):
            raise ModelError(f"{item.name!r} is not a loop joint; only that has a frame in a successor")
        return sheet.changed(replace(item, successor_placement=pose))

    def __str__(self) -> str:
        return "place"

    @property
    def subject(self) -> tuple[object, ...]:
        return "placement", self.key, self.successor


@dataclass(frozen=True, eq=False)
class SetNumbers(Operation):
    """Set a parameter of a joint: damping, friction, stiffness, armature, rest, lower, upper, velocity or effort.

    Attributes
    ----------
    name : str
        Name of the parameter; loop joints have the first three, and rest.
    values : array_like
        One number for all freedoms of the joint, or one for each.
    """

    key: int
    name: str
    values: ArrayLike

    def apply(self, sheet: Sheet) -> Sheet:
        found = sheet.item(self.key) if self.key != GROUND else None
        item = found if isinstance(found, Closure) else sheet.part(self.key)
        what = "loop joint" if isinstance(item, Closure) else "joint"
        name = one_of(self.name, IN_LOOPS if isinstance(item, Closure) else FIELDS, f"the number of a {what}")
        infinite = name in UNBOUNDED
        values = numbers(self.values, size(item.joint, name), f"{name} of joint {item.called!r}", infinite=infinite)
        changed: dict[str, Any] = {name: values}
        return sheet.changed(replace(item, **changed))

    def __str__(self) -> str:
        return self.name

    @property
    def subject(self) -> tuple[object, ...]:
        return self.name, self.key


@dataclass(frozen=True, eq=False)
class Follow(Operation):
    """Make the joint of a body mimic another body's: its coordinate is ``multiplier * q[leader] + offset``.

    Attributes
    ----------
    leader : int or None
        Key of the other body, or None to make the joint independent.
    """

    key: int
    leader: int | None
    multiplier: float = 1.0
    offset: float = 0.0

    def apply(self, sheet: Sheet) -> Sheet:
        part = sheet.part(self.key)
        if self.leader is None:
            return sheet.changed(replace(part, follows=None))
        leader = sheet.part(self.leader)
        if leader.key == part.key:
            raise ModelError(f"joint {part.called!r} cannot follow itself")
        if part.joint.nq != 1 or leader.joint.nq != 1:
            raise ModelError(f"joint {part.called!r} cannot follow {leader.called!r}: both must have one coordinate")
        multiplier, offset = numbers([self.multiplier, self.offset], 2, f"mimicry of joint {part.called!r}")
        return sheet.changed(replace(part, follows=Follows(leader.key, multiplier, offset)))

    def __str__(self) -> str:
        return "follow no joint" if self.leader is None else "follow another joint"

    @property
    def subject(self) -> tuple[object, ...]:
        return "follows", self.key
