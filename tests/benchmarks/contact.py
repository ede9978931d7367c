"""Bodies that touch: the law of time stepping, compiled, against MuJoCo's mj_step, in one run.

    pip install mujoco
    python tests/benchmarks/contact.py

The same bodies, joints, springs, dampers, shapes and friction on both sides, steps of 2 ms, all steps of ours from one
call of `simulate` with the law as it is by default. First they fall and are pushed about, then they come to rest; each
part is run in turns from the same state, and the least time of each side counts. Microseconds of CPU a step, in
brackets the ratio to MuJoCo. What the two solve is not the same: MuJoCo's contacts are soft; ours are rigid, with
Coulomb's law in circular cones. So each side says how deep bodies were in each other at most at the end, and by how
much velocities missed the law of rigid contact, in m/s: ours at most in all steps, MuJoCo's in its last one, of which
it also says how many iterations its solver took. At the end more and more balls fall into boxes that are as full: what
a step costs for each of them, where it has few sweeps at most, and as it is by default.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import mujoco
from timing import machine

import rbdkit as rbd
from rbdkit.laws import TimeStepping
from rbdkit.laws.problem import Problem
from rbdkit.model import Model
from rbdkit.spatial import quaternion

DT, ROUNDS = 2e-3, 3
FRICTION = 0.8
Scene = tuple[Model, NDArray, TimeStepping, int]
"""A model, its coordinates, how it is to be solved, and how many steps are timed."""


def quadruped() -> Scene:
    """A trunk on four legs with three joints each, which springs hold up."""
    model = rbd.Model("quadruped")
    trunk = rbd.Inertia.box([0.4, 0.2, 0.1], mass=6.0)
    model.add_body("trunk", joint=rbd.Free(), inertia=trunk, geometry=rbd.Box([0.4, 0.2, 0.1]))
    held = {"stiffness": 150.0, "damping": 3.0, "armature": 0.01}
    for x in (1, -1):
        for y in (1, -1):
            leg = f"{'front' if x > 0 else 'hind'} {'left' if y > 0 else 'right'}"
            hip, thigh, shank = (f"{leg} {part}" for part in ("hip", "thigh", "shank"))
            ball = rbd.Inertia.sphere(0.04, mass=0.5)
            model.add_body(hip, "trunk", rbd.Revolute("x"), [0.2 * x, 0.1 * y, 0.0], ball, **held)
            bone = rbd.Inertia(0.6, [0.0, 0.0, -0.1], np.diag([2e-3, 2e-3, 2e-4]))
            model.add_body(thigh, hip, rbd.Revolute("y"), [0.0, 0.05 * y, 0.0], bone, rest=0.6, **held)
            bone = rbd.Inertia(0.3, [0.0, 0.0, -0.1], np.diag([1e-3, 1e-3, 1e-4]))
            foot = rbd.Geometry(rbd.Sphere(0.02), [0.0, 0.0, -0.2])
            model.add_body(shank, thigh, rbd.Revolute("y"), [0.0, 0.0, -0.2], bone, foot, rest=-1.2, **held)
    model.add_ground(friction=FRICTION)
    q = np.array(model.neutral())
    q[6], q[7:] = 0.4, np.tile([0.0, 0.6, -1.2], 4)
    return model, q, TimeStepping(), 5000


def humanoid() -> Scene:
    """28 velocities, falling over."""
    model = rbd.Model("humanoid")
    soft = {"stiffness": 5.0, "damping": 2.0, "armature": 0.02}

    def part(name: str, parent: str, axis: str, at: list[float], radius: float, mass: float) -> None:
        ball = rbd.Inertia.sphere(radius, mass=mass)
        model.add_body(name, parent, rbd.Revolute(axis), at, ball, rbd.Sphere(radius), **soft)

    def limb(name: str, parent: str, at: list[float], axes: str, radius: float, length: float, mass: float) -> None:
        for k, axis in enumerate(axes[:-1]):
            knuckle = rbd.Inertia.sphere(0.02, mass=0.1)
            model.add_body(f"{name} {k}", parent, rbd.Revolute(axis), at, knuckle, **soft)
            parent, at = f"{name} {k}", [0.0, 0.0, 0.0]
        across = mass * (length**2 / 12 + radius**2 / 4)
        bone = rbd.Inertia(mass, [0.0, 0.0, -length / 2], np.diag([across, across, mass * radius**2 / 2]))
        shape = rbd.Geometry(rbd.Capsule(radius, length), [0.0, 0.0, -length / 2])
        model.add_body(name, parent, rbd.Revolute(axes[-1]), at, bone, shape, **soft)

    model.add_body("pelvis", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=8.0), geometry=rbd.Sphere(0.1))
    part("waist", "pelvis", "z", [0.0, 0.0, 0.1], 0.05, 1.0)
    part("abdomen", "waist", "y", [0.0, 0.0, 0.05], 0.08, 3.0)
    part("chest", "abdomen", "x", [0.0, 0.0, 0.15], 0.12, 10.0)
    part("head", "chest", "y", [0.0, 0.0, 0.25], 0.09, 4.0)
    for side, y in (("left", 1.0), ("right", -1.0)):
        limb(f"{side} thigh", "pelvis", [0.0, 0.1 * y, -0.05], "xzy", 0.06, 0.34, 5.0)
        limb(f"{side} shin", f"{side} thigh", [0.0, 0.0, -0.4], "y", 0.05, 0.3, 3.0)
        part(f"{side} ankle", f"{side} shin", "x", [0.0, 0.0, -0.38], 0.03, 0.2)
        part(f"{side} foot", f"{side} ankle", "y", [0.0, 0.0, 0.0], 0.05, 1.0)
        limb(f"{side} arm", "chest", [0.0, 0.2 * y, 0.1], "xy", 0.04, 0.26, 2.0)
        limb(f"{side} forearm", f"{side} arm", [0.0, 0.0, -0.3], "y", 0.035, 0.24, 1.5)
    model.add_ground(friction=FRICTION)
    q = np.array(model.neutral())
    q[:7] = np.cos(0.7), 0.0, np.sin(0.7), 0.0, 0.0, 0.0, 0.4
    return model, q, TimeStepping(), 5000


def boxes(n: int = 10) -> Scene:
    """Boxes that fall on the ground side by side."""
    model, size = rbd.Model("boxes"), [0.2] * 3
    for k in range(n):
        model.add_body(f"box{k}", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground(friction=FRICTION)
    q = np.tile(model.neutral()[:7], (n, 1))
    q[:, 4], q[:, 6] = 0.5 * np.arange(n), 0.12
    return model, q.ravel(), TimeStepping(), 5000


def balls(n: int) -> Scene:
    """Balls that fall into a box."""
    model, radius = rbd.Model("balls"), 0.05
    for k in range(n):
        inertia = rbd.Inertia.sphere(radius, mass=1.0)
        model.add_body(f"ball{k}", joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(radius))
    half = 0.035 * np.sqrt(n)
    for k, normal in enumerate([(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]):
        model.add_ground(friction=FRICTION, normal=normal, height=-half if k else 0.0, name=f"wall{k}")
    model.add_contacts(friction=FRICTION)
    side, q = int((2.0 * half - 0.02) / 0.11), np.tile(model.neutral()[:7], (n, 1))
    layer, rest = np.divmod(np.arange(n), side * side)
    grid = np.stack([rest % side, rest // side, layer], axis=1)
    q[:, 4:] = [0.06 - half, 0.06 - half, 0.06] + 0.11 * grid
    q[:, 4:] += np.random.default_rng(0).uniform(-0.004, 0.004, (n, 3))
    return model, q.ravel(), TimeStepping(), 500


def document(model: Model) -> str:
    """The model for MuJoCo: free joints and hinges; spheres, boxes and capsules; planes."""
    between = any(not hasattr(rule, "height") for rule in model.contact_rules)

    def told(x: object) -> str:
        return " ".join(repr(float(a)) for a in np.ravel(x))  # type: ignore[call-overload]

    def placed(T: NDArray) -> str:
        return f'pos="{told(T[:3, 3])}" quat="{told(quaternion.from_matrix(T[:3, :3]))}"'

    def shape(own: rbd.Geometry) -> str:
        match own.shape:
            case rbd.Sphere(radius):
                kind, size = "sphere", [radius]
            case rbd.Box(lengths):
                kind, size = "box", [0.5 * x for x in lengths]
            case rbd.Capsule(radius, length):
                kind, size = "capsule", [radius, 0.5 * length]
        rubs = f'friction="{FRICTION} 0 0" condim="3" contype="1" conaffinity="{int(between)}" mass="0"'
        return f'<geom type="{kind}" size="{told(size)}" {placed(own.placement)} {rubs}/>'

    def joint(own: rbd.Joint) -> str:
        if own.nv == 6:
            return "<freejoint/>"
        numbers = {name: told(getattr(own, name)) for name in ("stiffness", "damping", "armature")}
        numbers |= {"axis": told(own.type.axis), "springref": told(own.rest if own.rest is not None else 0.0)}
        return f'<joint type="hinge" {" ".join(f"{k}={v!r}" for k, v in numbers.items())}/>'.replace("'", '"')

    def tree(parent: int) -> Iterator[str]:
        for body in model.bodies[1:]:
            if body.parent == parent:
                I = body.inertia.inertia_com
                full = told([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
                own = f'<inertial pos="{told(body.inertia.com)}" mass="{body.inertia.mass}" fullinertia="{full}"/>'
                inside = "".join([joint(body.joint), own, *map(shape, body.geometry), *tree(body.index)])
                yield f"<body {placed(body.joint.placement)}>{inside}</body>"

    planes = "".join(
        f'<geom type="plane" size="0 0 1" {placed(rule.placement)} friction="{FRICTION} 0 0" condim="3" contype="0" '
        'conaffinity="1"/>'
        for rule in model.contact_rules
        if hasattr(rule, "height")
    )
    settings = f'<compiler angle="radian" boundmass="0"/><option timestep="{DT}"/>'
    return f"<mujoco>{settings}<worldbody>{planes}{''.join(tree(0))}</worldbody></mujoco>"


def theirs(model: Model, q: NDArray) -> NDArray:
    """Coordinates in MuJoCo's order: positions of free joints before their quaternions."""
    found = q.copy()
    for own in model.joints:
        if own.nq == 7:
            found[own.q_slice] = np.roll(q[own.q_slice], 3)
    return found


