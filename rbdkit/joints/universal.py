"""The universal (Cardan) joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.axis import axis_argument, plane_basis, rotation_about, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage


class Universal(VectorJoint):
    """Rotation about an axis fixed in the predecessor, then about one fixed in the successor; q = (angle1, angle2).

    Parameters
    ----------
    axis1, axis2 : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Of unit length, not parallel; at q = 0 in common coordinates.

    Raises
    ------
    ModelError
        If an axis is not of unit length, or the two are parallel.

    Examples
    --------
    The second axis stays on the successor; the first, seen from there, turns away:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> cross = rbd.Universal("x", "y")
    >>> cross.motion_subspace(np.array([0.0, np.pi / 2]))[:3].T.round(9).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """

    kind = "universal"
    tip = "A cross: two axes one after the other"
    arguments: ClassVar = {"axis1": "axis", "axis2": "axis"}
    nq = nv = 2
    q_names = ("angle1", "angle2")
    q_units = ("rad", "rad")

    def __init__(self, axis1: str | ArrayLike = "x", axis2: str | ArrayLike = "y") -> None:
        self.axis1, self.axis2 = unit_axis(axis1), unit_axis(axis2)
        if np.linalg.norm(np.cross(self.axis1, self.axis2)) < 1e-3:
            raise ModelError(
                f"the axes {self.axis1.tolist()} and {self.axis2.tolist()} of a universal joint are parallel; "
                "use a revolute joint, or axes at right angles"
            )

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = rotation_about(self.axis1, q[..., 0]) @ rotation_about(self.axis2, q[..., 1])
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        n1, n2, R = self.axis1, self.axis2, pose[:3, :3]
        # axis 2 is not moved by the second rotation: R n2 = R1(q1) n2, and likewise R.T n1 = R2(-q2) n1
        return np.array([_turn_between(n1, n2, R @ n2), -_turn_between(n2, n1, R.T @ n1)])

    def motion_subspace(self, q: NDArray) -> NDArray:
        S = np.zeros((6, 2))
        S[:3, 0] = rotation_about(self.axis2, -q[1]) @ self.axis1
        S[:3, 1] = self.axis2
        return S

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        first = rotation_about(self.axis2, -q[..., 1]) @ self.axis1
        omega = first * v[..., :1] + self.axis2 * v[..., 1:]
        return np.concatenate([omega, np.zeros_like(omega)], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        first = rotation_about(self.axis2, -q[1]) @ self.axis1
        return np.concatenate([np.cross(first, self.axis2) * v[0] * v[1], np.zeros(3)])

    def constraint_subspace(self, q: NDArray) -> NDArray:
        S = self.motion_subspace(q)
        T = np.zeros((6, 4))
        normal = np.cross(S[:3, 0], S[:3, 1])
        T[:3, 0] = normal / np.linalg.norm(normal)
        T[3:, 1:] = np.eye(3)
        return T

    def stages(self) -> list[Stage]:
        return [Stage((k,)) for k in range(self.nv)]

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("revolute", plane_basis(axis), k, k) for k, axis in enumerate((self.axis1, self.axis2))]

    def parameters(self) -> dict[str, Any]:
        return {"axis1": axis_argument(self.axis1), "axis2": axis_argument(self.axis2)}


def _turn_between(n: NDArray, a: NDArray, b: NDArray) -> float:
    """The angle about n that takes a closest to b."""
    return float(np.arctan2(n @ np.cross(a, b), a @ b - (n @ a) * (n @ b)))
