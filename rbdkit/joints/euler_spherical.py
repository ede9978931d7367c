"""The spherical joint in yaw, pitch and roll."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.axis import plane_basis, rotation_about
from rbdkit.joints.joint_type import Record, VectorJoint
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage

_X, _Y, _Z = np.eye(3)


class EulerSpherical(VectorJoint):
    """Rotation about a point as yaw about z, pitch about y', roll about x'' (Featherstone 2008, Eqs 4.7-4.9).

    S depends on q and loses rank at pitch = +-pi/2 (gimbal lock), where some angular velocities need an infinite
    ``qdot``. Use `Spherical` unless the angles themselves are wanted.

    Examples
    --------
    Freedoms that are left when the nose points straight down:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> gimbals = rbd.EulerSpherical()
    >>> [int(np.linalg.matrix_rank(gimbals.motion_subspace(np.array([0.3, pitch, 0.2])))) for pitch in (0.0, np.pi / 2)]
    [3, 2]
    """

    kind = "euler_spherical"
    tip = "A ball and socket by yaw, pitch and roll; singular at 90 degrees of pitch"
    constant_T = True
    nq = nv = 3
    q_names = ("yaw", "pitch", "roll")
    q_units = ("rad", "rad", "rad")

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        yaw, pitch, roll = (rotation_about(n, q[..., k]) for k, n in enumerate((_Z, _Y, _X)))
        T[..., :3, :3] = yaw @ pitch @ roll
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        R = pose[:3, :3]
        return np.array(
            [
                np.arctan2(R[1, 0], R[0, 0]),
                np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])),
                np.arctan2(R[2, 1], R[2, 2]),
            ]
        )

    def motion_subspace(self, q: NDArray) -> NDArray:
        (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
        S = np.zeros((6, 3))
        S[:3] = [[-s2, 0.0, 1.0], [c2 * s3, c3, 0.0], [c2 * c3, -s3, 0.0]]  # Eq 4.8
        return S

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        c2, c3, s2, s3 = np.cos(q[..., 1]), np.cos(q[..., 2]), np.sin(q[..., 1]), np.sin(q[..., 2])
        v1, v2, v3 = np.moveaxis(v, -1, 0)
        zero = np.zeros_like(v1)
        omega = [v3 - s2 * v1, c2 * s3 * v1 + c3 * v2, c2 * c3 * v1 - s3 * v2]
        return np.stack([*omega, zero, zero, zero], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
        v1, v2, v3 = v
        return np.array(  # Eq 4.9
            [
                -c2 * v1 * v2,
                -s2 * s3 * v1 * v2 + c2 * c3 * v1 * v3 - s3 * v2 * v3,
                -s2 * c3 * v1 * v2 - c2 * s3 * v1 * v3 - c3 * v2 * v3,
                0.0,
                0.0,
                0.0,
            ]
        )

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return np.vstack([np.zeros((3, 3)), np.eye(3)])

    def stages(self) -> list[Stage]:
        return [Stage((k,)) for k in range(self.nv)]

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("revolute", plane_basis(axis), k, k) for k, axis in enumerate((_Z, _Y, _X))]
