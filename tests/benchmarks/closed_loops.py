"""Closed loops in joint coordinates against Pinocchio's constraintDynamics and, where it is installed, MuJoCo.

    python tests/benchmarks/closed_loops.py
    python tests/benchmarks/closed_loops.py --busy   by the processor's time, where other programs run besides

First states. Four-bars in a row, a Stewart platform and a delta robot, closed by points in space, which both sides know
as three rows each; of four-bars one of the three says nothing in the plane, for which Pinocchio takes a few proximal
iterations. Accelerations are compared before they are timed. Microseconds a state, medians of interleaved bursts; in
brackets the ratio to Pinocchio: of the compiled code alone, of the public call at one state, and of a stack of 4096
states on one core.

Then a motion: 5 s of a Stewart platform, RK4 at 1 kHz. Pinocchio is stepped by a loop in Python with Baumgarte's terms,
rbdkit by `rbd.simulate`, with its report, and by the loop alone. MuJoCo (``pip install mujoco``) is soft: its steps are
so short, and its constraints so stiff, that its loops open as little as Pinocchio's do; each row says by how much they
opened. Milliseconds.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from peers import mujoco
from timing import machine, race, row

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.integrators import RK4, Projected
from rbdkit.library import delta_robot, n_four_bar, stewart_platform
from rbdkit.model import Model
from rbdkit.spatial import quaternion

STATES, CALLS = 4096, 64
DT, DURATION = 1e-3, 5.0
CLOCK = time.process_time if "--busy" in sys.argv else time.perf_counter
PULL = 100.0
"""Baumgarte's alpha in Pinocchio's loop, 1/s."""


class PinocchioLoops:
    """A model whose loop joints hold points together, in Pinocchio."""

    def __init__(self, model: Model, pull: float = 0.0) -> None:
        self.model = pin.Model()
        self.model.gravity.linear = model.gravity
        carriers = [0]
        for body in model.bodies[1:]:
            joint = body.joint
            match joint.type:
                case rbd.Free():
                    theirs = pin.JointModelFreeFlyer()
                case rbd.Universal():
                    theirs = pin.JointModelUniversal(joint.type.axis1, joint.type.axis2)
                case rbd.Prismatic():
                    theirs = pin.JointModelPrismaticUnaligned(joint.type.axis)
                case _:
                    theirs = pin.JointModelRevoluteUnaligned(joint.type.axis)
            carriers.append(self.model.addJoint(carriers[body.parent], theirs, pin.SE3(joint.placement), joint.name))
            inertia = pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia_com)
            self.model.appendBodyToJoint(carriers[-1], inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.rows, self.found = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in model.loops:
            ends = (loop.predecessor, loop.joint.placement), (loop.successor, loop.successor_placement)
            placed = [part for body, placement in ends for part in (body, pin.SE3(placement))]
            held = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *placed, pin.ReferenceFrame.LOCAL)
            held.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(pull**2, 2.0 * pull))
            self.rows.append(held)
            self.found.append(held.createData())
        self.proximal = pin.ProximalSettings(1e-10, 1e-6, 10)  # accuracy, regularisation, iterations
        pin.initConstraintDynamics(self.model, self.data, self.rows, self.found)

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Of the tree under its constraints."""
        return pin.constraintDynamics(self.model, self.data, q, v, tau, self.rows, self.found, self.proximal)


def compare(label: str, model: Model, q: NDArray, v: NDArray) -> None:
    """Time both at one state."""
    peer, kernels, tau = PinocchioLoops(model), Kernels(model, "llvm"), np.zeros(model.nv)
    theirs = *theirs_of(model, q, v), tau
    expected, found = peer.accelerations(*theirs), rbd.forward_dynamics(model, q, v, tau)
    found_there = theirs_of(model, q, found)[1]
    assert np.abs(found_there - expected).max() < 1e-6 * max(1.0, np.abs(expected).max()), (found_there, expected)
    out = np.zeros(model.nv)
    arrays = {"q": q, "v": v, "tau": tau, "qdd": out}
    code = kernels.bind(Task("forward_dynamics"), arrays, {"states": 1}, 1)
    stack = [np.tile(x, (STATES, 1)) for x in (q, v, tau)]
    times = race({
        "pin": lambda: [peer.accelerations(*theirs) for _ in range(CALLS)],
        "code": lambda: [code() for _ in range(CALLS)],
        "call": lambda: [rbd.forward_dynamics(model, q, v, tau) for _ in range(CALLS)],
    }, 60, 1e6 / CALLS, CLOCK)  # fmt: skip
    times |= race({"stack": lambda: kernels.forward_dynamics(*stack)}, 20, 1e6 / STATES, CLOCK)
    print(row(label, times))


