"""Poses in twelve numbers: where a frame stands in another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rbdkit.spatial.compact.transform import plx
from rbdkit.spatial.vector3 import Matrix, Scalar, Vector


class Pose(NamedTuple):
    """Rotation R and position p of a frame B in a frame A: the homogeneous transform [R, p; 0, 1]."""

    R: Matrix
    p: Vector

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Pose:
        """From the rows of R, then p."""
        return cls(Matrix.of(flat[:9]), Vector(flat[9:]))

    def flat(self) -> list[Scalar]:
        """The twelve scalars."""
        return [*self.R.flat(), *self.p]

    def __matmul__(self, other: Pose) -> Pose:
        """The pose in A of a frame that stands so in B."""
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def to(self, other: Pose) -> Pose:
        """The pose in B of a frame whose pose in A is given."""
        return Pose(self.R.T @ other.R, self.R.T @ (other.p - self.p))

    @property
    def X(self) -> plx:
        """The transform of motion vectors from A to B coordinates."""
        return plx(self.R.T, self.p)
