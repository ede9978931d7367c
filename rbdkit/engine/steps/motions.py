"""What each kind of joint allows, written on scalars; all other joints of rbdkit are chains of these (see
`rbdkit.engine.links`).

The axis of a joint with one freedom is z: frames are turned so when a model's numbers are packed. Axes S are constant
in the frame they are given in, which is the moved body's, or for a `Reversed` joint the frame it starts from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rbdkit.engine.graph import Scalar
from rbdkit.engine.scalar import cos, sin, whole
from rbdkit.engine.steps.manifold import exp, jacobian_inverse, log, quaternion_matrix, quaternion_product, turned
from rbdkit.engine.steps.vectors import IDENTITY, ZERO, Matrix, Vector

Scalars = Sequence[Scalar]
W_X, W_Y, W_Z, V_X, V_Y, V_Z = ([float(i == k) for i in range(6)] for k in range(6))
TURN = 6.283185307179586


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


class Planar(Motion):
    """Motion of the x-y plane on itself. q = (angle, x, y), x and y in its first axes; v along the moved axes."""

    name = "planar"
    curved = True
    nq = nv = 3

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return about_z(q[0]), self._position(q)

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [list(W_Z), list(V_X), list(V_Y)]

    def _position(self, q: Scalars) -> Vector:
        return Vector((q[1], q[2], 0.0))

    def _coordinates(self, angle: Scalar, p: Vector) -> list[Scalar]:
        return [angle, p[0], p[1]]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        w, v = twist_in_plane(u)
        step = about_z(q[0]) @ exp(w)[1](v)
        return self._coordinates(q[0] + u[0], self._position(q) + step)

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        angle = q1[0] - q0[0]
        angle = angle - TURN * whole(angle * (1.0 / TURN))
        ahead = about_z(q0[0]).T @ (self._position(q1) - self._position(q0))
        J, _ = jacobian_inverse(Vector((0.0, 0.0, -angle)), ZERO)
        x, y, _ = J(ahead)
        return [angle, x, y]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        J, D = jacobian_inverse(*twist_in_plane(u))
        w, linear = twist_in_plane(v)
        x, y, _ = D(w) + J(linear)
        return [v[0], x, y]

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        w, v = twist_in_plane(u)
        J, D = jacobian_inverse(-w, -v)
        n, force = twist_in_plane(f)
        x, y, _ = J(force)
        return [(n + D(force))[2], x, y]


class PlanarSuccessor(Planar):
    """The planar joint with x, y measured along the moved axes."""

    name = "planar_successor"

    def _position(self, q: Scalars) -> Vector:
        return about_z(q[0]) @ Vector((q[1], q[2], 0.0))

    def _coordinates(self, angle: Scalar, p: Vector) -> list[Scalar]:
        x, y, _ = about_z(angle).T @ p
        return [angle, x, y]


class Spherical(Motion):
    """Any rotation; q is a unit quaternion, v the angular velocity in moved axes."""

    name = "spherical"
    curved = True
    nq, nv = 4, 3

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return quaternion_matrix(q), ZERO

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [list(W_X), list(W_Y), list(W_Z)]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        return turned(q, exp(Vector(u))[0])

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        return list(log(quaternion_product([q0[0], -q0[1], -q0[2], -q0[3]], q1)))

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return list(jacobian_inverse(Vector(u), ZERO)[0](Vector(v)))

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        return list(jacobian_inverse(-Vector(u), ZERO)[0](Vector(f)))


class Free(Motion):
    """Any motion; q = (quaternion, position in the axes it starts from), v the twist in moved axes."""

    name = "free"
    curved = True
    nq, nv = 7, 6

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        return quaternion_matrix(q[:4]), self._position(q)

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [list(W_X), list(W_Y), list(W_Z), list(V_X), list(V_Y), list(V_Z)]

    def _position(self, q: Scalars) -> Vector:
        return Vector(q[4:])

    def _coordinates(self, r: list[Scalar], p: Vector) -> list[Scalar]:
        return [*r, *p]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        r, mean = exp(Vector(u[:3]))
        step = quaternion_matrix(q[:4]) @ mean(Vector(u[3:]))
        return self._coordinates(turned(q[:4], r), self._position(q) + step)

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        w = log(quaternion_product([q0[0], -q0[1], -q0[2], -q0[3]], q1[:4]))
        ahead = quaternion_matrix(q0[:4]).T @ (self._position(q1) - self._position(q0))
        J, _ = jacobian_inverse(-w, ZERO)
        return [*w, *J(ahead)]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        J, D = jacobian_inverse(Vector(u[:3]), Vector(u[3:]))
        w, linear = Vector(v[:3]), Vector(v[3:])
        return [*J(w), *(D(w) + J(linear))]

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        J, D = jacobian_inverse(-Vector(u[:3]), -Vector(u[3:]))
        n, force = Vector(f[:3]), Vector(f[3:])
        return [*(J(n) + D(force)), *J(force)]


class FreeSuccessor(Free):
    """The free joint with the position measured along the moved axes."""

    name = "free_successor"

    def _position(self, q: Scalars) -> Vector:
        return quaternion_matrix(q[:4]) @ Vector(q[4:])

    def _coordinates(self, r: list[Scalar], p: Vector) -> list[Scalar]:
        return [*r, *(quaternion_matrix(r).T @ p)]


class ReversedAxes(Motion):
    """First half of a reversed joint: the freedoms, along the axes of the frame it starts from, and no displacement."""

    curved = True
    carried = False

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.name = f"reversed_{motion.name}_axes"
        self.nq, self.nv = motion.nq, motion.nv

    def axes(self, pitch: Scalar) -> list[list[Scalar]]:
        return [[-s for s in axis] for axis in self.motion.axes(pitch)]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        return self.motion.move(q, u)

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        return self.motion.difference(q0, q1)

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return self.motion.local_rate(u, v)

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        return self.motion.local_force(u, f)


class ReversedPose(Motion):
    """Second half of a reversed joint: the displacement back, rigid at the moment as far as freedoms go."""

    curved = True
    nv = 0

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.name = f"reversed_{motion.name}_pose"
        self.nq = motion.nq

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        R, p = self.motion.pose(q, pitch)
        return R.T, -(R.T @ p)


class Driven(Motion):
    """A joint that moves as time says: it has no freedoms, but those of the joint inside have velocities."""

    curved = True
    nv = 0

    def __init__(self, motion: Motion) -> None:
        self.driver = motion
        self.name = f"driven_{motion.name}"
        self.nq = motion.nq

    def pose(self, q: Scalars, pitch: Scalar) -> tuple[Matrix, Vector]:
        assert self.driver is not None
        return self.driver.pose(q, pitch)


def about_z(angle: Scalar) -> Matrix:
    """Rotation matrix of a turn about z."""
    c, s = cos(angle), sin(angle)
    return Matrix.of([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])


def twist_in_plane(u: Scalars) -> tuple[Vector, Vector]:
    """Angular and linear part of (angle, x, y)."""
    return Vector((0.0, 0.0, u[0])), Vector((u[1], u[2], 0.0))


PLAIN = (Revolute(), Prismatic(), Helical(), Planar(), PlanarSuccessor(), Spherical(), Free(), FreeSuccessor())
FREE: dict[str, Motion] = {
    motion.name: motion
    for plain in PLAIN
    for motion in ((plain, ReversedAxes(plain), ReversedPose(plain)) if plain.nv > 1 else (plain,))
}
"""Kinds of joints by their names. Joints with one freedom need no reversed kind: their axis is turned round."""
MOTIONS: dict[str, Motion] = FREE | {driven.name: driven for driven in map(Driven, FREE.values())}
"""Every kind of joint by its name."""
