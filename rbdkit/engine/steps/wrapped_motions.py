"""Joint primitives made from another one: reversed, or prescribed."""

from __future__ import annotations

from rbdkit.engine.steps.recorded_joint import RecordedJoint, Scalars
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Scalar


class ReversedAxes(RecordedJoint):
    """First half of a reversed joint: the freedoms, along axes of the frame it starts from, without a displacement."""

    curved = True
    carried = False

    def __init__(self, motion: RecordedJoint) -> None:
        self.motion = motion
        self.name = f"reversed_{motion.name}_axes"
        self.nq, self.nv, self.numbers, self.varying = motion.nq, motion.nv, motion.numbers, motion.varying

    def axes(self, q: Scalars, numbers: Scalars) -> list[list[Scalar]]:
        # seen from the other side, the joint moves backwards
        return [[-s for s in axis] for axis in self.motion.axes(q, numbers)]

    def velocity_product(self, q: Scalars, v: Scalars, numbers: Scalars) -> list[Scalar]:
        return [-x for x in self.motion.velocity_product(q, v, numbers)]

    def rates(self, q: Scalars) -> list[list[Scalar]]:
        return self.motion.rates(q)

    def move(self, q: Scalars, u: Scalars) -> list[Scalar]:
        return self.motion.move(q, u)

    def difference(self, q0: Scalars, q1: Scalars) -> list[Scalar]:
        return self.motion.difference(q0, q1)

    def local_rate(self, u: Scalars, v: Scalars) -> list[Scalar]:
        return self.motion.local_rate(u, v)

    def local_force(self, u: Scalars, f: Scalars) -> list[Scalar]:
        return self.motion.local_force(u, f)


class ReversedPose(RecordedJoint):
    """Second half of a reversed joint: the inverse displacement, without freedoms."""

    curved = True
    nv = 0

    def __init__(self, motion: RecordedJoint) -> None:
        self.motion = motion
        self.name = f"reversed_{motion.name}_pose"
        self.nq, self.numbers = motion.nq, motion.numbers

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        R, p = self.motion.pose(q, numbers)
        return R.T, -(R.T @ p)


class Driven(RecordedJoint):
    """Prescribed joint: it has no freedoms, but the joint inside has velocities."""

    curved = True
    nv = 0

    def __init__(self, motion: RecordedJoint) -> None:
        self.driver = motion
        self.name = f"driven_{motion.name}"
        self.nq, self.numbers = motion.nq, motion.numbers

    def pose(self, q: Scalars, numbers: Scalars) -> tuple[Matrix, Vector]:
        assert self.driver is not None
        return self.driver.pose(q, numbers)