def missed(library: Any, spec: Any, data: Any) -> float:
    """By how much the last step missed the law that ours solve, m/s: no approach beyond the gap, Coulomb's friction."""
    count, nv = data.ncon, spec.nv
    J, impulse, allowed = np.zeros((count, 3, nv)), np.zeros((count, 3)), np.zeros((count, 3))
    for k, contact in enumerate(data.contact[:count]):
        frame, force = contact.frame.reshape(3, 3), np.zeros(6)
        for geom, sign in ((contact.geom2, 1.0), (contact.geom1, -1.0)):
            jacobian = np.zeros((3, nv))
            body = spec.geom_bodyid[geom]
            library.mj_jac(spec, data, jacobian, None, contact.pos, body)
            J[k] += sign * frame @ jacobian
        library.mj_contactForce(spec, data, k, force)
        impulse[k], allowed[k, 0] = DT * force[:3], -max(contact.dist, 0.0) / DT
    rows = J.reshape(-1, nv)
    answers = np.zeros_like(rows)
    library.mj_solveM(spec, data, answers, rows)
    W = rows @ answers.T
    b = rows @ data.qvel - allowed.ravel() - W @ impulse.ravel()
    mu = np.array([contact.friction[0] for contact in data.contact[:count]])
    return Problem(W, b, mu, ("",) * count, impulse).residual(impulse)


