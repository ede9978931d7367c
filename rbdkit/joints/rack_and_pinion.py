"""The rack-and-pinion joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage
from rbdkit.spatial.read_numbers import number


class RackAndPinion(VectorJoint):
    """A pinion on the successor that rolls along a rack on the predecessor (Featherstone 2008, Example 4.6).

    q is the angle of the pinion, whose centre advances by ``radius * q``. The joint is not symmetric: seen from its
    other end (`Reversed`) a rack rolls round a pinion, which is another motion.

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        The pinion's axis. The pinion advances along x for 'z', y for 'x', z for 'y', and for any other axis along
        column 1 of the plane that `Planar` has for it.
    radius : float, optional
        Of the pinion, m; the rack touches it a quarter turn ahead of its way (at +y for 'z'), on the other side if the
        radius is negative. 0 gives a revolute joint.

    Raises
    ------
    ModelError
        If the axis is not of unit length, or the radius is not a finite number.

    Examples
    --------
    A wheel of 0.5 m radius that has turned by 2 rad has come 1 m along:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> wheel = rbd.RackAndPinion("z", radius=0.5)
    >>> wheel.pose(np.array([2.0]))[:3, 3].tolist()
    [1.0, 0.0, 0.0]
    """

    kind = "rack_and_pinion"
    tip = "A pinion that rolls along a rack on its parent; reversed, a rack along a pinion"
    arguments: ClassVar = {"axis": "axis", "radius": "number"}
    nq = nv = 1
    q_names = ("angle",)
    q_units = ("rad",)

    def __init__(self, axis: str | ArrayLike = "z", radius: float = 0.1) -> None:
        self.axis = unit_axis(axis)
        self.radius = number(radius, lambda v: f"radius {v} of a rack-and-pinion joint is not a finite number (m)")
        self._B = constant(plane_basis(self.axis))
        self.along = self._B[:, 0]

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 0])
        T[..., :3, 3] = self.radius * q * self.along
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        angle = angle_about(self.axis, pose[:3, :3])
        if self.radius != 0.0:
            # the way along the rack tells how many whole turns lie behind the angle
            advance = self.along @ pose[:3, 3]
            angle = angle + 2.0 * np.pi * np.floor((advance / self.radius - angle) / (2.0 * np.pi) + 0.5)
        return np.array([angle])

    def _advance(self, q: NDArray) -> NDArray:
        """Velocity of the centre at unit rate, in successor axes, shape (..., 3): r (c1, -s1, 0) for axis z."""
        c, s = np.cos(q[..., :1]), np.sin(q[..., :1])
        return self.radius * (c * self.along - s * self._B[:, 1])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return np.concatenate([self.axis, self._advance(q)])[:, None]

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return np.concatenate([v * self.axis, v * self._advance(q)], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        c, s = np.cos(q[0]), np.sin(q[0])
        return np.concatenate([np.zeros(3), -self.radius * v[0] ** 2 * (s * self.along + c * self._B[:, 1])])

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 5))
        T[:3, :2] = self._B[:, :2]
        T[3:, 2:] = np.eye(3)
        T[:3, 2:] -= np.outer(self.axis, self._advance(q))  # what a force at the centre does to the rolling is undone
        return T

    def stages(self) -> list[Stage]:
        # neither of the frames keeps its axis, but the slide and the turn have one of their own each
        return [Stage((0,)), Stage((1,))]

    def parts(self, q: NDArray) -> tuple[NDArray, NDArray]:
        along = self.pose(q)[:3, :3].T @ self.along
        P = np.array([[0.0, 0.0, 0.0, *along], [*self.axis, 0.0, 0.0, 0.0]]).T
        return P, np.array([[self.radius], [1.0]])

    def by_number(self, name: str, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        c, s = np.cos(q[0]), np.sin(q[0])
        along, across = c * self.along - s * self._B[:, 1], s * self.along + c * self._B[:, 1]
        S = np.array([0.0, 0.0, 0.0, *along])
        return q[0] * S, S[:, None], np.array([0.0, 0.0, 0.0, *(-(v[0] ** 2) * across)])

    def pieces(self, traced: Record) -> list[Piece]:
        # the centre follows the turn, as a joint follows another one
        way = Piece("prismatic", plane_basis(self.along), ratio=self.radius)
        return [way, Piece("revolute", plane_basis(self.axis))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis), "radius": self.radius}
