"""Contacts in the compiled loop over time: against closed forms, the dense readable solver, and the laws themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit.algorithms.solvers import FrictionProblem, gauss_seidel
from rbdkit.engine import Kernels, scene_for, simulate
from rbdkit.engine.contact import diary
from rbdkit.engine.contact.scene import Scene
from rbdkit.engine.contact.time_steps import TimeSteps
from rbdkit.engine.run.compiled_programs import loop_code
from rbdkit.trace import Run

G = 9.81
H = 2e-3


@dataclass(frozen=True)
class Points:
    """The log of a run, entry by entry."""

    step: NDArray
    pair: NDArray
    gap: NDArray
    point: NDArray
    normal: NDArray
    force: NDArray


def points(run: Run, scene: Scene) -> Points:
    assert run.log is not None
    log = run.log[run.log[:, 1] >= 0.0]
    step, slot = log[:, :2].astype(int).T
    sense = scene.sense[slot][:, None]
    gap, point, normal, force = np.split(log[:, 2:12], [1, 4, 7], axis=1)
    return Points(step, scene.pair[slot], gap[:, 0], point, sense * normal, sense * force)


def run_of(
    model: rbd.Model,
    q: NDArray,
    v: NDArray,
    steps: int,
    method: TimeSteps | None = None,
    tau: NDArray | None = None,
    backend: Any = "llvm",
    every: int = 1,
    h: float = H,
) -> tuple[Run, Scene]:
    scene, why = scene_for(model)
    assert scene is not None, why
    tau = np.zeros(model.nv) if tau is None else tau
    times = h * np.arange(steps + 1)
    kernels = Kernels(model, backend)
    return simulate(kernels, q, v, times, method or TimeSteps(), tau, every=every, scene=scene), scene


def ball(radius: float = 0.1, mass: float = 1.0, **ground: float) -> rbd.Model:
    model = rbd.Model("ball")
    inertia, shape = rbd.Inertia.sphere(radius, mass=mass), rbd.Sphere(radius)
    model.add_body("ball", joint=rbd.Free(), inertia=inertia, geometry=shape)
    model.add_ground(**ground)
    return model


def at(*p: float) -> NDArray:
    return np.array([1.0, 0.0, 0.0, 0.0, *p])


def arms_and_balls() -> rbd.Model:
    """Two branches with several joints, one of which may touch itself, and two free bodies."""
    model = rbd.Model("arms and balls")
    for k, side in enumerate((-1.0, 1.0)):
        parent = "world"
        for j in range(3):
            inertia = rbd.Inertia.box([0.4, 0.1, 0.2], mass=1.0 + j)
            at_joint = [0.0, 0.3 * side, 0.5] if j == 0 else [0.4, 0.0, 0.0]
            axis = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.2])[j]
            name = f"arm{k}{j}"
            shape = rbd.Geometry(rbd.Sphere(0.11), placement=[0.2, 0.0, 0.0])
            joint = rbd.Revolute(np.array(axis) / np.linalg.norm(axis))
            model.add_body(name, parent, joint, at_joint, inertia, shape, damping=0.05, armature=0.01)
            parent = name
    for k in range(2):
        inertia = rbd.Inertia(1.0, [0.01, 0.0, 0.02], np.diag([0.004, 0.005, 0.006]))
        model.add_body(f"ball{k}", joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(0.12))
    model.add_ground(friction=0.5)
    model.add_contacts(friction=0.4)
    return model


def crowded(model: rbd.Model, seed: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(seed)
    q = model.random_q(rng)
    q[-14:] = [*at(0.3, 0.0, 0.12), *at(0.32, 0.05, 0.35)]
    return q, rng.normal(size=model.nv)


def test_a_ball_at_rest_weighs_what_it_weighs():
    run, scene = run_of(ball(mass=2.0), at(0.0, 0.0, 0.3), np.zeros(6), 400)
    assert run.q[-1] == pytest.approx(at(0.0, 0.0, 0.1), abs=1e-15)
    assert np.abs(run.v[-1]).max() < 1e-15
    last = points(run, scene)
    assert last.step[-1] == 399
    assert last.force[-1] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-12)
    assert last.normal[-1].tolist() == [0.0, 0.0, 1.0] and last.gap[-1] == pytest.approx(0.0, abs=1e-15)


def test_it_falls_freely_until_it_lands():
    """Semi-implicit Euler of free fall is a sum of whole numbers; no contact acts before the gap closes."""
    run, scene = run_of(ball(), at(0.0, 0.0, 0.3), np.zeros(6), 100)
    n = np.arange(101)
    assert run.q[:, 6] == pytest.approx(0.3 - G * H * H * n * (n + 1) / 2, abs=1e-14)
    assert len(points(run, scene).step) == 0


@pytest.mark.parametrize("h", [2e-3, 5e-3])
def test_a_ball_that_slides_rolls_at_five_sevenths(h):
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    run, _ = run_of(ball(friction=0.5), at(0.0, 0.0, 0.1), v, int(1.0 / h), h=h)
    assert run.v[-1, 1] == pytest.approx(5.0 / 7.0 / 0.1, rel=1e-12)
    assert np.linalg.norm(run.v[-1, 3:]) == pytest.approx(5.0 / 7.0, rel=1e-12)
    assert run.q[:, 6] == pytest.approx(0.1, abs=1e-13)  # the centre goes on a straight line
    assert run.account[7] == pytest.approx(0.5 * (1.0 - 5.0 / 7.0), rel=1e-10)  # what friction took


@pytest.mark.parametrize(("tangent", "slips"), [(0.4, False), (0.6, True)])
def test_a_block_on_a_slope_slips_beyond_the_angle_of_friction(tangent, slips):
    angle, mu = np.arctan(tangent), 0.5
    model = rbd.Model("block", gravity=[G * np.sin(angle), 0.0, -G * np.cos(angle)])
    size = [0.2, 0.2, 0.1]
    model.add_body("block", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground(friction=mu)
    run, _ = run_of(model, at(0.0, 0.0, 0.05), np.zeros(6), 500)
    expected = G * (np.sin(angle) - mu * np.cos(angle)) if slips else 0.0
    assert run.v[-1, 3] == pytest.approx(expected, abs=1e-9)  # 1 s; sweeps end at 1e-10 of a velocity
    assert np.abs(run.v[-1, :3]).max() < 1e-9


def test_restitution_gives_back_its_part_at_every_bounce():
    run, _ = run_of(ball(restitution=0.8), at(0.0, 0.0, 0.5), np.zeros(6), 500)
    u = run.v[:, 5]
    bounces = np.flatnonzero((u[1:] > 0.1) & (u[:-1] < 0.0))
    assert len(bounces) >= 2
    assert u[bounces + 1] == pytest.approx(-0.8 * u[bounces], rel=1e-12)
    assert run.q[:, 6].min() > 0.1 - 1e-12


def test_equal_balls_exchange_their_velocities():
    model = rbd.Model("two", gravity=[0.0, 0.0, 0.0])
    for name in ("a", "b"):
        inertia = rbd.Inertia.sphere(0.1, mass=1.0)
        model.add_body(name, joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_contact("a", "b", restitution=1.0)
    v = np.zeros(12)
    v[3] = 1.0
    run, scene = run_of(model, np.concatenate([at(0, 0, 0), at(0.3, 0, 0)]), v, 100)
    assert run.v[-1] == pytest.approx(np.roll(v, 6), abs=1e-13)
    found = points(run, scene)
    assert found.normal == pytest.approx(np.array([[1.0, 0.0, 0.0]]), abs=1e-15)
    assert found.force * H == pytest.approx(np.array([[1.0, 0.0, 0.0]]), abs=1e-13)  # on b


def gyroscopic(I: NDArray, w: NDArray) -> NDArray:
    """What the midpoint rule, linearised at w, has more than Euler's step, for a body about its centre of mass."""
    slope = rbd.spatial.so3.skew(w) @ I - rbd.spatial.so3.skew(I @ w)
    push = -H * np.cross(w, I @ w)
    return np.linalg.solve(I + 0.5 * H * slope, push) - np.linalg.solve(I, push)


