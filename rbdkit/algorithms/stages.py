"""The freedoms of a joint in the order in which they move each other's axes.

A joint that rolls is a slide and a turn that share one freedom: neither of the frames keeps its axis, but each of the
two parts has an axis of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.errors import ModelError
from rbdkit.model import Joint
from rbdkit.spatial import plucker


@dataclass(frozen=True)
class Stage:
    """Freedoms whose axes stand still in one frame.

    Attributes
    ----------
    freedoms : tuple of int
        Their numbers in the joint, or of its `parts`.
    carried : bool
        Whether that frame is the one they move; else the one before.
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


def parts(joint: Joint, q: NDArray) -> tuple[NDArray, NDArray]:
    """Axes P of the parts of a joint in body coordinates, (6, m), and G, (m, nv): freedoms move them, ``S = P @ G``.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the model.
    """
    P, G = _parts(joint.type, joint.coordinates(q))
    return P if joint.mimic is None else joint.mimic.multiplier * P, G


def _parts(joint: joints.JointType, q: NDArray) -> tuple[NDArray, NDArray]:
    match joint:
        case joints.RackAndPinion():
            along = joint.pose(q)[:3, :3].T @ joint.along
            return np.array([[0, 0, 0, *along], [*joint.axis, 0, 0, 0]], dtype=float).T, np.array(
                [[joint.radius], [1.0]]
            )
        case joints.Reversed(joint=inner):
            P, G = _parts(inner, q)
            return -plucker.inverse(inner.transform(q)) @ P, G
    return joint.motion_subspace(q), np.eye(joint.nv)


def _stages(joint: joints.JointType, name: str) -> list[Stage]:
    match joint:
        case joints.Universal() | joints.EulerSpherical():
            return [Stage((k,)) for k in range(joint.nv)]
        case joints.RackAndPinion():
            return [Stage((0,)), Stage((1,))]
        case joints.SphereInCylinder():
            return [Stage((3,)), Stage((0, 1, 2))]
        case joints.Reversed():
            return [Stage(stage.freedoms, not stage.carried) for stage in reversed(_stages(joint.joint, name))]
        case (
            joints.Fixed() | joints.Prescribed() | joints.Revolute() | joints.Prismatic() | joints.Helical()
            | joints.Cylindrical() | joints.Planar() | joints.Spherical() | joints.Free()
        ):  # fmt: skip
            return [Stage(tuple(range(joint.nv)))]
    raise ModelError(
        f"joint {name!r}: derivatives and the closed form need to know how the axes of a {joint.kind!r} joint "
        "move; tell rbdkit.algorithms.stages"
    )


def moved(order: list[Stage]) -> NDArray:
    """(m, m) booleans: whether the axis of part k (row) moves along when part l (column) does."""
    nv = sum(len(stage.freedoms) for stage in order)
    table = np.zeros((nv, nv), dtype=bool)
    before: list[int] = []
    for stage in order:
        own = list(stage.freedoms)
        table[np.ix_(own, own)] = stage.carried
        table[np.ix_(own, before)] = True
        before += own
    return table