def seconds(run: Callable[[], object]) -> tuple[float, object]:
    """CPU time of a call, and what it gives."""
    begun = time.process_time()
    found = run()
    return time.process_time() - begun, found


def compare(library: object, label: str, scene: Scene) -> None:
    """Both on the same scene, in turns."""
    model, q, law, steps = scene
    spec = library.MjModel.from_xml_string(document(model))  # type: ignore[attr-defined]
    data = library.MjData(spec)  # type: ignore[attr-defined]
    data.qpos[:] = theirs(model, q)
    v = np.zeros(model.nv)

    def ours() -> rbd.Trajectory:
        return rbd.simulate(model, q, v, steps * DT, DT, every=steps, contact=law, progress=False)

    def peer() -> None:
        library.mj_setState(spec, data, begun, whole)  # type: ignore[attr-defined]
        for _ in range(steps):
            library.mj_step(spec, data)  # type: ignore[attr-defined]

    whole = int(library.mjtState.mjSTATE_INTEGRATION)  # type: ignore[attr-defined]
    begun = np.zeros(library.mj_stateSize(spec, whole))  # type: ignore[attr-defined]
    rbd.simulate(model, q, v, 2 * DT, DT, every=2, contact=law, progress=False)  # compiled once
    for phase in ["moving", "settling", "at rest"]:
        library.mj_getState(spec, data, begun, whole)  # type: ignore[attr-defined]
        base, spent = np.inf, np.inf
        for _ in range(ROUNDS):
            base = min(base, seconds(peer)[0])
            own, motion = seconds(ours)
            spent = min(spent, own)
        q, v = motion.q[-1], motion.v[-1]  # type: ignore[attr-defined]
        assert motion.report.backend.startswith("compiled loop"), motion.report.backend  # type: ignore[attr-defined]
        told = motion.report.contacts  # type: ignore[attr-defined]
        ours_deep = max(-motion.contacts.least_gap()[-1], 0.0)  # type: ignore[attr-defined]
        deep = max([0.0, *(-contact.dist for contact in data.contact[: data.ncon])])
        points = len(motion.contacts.at(-1))  # type: ignore[attr-defined]
        solved = f"{int(data.solver_niter[0])} iterations, misses {missed(library, spec, data):.1e} m/s"
        print(
            f"{label:<10} {phase:<8} mujoco {1e6 * base / steps:>8.1f} ({deep:.1e} m deep, {data.ncon} contacts, "
            f"{solved})   rbdkit {1e6 * spent / steps:>7.1f} [{base / spent:.2f}x] "
            f"({ours_deep:.1e} m deep, {points} contacts, misses {told.residual:.1e} m/s, most sweeps {told.rounds})",
            flush=True,
        )


