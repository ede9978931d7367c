"""The reversed joint: predecessor and successor exchanged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType, Record, require_joint_type
from rbdkit.joints.piece import Piece
from rbdkit.joints.prescribed import Prescribed
from rbdkit.joints.stage import Stage
from rbdkit.spatial import plucker, se3


class Reversed(JointType):
    """A joint with predecessor and successor exchanged (Featherstone 2008, Table 4.2).

    The coordinates, their rates and their manifold are those of the inner joint. For symmetric joints (revolute,
    prismatic) the motion is the same with the sign of q changed; for others (planar, universal, rack and pinion) it is
    a different joint.

    Parameters
    ----------
    joint : JointType
        The joint from the new successor to the new predecessor.

    Raises
    ------
    ModelError
        If `joint` is not a joint type.

    Examples
    --------
    The centre of a pinion goes straight along its rack. Seen from the pinion the rack's origin leaves on a spiral:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> pinion = rbd.RackAndPinion("z", radius=1.0)
    >>> rack = rbd.Reversed(pinion)
    >>> pinion.pose(np.array([[1.0], [2.0]]))[:, :2, 3].tolist()
    [[1.0, 0.0], [2.0, 0.0]]
    >>> rack.pose(np.array([[1.0], [2.0]]))[:, :2, 3].round(3).tolist()
    [[-0.54, 0.841], [0.832, 1.819]]
    """

    kind = "reversed"
    arguments: ClassVar = {"joint": "joint"}

    def __init__(self, joint: JointType) -> None:
        self.joint = require_joint_type(joint, "the joint to be reversed")
        self.nq, self.nv = joint.nq, joint.nv
        self.q_names, self.q_units = joint.q_names, joint.q_units
        self.v_names, self.v_units = joint.v_names, joint.v_units

    @property
    def is_fixed(self) -> bool:
        return self.joint.is_fixed

    @property
    def is_driven(self) -> bool:
        return self.joint.is_driven

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        return se3.inverse(self.joint.pose(q, t))

    def project(self, pose: NDArray) -> NDArray:
        return self.joint.project(se3.inverse(pose))

    def _back(self, q: NDArray, t: float = 0.0) -> NDArray:
        """pXs: from coordinates of the inner successor to those of the inner predecessor, which is our successor."""
        return plucker.inverse(self.joint.transform(q, t))

    def motion_subspace(self, q: NDArray) -> NDArray:
        return -self._back(q) @ self.joint.motion_subspace(q)

    def constraint_subspace(self, q: NDArray) -> NDArray:
        if self.nv == 0:  # everything, at any time
            return np.eye(6)
        # a force subspace needs the force transform; the table prints the motion transform
        return -plucker.force(self._back(q)) @ self.joint.constraint_subspace(q)

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        adjoint = se3.adjoint(self.joint.pose(q, t))
        return -(adjoint @ self.joint.velocity(q, v, t)[..., None])[..., 0]

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return -self._back(q, t) @ self.joint.velocity_product(q, v, t)

    def calc(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        X, S, v_J, c_J = self.joint.calc(q, v, t)
        p_X_s = plucker.inverse(X)
        return p_X_s, -p_X_s @ S, -p_X_s @ v_J, -p_X_s @ c_J

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        return self.joint.rate(q, v)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        return self.joint.integrate(q, dv)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        return self.joint.difference(q0, q1)

    def local_rate(self, u: NDArray) -> NDArray:
        return self.joint.local_rate(u)

    def neutral(self) -> NDArray:
        return self.joint.neutral()

    def random(self, rng: np.random.Generator) -> NDArray:
        return self.joint.random(rng)

    def check(self, q: NDArray) -> None:
        self.joint.check(q)

    def simplified(self) -> JointType:
        """Return an equivalent joint: double reversal cancels, and `Reversed` moves inside `Prescribed`."""
        inner = self.joint.simplified()
        if type(inner) is Prescribed:  # a subclass may override anything
            return Prescribed(Reversed(inner.joint).simplified(), inner.motion)
        return inner.joint if type(inner) is Reversed else Reversed(inner)

    def stages(self) -> list[Stage] | None:
        inner = self.joint.stages()
        return None if inner is None else [Stage(stage.freedoms, not stage.carried) for stage in reversed(inner)]

    def parts(self, q: NDArray) -> tuple[NDArray, NDArray]:
        P, G = self.joint.parts(q)
        return -self._back(q) @ P, G

    def pieces(self, traced: Record) -> list[Piece] | None:
        chain = self.joint.pieces(traced)
        return None if chain is None else [half for piece in reversed(chain) for half in piece.reversed()]

    def parameters(self) -> dict[str, Any]:
        return {"joint": self.joint}