@pytest.mark.parametrize("seed", range(4))
def test_a_step_is_that_of_the_readable_solver(seed):
    """One step on trees: J from the model's own contacts and Jacobians, H dense, sweeps of dense matrices."""
    model = arms_and_balls()
    q, v = crowded(model, seed)
    method = TimeSteps(sweeps=5000, tol=1e-14, recovery=0.0)
    run, scene = run_of(model, q, v, 1, method)
    damping = np.concatenate([np.ravel(joint.damping) for joint in model.joints[1:]])
    bias = rbd.rnea(model, q, v, np.zeros(model.nv)) + damping * v
    v_free = v - H * np.linalg.solve(rbd.crba(model, q), bias)
    for body, joint in [*enumerate(model.joints)][-2:]:  # free bodies: as seen in axes that stand still over the step
        w, linear = np.split(v[joint.v_slice], 2)
        com = model.bodies[body].inertia.com
        v_free[joint.v_slice.start + 3 : joint.v_slice.stop] += H * np.cross(w, linear + np.cross(w, com))
        c = rbd.spatial.so3.skew(model.bodies[body].inertia.com)  # of 1 kg
        more = gyroscopic(model.I[body][:3, :3] - c @ c.T, w)
        v_free[joint.v_slice] += np.concatenate([more, c @ more])  # the centre of mass goes on as it was
    near = rbd.contacts(model, q, margin=0.0)
    assert len(near) >= 2 and len({(own.predecessor, own.successor) for own in near}) >= 2
    N, T = [], []
    for own in near:
        n = own.normal
        across = np.linalg.svd(n[None])[2][1:]
        rows = np.zeros((6, model.nv))
        for body, sign in ((own.successor, 1.0), (own.predecessor, -1.0)):
            rows += sign * (rbd.jacobian(model, q, body, reference="world") if body != "world" else 0.0)
        at_point = rows[3:] + np.cross(rows[:3].T, own.point).T
        N.append(n @ at_point)
        T.append(across @ at_point)
    mu = [model.contact_pairs[own.pair].material.friction for own in near]
    problem = FrictionProblem(rbd.crba(model, q), v_free, np.array(N).T, np.moveaxis(np.array(T), -1, 0), mu)
    expected = gauss_seidel(problem, tol=1e-14, most=20000)
    found = run.v[-1].copy()
    for body, joint in [*enumerate(model.joints)][-2:]:  # told along the axes before the step, of the centre of mass
        w, linear = np.split(found[joint.v_slice], 2)
        arm = np.cross(w, model.bodies[body].inertia.com)
        found[joint.v_slice.start + 3 : joint.v_slice.stop] = rbd.spatial.so3.exp(H * w) @ (linear + arm) - arm
    assert found == pytest.approx(expected.v, abs=1e-11)  # sweeps of both end at 1e-14 of velocities of some m/s
    entries = points(run, scene)
    normal = np.einsum("ij,ij->i", entries.force, entries.normal) * H
    own = {(own.pair, round(own.point[0], 9)): a for own, a in zip(near, expected.alpha, strict=True) if a > 0}
    for pair, point, impulse in zip(entries.pair, entries.point, normal, strict=True):
        if impulse > 1e-9:
            assert impulse == pytest.approx(own[pair, round(point[0], 9)], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("backend", "tied"), [("python", False), ("wasm", False), ("wasm", True)])
