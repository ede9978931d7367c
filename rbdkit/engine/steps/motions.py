"""Joint primitives by name; the joints of rbdkit are chains of these (see `rbdkit.joints.piece`).

The axis of a joint with one freedom is z: frames are turned so when a model's numbers are packed. Axes S are constant
in the frame they are given in, which is the moved body's, or for a `Reversed` joint the frame it starts from; those of
traced joint types may depend on q.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from rbdkit.engine.steps.curved_motions import Free, FreeSuccessor, Planar, PlanarSuccessor, Spherical
from rbdkit.engine.steps.recorded_joint import V_Z, W_Z, RecordedJoint, Scalars, about_z
from rbdkit.engine.steps.wrapped_motions import Driven, ReversedAxes, ReversedPose
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar


class Revolute(RecordedJoint):
    """Rotation about z."""

    name = "revolute"

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return about_z(q[0]), ZERO

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        return [list(W_Z)]


class Prismatic(RecordedJoint):
    """Translation along z."""

    name = "prismatic"

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return IDENTITY, Vector((0.0, 0.0, q[0]))

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        return [list(V_Z)]


class Helical(RecordedJoint):
    """Rotation about z with an advance along z."""

    name = "helical"
    numbers = 1

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return about_z(q[0]), Vector((0.0, 0.0, numbers[0] * q[0]))

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        return [[0.0, 0.0, 1.0, 0.0, 0.0, numbers[0]]]


MOTIONS: dict[str, RecordedJoint] = {
    motion.name: motion
    for motion in (
        Revolute(), Prismatic(), Helical(), Planar(), PlanarSuccessor(), Spherical(), Free(), FreeSuccessor(),
    )
}  # fmt: skip
"""Joint primitives by their names."""
WRAPPED: dict[str, Callable[[RecordedJoint], RecordedJoint]] = {
    "reversed_axes": ReversedAxes,
    "reversed_pose": ReversedPose,
    "driven": Driven,
}


def motion_of(said: Hashable) -> RecordedJoint:
    """Return the primitive that a `Piece` names: one of `MOTIONS`, a wrapped one for a pair, or a primitive itself."""
    if isinstance(said, tuple):
        wrapper, inner = said
        return WRAPPED[wrapper](motion_of(inner))
    return said if isinstance(said, RecordedJoint) else MOTIONS[str(said)]
