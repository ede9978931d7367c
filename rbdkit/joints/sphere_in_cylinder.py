"""The sphere-in-cylinder joint."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import axis_argument, plane_basis, unit_axis
from rbdkit.joints.joint_type import JointType, Record, check_unit_quaternion, constant
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage
from rbdkit.spatial import quaternion, so3


class SphereInCylinder(JointType):
    """A ball on the successor that turns and slides in a cylindrical bore of the predecessor.

    It imposes two constraints only: the centre of the ball stays on the axis of the bore. As a loop joint it closes a
    planar loop without the redundant constraints of a revolute joint (Featherstone 2008, section 8.10). Turned round by
    `Reversed`, the bore is on the successor.

    q = (quaternion, distance of the centre along the bore); v = (angular velocity in successor axes, rate of distance).

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Of the bore, in predecessor coordinates, of unit length.

    Raises
    ------
    ModelError
        If the axis is not of unit length.

    Examples
    --------
    Forces across the bore are all that it resists:

    >>> import rbdkit as rbd
    >>> joint = rbd.SphereInCylinder("z")
    >>> joint.constraint_subspace(joint.neutral()).T.tolist()
    [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    """

    kind = "sphere_in_cylinder"
    tip = "A ball in a bore: turns as it likes and slides along the bore; good to close planar loops"
    arguments: ClassVar = {"axis": "axis"}
    nq, nv = 5, 4
    q_names = ("qw", "qx", "qy", "qz", "distance")
    q_units = ("1", "1", "1", "1", "m")
    v_names = ("omega_x", "omega_y", "omega_z", "speed")
    v_units = ("rad/s", "rad/s", "rad/s", "m/s")

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        self._across = constant(plane_basis(self.axis)[:, :2])

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = quaternion.to_matrix(q[..., :4])
        T[..., :3, 3] = q[..., 4:] * self.axis
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return np.append(quaternion.from_matrix(pose[:3, :3]), self.axis @ pose[:3, 3])

    def _bore(self, q: NDArray) -> NDArray:
        """The axis of the bore in successor axes, shape (..., 3)."""
        return self.axis @ quaternion.to_matrix(q[..., :4])

    def motion_subspace(self, q: NDArray) -> NDArray:
        S = np.zeros((6, 4))
        S[:3, :3] = np.eye(3)
        S[3:, 3] = self._bore(q)
        return S

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return np.concatenate([v[..., :3], v[..., 3:] * self._bore(q)], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return np.concatenate([np.zeros(3), -v[3] * np.cross(v[:3], self._bore(q))])

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return np.vstack([np.zeros((3, 2)), quaternion.to_matrix(q[:4]).T @ self._across])

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        return np.concatenate([quaternion.rate(q[..., :4], v[..., :3]), v[..., 3:]], axis=-1)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        turned = quaternion.normalize(quaternion.multiply(q[..., :4], quaternion.exp(dv[..., :3])))
        return np.concatenate([turned, q[..., 4:] + dv[..., 3:]], axis=-1)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        turn = quaternion.log(quaternion.multiply(quaternion.conjugate(q0[..., :4]), q1[..., :4]))
        return np.concatenate([turn, q1[..., 4:] - q0[..., 4:]], axis=-1)

    def local_rate(self, u: NDArray) -> NDArray:
        A = np.eye(4)
        A[:3, :3] = so3.right_jacobian_inverse(u[:3])
        return A

    def neutral(self) -> NDArray:
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0])

    def random(self, rng: np.random.Generator) -> NDArray:
        return np.append(quaternion.random(rng), rng.uniform(-1.0, 1.0))

    def check(self, q: NDArray) -> None:
        super().check(q)
        check_unit_quaternion(q[..., :4], "sphere-in-cylinder joint")

    def stages(self) -> list[Stage]:
        return [Stage((3,)), Stage((0, 1, 2))]

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("prismatic", plane_basis(self.axis), 4, 3), Piece("spherical", np.eye(3))]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