def test_all_backends_do_the_same(backend, tied, host, monkeypatch):
    model = arms_and_balls()
    if tied:  # the two arms, which are branches else
        model.add_constraint("belt", rbd.Tie("arm10_joint", "arm00_joint", ratio=-1.0))
    q, v = crowded(model, 1)
    expected, scene = run_of(model, q, v, 5)
    if backend == "wasm":
        monkeypatch.setattr("rbdkit.engine.run.compiled_programs.executable", lambda program, _: host.code(program))
        loop_code.cache_clear()
    try:
        found, _ = run_of(model, q, v, 5, backend=backend)
    finally:
        if backend == "wasm":
            loop_code.cache_clear()
    assert found.q == pytest.approx(expected.q, abs=1e-11)  # sums are rounded in another order
    assert found.v == pytest.approx(expected.v, abs=1e-8)
    ours, theirs = points(found, scene), points(expected, scene)
    assert np.array_equal(ours.step, theirs.step) and np.array_equal(ours.pair, theirs.pair)
    assert ours.force == pytest.approx(theirs.force, abs=1e-5)  # impulse by step


def test_a_log_that_is_full_is_taken_and_the_run_goes_on(monkeypatch):
    model = arms_and_balls()
    q, v = crowded(model, 2)
    whole, scene = run_of(model, q, v, 150)
    monkeypatch.setattr(diary, "LOG_ROOM", 1)  # so it has room for one step
    parts, _ = run_of(model, q, v, 150)
    assert np.array_equal(whole.q, parts.q) and np.array_equal(whole.v, parts.v)
    assert np.array_equal(whole.log, parts.log)
    assert whole.log is not None and len(whole.log) > 3 * scene.room
    some, _ = run_of(model, q, v, 150, every=7)
    assert some.log is not None
    event = whole.log[:, 1] <= diary.IMPACT
    assert np.array_equal(some.log, whole.log[(whole.log[:, 0] % 7 == 0) | event])


