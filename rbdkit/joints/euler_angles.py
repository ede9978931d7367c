"""The spherical joint in Euler angles of any sequence."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.axis import plane_basis, rotation_about
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage
from rbdkit.spatial.read_numbers import shown

LOCK = 1e-7
"""Sine or cosine of the middle angle below which the outer axes count as parallel (gimbal lock)."""
APART = 0.15
"""Distance of random middle angles from gimbal lock, rad."""


class EulerAngles(VectorJoint):
    """Ball joint in Euler angles: three successive rotations about body-fixed axes (Sueda Eqs 2.29 to 2.35).

    ``R = R_a(q1) R_b(q2) R_c(q3)`` for the sequence 'ABC'. S depends on q and loses rank in gimbal lock, where the
    first and the third axis coincide: at a middle angle of 0 or pi if they have one letter ('XZX'), which includes
    `neutral`, and of +-pi/2 otherwise ('XYZ'). `EulerSpherical` is 'ZYX'; `Spherical` has no singularity.

    Parameters
    ----------
    sequence : str, optional
        Three of the letters X, Y and Z, no neighbours alike.

    Raises
    ------
    ModelError
        If the sequence is something else.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> S = rbd.EulerAngles("XZX").motion_subspace(np.array([0.3, np.pi / 2, 0.0]))
    >>> S[:3].round(9).tolist()  # Eq 2.34: c2, -c3 s2, s2 s3 in the first column
    [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    kind = "euler_angles"
    tip = "A ball and socket by three angles, in any order of axes; singular somewhere"
    arguments: ClassVar = {"sequence": "name"}
    constant_T = True
    nq = nv = 3
    q_names = ("angle1", "angle2", "angle3")
    q_units = ("rad", "rad", "rad")

    def __init__(self, sequence: str = "XYZ") -> None:
        letters = sequence.upper() if isinstance(sequence, str) else ""
        if len(letters) != 3 or set(letters) - set("XYZ") or letters[0] == letters[1] or letters[1] == letters[2]:
            raise ModelError(
                f"sequence {shown(sequence)} of Euler angles must be three of X, Y and Z, no neighbours alike, as 'XZX'"
            )
        self.sequence = letters
        self._axes = constant(np.eye(3)[["XYZ".index(letter) for letter in letters]])
        self._alike = letters[0] == letters[2]

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        one, two, three = (rotation_about(n, q[..., k]) for k, n in enumerate(self._axes))
        T[..., :3, :3] = one @ two @ three
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        R, (a, b, c) = pose[:3, :3], self._axes
        n = np.cross(a, b)  # with a and b a right-handed system
        turned = R @ c  # R1 R2 c: what the third turn leaves
        # R2 c in the system (a, b, n), as c is a or +-n
        if self._alike:
            middle = np.arctan2(np.hypot(turned @ b, turned @ n), turned @ a)  # R2 a = cos a - sin n
            first = np.arctan2(turned @ b, -(turned @ n))
        else:
            sign = float(c @ n)  # R2 n = cos n + sin a
            middle = np.arctan2(sign * (turned @ a), np.hypot(turned @ b, turned @ n))
            first = np.arctan2(-sign * (turned @ b), sign * (turned @ n))
        apart = abs(np.sin(middle) if self._alike else np.cos(middle))
        first = np.where(apart < LOCK, 0.0, first)  # only its sum or difference with the third angle is known there
        left = (rotation_about(a, first) @ rotation_about(b, middle)).T @ R
        # what is left turns about c: see where b goes, which stands across c
        third = np.arctan2(np.cross(c, b) @ left @ b, b @ left @ b)
        return np.array([first, middle, third])

    def motion_subspace(self, q: NDArray) -> NDArray:
        a, b, c = self._axes
        S = np.zeros((6, 3))
        back = rotation_about(c, -q[2])
        S[:3, 0] = back @ rotation_about(b, -q[1]) @ a  # Eq 2.30
        S[:3, 1] = back @ b
        S[:3, 2] = c
        return S

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        a, b, c = self._axes
        first = v[..., :1] * (rotation_about(b, -q[..., 1]) @ a) + v[..., 1:2] * b
        omega = (rotation_about(c, -q[..., 2]) @ first[..., None])[..., 0] + v[..., 2:] * c
        return np.concatenate([omega, np.zeros_like(omega)], axis=-1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        S = self.motion_subspace(q)[:3]
        # each axis is turned back by all that come after it: Eq 2.35
        rate = np.cross(S[:, 0], S[:, 1] * v[1] + S[:, 2] * v[2]) * v[0] + np.cross(S[:, 1], S[:, 2] * v[2]) * v[1]
        return np.concatenate([rate, np.zeros(3)])

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return np.vstack([np.zeros((3, 3)), np.eye(3)])

    def random(self, rng: np.random.Generator) -> NDArray:
        q = rng.uniform(-np.pi, np.pi, 3)
        q[1] = rng.uniform(APART, np.pi - APART) - (0.0 if self._alike else np.pi / 2)
        return q

    def stages(self) -> list[Stage]:
        return [Stage((k,)) for k in range(self.nv)]

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("revolute", plane_basis(axis), k, k) for k, axis in enumerate(self._axes)]

    def parameters(self) -> dict[str, Any]:
        return {"sequence": self.sequence}
