"""The same models in Pinocchio and, where it is installed, in MuJoCo, with their conventions mapped to ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from rbdkit.algorithms import passive_force
from rbdkit.library import robot_file
from rbdkit.model import Model
from rbdkit.spatial import quaternion

Accelerations = Callable[[NDArray, NDArray, NDArray], NDArray]
"""Of q, v and tau."""
SWAP = np.array([3, 4, 5, 0, 1, 2])


class Pinocchio:
    """Revolute joints and at most a free base. Theirs puts linear parts first, and the quaternion's scalar last."""

    def __init__(self, model: Model) -> None:
        self.model = pin.Model()
        self.model.gravity.linear = model.gravity
        carriers = [0]
        for body in model.bodies[1:]:
            joint = body.joint
            theirs = pin.JointModelFreeFlyer() if joint.nv == 6 else pin.JointModelRevoluteUnaligned(joint.type.axis)
            if joint.nv == 1 and 1.0 in joint.type.axis:
                theirs = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[int(np.argmax(joint.type.axis))]()
            carriers.append(self.model.addJoint(carriers[body.parent], theirs, pin.SE3(joint.placement), joint.name))
            inertia = pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia_com)
            self.model.appendBodyToJoint(carriers[-1], inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.floating = model.nq != model.nv
        self.accelerations: Accelerations = partial(pin.aba, self.model, self.data)
        self.damping: NDArray | None = None

    def q(self, q: NDArray) -> NDArray:
        """Coordinates (..., nq) of ours as theirs."""
        order = [4, 5, 6, 1, 2, 3, 0, *range(7, q.shape[-1])] if self.floating else slice(None)
        return np.ascontiguousarray(q[..., order])

    def v(self, v: NDArray) -> NDArray:
        """Velocities or forces (..., nv) of ours as theirs, and back."""
        order = [*SWAP, *range(6, v.shape[-1])] if self.floating else slice(None)
        return np.ascontiguousarray(v[..., order])


class PinocchioPanda(Pinocchio):
    """A Panda from its URDF file, with the dampers of its joints, which Pinocchio leaves to who calls it.

    One finger follows the other. `pin.aba` refuses that, so H comes from `pin.crba`, the rest from
    `pin.nonLinearEffects`, and NumPy solves. With its fingers locked it is an arm for `pin.aba`, a little less work
    than ours.
    """

    def __init__(self, ours: Model, locked: bool = False) -> None:
        file = str(robot_file("panda"))
        self.floating, n = False, 7 if locked else ours.nv
        drags = [-passive_force(ours, ours.neutral(), v) for v in np.eye(ours.nv)]
        self.damping = np.diag(drags)[:n].copy()
        if locked:
            whole = pin.buildModelFromUrdf(file)
            fingers = [whole.getJointId(f"panda_finger_joint{k}") for k in (1, 2)]
            self.model = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
        else:
            self.model = pin.buildModelFromUrdf(file, True)
        self.data = self.model.createData()
        self.accelerations = partial(pin.aba, self.model, self.data) if locked else self._solved

    def _solved(self, q: NDArray, v: NDArray, tau: NDArray) -> NDArray:
        upper = np.triu(pin.crba(self.model, self.data, q))
        H = upper + np.triu(upper, 1).T
        return np.linalg.solve(H, tau - pin.nonLinearEffects(self.model, self.data, q, v))


def python_loop(peer: Pinocchio, q: NDArray, v: NDArray, dt: float, steps: int) -> NDArray:
    """RK4 without torques over Pinocchio as one writes it in Python; gives our coordinates, (steps + 1, nq)."""
    nq, free, accelerations, damping = peer.model.nq, peer.floating, peer.accelerations, peer.damping
    tau = np.zeros(peer.model.nv)
    x = np.concatenate([peer.q(q), peer.v(v)])
    record = np.empty((steps + 1, len(x)))
    record[0] = x

    def rate(x: NDArray) -> NDArray:
        q, v = x[:nq], x[nq:]
        xdot = np.empty_like(x)
        xdot[nq:] = accelerations(q, v, tau if damping is None else -damping * v)
        if free:
            i, j, k, w = q[3:7]
            a, b, c = 0.5 * v[3:6]
            xdot[:3] = pin.Quaternion(q[3:7]).matrix() @ v[:3]
            xdot[3:7] = w * a + j * c - k * b, w * b + k * a - i * c, w * c + i * b - j * a, -i * a - j * b - k * c
            xdot[7:nq] = v[6:]
        else:
            xdot[:nq] = v
        return xdot

    for n in range(steps):
        k1 = rate(x)
        k2 = rate(x + 0.5 * dt * k1)
        k3 = rate(x + 0.5 * dt * k2)
        k4 = rate(x + dt * k3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if free:
            x[3:7] /= np.sqrt(x[3:7] @ x[3:7])
        record[n + 1] = x
    theirs = record[:, :nq]
    return theirs[:, [6, 3, 4, 5, 0, 1, 2, *range(7, nq)]] if free else theirs


def mujoco() -> ModuleType | None:
    """MuJoCo, if it is installed."""
    try:
        import mujoco
        import mujoco.rollout
    except ImportError:
        return None
    return mujoco


class Mujoco:
    """The same in MuJoCo: no contacts, RK4. Its free joint has the linear velocity in world axes."""

    def __init__(self, library: ModuleType, model: Model, dt: float) -> None:
        self.library = library
        spec = library.MjSpec()
        spec.option.gravity, spec.option.timestep = model.gravity, dt
        spec.option.integrator = library.mjtIntegrator.mjINT_RK4
        disabled = [
            getattr(library.mjtDisableBit, name)
            for name in ("mjDSBL_CONTACT", "mjDSBL_CONSTRAINT", "mjDSBL_LIMIT", "mjDSBL_ACTUATION", "mjDSBL_SENSOR")
        ]
        spec.option.disableflags = sum(int(bit) for bit in disabled)
        carriers: list[Any] = [spec.worldbody]
        for body in model.bodies[1:]:
            joint, I = body.joint, body.inertia
            assert I is not None
            theirs = carriers[body.parent].add_body(
                name=body.name,
                pos=joint.placement[:3, 3],
                quat=quaternion.from_matrix(joint.placement[:3, :3]),
                mass=I.mass,
                ipos=I.com,
                fullinertia=I.inertia_com[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
                explicitinertial=True,
            )
            if joint.nv == 6:
                theirs.add_joint(name=joint.name, type=library.mjtJoint.mjJNT_FREE)
            else:
                theirs.add_joint(name=joint.name, type=library.mjtJoint.mjJNT_HINGE, axis=joint.type.axis)
            carriers.append(theirs)
        self.model = spec.compile()
        self.data = library.MjData(self.model)
        self.floating = model.nq != model.nv

    def state(self, q: NDArray, v: NDArray) -> NDArray:
        """Ours as one of their full states, shape (1, n)."""
        if self.floating:
            q = np.concatenate([q[4:7], q[:4], q[7:]])
            v = np.concatenate([quaternion.to_matrix(q[3:7]) @ v[3:6], v[:3], v[6:]])
        self.data.qpos[:], self.data.qvel[:] = q, v
        full = self.library.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros((1, self.library.mj_stateSize(self.model, full)))
        self.library.mj_getState(self.model, self.data, state[0], full)
        return state
