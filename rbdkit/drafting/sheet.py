"""State of a draft: bodies, loop joints and frames by key, which need not form a valid model.

Sheets are immutable: an operation makes a new sheet, and undoing returns to the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import Fixed, JointType
from rbdkit.model import Constraint, ContactRule, Force, Geometry
from rbdkit.model.numbering import WORLD
from rbdkit.model.placement import frozen
from rbdkit.spatial.inertia import Inertia

GROUND = 0
"""The key of the world; bodies, loop joints and frames have keys from 1."""
ORIGIN = frozen(np.eye(4))


@dataclass(frozen=True, eq=False)
class Follows:
    """Mimic of a joint: its coordinate is ``multiplier * q + offset``. leader : key of the body of the master joint."""

    leader: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Part:
    """A body under construction, with the joint to its parent.

    Attributes
    ----------
    key : int
        Its permanent number, independent of its name.
    name : str
        Its name; an empty or duplicate one yields a finding.
    parent : int
        Key of the parent, `GROUND` for the world.
    joint, placement
        Type of the joint and pose (4, 4) of its frame in the parent.
    joint_name : str or None
        None for ``<name>_joint``.
    geometry : tuple of Geometry
        What is drawn, and what `density` fills.
    density : float or None
        kg/m3, the inertia follows from the visual shapes; None if the inertia is given by hand.
    inertia : Inertia or None
        By hand; None if there is none, or a density.
    damping, friction, stiffness, armature : tuple of float
        (nv,) numbers, the wrong sign is a finding.
    rest, lower, upper : tuple of float
        (nq,) numbers.
    velocity, effort : tuple of float
        (nv,) limits.
    follows : Follows or None
        None, or the joint that this one mimics.
    """

    key: int
    name: str
    parent: int = GROUND
    joint: JointType = field(default_factory=Fixed)
    placement: NDArray = field(default_factory=lambda: ORIGIN)
    joint_name: str | None = None
    geometry: tuple[Geometry, ...] = ()
    density: float | None = None
    inertia: Inertia | None = None
    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    armature: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    follows: Follows | None = None

    @property
    def called(self) -> str:
        """Name of the joint."""
        return f"{self.name}_joint" if self.joint_name is None else self.joint_name


@dataclass(frozen=True, eq=False)
class Closure:
    """A loop joint under construction. predecessor, successor : keys of bodies, with the frames' poses in them.

    damping, friction, stiffness : (nv,) numbers, rest : (nq,); empty tuples stand for the defaults.
    """

    key: int
    name: str
    predecessor: int
    successor: int
    joint: JointType
    placement: NDArray = field(default_factory=lambda: ORIGIN)
    successor_placement: NDArray = field(default_factory=lambda: ORIGIN)
    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()

    @property
    def called(self) -> str:
        """Name of the joint."""
        return self.name


@dataclass(frozen=True, eq=False)
class Mark:
    """A named frame under construction. body : key of its body. placement : pose (4, 4) in it."""

    key: int
    name: str
    body: int
    placement: NDArray = field(default_factory=lambda: ORIGIN)


Item = Part | Closure | Mark
AnyItem = TypeVar("AnyItem", Part, Closure, Mark)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The whole state of a draft at one step.

    next_key : key of the next item; keys are never reused. forces, constraints, contact_rules : those of the model,
    which refer to bodies, frames and joints by name.
    """

    name: str = "model"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    parts: tuple[Part, ...] = ()
    closures: tuple[Closure, ...] = ()
    marks: tuple[Mark, ...] = ()
    next_key: int = 1
    forces: tuple[Force, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    contact_rules: tuple[ContactRule, ...] = ()

    @property
    def items(self) -> Iterator[Item]:
        """Bodies, loop joints and frames."""
        yield from self.parts
        yield from self.closures
        yield from self.marks

    def item(self, key: int) -> Item:
        """Return the body, loop joint or frame of a key; raises `ModelError` if there is none."""
        for item in self.items:
            if item.key == key:
                return item
        raise ModelError(f"nothing in the draft has the key {key!r}; keys are in draft.sheet.items")

    def part(self, key: int) -> Part:
        """The body of that key; raises `ModelError` for the world and for anything else."""
        if key == GROUND:
            raise ModelError("the world is fixed and has no joint, shape or inertia to change; add a body to it")
        item = self.item(key)
        if not isinstance(item, Part):
            raise ModelError(f"{item.name!r} (key {key}) is not a body")
        return item

    def check_body(self, key: int) -> None:
        """Raise `ModelError` if the key is neither a body's nor the world's."""
        if key != GROUND:
            self.part(key)

    def body_name(self, key: int) -> str:
        """Name of a body, or 'world'."""
        return WORLD if key == GROUND else self.part(key).name

    def children(self, key: int) -> tuple[Part, ...]:
        """The bodies whose parent it is."""
        return tuple(part for part in self.parts if part.parent == key)

    def subtree(self, key: int) -> set[int]:
        """Keys of a body and of all that it carries."""
        carried, waiting = {key}, [key]
        while waiting:
            found = {part.key for part in self.children(waiting.pop())} - carried
            carried |= found
            waiting.extend(found)
        return carried

    def pose(self, key: int) -> NDArray:
        """Pose (4, 4) of a body in the world where every joint is at its neutral coordinates."""
        T = np.eye(4)
        while key != GROUND:
            part = self.part(key)
            T = part.placement @ part.joint.pose(part.joint.neutral()) @ T
            key = part.parent
        return T

    def changed(self, item: Item) -> Sheet:
        """The sheet with the item in place of the one with its key."""
        return replace(
            self,
            parts=_exchanged(self.parts, item),
            closures=_exchanged(self.closures, item),
            marks=_exchanged(self.marks, item),
        )

    def free_name(self, stem: str) -> str:
        """The stem with the first number that makes a name nobody has."""
        taken = {item.name for item in self.items}
        number = 1
        while f"{stem}{number}" in taken:
            number += 1
        return f"{stem}{number}"


def _exchanged(items: tuple[AnyItem, ...], new: Item) -> tuple[AnyItem, ...]:
    return tuple(new if item.key == new.key else item for item in items)  # type: ignore[misc]  # one key, one kind
