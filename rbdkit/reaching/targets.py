"""Targets of inverse kinematics for a frame: be at a place, have an orientation, point in a direction, look at a point.

Each target says by how far a frame misses it, e, and how that changes with the joints, ``e(q + dq) = e - A dq`` to
first order (of turns, as far as e itself is small), from the pose of the frame and its Jacobian in world axes. It also
says which joint between the world and the frame would hold the frame there: with that joint closing a loop, the solver
of loop closure finds the coordinates of models that have loops or constraints of their own.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.joints import Composite, Fixed, JointType, Prismatic, Revolute, Spherical, Translational
from rbdkit.joints.axis import plane_basis, unit_axis
from rbdkit.spatial import so3
from rbdkit.spatial.read_numbers import floats, shown

TURNED = 1e-6
"""Largest deviation of a rotation matrix from an orthogonal one; it is made orthogonal then."""

TINY = 1e-100
"""Below this size the squares of numbers vanish."""
NEARLY_HALF_A_TURN = 3.0
"""Angle, rad."""


class Target:
    """Interface of all targets of a frame.

    Attributes
    ----------
    units : units of the rows of the error, "rad" or "m".
    """

    units: ClassVar[tuple[str, ...]]

    @abstractmethod
    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        """Return the error e (..., m) and the matrix A (..., m, nv) with ``de = -A dq``.

        pose : (..., 4, 4) of the frame. J : (..., 6, nv), its Jacobian in world axes about its own origin.
        """

    @abstractmethod
    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        """Return a joint that holds the frame at the target, and where it sits in the world and on the frame, poses."""


@dataclass(frozen=True, eq=False)
class Place(Target):
    """The frame's origin is at a point of the world, m."""

    point: NDArray
    units = ("m", "m", "m")

    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        return self.point - pose[..., :3, 3], J[..., 3:, :]

    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        return Spherical(), _pose(np.eye(3), self.point), np.eye(4)


@dataclass(frozen=True, eq=False)
class Orientation(Target):
    """The frame's axes are those of a rotation matrix, wherever its origin is.

    Parameters
    ----------
    rotation : array_like (3, 3)
        Its columns are the axes of the frame in world coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> wrist = rbd.library.spherical_pendulum()
    >>> q = rbd.inverse_kinematics(wrist, {"bob": rbd.Orientation([[0, -1, 0], [1, 0, 0], [0, 0, 1]])})
    >>> round(float(rbd.forward_kinematics(wrist, q).pose("bob")[1, 0]), 9)
    1.0
    """

    rotation: ArrayLike
    units = ("rad", "rad", "rad")

    def __post_init__(self) -> None:
        R = floats(self.rotation, lambda value: f"Orientation: {value} is not a rotation matrix (3, 3)", StateError)
        object.__setattr__(self, "rotation", _rotation(R, "Orientation"))

    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        return _turned(np.asarray(self.rotation), pose, J)

    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        return Translational(), _pose(self.rotation, np.zeros(3)), np.eye(4)


@dataclass(frozen=True, eq=False)
class Pointing(Target):
    """An axis of the frame points in a direction of the world; the frame may turn about that axis.

    Parameters
    ----------
    direction : array_like (3,)
        In world coordinates, of any length but zero.
    axis : {'x', 'y', 'z'} or array_like (3,), optional
        Axis of the frame.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> arm = rbd.library.double_pendulum()
    >>> q = rbd.inverse_kinematics(arm, {"rod2": rbd.Pointing([1.0, 0.0, 0.0], axis=[0, 0, -1])}, fix={"hinge1": 0.5})
    >>> q.round(4).tolist()
    [0.5, -2.0708]
    """

    direction: ArrayLike
    axis: str | ArrayLike = "z"
    units = ("rad", "rad", "rad")

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", _direction(self.direction, "Pointing: direction"))
        object.__setattr__(self, "axis", _direction(self.axis, "Pointing: axis"))

    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        a = pose[..., :3, :3] @ np.asarray(self.axis)
        return _turn(a, np.broadcast_to(self.direction, a.shape)), _across(a) @ J[..., :3, :]

    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        world = _pose(plane_basis(np.asarray(self.direction)), np.zeros(3))
        return Composite(Translational(), Revolute("z")), world, _pose(plane_basis(np.asarray(self.axis)), np.zeros(3))


