"""A joint whose motion is given as a function of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.joints.joint_type import JointType, Record, VectorJoint, require_joint_type
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage
from rbdkit.spatial.read_numbers import floats, shown, time_in_seconds

Motion = Callable[[float], tuple[NDArray, NDArray, NDArray]]


class Prescribed(VectorJoint):
    """A prescribed (rheonomic) joint: another joint driven along a given motion (Featherstone 2008, Eqs 3.32, 3.41).

    It has no freedom: S is empty, ``v_J = sigma(t)`` and ``c_J`` contains the apparent derivative of sigma.

    Parameters
    ----------
    joint : JointType
        The joint that is driven.
    motion : callable
        Function of time (s) that returns q, v and dv/dt of that joint, shapes (nq,), (nv,), (nv,); v must be the rate
        of q and dv/dt that of v. Numbers will do where the joint has one coordinate. Times in s at which one of them
        jumps or bends stand in its attribute ``breaks``; steps of adaptive integrators end there.

    Raises
    ------
    ModelError
        If `joint` is not a joint type, or `motion` not a function.
    StateError
        When the motion is evaluated, if it does not return three finite vectors of these sizes, q on its manifold.

    Examples
    --------
    A turntable that speeds up with 0.5 rad/s2 has no coordinate of its own; time says where it is:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("turntable")
    >>> turn = rbd.Prescribed(rbd.Revolute("z"), lambda t: (0.25 * t**2, 0.5 * t, 0.5))
    >>> table = model.add_body("table", joint=turn, inertia=rbd.Inertia.cylinder(0.5, 0.1, mass=4.0))
    >>> model.nq, rbd.forward_kinematics(model, [], [], t=2.0).velocity("table").tolist()
    (0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    """

    kind = "prescribed"
    arguments: ClassVar = {"joint": "joint", "motion": "function"}
    nq = nv = 0
    q_names = q_units = ()

    def __init__(self, joint: JointType, motion: Motion) -> None:
        self.joint = require_joint_type(joint, "the joint of a prescribed motion")
        if not callable(motion):
            raise ModelError(f"the motion of a prescribed joint is a function of time, not {shown(motion)}")
        self.motion = motion

    @property
    def is_fixed(self) -> bool:
        return self.joint.is_fixed

    @property
    def is_driven(self) -> bool:
        return not self.joint.is_fixed

    def state(self, t: float) -> tuple[NDArray, NDArray, NDArray]:
        """Return q, v and dv/dt of the driven joint at a time t in s, checked."""
        t = time_in_seconds(t)
        given, what = self.motion(t), f"motion of a prescribed {self.joint.kind} joint at t = {t:g} s"
        if not isinstance(given, tuple | list | np.ndarray):
            raise StateError(f"{what}: {shown(given)} must be a tuple (q, v, dv/dt)")
        state = [
            np.array(floats(part, lambda v: f"{what}: {v} is not an array of numbers", StateError)).reshape(-1)
            for part in given
        ]
        sizes, needed = [len(part) for part in state], [self.joint.nq, self.joint.nv, self.joint.nv]
        if sizes != needed or not all(np.isfinite(part).all() for part in state):
            raise StateError(
                f"prescribed {self.joint.kind} joint: at t = {t:g} s its motion is {[x.tolist() for x in state]}; "
                f"it must be finite q, v and dv/dt of sizes {', '.join(map(str, needed))}"
            )
        q, v, dv = state
        self.joint.check(q)
        return q, v, dv

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        return np.broadcast_to(self.joint.pose(self.state(t)[0]), (*np.shape(q)[:-1], 4, 4))

    def project(self, pose: NDArray) -> NDArray:
        return np.zeros(0)

    def motion_subspace(self, q: NDArray) -> NDArray:
        return np.zeros((6, 0))

    def constraint_subspace(self, q: NDArray) -> NDArray:
        return np.eye(6)

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        at, speed, _ = self.state(t)
        return np.broadcast_to(self.joint.velocity(at, speed), (*np.shape(v)[:-1], 6))

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        at, speed, acceleration = self.state(t)
        return self.joint.motion_subspace(at) @ acceleration + self.joint.velocity_product(at, speed)

    def calc(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        return self.transform(q, t), np.zeros((6, 0)), self.velocity(q, v, t), self.velocity_product(q, v, t)

    def stages(self) -> list[Stage]:
        return [Stage(())]

    def pieces(self, traced: Record) -> list[Piece] | None:
        inner = self.joint.simplified()
        chain = None if isinstance(inner, Prescribed) else inner.pieces(traced)
        if chain is None or any(piece.ratio is not None for piece in chain):
            return None
        return [piece.driven() for piece in chain]

    def parameters(self) -> dict[str, Any]:
        return {"joint": self.joint, "motion": self.motion}
