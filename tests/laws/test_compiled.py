"""The law of time stepping in the compiled loop over time: the same motion, record, events and report as in Python."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.laws import Compliant, TimeStepping
from rbdkit.simulation import SimulationWarning
from rbdkit.spatial import so3


def balls():
    model = rbd.Model("balls")
    for k in range(3):
        inertia = rbd.Inertia.sphere(0.1, mass=1.0 + k)
        model.add_body(f"ball{k}", joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.5, restitution=0.3)
    model.add_contacts(friction=0.4, restitution=0.5)
    q = np.array(model.neutral()).reshape(3, 7)
    q[:, 4:] = [[0.0, 0.0, 0.2], [0.05, 0.0, 0.45], [0.3, 0.02, 0.11]]
    return model, q.ravel(), np.random.default_rng(0).normal(size=18)


def boxes():
    model = rbd.Model("boxes")
    for k in range(2):
        size = [0.2, 0.3, 0.1 + 0.05 * k]
        model.add_body(f"box{k}", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground(friction=0.6)
    q = np.array(model.neutral()).reshape(2, 7)
    q[:, 4:] = [[0.0, 0.0, 0.18], [0.5, 0.0, 0.075]]
    v = np.zeros(12)
    v[:6], v[9:] = [2.0, 1.0, 0.5, 0.3, 0.0, -1.0], [0.5, 0.2, 0.0]
    return model, q.ravel(), v


def arm():
    model, parent = rbd.Model("arm"), "world"
    for k in range(3):
        inertia, shape = rbd.Inertia.box([0.4, 0.1, 0.1], mass=1.0), rbd.Geometry(rbd.Sphere(0.1), [0.15, 0.0, 0.0])
        at = [0.0, 0.0, 0.35] if k == 0 else [0.3, 0.0, 0.0]
        model.add_body(f"link{k}", parent, rbd.Revolute("y"), at, inertia, shape, damping=0.1)
        parent = f"link{k}"
    inertia, at = rbd.Inertia.sphere(0.1, mass=0.5), [0.0, 0.0, 0.35]
    model.add_body("puck", joint=rbd.Planar(), placement=at, inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.5, height=0.22)
    model.add_contact("link2", "puck", friction=0.2)
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q[-3:], v[-3:] = [0.3, 0.96, 0.03], [5.0, -0.4, 0.1]
    return model, q, v


pytestmark = pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")  # steps are coarse, and the same on both sides
SCENES = {"balls": balls, "boxes": boxes, "arm": arm}


def points_that_push(record):
    """State, pair, point, normal, gap and force of the points with a force that counts."""
    rows = np.column_stack([record.state, record.pair, record.point, record.normal, record.gap, record.force])
    return rows[np.linalg.norm(record.force, axis=1) > 1e-3]


@pytest.mark.parametrize("scene", SCENES)
def test_compiled_and_readable_runs_are_the_same(scene):
    model, q, v = SCENES[scene]()
    law = TimeStepping(sweeps=2000, tol=1e-12)
    runs = [
        rbd.simulate(model, q, v, 0.3, 2e-3, every=3, contact=law, backend=backend, progress=False)
        for backend in ("auto", "book")
    ]
    fast, slow = runs
    assert fast.report.backend.startswith("compiled loop")
    assert slow.report.backend.startswith("contact law in Python")
    assert fast.q == pytest.approx(slow.q, abs=1e-9)
    assert fast.v == pytest.approx(slow.v, abs=1e-8)  # impulses of both end at 1e-12 of velocities of some m/s
    assert [str(event) for event in fast.events] == [str(event) for event in slow.events]
    assert len(fast.events) >= 2
    for name in fast.contacts.names:
        expected = slow.contacts.total_force(name)
        assert fast.contacts.total_force(name) == pytest.approx(expected, abs=1e-4)  # N; impulses by a step of 2 ms
    if scene != "boxes":  # whose corners share a force in many ways
        ours, theirs = (points_that_push(run.contacts) for run in runs)
        assert len(ours) > 20
        assert ours == pytest.approx(theirs, abs=1e-4)
        assert ours[:, :9] == pytest.approx(theirs[:, :9], abs=1e-9)
    assert fast.contacts.lost == pytest.approx(slow.contacts.lost, abs=1e-7)
    mine, its = fast.report.contacts, slow.report.contacts
    assert mine.events == its.events
    assert mine.penetration == pytest.approx(its.penetration, abs=1e-9)
    assert mine.lost_friction == pytest.approx(its.lost_friction, abs=1e-7)


def test_a_body_that_spins_flies_straight_and_a_ball_rolls_at_five_sevenths():
    model = rbd.Model("ball")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.5)
    q, v = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1]), np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    for backend in ("auto", "book"):
        run = rbd.simulate(model, q, v, 0.3, 2e-3, contact="time_stepping", backend=backend, progress=False)
        assert np.linalg.norm(run.v[-1, 3:]) == pytest.approx(5.0 / 7.0, rel=1e-9)
        assert run.q[:, 6] == pytest.approx(0.1, abs=1e-12)
        q_high, v_high = q + [0, 0, 0, 0, 0, 0, 5.0], np.array([9.0, -20.0, 4.0, 1.0, 2.0, 3.0])
        flight = rbd.simulate(model, q_high, v_high, 0.1, 2e-3, backend=backend, progress=False)
        n = np.arange(51)
        expected = q_high[4:] + np.outer(2e-3 * n, v_high[3:]) - np.outer(2e-6 * n * (n + 1), [0.0, 0.0, 9.81])
        assert flight.q[:, 4:] == pytest.approx(expected, abs=1e-12)
        R = so3.exp(v_high[:3] * 0.1)
        assert R @ flight.v[-1, 3:] == pytest.approx(v_high[3:] - [0.0, 0.0, 0.981], abs=1e-9)


def test_forces_that_are_held_sampled_and_computed_act_in_contact():
    model, q, v = arm()
    rng = np.random.default_rng(0)
    held, sampled = rng.normal(size=(60, model.nv)), rng.normal(size=(61, model.nv))
    push = {"link1": [0.0, 1.0, 0.0, 0.5, 0.0, -2.0]}
    for given in ({"tau": held}, {"tau": sampled, "f_ext": push}):
        found = [
            rbd.simulate(model, q, v, 0.12, 2e-3, backend=backend, progress=False, **given)
            for backend in ("auto", "book")
        ]
        assert found[0].report.backend.startswith("compiled loop")
        assert found[0].q == pytest.approx(found[1].q, abs=1e-9)
        assert found[0].contacts.force[-1] == pytest.approx(found[1].contacts.force[-1], abs=1e-4)


def test_what_cannot_be_compiled_runs_in_python_and_says_why():
    model, q, v = arm()
    run = rbd.simulate(model, q, v, 0.01, 2e-3, contact=TimeStepping(solver="pyramid"), progress=False)
    assert "law 'time_stepping' is not compiled with these options" in run.report.backend
    run = rbd.simulate(model, q, v, 0.01, 2e-3, tau=lambda t, q, v: -v, progress=False)
    assert "tau is a Python function" in run.report.backend


LINEAR, NONLINEAR = (1.0, 0.0, 1e4, 60.0), (1.5, 1.5, 3e5, 3e3)  # n, m, K, D
ODD = (1.2, 0.3, 3e4, 300.0)


@pytest.mark.source("F11.16", "F11.18", "F11.19")
@pytest.mark.parametrize(
    ("scene", "patch", "exponents"),
    [
        (boxes, "analytic", LINEAR),
        (boxes, "state", NONLINEAR),
        (arm, "analytic", NONLINEAR),
        (arm, "state", LINEAR),
        (boxes, "analytic", ODD),
        (arm, "state", ODD),
    ],
)
def test_soft_surfaces_move_as_in_python(scene, patch, exponents):
    model, q, v = scene()
    if scene is boxes:
        q[13] += 2e-3  # not just touching: round-off says whether that is a contact
    n, m, stiffness, damping = exponents
    soft = {"tangential_stiffness": 1e4, "tangential_damping": 60.0}
    law = Compliant(stiffness=stiffness, damping=damping, n=n, m=m, patch=patch, **soft)
    integrator = "rk4" if patch == "state" else "heun"
    fast, slow = (
        rbd.simulate(model, q, v, 0.1, 1e-3, every=3, contact=law, backend=backend, integrator=integrator)
        for backend in ("auto", "book")
    )
    assert fast.report.backend.startswith("compiled loop") and slow.report.backend.startswith("contact law in Python")
    for name, tolerance in (("q", 1e-11), ("v", 1e-10), ("z", 1e-11)):
        assert getattr(fast, name) == pytest.approx(getattr(slow, name), abs=tolerance)
    mine, its = fast.contacts, slow.contacts
    assert len(mine.force) > 15 and mine.state.tolist() == its.state.tolist()
    for name in mine.names:
        assert mine.total_force(name) == pytest.approx(its.total_force(name), abs=1e-8)  # N
    assert mine.lost == pytest.approx(its.lost, abs=1e-9) and mine.lost[-1] > 0.05
    assert [str(event) for event in fast.events] == [str(event) for event in slow.events]
    assert fast.report.contacts.penetration == pytest.approx(slow.report.contacts.penetration, abs=1e-11)


def test_neighbours_that_are_kept_for_many_steps_miss_no_contact():
    """Against all pairs of every state: a swarm that falls together, and a fast one that comes from afar."""
    rng = np.random.default_rng(5)
    model, count = rbd.Model("swarm"), 25
    for k in range(count):
        ball = rbd.Inertia.sphere(0.05, mass=1.0)
        model.add_body(f"ball{k}", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.05))
    model.add_ground(friction=0.3)
    model.add_contacts(friction=0.3, restitution=0.5)
    q = np.array(model.neutral()).reshape(count, 7)
    q[:, 4:6], q[:, 6] = rng.uniform(-0.03, 0.03, (count, 2)), 0.1 + 0.11 * np.arange(count)
    v = np.zeros((count, 6))
    q[-1, 4:], v[-1, 3:] = [6.0, 0.0, 0.1], [-20.0, 0.0, 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        run = rbd.simulate(model, q.ravel(), v.ravel(), 0.6, 2e-3, every=5, contact=TimeStepping(sweeps=50))
    assert run.report.backend.startswith("compiled loop") and run.report.stopped == ""
    for k, state in enumerate(run.q):
        place = state.reshape(count, 7)[:, 4:]
        apart = np.linalg.norm(place[:, None] - place, axis=-1)
        pairs = {tuple(sorted(two)) for two in np.argwhere(np.triu(apart < 0.1 - 1e-9, 1)).tolist()}
        listed = {tuple(int(end.removeprefix("ball")) for end in point.name.split("/")) for point in run.contacts.at(k)
                  if not point.name.startswith("ground")}  # fmt: skip
        assert pairs <= listed
        assert np.min(apart + np.eye(count)) > 0.1 - 2e-3  # nothing that was missed is inside another
    assert sum(not event.names[0].startswith("ground") for event in run.events) > 40


@pytest.mark.parametrize("fingers_first", [False, True])
def test_rotors_of_mimic_joints_count_once_for_their_master(fingers_first):
    """A gripper on a free base falls on the ground: the readable form, which looks for what flies freely, as compiled.

    A mimic joint has no velocity of its own, and its rotor turns with the ratio squared.
    """
    model = rbd.Model("gripper")
    part = rbd.Inertia.box((0.1, 0.05, 0.04), mass=0.4)

    def base():
        model.add_body(
            "base", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.2, 0.1), mass=1.0), geometry=rbd.Sphere(0.1)
        )

    def fingers(parent):
        model.add_body("left", parent, rbd.Revolute("y"), (0.1, 0.0, -0.2), part, joint_name="left", armature=0.05)
        follows = rbd.Mimic("left", multiplier=-0.7, offset=0.1)
        model.add_body("right", parent, rbd.Revolute("y"), (-0.1, 0.0, -0.2), part, mimic=follows, armature=0.02)

    if fingers_first:
        fingers("world")
        base()
    else:
        base()
        fingers("base")
    model.add_ground(friction=0.3, restitution=0.2)
    q, v = model.neutral(), 0.3 * np.sin(np.arange(7) + 1.0)
    q[model.joint("base_joint").q_slice.stop - 1] = 0.104
    v[model.joint("base_joint").v_slice.stop - 1] = -1.0
    ends = [
        rbd.simulate(model, q, v, duration=0.05, dt=0.002, contact=law, backend=backend)
        for law, backend in (("time_stepping", "auto"), ("time_stepping", "book"), ("impulse", "auto"))
    ]
    assert "compiled loop" in ends[0].report.backend and ends[0].report.contacts.events
    np.testing.assert_allclose(ends[1].v, ends[0].v, rtol=0, atol=1e-9)  # what sweeps leave
    assert ends[2].report.energy_error < 1e-4
