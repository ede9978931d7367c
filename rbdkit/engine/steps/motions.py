"""Every kind of joint by its name; all other joints of rbdkit are chains of these (see `rbdkit.engine.links`).

The axis of a joint with one freedom is z: frames are turned so when a model's numbers are packed. Axes S are constant
in the frame they are given in, which is the moved body's, or for a `Reversed` joint the frame it starts from.
"""

from __future__ import annotations

from rbdkit.engine.steps.curved_motions import Free, FreeSuccessor, Planar, PlanarSuccessor, Spherical
from rbdkit.engine.steps.motion import V_Z, W_Z, Motion, Scalars, about_z
from rbdkit.engine.steps.wrapped_motions import Driven, ReversedAxes, ReversedPose
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar


class Revolute(Motion):
    """Rotation about z."""

    name = "revolute"

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return about_z(q[0]), ZERO

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [list(W_Z)]


class Prismatic(Motion):
    """Translation along z."""

    name = "prismatic"

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return IDENTITY, Vector((0.0, 0.0, q[0]))

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [list(V_Z)]


class Helical(Motion):
    """Rotation about z with an advance along z."""

    name = "helical"

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return about_z(q[0]), Vector((0.0, 0.0, pitch * q[0]))

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [[0.0, 0.0, 1.0, 0.0, 0.0, pitch]]


PLAIN = (Revolute(), Prismatic(), Helical(), Planar(), PlanarSuccessor(), Spherical(), Free(), FreeSuccessor())
FREE: dict[str, Motion] = {
    motion.name: motion
    for plain in PLAIN
    for motion in ((plain, ReversedAxes(plain), ReversedPose(plain)) if plain.nv > 1 else (plain,))
}
"""Kinds of joints by their names. Joints with one freedom need no reversed kind: their axis is turned round."""
MOTIONS: dict[str, Motion] = FREE | {driven.name: driven for driven in map(Driven, FREE.values())}
"""Every kind of joint by its name."""
