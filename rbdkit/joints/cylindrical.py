"""The cylindrical joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece


class Cylindrical(VectorJoint):
    """Rotation about and, independently, translation along one axis (Featherstone 2008, Table 4.1).

    q = (angle, distance).

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Of unit length.

    Raises
    ------
    ModelError
        If the axis is not of unit length.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> joint = rbd.Cylindrical("x")
    >>> joint.motion_subspace(joint.neutral()).T.tolist()
    [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]
    """

    kind = "cylindrical"
    tip = "Turns about an axis and slides along it, each as it likes"
    arguments: ClassVar = {"axis": "axis"}
    constant_T = True
    constant_S = True
    nq = nv = 2
    q_names = ("angle", "distance")
    q_units = ("rad", "m")

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        S = np.zeros((6, 2))
        S[:3, 0] = S[3:, 1] = self.axis
        self._S = constant(S)

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 0])
        T[..., :3, 3] = q[..., 1:] * self.axis
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return np.stack([angle_about(self.axis, pose[..., :3, :3]), pose[..., :3, 3] @ self.axis], axis=-1)

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 4))
        T[:3, :2] = T[3:, 2:] = plane_basis(self.axis)[:, :2]
        return T

    def pieces(self, traced: Record) -> list[Piece]:
        basis = plane_basis(self.axis)
        return [Piece("revolute", basis), Piece("prismatic", basis, 1, 1)]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
