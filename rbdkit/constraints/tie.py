"""Two joints that move in fixed proportion."""

from __future__ import annotations

from typing import Any

from rbdkit.constraints.element import ConstraintElement
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import shown


class Tie(ConstraintElement):
    """A gear constraint: the coordinate of one joint is ``ratio q_leader + offset`` of another's.

    External gears have the ratio ``-z_leader / z`` of their numbers of teeth; the axes need not be parallel. A `Mimic`
    is equivalent but removes the coordinate; a tie keeps it, so that its constraint force can be computed.

    Parameters
    ----------
    follower, leader : str
        Joints of one coordinate each.
    ratio : float
        Not zero.
    offset : float, optional
        rad or m.

    Raises
    ------
    ModelError
        If the ratio is zero, or both joints are the same.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> belt = model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-1.0))
    >>> motion = rbd.simulate(model, [0.5, -0.5], duration=0.1, formulation="se3")
    >>> bool(abs(motion.q.sum(axis=1)).max() < 1e-9)
    True
    """

    follower: str
    leader: str
    ratio: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        self.parameters()
        if self.ratio == 0.0:
            raise ModelError(f"Tie: ratio {shown(self.ratio)} would hold {shown(self.follower)} still; give another")
        if self.follower == self.leader:
            raise ModelError(f"Tie: {shown(self.leader)} cannot follow itself; name two joints")

    def gap(self, at: Surroundings) -> Any:
        follower, leader = (_one(at, name) for name in (self.follower, self.leader))
        return follower - self.ratio * leader - self.offset

    def units_of_gap(self, at: Surroundings) -> str:
        return at.coordinate_units(self.follower)[0]


def _one(at: Surroundings, joint: str) -> Any:
    """The one coordinate of a joint."""
    q = at.coordinates(joint)
    if len(q) != 1:
        raise ModelError(f"joint {joint!r} has {len(q)} coordinates; a tie is between joints that have one")
    return q[0]
