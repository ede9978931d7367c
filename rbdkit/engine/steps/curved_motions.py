"""Joint primitives whose velocity is not the derivative of coordinates: planar, spherical and free.

Velocities are in axes that move with the body, so a constant velocity u for one unit of time is a screw motion:
``move(q, u)`` is pose(q) exp(u) with exp of SO(3), SE(2) or SE(3), and `difference` its logarithm. `local_rate` is the
inverse right Jacobian of exp, which says how u changes while the body moves with a velocity v, and `local_force` its
transpose. The formulas are in `manifold`.

The methods from `carried_com` on serve semi-implicit contact steps, which move the centre of mass on a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps import manifold
from rbdkit.engine.steps.manifold import exp, jacobian_inverse, log, quaternion_matrix, quaternion_product, turned
from rbdkit.engine.steps.recorded_joint import V_X, V_Y, V_Z, W_X, W_Y, W_Z, RecordedJoint, Scalars, about_z
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross
from rbdkit.trace import Scalar, whole

TURN = 6.283185307179586


class Planar(RecordedJoint):
    """Planar joint in the x-y plane. q = (angle, x, y), x and y in the axes it starts from; v in the moved axes."""

    name = "planar"
    curved = True
    nq = nv = 3

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return about_z(q[0]), self._position(q)

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
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
        # the shortest way round
        angle = angle - TURN * whole(angle * (1.0 / TURN))
        ahead = about_z(q0[0]).T @ (self._position(q1) - self._position(q0))
        J, _ = jacobian_inverse(Vector((0.0, 0.0, -angle)), ZERO)
        x, y, _ = J(ahead)
        return [angle, x, y]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        x, y, _ = manifold.local_rate(mv(*twist_in_plane(u)), mv(*twist_in_plane(v))).v
        return [v[0], x, y]

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        w, v = twist_in_plane(u)
        J, D = jacobian_inverse(-w, -v)
        n, force = twist_in_plane(f)
        x, y, _ = J(force)
        return [(n + D(force))[2], x, y]

    def carried_com(self, H: Sequence[Scalars]) -> Vector:
        # H couples turning and shifting by m c, and its diagonal has m
        return (1.0 / H[1][1]) * Vector((H[0][2], -H[0][1], 0.0))

    def rate_seen_still(self, v: Scalars, v_rate: Scalars, c: Vector) -> list[Scalar]:
        w, linear = twist_in_plane(v)
        x, y, _ = twist_in_plane(v_rate)[1] + cross(w, linear + cross(w, c))
        return [v_rate[0], x, y]

    def glide(self, q: Scalars, u: Scalars, c: Vector) -> list[Scalar]:
        w, linear = twist_in_plane(u)
        # the centre of mass moves straight, by linear + w x c; the frame turns about it
        step = linear + cross(w, c) + c - about_z(u[0]) @ c
        return self._coordinates(q[0] + u[0], self._position(q) + about_z(q[0]) @ step)

    def after_glide(self, u: Scalars, v: Scalars, c: Vector) -> list[Scalar]:
        w, linear = twist_in_plane(v)
        x, y, _ = about_z(u[0]).T @ (linear + cross(w, c)) - cross(w, c)
        return [v[0], x, y]


class PlanarSuccessor(Planar):
    """Planar joint with x, y measured along the moved axes."""

    name = "planar_successor"

    def _position(self, q: Scalars) -> Vector:
        return about_z(q[0]) @ Vector((q[1], q[2], 0.0))

    def _coordinates(self, angle: Scalar, p: Vector) -> list[Scalar]:
        x, y, _ = about_z(angle).T @ p
        return [angle, x, y]


class Spherical(RecordedJoint):
    """Ball joint; q is a unit quaternion, v the angular velocity in moved axes."""

    name = "spherical"
    curved = True
    nq, nv = 4, 3

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return quaternion_matrix(q), ZERO

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        return [list(W_X), list(W_Y), list(W_Z)]

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        return turned(q, exp(Vector(u))[0])

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        # the conjugate of q0 undoes it: what is left is the turn from q0 to q1, in moved axes
        return list(log(quaternion_product([q0[0], -q0[1], -q0[2], -q0[3]], q1)))

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return list(jacobian_inverse(Vector(u), ZERO)[0](Vector(v)))

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        return list(jacobian_inverse(-Vector(u), ZERO)[0](Vector(f)))


class Free(RecordedJoint):
    """Free joint; q = (quaternion, position in the axes it starts from), v the twist in moved axes."""

    name = "free"
    curved = True
    nq, nv = 7, 6

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        return quaternion_matrix(q[:4]), self._position(q)

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
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
        # as for a spherical joint; the shift follows by the inverse of the mean rotation
        w = log(quaternion_product([q0[0], -q0[1], -q0[2], -q0[3]], q1[:4]))
        ahead = quaternion_matrix(q0[:4]).T @ (self._position(q1) - self._position(q0))
        J, _ = jacobian_inverse(-w, ZERO)
        return [*w, *J(ahead)]

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return manifold.local_rate(mv.of(u), mv.of(v)).flat()

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        J, D = jacobian_inverse(-Vector(u[:3]), -Vector(u[3:]))
        n, force = Vector(f[:3]), Vector(f[3:])
        return [*(J(n) + D(force)), *J(force)]

    def carried_com(self, H: Sequence[Scalars]) -> Vector:
        # the upper right block of H is the skew matrix of m c, its lower right one m
        return (1.0 / H[3][3]) * Vector((-H[1][5], H[0][5], -H[0][4]))

    def rate_seen_still(self, v: Scalars, v_rate: Scalars, c: Vector) -> list[Scalar]:
        w, linear = Vector(v[:3]), Vector(v[3:])
        return [*v_rate[:3], *(Vector(v_rate[3:]) + cross(w, linear + cross(w, c)))]

    def glide(self, q: Scalars, u: Scalars, c: Vector) -> list[Scalar]:
        w, linear = Vector(u[:3]), Vector(u[3:])
        turn = exp(w)[0]
        # the centre of mass moves straight, by linear + w x c; the frame turns about it
        step = linear + cross(w, c) + c - quaternion_matrix(turn) @ c
        return self._coordinates(turned(q[:4], turn), self._position(q) + quaternion_matrix(q[:4]) @ step)

    def after_glide(self, u: Scalars, v: Scalars, c: Vector) -> list[Scalar]:
        w, linear = Vector(v[:3]), Vector(v[3:])
        turn = quaternion_matrix(exp(Vector(u[:3]))[0])
        return [*w, *(turn.T @ (linear + cross(w, c)) - cross(w, c))]


class FreeSuccessor(Free):
    """Free joint with the position measured along the moved axes."""

    name = "free_successor"

    def _position(self, q: Scalars) -> Vector:
        return quaternion_matrix(q[:4]) @ Vector(q[4:])

    def _coordinates(self, r: list[Scalar], p: Vector) -> list[Scalar]:
        return [*r, *(quaternion_matrix(r).T @ p)]


def twist_in_plane(u: Scalars) -> tuple[Vector, Vector]:
    """Return angular and linear part of (angle, x, y)."""
    return Vector((0.0, 0.0, u[0])), Vector((u[1], u[2], 0.0))
