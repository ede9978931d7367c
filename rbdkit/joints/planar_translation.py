"""The joint that slides in a plane without turning."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints.axis import axis_argument, plane_basis, unit_axis
from rbdkit.joints.joint_type import Record, VectorJoint, constant
from rbdkit.joints.piece import Piece


class PlanarTranslation(VectorJoint):
    """Two translations in a plane, no rotation: what Sueda's notes call the planar joint (Eqs 2.25, 2.26); q = (x, y).

    `Planar` turns about the normal, too.

    Parameters
    ----------
    axis : {'x', 'y', 'z', '-x', '-y', '-z'} or array_like (3,), optional
        Normal of the plane. The directions called x and y are those of the frame for 'z', y and z for 'x', z and x for
        'y', and for any other normal some two directions at right angles: see columns 0 and 1 of S.

    Raises
    ------
    ModelError
        If the axis is not of unit length.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> rbd.PlanarTranslation("z").pose(np.array([1.0, 2.0]))[:3, 3].tolist()
    [1.0, 2.0, 0.0]
    """

    kind = "planar_translation"
    tip = "Slides in a plane, and does not turn"
    arguments: ClassVar = {"axis": "axis"}
    constant_T = True
    constant_S = True
    nq = nv = 2
    q_names = ("x", "y")
    q_units = ("m", "m")

    def __init__(self, axis: str | ArrayLike = "z") -> None:
        self.axis = unit_axis(axis)
        self._across = constant(plane_basis(self.axis)[:, :2])
        self._S = constant(np.vstack([np.zeros((3, 2)), self._across]))
        self._T = constant(np.vstack([np.eye(3, 4), np.outer(self.axis, [0.0, 0.0, 0.0, 1.0])]))

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., :3, :3] = np.eye(3)
        T[..., :3, 3] = q @ self._across.T
        T[..., 3, 3] = 1.0
        return T

    def project(self, pose: NDArray) -> NDArray:
        return pose[..., :3, 3] @ self._across

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._S

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return self._T

    def pieces(self, traced: Record) -> list[Piece]:
        return [Piece("prismatic", plane_basis(self._across[:, k]), k, k) for k in range(2)]

    def parameters(self) -> dict[str, Any]:
        return {"axis": axis_argument(self.axis)}
