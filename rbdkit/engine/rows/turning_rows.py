"""Rows of universal, sphere-in-cylinder and rack-and-pinion loop joints, whose T depends on the configuration.

For each: T of its class at the coordinates of the closest pose, in axes of the successor's joint frame; the closure
error ``log(pose(q)^-1 X)``; and c_J at the velocity that the joint allows and that is closest to the one across it. See
`rbdkit.joints.loop_form`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.joint_program import AXIS, BASIS, JOINT_NUMBERS, PITCH
from rbdkit.engine.steps.manifold import displacement
from rbdkit.joints import JointType, RackAndPinion, SphereInCylinder, Universal
from rbdkit.joints.axis import plane_basis
from rbdkit.spatial.compact import Pose, fv, mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, arctan2, cos, select, sin, sqrt, whole

TURNING: dict[str, tuple[type[JointType], int]] = {
    "cross": (Universal, 4), "bore": (SphereInCylinder, 2), "rolling": (RackAndPinion, 5),
}  # fmt: skip
"""Their forms, and the number of rows of each."""

UNIT = [Vector([float(i == k) for i in range(3)]) for k in range(3)]


@dataclass(frozen=True)
class TurningRows:
    """Rows of a joint at a state, in the joint's frame in the successor: T, wrench by wrench, and T . c_J.

    missing : closure error. T_c_J : None without velocities. T_sigma : T . sigma of prescribed
    joints; None for others.
    """

    T: list[fv]
    missing: mv
    T_c_J: list[Scalar] | None
    T_sigma: list[Scalar] | None = None


def turning_form(type: JointType) -> str | None:
    """Return the form of a joint type, if it is one of these."""
    return next((form for form, (own, _) in TURNING.items() if type.__class__ is own), None)


def turning_numbers(type: JointType) -> NDArray:
    """Return the joint numbers of such a type from the axis on: axis, plane or second axis, radius."""
    found = np.zeros(JOINT_NUMBERS - AXIS)
    if isinstance(type, Universal):
        found[:3], found[BASIS - AXIS : BASIS - AXIS + 3] = type.axis1, type.axis2
        return found
    assert isinstance(type, SphereInCylinder | RackAndPinion)
    found[:3], found[BASIS - AXIS : PITCH - AXIS] = type.axis, plane_basis(type.axis)[:, :2].T.ravel()
    found[PITCH - AXIS] = getattr(type, "radius", 0.0)
    return found


def turning_rows(form: str, numbers: Sequence[Scalar], pose: Pose, v: mv | None) -> TurningRows:
    """Return the rows at a pose of the joint; v : its twist in the successor's joint frame, if that is known."""
    n, b, c = (Vector(numbers[k : k + 3]) for k in (AXIS, BASIS, BASIS + 3))
    match form:
        case "cross":
            return _cross(n, b, *pose, v)
        case "bore":
            return _bore(n, [b, c], *pose, v)
        case "rolling":
            return _rolling(n, b, c, numbers[PITCH], *pose, v)
    raise AssertionError(form)


def _cross(n1: Vector, n2: Vector, R: Matrix, p: Vector, v: mv | None) -> TurningRows:
    """Return the rows of a universal joint: n1 is fixed in the predecessor, n2 in the successor."""
    q1, q2 = _turn_between(n1, n2, R @ n2), -1.0 * _turn_between(n2, n1, R.T @ n1)
    first = _turned(n2, -1.0 * q2, n1)
    normal = cross(first, n2)
    size = sqrt(dot(normal, normal))
    columns = [_turned(n2, -1.0 * q2, _turned(n1, -1.0 * q1, x)) for x in (*_columns(R), p)]
    missing = mv(*displacement(_of_columns(columns[:3]), columns[3]))
    T = [fv((1.0 / size) * normal, ZERO), *(fv(ZERO, e) for e in UNIT)]
    if v is None:
        return TurningRows(T, missing, None)
    a, b, slope = dot(first, v.omega), dot(n2, v.omega), dot(first, n2)
    # least squares with two unit axes that are not orthogonal when the joint is bent out of shape
    share = 1.0 / (1.0 - slope * slope)
    qd1, qd2 = share * (a - slope * b), share * (b - slope * a)
    return TurningRows(T, missing, [size * (qd1 * qd2), 0.0, 0.0, 0.0])


def _bore(n: Vector, across: list[Vector], R: Matrix, p: Vector, v: mv | None) -> TurningRows:
    """Return the rows of a ball in a bore along n of the predecessor."""
    T = [fv(ZERO, R.T @ b) for b in across]
    missing = mv(ZERO, R.T @ (p - dot(n, p) * n))
    if v is None:
        return TurningRows(T, missing, None)
    bore = R.T @ n
    turning = -dot(bore, v.v) * cross(v.omega, bore)
    return TurningRows(T, missing, [dot(own.f, turning) for own in T])


def _rolling(
    n: Vector, along: Vector, across: Vector, radius: Scalar, R: Matrix, p: Vector, v: mv | None
) -> TurningRows:
    """Return the rows of a pinion of the successor that rolls along a rack of the predecessor."""
    angle = arctan2(dot(across, R @ along) - dot(along, R @ across), dot(along, R @ along) + dot(across, R @ across))
    rolls = radius * radius > 0.0
    turns = whole((dot(along, p) / select(rolls, radius, 1.0) - angle) * (0.5 / np.pi))
    q = angle + select(rolls, 2.0 * np.pi * turns, 0.0)  # the advance tells the number of whole turns
    c, s = cos(q), sin(q)
    # velocity of the pinion per unit of qd, in its own axes
    advance = radius * (c * along - s * across)
    columns = [_turned(n, -1.0 * q, x) for x in (*_columns(R), p - (radius * q) * along)]
    missing = mv(*displacement(_of_columns(columns[:3]), columns[3]))
    T = [fv(along, ZERO), fv(across, ZERO), *(fv(-advance[k] * n, e) for k, e in enumerate(UNIT))]
    if v is None:
        return TurningRows(T, missing, None)
    qd = (dot(n, v.omega) + dot(advance, v.v)) / (1.0 + radius * radius)
    turning = (-radius * (qd * qd)) * (s * along + c * across)
    return TurningRows(T, missing, [dot(own.f, turning) for own in T])


def _turn_between(n: Vector, a: Vector, b: Vector) -> Scalar:
    """Return the angle of rotation about n that takes a closest to b."""
    return arctan2(dot(n, cross(a, b)), dot(a, b) - dot(n, a) * dot(n, b))


def _turned(n: Vector, angle: Scalar, x: Vector) -> Vector:
    """Rotate x about n by an angle."""
    c, s = cos(angle), sin(angle)
    return c * x + s * cross(n, x) + ((1.0 - c) * dot(n, x)) * n


def _columns(R: Matrix) -> list[Vector]:
    return [Vector([R[i][k] for i in range(3)]) for k in range(3)]


def _of_columns(columns: Sequence[Vector]) -> Matrix:
    return Matrix.of([columns[k][i] for i in range(3) for k in range(3)])