def test_where_there_is_no_room_for_a_contact_the_run_ends(monkeypatch):
    monkeypatch.setattr("rbdkit.engine.contact.scene.SPARE", 2)
    monkeypatch.setattr("rbdkit.engine.contact.scene.CONTACTS_EACH", 0)
    model = rbd.Model("block")
    size = [0.2, 0.2, 0.1]
    model.add_body("block", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground()
    run, scene = run_of(model, at(0.0, 0.0, 0.06), np.zeros(6), 200)
    assert scene.room == 2 and run.ran_away and run.account[5] == 1.0
    assert 0 < run.steps < 60


def test_bodies_that_overlap_are_led_out_and_gain_no_speed():
    run, _ = run_of(ball(), at(0.0, 0.0, 0.09), np.zeros(6), 200)
    gap = 0.1 - run.q[:, 6]
    assert gap[:-1] * 0.8 == pytest.approx(gap[1:], abs=1e-11)  # a fifth of it goes in a step
    assert np.abs(run.v).max() < 1e-12


def test_a_spinning_body_flies_straight():
    model = rbd.Model("stone", gravity=[0.0, 0.0, 0.0])
    model.add_body("stone", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    model.add_body("hoop", joint=rbd.Planar(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    model.add_contact("stone", "hoop")
    v = np.array([3.0, -20.0, 7.0, 1.0, 2.0, -1.0, 30.0, 0.5, -1.0])
    q = np.concatenate([at(0.0, 0.0, 5.0), [0.0, 0.0, 0.0]])
    run, _ = run_of(model, q, v, 500)
    t = H * np.arange(501)[:, None]
    assert run.q[:, 4:7] == pytest.approx([0.0, 0.0, 5.0] + t * v[3:6], abs=1e-12)
    assert run.q[:, 8:10] == pytest.approx(t * v[7:], abs=1e-12)
    assert run.q[-1, 7] == pytest.approx(30.0)


def test_events_tell_what_a_thrown_ball_does():
    """It lands, slides until it rolls, rolls against a wall, and is stopped there, but goes on spinning."""
    model = ball(friction=0.5)
    model.add_ground(friction=0.0, normal=[-1.0, 0.0, 0.0], height=-1.0, name="wall")
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    run, scene = run_of(model, at(0.0, 0.0, 0.105), v, 1000)
    assert run.log is not None
    names = [pair.name for pair in model.contact_pairs]
    kinds = {diary.IMPACT: "impact", diary.GAIN: "gain", diary.SLIP: "slip", diary.STICK: "stick", diary.LOSS: "loss"}
    events = run.log[run.log[:, 1] <= diary.IMPACT]
    told = [(kinds[int(kind)], names[scene.pair[int(slot)]]) for _, kind, slot in events[:, :3]]
    on_ground = [(kind, "ground/ball") for kind in ("impact", "stick", "slip")]
    assert told[:4] == [*on_ground, ("impact", "wall/ball")]
    down, roll, spin, stop = events[:4]
    assert spin[0] == stop[0]
    assert down[0] * H == pytest.approx(np.sqrt(2.0 * 0.005 / G), abs=2.0 * H)
    found = points(run, scene)
    blow = H * np.array([found.force[found.step == down[0] + k, 2].sum() for k in range(2)])
    assert down[3] == pytest.approx(blow[0], rel=1e-12)  # what is left of the gap is gone through in the first step
    assert blow.sum() == pytest.approx(np.sqrt(2.0 * 0.005 * G), abs=2.0 * G * H)  # of 1 kg; two steps of the fall
    slowed = 0.5 * blow.sum()  # the blow rubs, too
    assert (roll[0] - down[0]) * H == pytest.approx((1.0 - 5.0 / 7.0 - slowed) / (0.5 * G), abs=2.0 * H)
    pushed = found.force[(found.step <= stop[0] + 3) & (np.abs(found.normal[:, 0]) > 0.5), 0].sum() * H
    assert pushed == pytest.approx(-5.0 / 7.0, abs=5.0 * 0.5 * G * H)  # and friction on the ground


def test_work_of_contacts_is_what_energy_lost():
    """Two balls thrown at each other over the ground: what is missing is what the log says, to first order."""
    model = rbd.Model("balls")
    for name in ("a", "b"):
        inertia = rbd.Inertia.sphere(0.1, mass=1.0)
        model.add_body(name, joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.3)
    model.add_contact("a", "b", friction=0.5, restitution=0.5)
    q = np.concatenate([at(0.0, 0.0, 0.15), at(0.5, 0.03, 0.16)])
    v = np.array([5.0, 0.0, 3.0, 2.0, 0.0, 0.0, 0.0, -4.0, 0.0, -1.0, 0.2, 0.0])
    run, _ = run_of(model, q, v, 5000, every=1000, h=1e-4)
    assert run.log is not None
    entries = run.log[run.log[:, 1] == diary.ENERGY]
    lost = np.vstack([entries[:, 2:4], run.account[6:8]])
    assert entries[:, 0].tolist() == [0, 1000, 2000, 3000, 4000]
    energy = np.array([rbd.energy(model, *state).total for state in zip(run.q, run.v, strict=True)])
    assert energy[0] - energy == pytest.approx(lost.sum(axis=1), abs=2e-3 * (energy[0] - energy[-1]))
    assert (np.diff(lost[:, 1]) >= 0.0).all() and lost[-1].min() > 0.1


def test_what_is_not_compiled_is_said():
    model = rbd.Model("cans")
    for name in ("a", "b"):
        inertia = rbd.Inertia.cylinder(0.05, 0.2, mass=1.0)
        model.add_body(name, joint=rbd.Free(), inertia=inertia, geometry=rbd.Cylinder(0.05, 0.2))
    model.add_contact("a", "b")
    scene, why = scene_for(model)
    assert scene is None and why == "no closed form says where 'a/b' touch"
    turning = ball()
    turning.add_body("table", joint=rbd.Prescribed(rbd.Revolute("z"), lambda t: ([t], [1.0], [0.0])))
    scene, why = scene_for(turning)
    assert scene is None and "joints move as time says" in why
