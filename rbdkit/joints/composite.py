"""The composite joint, two joints in series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.joint_type import JointType, Record, require_joint_type
from rbdkit.joints.piece import Piece
from rbdkit.joints.prescribed import Prescribed
from rbdkit.joints.prismatic import Prismatic
from rbdkit.joints.revolute import Revolute
from rbdkit.joints.stage import Stage
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crm

STARTS = 30
"""Number of random starting points of `project`, for poses that are not found from the neutral coordinates."""


class Composite(JointType):
    """A chain of joints without bodies between them: ``Q = Q1 Q2`` (Sueda Eqs 2.48 to 2.52).

    Its coordinates are those of the first joint, then those of the second. More than two are chained as
    ``Composite(a, Composite(b, c))``, or by `chain`.

    Parameters
    ----------
    first, second : JointType, optional
        The joint at the predecessor, and the one at the successor; together at most six freedoms.

    Raises
    ------
    ModelError
        If one is not a joint type or is prescribed, or there are more than six degrees of freedom.

    Examples
    --------
    A mast that turns and is drawn out:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> mast = rbd.Composite(rbd.Revolute("z"), rbd.Prismatic("x"))
    >>> mast.pose(np.array([np.pi / 2, 3.0]))[:3, 3].round(9).tolist()
    [0.0, 3.0, 0.0]
    """

    kind = "composite"
    tip = "Two joints one after the other, without a body between them"
    arguments: ClassVar = {"first": "joint", "second": "joint"}

    def __init__(self, first: JointType | None = None, second: JointType | None = None) -> None:
        self.first = require_joint_type(Revolute("z") if first is None else first, "the first joint of a composite one")
        self.second = require_joint_type(Prismatic("z") if second is None else second, "the second joint")
        both = (self.first, self.second)
        for joint in both:
            if joint.is_driven or isinstance(joint, Prescribed):
                raise ModelError(
                    f"a composite joint cannot be made of a {joint.known_as} joint, which moves as time says; put a "
                    "body without inertia between the two"
                )
        self.nq, self.nv = (sum(getattr(joint, n) for joint in both) for n in ("nq", "nv"))
        if self.nv > 6:
            raise ModelError(f"a composite joint of {self.nv} freedoms has more than the six there are; leave out some")
        self.q_names, self.v_names = (
            tuple(f"{name}_{k}" for k, joint in enumerate(both, 1) for name in getattr(joint, names))
            for names in ("q_names", "v_names")
        )
        self.q_units, self.v_units = (
            (*getattr(self.first, units), *getattr(self.second, units)) for units in ("q_units", "v_units")
        )

    @classmethod
    def chain(cls, joints: Sequence[JointType]) -> JointType:
        """Make one joint of any number of joints in series, from the predecessor to the successor.

        Raises
        ------
        ModelError
            If there are none, and as for two.
        """
        if not joints:
            raise ModelError("a chain of joints needs one joint or more")
        whole = joints[-1]
        for joint in reversed(joints[:-1]):
            whole = cls(joint, whole)
        return whole

    @property
    def is_fixed(self) -> bool:
        return self.first.is_fixed and self.second.is_fixed

    def _q(self, q: NDArray) -> tuple[NDArray, NDArray]:
        return q[..., : self.first.nq], q[..., self.first.nq :]

    def _v(self, v: NDArray) -> tuple[NDArray, NDArray]:
        return v[..., : self.first.nv], v[..., self.first.nv :]

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        q1, q2 = self._q(q)
        return self.first.pose(q1, t) @ self.second.pose(q2, t)

    def starts(self) -> NDArray:
        rng = np.random.default_rng(0)  # the same at every call
        return np.array([self.neutral(), *(self.random(rng) for _ in range(STARTS))])

    def motion_subspace(self, q: NDArray) -> NDArray:
        q1, q2 = self._q(q)
        X = plucker.from_pose(self.second.pose(q2))  # from the first joint's coordinates to those of the second
        S1, S2 = self.first.motion_subspace(q1), self.second.motion_subspace(q2)
        return np.concatenate([X @ S1, S2], axis=1)  # Eq 2.48

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        (q1, q2), (v1, v2) = self._q(q), self._v(v)
        X = plucker.from_pose(self.second.pose(q2))
        carried, own = X @ self.first.velocity(q1, v1), self.second.velocity(q2, v2)
        c1, c2 = self.first.velocity_product(q1, v1), self.second.velocity_product(q2, v2)
        return -crm(own) @ carried + X @ c1 + c2  # Eqs 2.49 to 2.52

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        (q1, q2), (v1, v2) = self._q(q), self._v(v)
        return np.concatenate([self.first.rate(q1, v1), self.second.rate(q2, v2)], axis=-1)

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        (q1, q2), (v1, v2) = self._q(q), self._v(dv)
        return np.concatenate([self.first.integrate(q1, v1), self.second.integrate(q2, v2)], axis=-1)

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        (a0, b0), (a1, b1) = self._q(q0), self._q(q1)
        return np.concatenate([self.first.difference(a0, a1), self.second.difference(b0, b1)], axis=-1)

    def local_rate(self, u: NDArray) -> NDArray:
        u1, u2 = self._v(u)
        A, n = np.zeros((self.nv, self.nv)), self.first.nv
        A[:n, :n], A[n:, n:] = self.first.local_rate(u1), self.second.local_rate(u2)
        return A

    def neutral(self) -> NDArray:
        return np.concatenate([self.first.neutral(), self.second.neutral()])

    def random(self, rng: np.random.Generator) -> NDArray:
        return np.concatenate([self.first.random(rng), self.second.random(rng)])

    def check(self, q: NDArray) -> None:
        super().check(q)
        for joint, own in zip((self.first, self.second), self._q(q), strict=True):
            joint.check(own)

    def stages(self) -> list[Stage] | None:
        one, two = self.first.stages(), self.second.stages()
        if one is None or two is None:
            return None
        count = sum(len(stage.freedoms) for stage in one)
        return [*one, *(Stage(tuple(k + count for k in stage.freedoms), stage.carried) for stage in two)]

    def parts(self, q: NDArray) -> tuple[NDArray, NDArray]:
        q1, q2 = self._q(q)
        (P1, G1), (P2, G2) = self.first.parts(q1), self.second.parts(q2)
        G = np.zeros((P1.shape[1] + P2.shape[1], self.nv))
        G[: P1.shape[1], : self.first.nv], G[P1.shape[1] :, self.first.nv :] = G1, G2
        return np.concatenate([plucker.from_pose(self.second.pose(q2)) @ P1, P2], axis=1), G

    def simplified(self) -> JointType:
        one, two = self.first.simplified(), self.second.simplified()
        if one.is_fixed or two.is_fixed:
            return two if one.is_fixed else one
        return self if (one, two) == (self.first, self.second) else Composite(one, two)

    def pieces(self, traced: Record) -> list[Piece] | None:
        one, two = self.first.pieces(traced), self.second.pieces(traced)
        if one is None or two is None:
            return None
        nq, nv = self.first.nq, self.first.nv
        return [*one, *(replace(piece, q=piece.q + nq, v=piece.v + nv) for piece in two)]

    def parameters(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second}
