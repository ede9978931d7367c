"""What a kind of joint allows, written on scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar, cos, sin

Scalars = Sequence[Scalar]
W_X, W_Y, W_Z, V_X, V_Y, V_Z = ([float(i == k) for i in range(6)] for k in range(6))


class Motion:
    """A kind of joint with ``qdot = v``; curved kinds override the last four functions.

    q, v, u are sequences of nq, nv and nv scalars; pitch is a parameter of the joint in m/rad.
    """

    name: str
    nq: int = 1
    nv: int = 1
    curved: ClassVar[bool] = False
    """Whether coordinates and velocities are not simply each other's integral and derivative."""
    carried: ClassVar[bool] = True
    """Whether the axes are constant in the frame they move; else in the one it starts from."""
    driver: Motion | None = None
    """The joint that moves as time says, if this is one that does."""

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        """Rotation and position of the moved frame in the frame it starts from."""
        return IDENTITY, ZERO

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        """S, column by column: angular part, then linear part."""
        return []

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        """q moved along the constant velocity u for one unit of time."""
        return [a + b for a, b in zip(q, u, strict=True)]

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        """The shortest u with ``move(q0, u) = q1``."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        """A v: the rate of u where ``move(q0, u)`` moves with velocity v."""
        return list(v)

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        """A.T f, with the A of `local_rate`."""
        return list(f)


def about_z(angle: Scalar) -> Matrix:
    """Rotation matrix of a turn about z."""
    c, s = cos(angle), sin(angle)
    return Matrix.of([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])
