"""The joint of a body that is free in a plane, in coordinates whose rates are its velocities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import angle_about, axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage


class FreeInPlane(VectorJoint):
    """Two translations in a plane, then a rotation about its normal (Sueda Eqs 2.53 to 2.56); q = (x, y, angle).

    The velocities are the rates of q: x and y along axes that do not turn. The motion is that of `Planar`, whose
    velocities are along the axes of the body.

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Normal of the plane. The directions called x and y are those of `PlanarTranslation`.

    Raises
    ------
    ModelError
        If the axis is not of unit length.

    Examples
    --------
    Seen from a body that looks along y, a motion along x goes to its right:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> joint = rbd.FreeInPlane("z")
    >>> joint.motion_subspace(np.array([0.0, 0.0, np.pi / 2]))[3:, 0].round(9).tolist()
    [0.0, -1.0, 0.0]
    """

    kind = "free_in_plane"
    tip = "Slides in a plane and turns about its normal; x and y along axes that stay"
    arguments: ClassVar = {"axis": "axis"}
    constant_T = True
    nq = nv = 3
    q_names = ("x", "y", "angle")
    q_units = ("m", "m", "rad")

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        self._B = constant(plane_basis(self.axis))

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis, q[..., 2])
        T[..., :3, 3] = q[..., :2] @ self._B[:, :2].T
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        angle = angle_about(self.axis, pose[..., :3, :3])
        return np.concatenate([pose[..., :3, 3] @ self._B[:, :2], angle[..., None]], axis=-1)

    def motion_subspace(self, q: NDArray) -> NDArray:
        S = np.zeros((6, 3))
        S[3:, :2] = rotation_about(self.axis, -q[2]) @ self._B[:, :2]  # Eq 2.55
        S[:3, 2] = self.axis
        return S

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        shift = v[..., :2] @ self._B[:, :2].T
        back = rotation_about(self.axis, -q[..., 2])
        return np.concatenate([v[..., 2:] * self.axis, (back @ shift[..., None])[..., 0]], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        shift = rotation_about(self.axis, -q[2]) @ (self._B[:, :2] @ v[:2])
        return np.concatenate([np.zeros(3), -v[2] * np.cross(self.axis, shift)])  # Eq 2.56, with Q^yx in entry (5, 2)

    def constraint_subspace(self, q: NDArray) -> NDArray:
        T = np.zeros((6, 3))
        T[:3, :2] = self._B[:, :2]
        T[3:, 2] = self.axis
        return T

    def stages(self) -> list[Stage]:
        return [Stage((0, 1)), Stage((2,))]

    def pieces(self, traced: Record) -> list[Piece]:
        shifts = [Piece("prismatic", plane_basis(self._B[:, k]), k, k) for k in range(2)]
        return [*shifts, Piece("revolute", plane_basis(self.axis), 2, 2)]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