def theirs_of(model: Model, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
    """A state of ours in Pinocchio's order, where the first joint may be a free one."""
    if model.nq == model.nv:
        return q, v
    return np.concatenate([q[4:7], q[1:4], q[:1], q[7:]]), np.concatenate([v[3:6], v[:3], v[6:]])


def moving(model: Model) -> tuple[NDArray, NDArray]:
    """A state of a platform that falls and turns."""
    q, v = rbd.assemble(model), np.zeros(model.nv)
    v[:6] = 0.3, 0.2, 0.1, 0.2, 0.1, 0.5
    return q, rbd.project_velocity(model, q, v)


def python_loop(peer: PinocchioLoops, q: NDArray, v: NDArray, steps: int) -> NDArray:
    """RK4 over Pinocchio as one writes it in Python: coordinates, (steps + 1, nq)."""
    model, tau = peer.model, np.zeros(peer.model.nv)
    record = np.empty((steps + 1, model.nq))
    record[0] = q
    for n in range(steps):
        a1 = peer.accelerations(q, v, tau)
        v2 = v + 0.5 * DT * a1
        a2 = peer.accelerations(pin.integrate(model, q, 0.5 * DT * v), v2, tau)
        v3 = v + 0.5 * DT * a2
        a3 = peer.accelerations(pin.integrate(model, q, 0.5 * DT * v2), v3, tau)
        v4 = v + DT * a3
        a4 = peer.accelerations(pin.integrate(model, q, DT * v3), v4, tau)
        q = pin.integrate(model, q, DT / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4))
        v = v + DT / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        record[n + 1] = q
    return record


