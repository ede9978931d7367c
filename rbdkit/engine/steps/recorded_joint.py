"""What a kind of joint allows, written on scalars."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import Scalar, cos, sin

if TYPE_CHECKING:
    from rbdkit.trace import Trace

Scalars = Sequence[Scalar]
W_X, W_Y, W_Z, V_X, V_Y, V_Z = ([float(i == k) for i in range(6)] for k in range(6))


class RecordedJoint:
    """A kind of joint with ``qdot = v``; curved kinds override `move`, `difference`, `local_rate` and `local_force`.

    Where velocities are told along axes that turn with the moved frame, the last three override as well.

    q, v, u are sequences of nq, nv and nv scalars; numbers are what else the formulas need, a pitch say.
    Motions of one name are the same.
    """

    name: str
    nq: int = 1
    nv: int = 1
    curved: ClassVar[bool] = False
    """Whether coordinates and velocities are not simply each other's integral and derivative."""
    carried: ClassVar[bool] = True
    """Whether the axes move along with the frame they move; else with the one it starts from."""
    varying: bool = False
    """Whether the axes depend on q in that frame, too."""
    driver: RecordedJoint | None = None
    """The joint that moves as time says, if this is one that does."""
    numbers: int = 0
    """How many numbers its formulas need."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordedJoint) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        """Rotation and position of the moved frame in the frame it starts from."""
        return IDENTITY, ZERO

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        """S, column by column: angular part, then linear part."""
        return []

    def velocity_product(self, q: Scalars, v: Scalars, numbers: Scalars) -> list[Scalar]:
        """c_J = S' v, six numbers; zero where `varying` is false."""
        return [0.0] * 6

    def rates(self, q: Scalars) -> list[list[Scalar]]:
        """For each freedom, qdot (nq numbers) at unit velocity: how q changes along ``move(q, u)`` at u = 0.

        Derivatives by q are taken along these: for a quaternion, the turns about the axes of the moved frame.
        """
        if not self.curved:
            return [[float(i == k) for i in range(self.nq)] for k in range(self.nv)]
        from rbdkit.trace import replay  # which known code never needs

        values = replay(_of_move(self), lambda leaf: q[leaf[3]] if leaf[1] == "q" else 0.0)
        return [values[k :: self.nv] for k in range(self.nv)]

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

    def carried_com(self, H: Sequence[Scalars]) -> Vector:
        """Centre of mass, in moved axes, of what a joint with an origin that flies carries; zero for others.

        H : the joint's block of the inertia matrix, without armature.
        """
        return ZERO

    def rate_seen_still(self, v: Scalars, v_rate: Scalars, c: Vector) -> list[Scalar]:
        """How fast v changes while bodies stay where they are, when its numbers change at a rate.

        c : centre of mass of all that the joint carries, in moved axes.
        """
        return list(v_rate)

    def glide(self, q: Scalars, u: Scalars, c: Vector) -> list[Scalar]:
        """q after a turn and a straight displacement of c: without forces the centre of mass moves on like that."""
        return self.move(q, u)

    def after_glide(self, u: Scalars, v: Scalars, c: Vector) -> list[Scalar]:
        """The numbers after ``glide(q, u, c)`` of the velocity that turns and moves c as v did before it."""
        return list(v)


@cache
def _of_move(motion: RecordedJoint) -> Trace:
    """d move(q, u) / du, shape (nq, nv)."""
    from rbdkit.trace import jacobian, trace

    return jacobian(trace(motion.move, motion.nq, motion.nv, names=("q", "u")), "u")


def about_z(angle: Scalar) -> Matrix:
    """Rotation matrix of a turn about z."""
    c, s = cos(angle), sin(angle)
    return Matrix.of([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])
