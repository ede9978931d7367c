"""Operations on loop joints, frames, and the model as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from numpy.typing import ArrayLike

from rbdkit.drafting.joint_steps import SetPlacement
from rbdkit.drafting.operation import Operation, numbers, text
from rbdkit.drafting.sheet import Closure, Mark, Sheet
from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Revolute
from rbdkit.model.placement import as_pose
from rbdkit.spatial import se3


@dataclass(frozen=True, eq=False)
class AddLoop(Operation):
    """Close a loop with a joint between two bodies.

    Parameters
    ----------
    predecessor, successor : int
        Keys of the bodies.
    joint : JointType, optional
        Its type.
    placement, successor_placement : array_like or object, optional
        Poses of its two frames in the bodies. If only the first is given, the second is made to coincide with it at
        the neutral coordinates, so that the loop is closed there.
    name : str, optional
        'loop1', 'loop2', ... if not given.
    """

    predecessor: int
    successor: int
    joint: JointType = field(default_factory=lambda: Revolute("y"))
    placement: ArrayLike | object | None = None
    successor_placement: ArrayLike | object | None = None
    name: str | None = None

    def apply(self, sheet: Sheet) -> Sheet:
        name = sheet.free_name("loop") if self.name is None else text(self.name, "the name of a loop joint")
        _check_ends(sheet, name, self.predecessor, self.successor)
        placement = as_pose(self.placement, f"loop joint {name!r}")
        other: ArrayLike | object = self.successor_placement
        if other is None:
            other = se3.inverse(sheet.pose(self.successor)) @ sheet.pose(self.predecessor) @ placement
        closure = Closure(
            sheet.next_key,
            name,
            self.predecessor,
            self.successor,
            self.joint,
            placement,
            as_pose(other, f"loop joint {name!r}"),
        )
        return replace(sheet, closures=(*sheet.closures, closure), next_key=sheet.next_key + 1)

    def __str__(self) -> str:
        return "close a loop"


@dataclass(frozen=True, eq=False)
class MoveLoop(Operation):
    """Connect a loop joint to other bodies, with the same placements in them. predecessor, successor : their keys."""

    key: int
    predecessor: int
    successor: int

    def apply(self, sheet: Sheet) -> Sheet:
        item = sheet.item(self.key)
        if not isinstance(item, Closure):
            raise ModelError(f"{item.name!r} is not a loop joint")
        _check_ends(sheet, item.name, self.predecessor, self.successor)
        return sheet.changed(replace(item, predecessor=self.predecessor, successor=self.successor))

    def __str__(self) -> str:
        return "move a loop joint"

    @property
    def subject(self) -> tuple[object, ...]:
        return "ends", self.key


@dataclass(frozen=True, eq=False)
class PlaceLoop(Operation):
    """Set both frames of a loop joint. placement, successor_placement : poses in the two bodies."""

    key: int
    placement: ArrayLike | object
    successor_placement: ArrayLike | object

    def apply(self, sheet: Sheet) -> Sheet:
        one = SetPlacement(self.key, self.placement).apply(sheet)
        return SetPlacement(self.key, self.successor_placement, successor=True).apply(one)

    def __str__(self) -> str:
        return "place a loop joint"

    @property
    def subject(self) -> tuple[object, ...]:
        return "placements", self.key


def _check_ends(sheet: Sheet, name: str, predecessor: int, successor: int) -> None:
    sheet.check_body(predecessor)
    sheet.check_body(successor)
    if predecessor == successor:
        body = sheet.body_name(predecessor)
        raise ModelError(f"loop joint {name!r} must connect two bodies; both its ends are on {body!r}")


@dataclass(frozen=True, eq=False)
class AddFrame(Operation):
    """Add a named frame to a body. body : its key. placement : pose in the body. name : 'frame1', ... if not given."""

    body: int
    placement: ArrayLike | object | None = None
    name: str | None = None

    def apply(self, sheet: Sheet) -> Sheet:
        sheet.check_body(self.body)
        name = sheet.free_name("frame") if self.name is None else text(self.name, "the name of a frame")
        mark = Mark(sheet.next_key, name, self.body, as_pose(self.placement, f"frame {name!r}"))
        return replace(sheet, marks=(*sheet.marks, mark), next_key=sheet.next_key + 1)

    def __str__(self) -> str:
        return "add a frame"


@dataclass(frozen=True, eq=False)
class MoveFrame(Operation):
    """Move a frame to another body, with the same placement in it. body : key."""

    key: int
    body: int

    def apply(self, sheet: Sheet) -> Sheet:
        item = sheet.item(self.key)
        if not isinstance(item, Mark):
            raise ModelError(f"{item.name!r} is not a frame")
        sheet.check_body(self.body)
        return sheet.changed(replace(item, body=self.body))

    def __str__(self) -> str:
        return "move a frame"

    @property
    def subject(self) -> tuple[object, ...]:
        return "body", self.key


@dataclass(frozen=True, eq=False)
class SetGravity(Operation):
    """Set the acceleration of free fall in world coordinates, (3,) m/s2."""

    gravity: ArrayLike

    def apply(self, sheet: Sheet) -> Sheet:
        x, y, z = numbers(self.gravity, 3, "gravity")
        return replace(sheet, gravity=(x, y, z))

    def __str__(self) -> str:
        return "gravity"

    @property
    def subject(self) -> tuple[object, ...]:
        return ("gravity",)


@dataclass(frozen=True, eq=False)
class SetName(Operation):
    """Set the name of the model."""

    name: str

    def apply(self, sheet: Sheet) -> Sheet:
        return replace(sheet, name=text(self.name, "the name of the model"))

    def __str__(self) -> str:
        return f"call the model {self.name}"

    @property
    def subject(self) -> tuple[object, ...]:
        return ("model",)


@dataclass(frozen=True, eq=False)
class StartFrom(Operation):
    """Replace everything by another sheet, such as an example or a file."""

    sheet: Sheet

    def apply(self, sheet: Sheet) -> Sheet:
        return self.sheet

    def __str__(self) -> str:
        return f"start from {self.sheet.name}"
