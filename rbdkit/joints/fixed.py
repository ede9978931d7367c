"""The joint that allows no motion; as a loop joint it can stand for any other (Featherstone 2008, section 8.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import Record, VectorJoint
from rbdkit.joints.piece import Piece


class Fixed(VectorJoint):
    """Zero degrees of freedom: the successor is welded to the predecessor.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> weld = rbd.Fixed()
    >>> weld.nq, weld.nv, weld.constraint_subspace(weld.neutral()).shape
    (0, 0, (6, 6))
    """

    kind = "fixed"
    tip = "No freedom: welded to its parent"
    constant_T = True
    constant_S = True
    nq = nv = 0
    q_names = q_units = ()
    is_fixed = True

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        return np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4))

    def project(self, pose: NDArray) -> NDArray:
        return np.zeros((*pose.shape[:-2], 0))

    def motion_subspace(self, q: NDArray) -> NDArray:
        return np.zeros((6, 0))

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return np.eye(6)

    def pieces(self, traced: Record) -> list[Piece]:
        return []
