"""The joint that moves in all directions without turning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.axis import plane_basis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece


class Translational(VectorJoint):
    """Translation in all directions, no rotation (Sueda Eqs 2.27, 2.28); q = (x, y, z).

    Nodes of deformable bodies are on such joints.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> rbd.Translational().pose(np.array([1.0, 2.0, 3.0]))[:3, 3].tolist()
    [1.0, 2.0, 3.0]
    """

    kind = "translational"
    tip = "Slides in all directions, and does not turn"
    constant_T = True
    constant_S = True
    nq = nv = 3
    q_names = ("x", "y", "z")
    q_units = ("m", "m", "m")
    _S = constant(np.vstack([np.zeros((3, 3)), np.eye(3)]))
    _T = constant(np.vstack([np.eye(3), np.zeros((3, 3))]))

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = np.eye(3)
        T[..., :3, 3] = q
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return np.array(pose[..., :3, 3])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return self._T

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("prismatic", plane_basis(axis), k, k) for k, axis in enumerate(np.eye(3))]
