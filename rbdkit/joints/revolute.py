"""The revolute (hinge) joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece


class Revolute(VectorJoint):
    """Hinge: rotation by an angle q about an axis through the joint origin (Featherstone 2008, Table 4.1).

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Of unit length; the same in predecessor and successor coordinates.

    Raises
    ------
    ModelError
        If the axis is not of unit length.

    Examples
    --------
    Its motion subspace S, angular part first:

    >>> import rbdkit as rbd
    >>> hinge = rbd.Revolute([0.6, 0.0, 0.8])
    >>> hinge.motion_subspace(hinge.neutral()).T.tolist()
    [[0.6, 0.0, 0.8, 0.0, 0.0, 0.0]]
    """

    kind = "revolute"
    tip = "A hinge: turns about an axis"
    arguments: ClassVar = {"axis": "axis"}
    constant_T = True
    constant_S = True
    nq = nv = 1
    q_names = ("angle",)
    q_units = ("rad",)

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        self._S = constant(np.concatenate([self.axis, np.zeros(3)])[:, None])

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 0])
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return angle_about(self.axis, pose[..., :3, :3])[..., None]

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 5))
        T[:3, :2] = plane_basis(self.axis)[:, :2]
        T[3:, 2:] = np.eye(3)
        return T

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("revolute", plane_basis(self.axis))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
