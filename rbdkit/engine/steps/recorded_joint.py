"""Joint primitives, written on scalars: the interface of all simple joints, and what plain ones have in common.

A primitive is a formula without numbers of its own: it is recorded into programs, and parameters such as a pitch are
given to it. The axis of a joint with one freedom is z; the frames of a model are turned so that this is no restriction.
"""

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
    """A joint primitive with ``qdot = v``; curved ones override `move`, `difference`, `local_rate` and `local_force`.

    Where velocities are in axes that turn with the moved frame, the last four methods are overridden as well.

    q, v, u are sequences of nq, nv and nv scalars; numbers are further parameters of the formulas, such as a pitch.
    Primitives of one name are equal.
    """

    name: str
    nq: int = 1
    nv: int = 1
    curved: ClassVar[bool] = False
    """Whether velocities are not the derivatives of coordinates."""
    carried: ClassVar[bool] = True
    """Whether the axes move along with the moved frame; else with the one it starts from."""
    varying: bool = False
    """Whether the axes depend on q in that frame, too."""
    driver: RecordedJoint | None = None
    """The joint inside, for a prescribed joint."""
    numbers: int = 0
    """Number of parameters of its formulas."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordedJoint) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        """Return rotation and position of the moved frame in the frame it starts from."""
        return IDENTITY, ZERO

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        """Return the motion subspace S, column by column: angular part, then linear part."""
        return []

    def velocity_product(self, q: Scalars, v: Scalars, numbers: Scalars) -> list[Scalar]:
        """Return c_J = S' v, six numbers; zero where `varying` is false."""
        return [0.0] * 6

    def rates(self, q: Scalars) -> list[list[Scalar]]:
        """Return for each freedom qdot (nq numbers) at unit velocity: the derivative of ``move(q, u)`` by u at u = 0.

        Derivatives by q are taken along these: for a quaternion, rotations about the axes of the moved frame.
        """
        if not self.curved:
            return [[float(i == k) for i in range(self.nq)] for k in range(self.nv)]
        from rbdkit.trace import replay  # which known code never needs

        values = replay(_of_move(self), lambda leaf: q[leaf[3]] if leaf[1] == "q" else 0.0)
        return [values[k :: self.nv] for k in range(self.nv)]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        """Return q moved along the constant velocity u for one unit of time."""
        return [a + b for a, b in zip(q, u, strict=True)]

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        """Return the shortest u with ``move(q0, u) = q1``."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        """Return A v: the rate of u where ``move(q0, u)`` moves with velocity v."""
        return list(v)

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        """Return A.T f, with the A of `local_rate`."""
        return list(f)

    def carried_com(self, H: Sequence[Scalars]) -> Vector:
        """Return the centre of mass, in moved axes, of all that a planar or free joint carries; zero for others.

        H : the joint's block of the inertia matrix, without armature.
        """
        return ZERO

    def rate_seen_still(self, v: Scalars, v_rate: Scalars, c: Vector) -> list[Scalar]:
        """Return the rate of v along fixed axes, for a rate of its components in the moving axes.

        c : centre of mass of all that the joint carries, in moved axes.
        """
        return list(v_rate)

    def glide(self, q: Scalars, u: Scalars, c: Vector) -> list[Scalar]:
        """Return q after a rotation and a straight displacement of c (centre-of-mass update).

        Without forces the centre of mass moves like that.
        """
        return self.move(q, u)

    def after_glide(self, u: Scalars, v: Scalars, c: Vector) -> list[Scalar]:
        """Express v after ``glide(q, u, c)``: same angular velocity and velocity of c, in the new axes."""
        return list(v)


@cache
def _of_move(motion: RecordedJoint) -> Trace:
    """Return the trace of d move(q, u) / du, shape (nq, nv)."""
    from rbdkit.trace import jacobian, trace

    return jacobian(trace(motion.move, motion.nq, motion.nv, names=("q", "u")), "u")


def about_z(angle: Scalar) -> Matrix:
    """Return the rotation matrix of a rotation about z."""
    c, s = cos(angle), sin(angle)
    return Matrix.of([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])
