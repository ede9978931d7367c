"""The helical (screw) joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece
from rbdkit.spatial.read_numbers import number


class Helical(VectorJoint):
    """Screw: rotation by q with an advance of ``pitch * q`` along the same axis (Featherstone 2008, Table 4.1).

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Of unit length.
    pitch : float, optional
        Advance in m/rad; 0 gives a revolute joint.

    Raises
    ------
    ModelError
        If the axis is not of unit length, or the pitch is not a finite number.

    Examples
    --------
    Ten turns of a screw that advances 1.25 mm a turn:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> screw = rbd.Helical("z", pitch=0.00125 / (2 * np.pi))
    >>> float(screw.pose(np.array([20 * np.pi]))[2, 3].round(9))
    0.0125
    """

    kind = "helical"
    tip = "A screw: turns about an axis and moves along it by its pitch"
    arguments: ClassVar = {"axis": "axis", "pitch": "number"}
    constant_T = True
    constant_S = True
    nq = nv = 1
    q_names = ("angle",)
    q_units = ("rad",)

    def __init__(self, axis: str | ArrayLike = "z", pitch: float = 0.0) -> None:
        self.axis = unit_axis(axis)
        self.pitch = number(pitch, lambda v: f"pitch {v} of a helical joint is not a finite number (m/rad)")
        self._S = constant(np.concatenate([self.axis, self.pitch * self.axis])[:, None])

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 0])
        T[..., :3, 3] = self.pitch * q * self.axis
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        angle = angle_about(self.axis, pose[..., :3, :3])
        if self.pitch != 0.0:
            # the advance tells how many whole turns lie behind the angle
            advance = pose[..., :3, 3] @ self.axis
            angle = angle + 2.0 * np.pi * np.floor((advance / self.pitch - angle) / (2.0 * np.pi) + 0.5)
        return np.asarray(angle)[..., None]

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 5))
        T[:3, :2] = T[3:, 2:4] = plane_basis(self.axis)[:, :2]
        T[:3, 4], T[3:, 4] = -self.pitch * self.axis, self.axis
        return T

    def by_number(self, name: str, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        S = np.concatenate([np.zeros(3), self.axis])
        return q[0] * S, S[:, None], np.zeros(6)

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("helical", plane_basis(self.axis), numbers=(self.pitch,))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis), "pitch": self.pitch}