@dataclass(frozen=True, eq=False)
class LookAt(Target):
    """An axis of the frame points at a point of the world, as a camera does.

    Parameters
    ----------
    point : array_like (3,)
        In world coordinates, m.
    axis : {'x', 'y', 'z'} or array_like (3,), optional
        Axis of the frame that is to point there.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> arm = rbd.library.double_pendulum()
    >>> q = rbd.inverse_kinematics(arm, {"rod2": rbd.LookAt([0.0, 0.0, 0.0], axis=[0, 0, -1])}, fix={"hinge1": 0.0})
    >>> abs(q.round(4)).tolist()
    [0.0, 3.1416]
    """

    point: ArrayLike
    axis: str | ArrayLike = "z"
    units = ("rad", "rad", "rad")

    def __post_init__(self) -> None:
        point = floats(self.point, lambda value: f"LookAt: {value} is not a point (3,), m", StateError)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise StateError(f"LookAt: {shown(self.point)} must be a point (3,) in world coordinates, m")
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "axis", _direction(self.axis, "LookAt: axis"))

    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        a, way = pose[..., :3, :3] @ np.asarray(self.axis), self.point - pose[..., :3, 3]
        far = np.linalg.norm(way, axis=-1, keepdims=True)
        d = way / np.where(far > 0.0, far, 1.0)  # from the point itself all directions lead to it
        # d turns as the origin moves, by dd = -(1 - d d^T) v / far, which is d x dd as an angular velocity
        seen = so3.skew(d) @ _across(d) @ J[..., 3:, :] / np.where(far > 0.0, far, np.inf)[..., None]
        return _turn(a, d), _across(a) @ J[..., :3, :] + seen

    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        frame = _pose(plane_basis(np.asarray(self.axis)), np.zeros(3))
        return Composite(Spherical(), Prismatic("z")), _pose(np.eye(3), np.asarray(self.point)), frame


@dataclass(frozen=True, eq=False)
class Whole(Target):
    """The frame has a pose: place and orientation."""

    pose: NDArray
    units = ("rad", "rad", "rad", "m", "m", "m")

    def error(self, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
        e, A = _turned(self.pose[:3, :3], pose, J)
        return np.concatenate([e, self.pose[:3, 3] - pose[..., :3, 3]], -1), np.concatenate([A, J[..., 3:, :]], -2)

    def joint(self) -> tuple[JointType, NDArray, NDArray]:
        return Fixed(), self.pose, np.eye(4)


def targets_of(wanted: object, frame: str) -> list[list[Target]]:
    """Return what is wanted of a frame, for each place on a path; one for all if it does not change.

    Parameters
    ----------
    wanted : as a user gives it
        A pose (..., 4, 4), a point (..., 3), a target, or a tuple of such things.
    frame : its name, for messages.

    Raises
    ------
    StateError
        If it is none of these.
    """
    if isinstance(wanted, tuple) and any(isinstance(one, Target) or np.ndim(one) for one in wanted):
        parts = [targets_of(one, frame) for one in wanted]
        rows = max(map(len, parts))
        if any(len(part) not in (1, rows) for part in parts):
            raise StateError(f"targets of frame {frame!r} have {' and '.join(str(len(part)) for part in parts)} places")
        return [[part[k % len(part)][0] for part in parts] for k in range(rows)]
    if isinstance(wanted, Target):
        return [[wanted]]
    says = f"the target of frame {frame!r}: {{}} must be a point (3,), a pose (4, 4), LookAt, Pointing or Orientation"
    numbers = floats(wanted, lambda value: says.format(value), StateError)
    if not np.isfinite(numbers).all() or numbers.ndim == 0:
        raise StateError(says.format(shown(wanted)))
    if numbers.shape[-2:] == (4, 4) and numbers.ndim in (2, 3):
        return [[Whole(_checked_pose(pose, frame))] for pose in numbers.reshape(-1, 4, 4)]
    if numbers.shape[-1] == 3 and numbers.ndim in (1, 2):
        if numbers.shape == (3, 3) and np.abs(numbers @ numbers.T - np.eye(3)).max() < TURNED:
            raise StateError(
                f"the target of frame {frame!r} may be a rotation or three points: give rbdkit.Orientation(...) for "
                "the rotation, or the points in three calls"
            )
        return [[Place(point)] for point in numbers.reshape(-1, 3)]
    raise StateError(says.format(f"of shape {numbers.shape} it"))


def _checked_pose(pose: NDArray, frame: str) -> NDArray:
    if np.abs(pose[3] - [0.0, 0.0, 0.0, 1.0]).max() > 0.0:
        raise StateError(f"the target of frame {frame!r} is no pose: its last row {pose[3]} must be [0, 0, 0, 1]")
    return _pose(_rotation(pose[:3, :3], f"the target of frame {frame!r}"), pose[:3, 3])


def _rotation(R: NDArray, what: str) -> NDArray:
    """Return the nearest rotation matrix to one that is nearly one."""
    if R.shape != (3, 3) or not np.isfinite(R).all():
        raise StateError(f"{what}: {shown(R)} must be a rotation matrix (3, 3)")
    U, s, V = np.linalg.svd(R)
    if np.abs(s - 1.0).max() > TURNED or np.linalg.det(R) < 0.0:
        raise StateError(
            f"{what}: its 3x3 part is not a rotation matrix, stretches are {s.round(6)} and its determinant is "
            f"{np.linalg.det(R):.6g}"
        )
    return np.asarray(U @ V)


def _pose(R: ArrayLike, p: NDArray) -> NDArray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, p
    return pose


def _direction(given: str | ArrayLike, what: str) -> NDArray:
    """Return a unit vector in a direction that a name or a vector of any length gives."""
    if isinstance(given, str):
        return unit_axis(given)
    n = floats(given, lambda value: f"{what} {value} is not a vector (3,)", StateError)
    if n.shape != (3,) or not np.isfinite(n).all() or not (length := float(np.linalg.norm(n))) > 0.0:
        raise StateError(f"{what} {shown(given)} must be 'x', 'y', 'z' or a vector (3,) that is not zero")
    return n / length


def _turned(R: NDArray, pose: NDArray, J: NDArray) -> tuple[NDArray, NDArray]:
    """Return the rotation vector e (..., 3) from a frame to R, in world axes, and A with ``de = -A dq`` for small e."""
    # exp(e') = exp(e) exp(-dw) if the frame turns by dw: -de = dw + e x dw / 2
    turn = J[..., :3, :]
    if pose.ndim == 2:
        e = _rotation_vector(R @ pose[:3, :3].T)
        x, y, z = (0.5 * e).tolist()
        return e, np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]]) @ turn
    e = _rotation_vectors(R @ np.swapaxes(pose[..., :3, :3], -1, -2))
    return e, turn + 0.5 * so3.skew(e) @ turn