class MujocoLoops:
    """A model whose loop joints hold points together, in MuJoCo: soft equality constraints, RK4."""

    def __init__(self, library: ModuleType, model: Model, dt: float) -> None:
        self.library = library
        spec = library.MjSpec()
        spec.option.gravity, spec.option.timestep = model.gravity, dt
        spec.option.integrator = library.mjtIntegrator.mjINT_RK4
        spec.option.disableflags = int(library.mjtDisableBit.mjDSBL_CONTACT)
        types, carriers = library.mjtJoint, [spec.worldbody]
        for body in model.bodies[1:]:
            joint, I = body.joint, body.inertia
            theirs = carriers[body.parent].add_body(
                name=body.name,
                pos=joint.placement[:3, 3],
                quat=quaternion.from_matrix(joint.placement[:3, :3]),
                mass=I.mass,
                ipos=I.com,
                fullinertia=I.inertia_com[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
                explicitinertial=True,
            )
            match joint.type:
                case rbd.Free():
                    theirs.add_joint(type=types.mjJNT_FREE)
                case rbd.Universal():
                    for axis in (joint.type.axis1, joint.type.axis2):
                        theirs.add_joint(type=types.mjJNT_HINGE, axis=axis)
                case _:
                    theirs.add_joint(type=types.mjJNT_SLIDE, axis=joint.type.axis)
            carriers.append(theirs)
        for loop in model.loops:
            ends = (loop.predecessor, loop.joint.placement), (loop.successor, loop.successor_placement)
            sites = [carriers[body].add_site(name=f"{loop.joint.name}{k}", pos=place[:3, 3])
                     for k, (body, place) in enumerate(ends)]  # fmt: skip
            held = spec.add_equality(type=library.mjtEq.mjEQ_CONNECT, objtype=library.mjtObj.mjOBJ_SITE)
            held.name1, held.name2 = sites[0].name, sites[1].name
            held.solref, held.solimp[:3] = [2.0 * dt, 1.0], [0.9999, 0.9999, 1e-3]  # as stiff as it allows
        self.model = spec.compile()
        self.data = library.MjData(self.model)

    def begin(self, q: NDArray, v: NDArray) -> None:
        """Put a state of ours into it; the free joint comes first, its linear velocity in world axes."""
        self.data.qpos[:] = np.concatenate([q[4:7], q[:4], q[7:]])
        self.data.qvel[:] = np.concatenate([quaternion.to_matrix(q[:4]) @ v[3:6], v[:3], v[6:]])

    def run(self, q: NDArray, v: NDArray, steps: int) -> None:
        """Steps in MuJoCo's own loop."""
        self.begin(q, v)
        self.library.mj_step(self.model, self.data, nstep=steps)

    def gap(self, q: NDArray, v: NDArray, steps: int) -> float:
        """The largest distance of points that should be one, m, looked at once every hundred steps."""
        self.begin(q, v)
        largest = 0.0
        for _ in range(steps // 100):
            self.library.mj_step(self.model, self.data, nstep=100)
            held = self.data.efc_pos[: 3 * self.model.neq].reshape(-1, 3)
            largest = max(largest, float(np.linalg.norm(held, axis=1).max()))
        return largest


def motion() -> None:
    """5 s of a Stewart platform that falls and turns."""
    model = stewart_platform()
    steps, tau = round(DURATION / DT), np.zeros(model.nv)
    q, v = moving(model)
    peer, kernels, method = PinocchioLoops(model, PULL), Kernels(model, "llvm"), Projected(RK4())
    theirs = theirs_of(model, q, v)
    times = DT * np.arange(steps + 1)
    gaps = {"rbdkit": gap(model, rbd.simulate(model, q, v, duration=DURATION, dt=DT).q)}
    record = python_loop(peer, *theirs, steps)[:, [6, 3, 4, 5, 0, 1, 2, *range(7, model.nq)]]
    gaps["pin"] = gap(model, record)
    ours = engine.simulate(kernels, q, v, times, method, tau).q
    apart = np.abs(record[:100] - ours[:100]).max()
    assert apart < 1e-6, apart
    timed: dict[str, Any] = {
        "pin in Python": lambda: python_loop(peer, *theirs, steps),
        "simulate": lambda: rbd.simulate(model, q, v, duration=DURATION, dt=DT),
        "loop alone": lambda: engine.simulate(kernels, q, v, times, method, tau),
    }
    library = mujoco()
    if library is None:
        print("MuJoCo is left out: pip install mujoco")
    else:
        for label, dt in (("mujoco, same step", DT), ("mujoco, 10 times finer", DT / 10)):
            other, n = MujocoLoops(library, model, dt), round(DURATION / dt)
            gaps[label] = other.gap(q, v, n)
            timed[label] = lambda other=other, n=n: other.run(q, v, n)
    print(row("Stewart platform", race(timed, 3, 1e3, CLOCK)))
    print("largest distance of points that should be one, m:", {name: float(f"{x:.2g}") for name, x in gaps.items()})


def gap(model: Model, q: NDArray) -> float:
    """The largest distance (m) of points that loop joints should hold together, in states (n, nq)."""
    poses = rbd.forward_kinematics(model, q).poses
    ends = [
        [(poses[:, body] @ place)[:, :3, 3] for body, place in (
            (loop.predecessor, loop.joint.placement), (loop.successor, loop.successor_placement))]
        for loop in model.loops
    ]  # fmt: skip
    return float(max(np.linalg.norm(a - b, axis=1).max() for a, b in ends))


if __name__ == "__main__":
    print(f"{machine()}{', busy: processor time' if CLOCK is time.process_time else ''}")
    for loops in (1, 2, 4, 8):
        compare(f"{loops} four-bars", *n_four_bar(loops, angle=0.4, closing=rbd.Spherical()))
    for platform in (stewart_platform(), delta_robot()):
        compare(platform.name, platform, *moving(platform))
    motion()
