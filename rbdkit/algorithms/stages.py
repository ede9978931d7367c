"""The freedoms of a joint in the order in which they move each other's axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.errors import ModelError
from rbdkit.model import Joint


@dataclass(frozen=True)
class Stage:
    """Freedoms whose axes stand still in one frame.

    freedoms : their numbers in the joint. carried : whether that frame is the one they move; else the one before.
    """

    freedoms: tuple[int, ...]
    carried: bool = True


def stages(joint: Joint) -> list[Stage]:
    """The stages of a joint from parent to body; all axes of a stage are constant in the frame after or before it.

    Raises
    ------
    ModelError
        If nothing is known about how the axes of the joint's type move.
    """
    return _stages(joint.type, joint.name)


def _stages(joint: joints.JointType, name: str) -> list[Stage]:
    match joint:
        case joints.Universal() | joints.EulerSpherical():
            return [Stage((k,)) for k in range(joint.nv)]
        case joints.Reversed():
            return [Stage(stage.freedoms, not stage.carried) for stage in reversed(_stages(joint.joint, name))]
        case (
            joints.Fixed() | joints.Prescribed() | joints.Revolute() | joints.Prismatic() | joints.Helical()
            | joints.Cylindrical() | joints.Planar() | joints.Spherical() | joints.Free()
        ):  # fmt: skip
            return [Stage(tuple(range(joint.nv)))]
    raise ModelError(
        f"joint {name!r}: derivatives need to know how the axes of a {joint.kind!r} joint move; "
        "tell rbdkit.algorithms.stages"
    )


def moved(order: list[Stage]) -> NDArray:
    """(nv, nv) booleans: whether the axis of freedom k (row) moves along when freedom l (column) does."""
    nv = sum(len(stage.freedoms) for stage in order)
    table = np.zeros((nv, nv), dtype=bool)
    before: list[int] = []
    for stage in order:
        own = list(stage.freedoms)
        table[np.ix_(own, own)] = stage.carried
        table[np.ix_(own, before)] = True
        before += own
    return table