def _rotation_vectors(left: NDArray) -> NDArray:
    """Return the rotation vectors (n, 3) of matrices (n, 3, 3)."""
    # 2 sin(angle) and 2 cos(angle); near half a turn the sine says nothing of the axis, and `so3.log` is taken
    sine = so3.unskew(left) * 2.0
    size = np.sqrt(np.sum(sine * sine, axis=-1, keepdims=True))
    angle = np.arctan2(size, np.trace(left, axis1=-2, axis2=-1)[..., None] - 1.0)
    e = np.where(size > TINY, angle / np.where(size > TINY, size, 1.0), 0.5) * sine
    if (far := angle[..., 0] > NEARLY_HALF_A_TURN).any():
        e[far] = so3.log(left[far])
    return np.asarray(e)


def _rotation_vector(left: NDArray) -> NDArray:
    """Return the rotation vector (3,) of one matrix (3, 3), as `_rotation_vectors` does, by numbers."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = left.tolist()
    x, y, z = zy - yz, xz - zx, yx - xy
    size = math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(size, xx + yy + zz - 1.0)
    if angle > NEARLY_HALF_A_TURN:
        return so3.log(left)
    factor = angle / size if size > TINY else 0.5
    return np.array([factor * x, factor * y, factor * z])


def _turn(a: NDArray, d: NDArray) -> NDArray:
    """Return the shortest rotation vector (..., 3) from unit vector a to d, about any axis across if opposite."""
    across, along = np.cross(a, d), np.sum(a * d, axis=-1, keepdims=True)
    sine = np.linalg.norm(across, axis=-1, keepdims=True)
    angle = np.arctan2(sine, along)
    if (opposite := (sine[..., 0] < 1e-12) & (along[..., 0] < 0.0)).any():
        aside = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
        other = np.cross(a, aside)
        other /= np.linalg.norm(other, axis=-1, keepdims=True)
        return np.where(opposite[..., None], np.pi * other, angle * across / np.where(sine > 0.0, sine, 1.0))
    return np.asarray(angle * across / np.where(sine > 0.0, sine, 1.0))


def _across(a: NDArray) -> NDArray:
    """Return the projection (..., 3, 3) onto what is orthogonal to a unit vector."""
    return np.eye(3) - a[..., :, None] * a[..., None, :]
