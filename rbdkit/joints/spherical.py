"""The spherical (ball) joint in quaternion coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType, Record, check_unit_quaternion, constant
from rbdkit.joints.piece import Piece
from rbdkit.spatial import quaternion, so3


class Spherical(JointType):
    """Ball joint: any rotation about the joint origin.

    q is a unit quaternion, scalar first, v the angular velocity in successor axes. No pose is singular; ``qdot`` is
    Eq 4.13 of Featherstone (2008). `EulerSpherical` is the same joint in three angles.

    Examples
    --------
    Half a turn about z, as a velocity kept up for one unit of time:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> ball = rbd.Spherical()
    >>> ball.integrate(ball.neutral(), np.array([0.0, 0.0, np.pi])).round(9).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """

    kind = "spherical"
    tip = "A ball and socket; a unit quaternion for coordinates"
    constant_T = True
    constant_S = True
    nq, nv = 4, 3
    q_names = ("qw", "qx", "qy", "qz")
    q_units = ("1", "1", "1", "1")
    v_names = ("omega_x", "omega_y", "omega_z")
    v_units = ("rad/s", "rad/s", "rad/s")
    _S = constant(np.vstack([np.eye(3), np.zeros((3, 3))]))
    _T = constant(np.vstack([np.zeros((3, 3)), np.eye(3)]))

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = quaternion.to_matrix(q)
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return quaternion.from_matrix(pose[..., :3, :3])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return self._T

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        return quaternion.rate(q, v)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        return quaternion.normalize(quaternion.multiply(q, quaternion.exp(dv)))

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        return quaternion.log(quaternion.multiply(quaternion.conjugate(q0), q1))

    def local_rate(self, u: NDArray) -> NDArray:
        return so3.right_jacobian_inverse(u)

    def neutral(self) -> NDArray:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def random(self, rng: np.random.Generator) -> NDArray:
        return quaternion.random(rng)

    def check(self, q: NDArray) -> None:
        super().check(q)
        check_unit_quaternion(q, "spherical joint")

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("spherical", np.eye(3))]
