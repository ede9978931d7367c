"""The prismatic (sliding) joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import axis_argument, plane_basis, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece


class Prismatic(VectorJoint):
    """Slider: translation by a distance q along an axis (Featherstone 2008, Table 4.1).

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
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> rbd.Prismatic("-z").pose(np.array([2.0]))[:3, 3].tolist()
    [0.0, 0.0, -2.0]
    """

    kind = "prismatic"
    tip = "A slider: moves along an axis"
    arguments: ClassVar = {"axis": "axis"}
    constant_T = True
    constant_S = True
    nq = nv = 1
    q_names = ("distance",)
    q_units = ("m",)

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        self._S = constant(np.concatenate([np.zeros(3), self.axis])[:, None])

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :, :] = np.eye(4)
        T[..., :3, 3] = q * self.axis
        return T

    def project(self, pose: NDArray) -> NDArray:
        return np.asarray(pose[..., :3, 3] @ self.axis[:, None])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 5))
        T[:3, :3] = np.eye(3)
        T[3:, 3:] = plane_basis(self.axis)[:, :2]
        return T

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("prismatic", plane_basis(self.axis))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
