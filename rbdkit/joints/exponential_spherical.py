"""The spherical joint in exponential coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType, constant
from rbdkit.spatial import quaternion, so3

FARTHEST = 2.0 * np.pi - 0.5
"""rad; a longer rotation vector is replaced by that of the same rotation in the opposite direction."""


class ExponentialSpherical(JointType):
    """Ball joint whose coordinates are a rotation vector: ``R = exp([q])`` (Sueda Eq 2.42).

    It has three coordinates in place of the four of `Spherical`. The parametrisation is singular at the length 2 pi,
    where all vectors are one rotation; before a motion gets there, q is replaced by ``(1 - 2 pi / |q|) q``, the same
    rotation (Grassia). v is the angular velocity in successor axes, which this does not change; ``qdot`` follows from
    it by Eq 2.44.

    Examples
    --------
    Turning on about z, q follows past half a turn, and comes back from the other side before a whole one:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> ball = rbd.ExponentialSpherical()
    >>> q = np.array([0.0, 0.0, 3.0])
    >>> for _ in range(3):
    ...     q = ball.integrate(q, np.array([0.0, 0.0, 1.0]))
    ...     print(q[2].round(6))
    4.0
    5.0
    -0.283185
    """

    kind = "exponential_spherical"
    tip = "A ball and socket; a rotation vector for coordinates"
    constant_T = True
    constant_S = True
    nq = nv = 3
    q_names = ("rx", "ry", "rz")
    q_units = ("rad", "rad", "rad")
    v_names = ("omega_x", "omega_y", "omega_z")
    v_units = ("rad/s", "rad/s", "rad/s")
    _S = constant(np.vstack([np.eye(3), np.zeros((3, 3))]))
    _T = constant(np.vstack([np.zeros((3, 3)), np.eye(3)]))

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = quaternion.to_matrix(quaternion.exp(q))
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return so3.log(pose[..., :3, :3])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return self._T

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        return (so3.right_jacobian_inverse(q) @ v[..., None])[..., 0]

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        short = quaternion.log(quaternion.multiply(quaternion.exp(q), quaternion.exp(dv)))
        length = np.sqrt(np.sum(short * short, axis=-1, keepdims=True))
        long = short - short * (2.0 * np.pi / np.maximum(length, 1e-12))  # the same rotation the other way round
        # which one is nearer to q, and the other way round is 2 pi - length long
        nearer = np.sum((short - long) * (short + long - 2.0 * q), axis=-1, keepdims=True)
        return np.where(nearer > 0.0, np.where(length > 2.0 * np.pi - FARTHEST, long, short), short)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        back = quaternion.conjugate(quaternion.exp(q0))
        return quaternion.log(quaternion.multiply(back, quaternion.exp(q1)))

    def local_rate(self, u: NDArray) -> NDArray:
        return so3.right_jacobian_inverse(u)

    def neutral(self) -> NDArray:
        return np.zeros(3)

    def random(self, rng: np.random.Generator) -> NDArray:
        return quaternion.log(quaternion.random(rng))
