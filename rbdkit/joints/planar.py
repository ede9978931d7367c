"""The planar joint, with the corrected rate maps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import JointType, Record, constant, translation_of
from rbdkit.joints.piece import Piece
from rbdkit.spatial.stumpff import half_cotangent


class Planar(JointType):
    """Motion of a plane on itself: rotation about the normal and two translations (Featherstone 2008, Table 4.1).

    The velocity variables are v = (omega, vx, vy) along the successor's own axes, so S is constant. They are not qdot:
    the book's Table 4.1 and Example 4.5 pair this S with rate maps that contradict it; the maps here agree with finite
    differences.

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Normal of the plane. The in-plane directions called x and y are those of the frame for 'z', y and z for 'x', z
        and x for 'y', and for any other normal some two directions at right angles: see columns 1 and 2 of S.
    translation : {'predecessor', 'successor'}, optional
        'predecessor': q = (angle, x, y) is the origin in predecessor axes, ``d(x, y)/dt = R (vx, vy)``; 'successor':
        the same origin measured along successor axes, as in Table 4.1, ``dx/dt = vx + y omega, dy/dt = vy - x omega``.

    Raises
    ------
    ModelError
        If the axis is not of unit length, or `translation` is neither of them.

    Examples
    --------
    A car that looks along y and drives ahead with 3 m/s:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> car = rbd.Planar("z")
    >>> np.abs(car.rate(np.array([np.pi / 2, 0.0, 0.0]), np.array([0.0, 3.0, 0.0])).round(9)).tolist()
    [0.0, 0.0, 3.0]
    """

    kind = "planar"
    tip = "Slides in a plane and turns about its normal"
    arguments: ClassVar = {"axis": "axis", "translation": "name"}
    constant_T = True
    constant_S = True
    nq = nv = 3
    q_names = ("angle", "x", "y")
    q_units = ("rad", "m", "m")
    v_names = ("omega", "vx", "vy")
    v_units = ("rad/s", "m/s", "m/s")

    def __init__(self, axis: str | ArrayLike = "z", translation: str = "predecessor") -> None:
        self.axis = unit_axis(axis)
        self.translation = translation_of(translation, self.kind)
        self._B = constant(plane_basis(self.axis))
        S = np.zeros((6, 3))
        S[:3, 0] = self.axis
        S[3:, 1:] = self._B[:, :2]
        self._S = constant(S)

    def _in_predecessor(self, q: NDArray) -> NDArray:
        """q with its translation in predecessor axes."""
        if self.translation == "predecessor":
            return q
        return np.concatenate([q[..., :1], _turn(q[..., 0], q[..., 1:])], axis=-1)

    def _from_predecessor(self, q: NDArray) -> NDArray:
        if self.translation == "predecessor":
            return q
        return np.concatenate([q[..., :1], _turn(-q[..., 0], q[..., 1:])], axis=-1)

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 0])
        T[..., :3, 3] = self._in_predecessor(q)[..., 1:] @ self._B[:, :2].T
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        shift = pose[..., :3, 3] @ self._B[:, :2]
        angle = angle_about(self.axis, pose[..., :3, :3])
        return self._from_predecessor(np.concatenate([angle[..., None], shift], axis=-1))

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 3))
        T[:3, :2] = self._B[:, :2]
        T[3:, 2] = self.axis
        return T

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        if self.translation == "predecessor":
            return np.concatenate([v[..., :1], _turn(q[..., 0], v[..., 1:])], axis=-1)
        omega = v[..., 0]
        return np.stack([omega, v[..., 1] + q[..., 2] * omega, v[..., 2] - q[..., 1] * omega], axis=-1)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        p = self._in_predecessor(q)
        angle = dv[..., 0]
        c, s = _chord(angle)
        ahead = np.stack([c * dv[..., 1] - s * dv[..., 2], s * dv[..., 1] + c * dv[..., 2]], axis=-1)
        moved = np.concatenate([(p[..., 0] + angle)[..., None], p[..., 1:] + _turn(p[..., 0], ahead)], axis=-1)
        return self._from_predecessor(moved)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        p0, p1 = self._in_predecessor(q0), self._in_predecessor(q1)
        angle = np.remainder(p1[..., 0] - p0[..., 0] + np.pi, 2.0 * np.pi) - np.pi
        ahead = _turn(-p0[..., 0], p1[..., 1:] - p0[..., 1:])
        c, s = _chord(angle)
        scale = c * c + s * s
        x = (c * ahead[..., 0] + s * ahead[..., 1]) / scale
        y = (c * ahead[..., 1] - s * ahead[..., 0]) / scale
        return np.stack([angle, x, y], axis=-1)

    def local_rate(self, u: NDArray) -> NDArray:
        # inverse right Jacobian of SE(2), from d/dt exp(u) with the plane as complex numbers
        angle, x, y = u
        d, _ = half_cotangent(abs(angle))
        h, k = 0.5 * angle, d * angle
        h_cot_h = 1.0 - k * angle
        return np.array([[1.0, 0.0, 0.0], [k * x + 0.5 * y, h_cot_h, -h], [k * y - 0.5 * x, h, h_cot_h]])

    def neutral(self) -> NDArray:
        return np.zeros(3)

    def random(self, rng: np.random.Generator) -> NDArray:
        return rng.uniform([-np.pi, -1.0, -1.0], [np.pi, 1.0, 1.0])

    def pieces(self, traced: Record) -> list[Piece]:
        kind = "planar" if self.translation == "predecessor" else "planar_successor"
        return [Piece(kind, plane_basis(self.axis))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis), "translation": self.translation}


def _turn(angle: NDArray, xy: NDArray) -> NDArray:
    """The plane vector turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * xy[..., 0] - s * xy[..., 1], s * xy[..., 0] + c * xy[..., 1]], axis=-1)


def _chord(angle: NDArray) -> tuple[NDArray, NDArray]:
    """sin(angle)/angle and (1 - cos(angle))/angle, without loss of digits near 0."""
    half = 0.5 * np.asarray(angle)
    sinc = np.sinc(half / np.pi)
    return sinc * np.cos(half), sinc * np.sin(half)
