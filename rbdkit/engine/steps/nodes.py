"""Links of a tree, and what an algorithm is handed of them.

A *link* is a rigid body with one of the joints of `motions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rbdkit.engine.steps.recorded_joint import RecordedJoint
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Whole

ROW = 22
"""Numbers of a link in "rows": rotation 9, position 3, mass, first moment 3, inertia about the origin 6."""
FRAME = 12
"""Numbers of a body in the array "frames": rotation 9 and position 3 of its frame in the frame of its link."""
ENTRIES = 4
"""Entries of a link in the table "links": kind, parent, first coordinate, first velocity."""


@dataclass(frozen=True)
class Kind:
    """What links have in common that one piece of code serves.

    motion : what the joint allows. geared : whether it has a rotor. sprung : whether it has a spring, where that costs
        much. follows : whether its joint follows another one, whose numbers it has times a ratio.
    cyclic : whether its axis is one of its parent's, which makes its joint a turn in a plane of them, see `turned`.
    cluster : where joints share a freedom and are eliminated together, 'top' of a link that stands on one outside of
        the cluster, 'nested' of others; '' of links that do not belong to one.
    """

    motion: RecordedJoint
    geared: bool = False
    sprung: bool = True
    follows: bool = False
    cyclic: bool = False
    cluster: str = ""


@dataclass(frozen=True)
class Link:
    """The joint and place of one link.

    parent : number of a link, 0 for the world. q, v : first of its numbers. axis : number of the parent's axis that a
        cyclic one turns about.
    """

    kind: Kind
    parent: int
    q: int
    v: int
    axis: int = 2


@dataclass(frozen=True)
class Body:
    """A link that an algorithm may read and write fields of.

    number : its number. row : where its work space begins. axes : where its axes begin in it that a link on it calls
        x, y and z, if these are other ones: what is read or written is then in the axes of that link's start.
    """

    number: Whole
    row: Whole
    axes: tuple[Whole, Whole, Whole] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Node(Body):
    """The link that a pass over the tree has come to.

    parameters : where its row of "rows" begins. numbers : where its joint's begin in "joint_numbers".
    order : numbers of its parent's axes that are x, y and z of the parent as it is handed, if these are other ones.
    side_by_side : whether it stands for links that are computed at once, and "limb_rows" has their rows.
    """

    parameters: Whole
    numbers: Whole
    kind: Kind
    parent: Body
    q: Whole
    v: Whole
    order: tuple[Whole, Whole, Whole] | None = field(default=None, kw_only=True)
    side_by_side: bool = field(default=False, kw_only=True)

    @property
    def motion(self) -> RecordedJoint:
        """What its joint allows."""
        return self.kind.motion

    @property
    def moves(self) -> bool:
        """Whether there are numbers in the state that belong to this link alone."""
        return self.motion.nv > 0 and not self.kind.follows


@dataclass(frozen=True)
class BodyFrame:
    """A body of the model, fixed to a link. R, p : pose of its frame in the frame of the link."""

    number: Whole
    link: Body
    R: Matrix
    p: Vector


def most_numbers(kinds: Iterable[Kind]) -> int:
    """How many numbers a link has in "joint_numbers", where all have as many: those of the joint that needs most."""
    return max((kind.motion.numbers for kind in kinds), default=0)
