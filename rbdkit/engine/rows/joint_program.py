"""Joint coordinates and closure errors from poses, on scalars: `JointType.project` for joints with constant axes.

From the relative pose of its two bodies, a loop joint's coordinates are those of the closest pose that the joint
allows, q (`project`); the closure error is the rest, ``log(pose(q)^-1 X)`` (`gap`; Featherstone 2008, Eqs 8.25 to
8.27). Both have a closed form for each joint below, without branches, so that programs can record it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import displacement, from_matrix
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.joints import Cylindrical, Fixed, Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from rbdkit.joints.axis import plane_basis
from rbdkit.model.places import Place
from rbdkit.spatial.compact import Pose, mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, arctan2, cos, select, sin, whole

FORMS: dict[str, tuple[type[JointType], ...]] = {
    "none": (Fixed,), "angle": (Revolute,), "shift": (Prismatic,), "screw": (Helical,), "both": (Cylindrical,),
    "plane": (Planar,), "rotation": (Spherical,), "pose": (Free,),
}  # fmt: skip
"""How coordinates are computed, and for which joints. A trailing "'" means that shifts are along axes of the
successor."""

STRETCHED = {
    "plane": "planar", "plane'": "planar_successor", "rotation": "spherical", "pose": "free", "pose'": "free_successor",
}  # fmt: skip
"""Motions whose displacement is not a difference of coordinates."""

PLACE_P, PLACE_S, AXIS, BASIS, PITCH, JOINT_NUMBERS = 0, 12, 24, 27, 33, 34
"""Where the numbers of a joint begin: its frames in the predecessor and in the successor (rotation, position); its axis
and the two axes of its plane; its pitch; and their end."""


def form_of(type: JointType) -> str:
    """Return the name of a joint type in `FORMS`."""
    (name,) = (name for name, types in FORMS.items() if isinstance(type, types))
    return name + "'" * (getattr(type, "translation", "predecessor") != "predecessor")


def joint_numbers(place: Place) -> NDArray:
    """Return the numbers (34,) of a joint."""
    found = np.zeros(JOINT_NUMBERS)
    for first, frame in ((PLACE_P, place.predecessor_placement), (PLACE_S, place.successor_placement)):
        found[first : first + 12] = [*frame[:3, :3].ravel(), *frame[:3, 3]]
    if place.type.is_users_own:  # its formulas have other numbers
        return found
    axis = getattr(place.type, "axis", None)
    if axis is not None:
        found[AXIS:BASIS] = axis
        found[BASIS:PITCH] = plane_basis(axis)[:, :2].T.ravel()
    found[PITCH] = getattr(place.type, "pitch", 0.0)
    return found


def spring_force(form: str, rest: Sequence[Scalar], stiffness: Sequence[Scalar], q: Sequence[Scalar]) -> list[Scalar]:
    """Return the generalized spring force A^T (stiffness u) of the displacement u from rest.

    See `rbdkit.algorithms.passive_force`.
    """
    motion = MOTIONS[STRETCHED.get(form, "revolute")]  # independent freedoms: each like a revolute joint
    u = motion.difference(rest[: len(q)], q)
    return motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=False)])


def project(form: str, numbers: Sequence[Scalar], T: Pose) -> list[Scalar]:
    """Return the coordinates of a joint from the pose T of the successor's reference frame in the predecessor's."""
    R, p = in_joint(numbers, T)
    n = Vector(numbers[AXIS:BASIS])
    match form.rstrip("'"):
        case "none":
            return []
        case "angle":
            return [_angle(n, R)]
        case "shift":
            return [dot(n, p)]
        case "screw":
            return [_screw(_angle(n, R), dot(n, p), numbers[PITCH])]
        case "both":
            return [_angle(n, R), dot(n, p)]
        case "plane":
            angle, x, y = _angle(n, R), dot(numbers[BASIS : BASIS + 3], p), dot(numbers[BASIS + 3 : PITCH], p)
            if form.endswith("'"):
                c, s = cos(angle), sin(angle)
                x, y = c * x + s * y, c * y - s * x
            return [angle, x, y]
        case "rotation":
            return from_matrix(R)
        case "pose":
            return [*from_matrix(R), *(R.T @ p if form.endswith("'") else p)]
    raise AssertionError(form)


def gap(form: str, numbers: Sequence[Scalar], T: Pose) -> list[Scalar]:
    """Return the closure error ``log(pose(q)^-1 X)``, q from `project`, as a twist of the successor's reference frame.

    For a joint that allows all rotations it is the shift alone, for a free one zero.
    """
    R, p = in_joint(numbers, T)
    n, form = Vector(numbers[AXIS:BASIS]), form.rstrip("'")
    if form == "pose":
        return [0.0] * 6
    if form == "rotation":
        return seen_from(numbers, mv(ZERO, R.T @ p))
    advance = dot(n, p)
    if form in ("angle", "screw", "both", "plane"):
        angle = _angle(n, R)
        c, s = cos(angle), sin(angle)
        back = [_turned_back(n, c, s, Vector([R[i][j] for i in range(3)])) for j in range(3)]  # columns
        R = Matrix.of([back[j][i] for i in range(3) for j in range(3)])
        p = advance * n if form == "plane" else _turned_back(n, c, s, p)
        if form == "screw":
            p = p - (numbers[PITCH] * _screw(angle, advance, numbers[PITCH])) * n
    if form in ("shift", "both"):
        p = p - advance * n
    return seen_from(numbers, mv(*displacement(R, p)))


def in_joint(numbers: Sequence[Scalar], T: Pose) -> Pose:
    """Return the pose of the joint, from that of the successor's reference frame in the predecessor's."""
    return Pose.of(numbers[PLACE_P:PLACE_S]).to(T @ in_successor(numbers))


def in_successor(numbers: Sequence[Scalar]) -> Pose:
    """Return the pose of the joint's frame in the successor's reference frame."""
    return Pose.of(numbers[PLACE_S:AXIS])


def _turned_back(n: Vector, c: Scalar, s: Scalar, x: Vector) -> Vector:
    """Rotate x about n by minus the angle with this cosine and sine."""
    return c * x - s * cross(n, x) + ((1.0 - c) * dot(n, x)) * n


def seen_from(numbers: Sequence[Scalar], twist: mv) -> list[Scalar]:
    """Express a twist of the joint's frame in coordinates of the successor's reference frame."""
    return in_successor(numbers).X.inv_apply(twist).flat()


def _angle(n: Vector, R: Matrix) -> Scalar:
    """Return the angle in (-pi, pi] whose rotation about n is closest to R; see `rbdkit.joints.axis.angle_about`."""
    axial = Vector([R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]])
    return arctan2(dot(axial, n), R[0][0] + R[1][1] + R[2][2] - dot(n, R @ n))


def _screw(angle: Scalar, advance: Scalar, pitch: Scalar) -> Scalar:
    """Return the multi-turn angle of a screw: its advance tells the number of whole turns."""
    turns = whole((advance / select(pitch * pitch > 0.0, pitch, 1.0) - angle) * (0.5 / np.pi))
    return angle + select(pitch * pitch > 0.0, 2.0 * np.pi * turns, 0.0)