def share(n: int, law: TimeStepping) -> float:
    """Microseconds of CPU that a step costs for each of n balls that fall as they do among any number of them."""
    model, q, _, steps = balls(n)
    v = np.zeros(model.nv)

    def ours() -> rbd.Trajectory:
        return rbd.simulate(model, q, v, steps * DT, DT, every=steps, contact=law, progress=False)

    ours()
    return 1e6 * min(seconds(ours)[0] for _ in range(ROUNDS)) / (steps * n)


if __name__ == "__main__":
    library = mujoco()
    if library is None:
        sys.exit("MuJoCo is what this compares with, and it is not installed: pip install mujoco")
    warnings.simplefilter("ignore", rbd.simulation.SimulationWarning)  # on energy of steps of 2 ms
    print(machine())
    for label, scene in (
        ("quadruped", quadruped()),
        ("humanoid", humanoid()),
        ("10 boxes", boxes()),
        ("100 balls", balls(100)),
        ("200 balls", balls(200)),
    ):
        compare(library, label, scene)
    for n in (100, 200, 400, 800):
        few, all_ = (share(n, TimeStepping(**options)) for options in ({"sweeps": 20}, {}))
        print(f"{n} balls: a step {few:.2f} us for each in 20 sweeps at most, {all_:.2f} us to the end", flush=True)
