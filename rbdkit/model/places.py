"""All joints of a model, tree and loop joints alike, as joints between two bodies; for body-wise formulations."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.model.model import Model
from rbdkit.spatial import se3


@dataclass(frozen=True)
class Place:
    """A joint between two bodies. placements : poses (4, 4) of its frames in the reference frames of the bodies."""

    name: str
    type: JointType
    predecessor: int
    successor: int
    predecessor_placement: NDArray
    successor_placement: NDArray


def places(model: Model, offsets: NDArray) -> list[Place]:
    """Return the tree joints, body by body, then the loop joints.

    offsets : (bodies, 4, 4) poses of the bodies' reference frames in the body frames.
    """
    inner = se3.inverse(offsets)
    found = [
        Place(joint.name, joint.type, model.parent[i], i, inner[model.parent[i]] @ joint.placement, inner[i])
        for i, joint in enumerate(model.joints)
        if i > 0
    ]
    for loop in model.loops:
        p, s = loop.predecessor, loop.successor
        placements = inner[p] @ loop.joint.placement, inner[s] @ loop.successor_placement
        found.append(Place(loop.joint.name, loop.joint.type, p, s, *placements))
    return found
