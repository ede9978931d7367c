"""The joint with six degrees of freedom."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType, Record, check_unit_quaternion, constant, translation_of
from rbdkit.joints.piece import Piece
from rbdkit.spatial import quaternion, se3, so3


class Free(JointType):
    """Any motion: what connects a floating base to the world. v = (omega, v) is the twist in successor axes.

    Parameters
    ----------
    translation : {'predecessor', 'successor'}, optional
        'predecessor': q = (quaternion, p), p the origin in predecessor axes, ``dp/dt = R v``; 'successor': q =
        (quaternion, r), the same origin along successor axes, ``dr/dt = v - omega x r``.

    Raises
    ------
    ModelError
        If `translation` is neither of them.

    Notes
    -----
    S is the 6x6 identity. Table 4.1 of Featherstone (2008) pairs it with ``qdot = v``, which finite differences
    contradict; the maps above are the ones that agree with them.

    Examples
    --------
    What turns to the left by half a turn and goes ahead meanwhile, comes out to its left:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> ship = rbd.Free()
    >>> q = ship.integrate(ship.neutral(), np.array([0.0, 0.0, np.pi, np.pi, 0.0, 0.0]))
    >>> np.abs(q.round(9)).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0]
    """

    kind = "free"
    tip = "Floats: six degrees of freedom"
    arguments: ClassVar = {"translation": "name"}
    constant_T = True
    constant_S = True
    nq, nv = 7, 6
    q_names = ("qw", "qx", "qy", "qz", "x", "y", "z")
    q_units = ("1", "1", "1", "1", "m", "m", "m")
    v_names = ("omega_x", "omega_y", "omega_z", "vx", "vy", "vz")
    v_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")
    _S = constant(np.eye(6))
    _T = constant(np.zeros((6, 0)))

    def __init__(self, translation: str = "predecessor") -> None:
        self.translation = translation_of(translation, self.kind)

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = R = quaternion.to_matrix(q[..., :4])
        p = q[..., 4:]
        T[..., :3, 3] = p if self.translation == "predecessor" else (R @ p[..., None])[..., 0]
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        R, p = pose[..., :3, :3], pose[..., :3, 3]
        if self.translation == "successor":
            p = (np.swapaxes(R, -1, -2) @ p[..., None])[..., 0]
        return np.concatenate([quaternion.from_matrix(R), p], axis=-1)

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return self._T

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        omega, linear = v[..., :3], v[..., 3:]
        if self.translation == "predecessor":
            moved = (quaternion.to_matrix(q[..., :4]) @ linear[..., None])[..., 0]
        else:
            moved = linear - np.cross(omega, q[..., 4:])
        return np.concatenate([quaternion.rate(q[..., :4], omega), moved], axis=-1)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        turn = quaternion.exp(dv[..., :3])
        step = (so3.left_jacobian(dv[..., :3]) @ dv[..., 3:, None])[..., 0]  # as `se3.exp` has it
        rotation = quaternion.normalize(quaternion.multiply(q[..., :4], turn))
        if self.translation == "predecessor":
            p = q[..., 4:] + (quaternion.to_matrix(q[..., :4]) @ step[..., None])[..., 0]
        else:
            back = np.swapaxes(quaternion.to_matrix(turn), -1, -2)
            p = (back @ (q[..., 4:] + step)[..., None])[..., 0]
        return np.concatenate([rotation, p], axis=-1)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        turn = quaternion.multiply(quaternion.conjugate(q0[..., :4]), q1[..., :4])
        if self.translation == "predecessor":
            back = np.swapaxes(quaternion.to_matrix(q0[..., :4]), -1, -2)
            ahead = (back @ (q1[..., 4:] - q0[..., 4:])[..., None])[..., 0]
        else:
            ahead = (quaternion.to_matrix(turn) @ q1[..., 4:, None])[..., 0] - q0[..., 4:]
        w = quaternion.log(turn)
        return np.concatenate([w, (so3.left_jacobian_inverse(w) @ ahead[..., None])[..., 0]], axis=-1)

    def local_rate(self, u: NDArray) -> NDArray:
        return se3.right_jacobian_inverse(u)

    def neutral(self) -> NDArray:
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def random(self, rng: np.random.Generator) -> NDArray:
        return np.concatenate([quaternion.random(rng), rng.uniform(-1.0, 1.0, 3)])

    def check(self, q: NDArray) -> None:
        super().check(q)
        check_unit_quaternion(q[..., :4], "free joint")

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("free" if self.translation == "predecessor" else "free_successor", np.eye(3))]

    def parameters(self) -> dict[str, Any]:
        return {"translation": self.translation}
