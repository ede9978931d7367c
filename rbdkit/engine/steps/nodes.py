"""Links of a tree, and what algorithms receive of them.

A *link* is a rigid body with one of the joints of `motions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rbdkit.engine.steps.recorded_joint import RecordedJoint
from rbdkit.spatial.compact.pose import Pose
from rbdkit.trace import Whole

ROW = 22
"""Numbers of a link in "rows": rotation 9, position 3, mass, first moment 3, inertia about the origin 6."""
FRAME = 12
"""Numbers of a body in the array "frames": rotation 9 and position 3 of its frame in the frame of its link."""
ENTRIES = 4
"""Entries of a link in the table "links": kind, parent, first coordinate, first velocity."""


@dataclass(frozen=True)
class Kind:
    """Kind of link: what links have in common that one piece of code serves.

    motion : the joint primitive. geared : whether it has a rotor. sprung : whether it has a spring, for joints where
        that costs much. follows : whether it is a mimic joint, with its master's numbers times a ratio.
    cyclic : whether its axis is one of its parent's, which makes its joint a turn in a plane of them, see `turned`.
    cluster : in a joint group that is eliminated together, 'top' for a link whose parent is outside of the cluster,
        'nested' for others; '' for links in no cluster.
    """

    motion: RecordedJoint
    geared: bool = False
    sprung: bool = True
    follows: bool = False
    cyclic: bool = False
    cluster: str = ""


@dataclass(frozen=True)
class Link:
    """The joint of one link, and its place in the tree and in the state.

    parent : number of a link, 0 for the world. q, v : first of its numbers. axis : number of the parent's axis that a
        cyclic joint turns about.
    """

    kind: Kind
    parent: int
    q: int
    v: int
    axis: int = 2


@dataclass(frozen=True)
class Body:
    """A link as a key of fields.

    number : its number. row : where its work space begins. axes : if given, where the numbers of its x, y and z begin
        for a link on it with permuted axes: values are then read and written in the axes that link starts from.
    """

    number: Whole
    row: Whole
    axes: tuple[Whole, Whole, Whole] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Node(Body):
    """The link at which a pass over the tree is.

    parameters : where its row of "rows" begins. numbers : where its joint's numbers begin in "joint_numbers".
    order : the parent's axes that serve as x, y and z, if permuted.
    side_by_side : whether it stands for links in SIMD lanes, whose rows are in "limb_rows".
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
        """Joint primitive of the link."""
        return self.kind.motion

    @property
    def moves(self) -> bool:
        """Whether the state has numbers that belong to this link alone."""
        return self.motion.nv > 0 and not self.kind.follows


@dataclass(frozen=True)
class BodyFrame:
    """A body of the model, fixed to a link. frame : pose of its frame in the frame of the link."""

    number: Whole
    link: Body
    frame: Pose


def most_numbers(kinds: Iterable[Kind]) -> int:
    """Return the numbers per link in "joint_numbers": as many as the joint needs that needs most."""
    return max((kind.motion.numbers for kind in kinds), default=0)
