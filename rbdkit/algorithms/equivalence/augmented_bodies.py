"""Augmented bodies: each body with the masses of its subtrees, concentrated at its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree
from rbdkit.spatial.inertia import Inertia


@dataclass(frozen=True)
class AugmentedBody:
    """A body with a particle in some of its joints.

    Attributes
    ----------
    inertia : Inertia
        Of body and particles, in body coordinates.
    points : dict of int to ndarray
        Where the particles sit, (3,) in body coordinates, by the number of the body beyond the joint (the parent or
        a child).
    masses : dict of int to float
        Of the particles, kg, likewise.
    """

    inertia: Inertia
    points: dict[int, NDArray]
    masses: dict[int, float]


def augmented_bodies(model: Model, particles: Literal["all", "children"] = "children") -> list[AugmentedBody]:
    """The augmented bodies of a tree, body 0 first (Featherstone 2008, section 9.7).

    A particle stands for all that is connected to the body through a joint, and has its mass.

    Parameters
    ----------
    particles : {'all', 'children'}, optional
        'children': a particle for each joint in mu(i), the custom with a fixed base; 'all': one more for the joint
        to the parent, the custom with a floating base, where a first joint of six freedoms counts for none.

    Raises
    ------
    ModelError
        If a joint lets its two bodies shift against each other: a particle in it would have no place in one of them;
        or if joints close loops.
    """
    require_tree(model, "the augmentation of bodies")
    if particles not in ("all", "children"):
        raise ModelError(f"particles={particles!r} must be 'all' or 'children'")
    inertia = [Inertia.zero() if body.inertia is None else body.inertia for body in model.bodies]
    subtree = [sum(inertia[j].mass for j in model.subtree(i)) for i in range(len(model.bodies))]
    total = subtree[0] - inertia[0].mass
    found = []
    for i, body in enumerate(model.bodies):
        points: dict[int, NDArray] = {}
        masses: dict[int, float] = {}
        for j in model.children(i):
            if i > 0 or not isinstance(model.joints[j].type, joints.Free):
                _require_centre(model.joints[j].type, model.joints[j].name)
                points[j], masses[j] = model.joints[j].placement[:3, 3], subtree[j]
        if particles == "all" and i > 0 and not isinstance(body.joint.type, joints.Free):
            points[body.parent], masses[body.parent] = np.zeros(3), total - subtree[i]
        own = sum((Inertia(masses[k], points[k]) for k in points), inertia[i])
        found.append(AugmentedBody(own, points, masses))
    return found


def _require_centre(joint: JointType, name: str) -> None:
    if isinstance(joint, joints.Reversed) and not joint.is_users_own:
        _require_centre(joint.joint, name)
    elif joint.is_users_own:
        raise ModelError(
            f"joint {name!r} is {joint.known_as}: augmented bodies need joints about a point of both bodies, "
            "and whether one of your own is such a joint is not known"
        )
    elif not isinstance(
        joint, joints.Revolute | joints.Spherical | joints.EulerSpherical | joints.Universal | joints.Fixed
    ):
        raise ModelError(
            f"joint {name!r} is {joint.kind} and shifts: augmented bodies need joints about a point of both bodies"
        )
