"""Contacts beside loops, constraints and joints that follow others, in the compiled loop over time."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.constraints import Tie
from rbdkit.formulations import JointSystem
from rbdkit.laws import TimeStepping

LAW = TimeStepping(sweeps=3000, tol=1e-12)
ROD = rbd.Inertia(0.5, [0.0, 0.0, 0.1], np.diag([2e-3, 2e-3, 2e-4]))
TILTED = [np.cos(1.4), 0.96 * np.sin(1.4), 0.28 * np.sin(1.4), 0.0, 0.0, 0.0, 0.3]


def box_on_rods(friction):
    """A free box, upside down, with the shape of the ends of two rods."""
    model, size = rbd.Model("linkage"), [0.4, 0.1, 0.1]
    model.add_body("base", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=2.0), geometry=rbd.Box(size))
    model.add_ground(friction=friction)
    return model, rbd.Geometry(rbd.Sphere(0.03), [0.0, 0.0, 0.2])


def four_bar(friction):
    model, foot = box_on_rods(friction)
    model.add_body("a", "base", rbd.Revolute("y"), [-0.2, 0.0, 0.0], ROD, foot, damping=0.02)
    model.add_body("b", "base", rbd.Revolute("y"), [0.2, 0.0, 0.0], ROD, foot)
    bar = rbd.Inertia(0.8, [0.2, 0.0, 0.0], np.diag([2e-4, 1e-2, 1e-2]))
    model.add_body("c", "a", rbd.Revolute("y"), [0.0, 0.0, 0.2], bar)
    model.add_loop("closing", "c", "b", rbd.Revolute("y"), [0.4, 0.0, 0.0], [0.0, 0.0, 0.2])
    ball = rbd.Inertia.sphere(0.1, mass=0.7)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.1))
    model.add_contact("base", "ball", friction=friction)
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q[:7], q[-7:] = TILTED, [1.0, 0.0, 0.0, 0.0, -0.1, 0.02, 0.5]
    v[:9] = [0.3, 0.2, 0.1, 0.2, 0.1, 1.0, 2.0, 2.0, -2.0]
    return model, q, v


def geared(friction, tied):
    """Two rods, the second of which turns -1.5 times as far, by a joint that follows or by a constraint."""
    model, foot = box_on_rods(friction)
    model.add_body("a", "base", rbd.Revolute("y"), [-0.2, 0.0, 0.0], ROD, foot, damping=0.02)
    mimic = None if tied else rbd.Mimic("a_joint", -1.5, 0.1)
    model.add_body("b", "base", rbd.Revolute("y"), [0.2, 0.0, 0.0], ROD, foot, mimic=mimic)
    if tied:
        model.add_constraint("gears", Tie("b_joint", "a_joint", ratio=-1.5, offset=0.1))
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q[:7], v[:7] = TILTED, [0.3, 0.2, 0.1, 0.2, 0.1, 1.0, 2.0]
    if tied:
        q[8], v[7] = 0.1 - 1.5 * q[7], -1.5 * v[6]
    return model, q, v


def runs(model, q, v, duration, backends=("auto", "book")):
    return [
        rbd.simulate(model, q, v, duration, 2e-3, contact=LAW, backend=backend, progress=False) for backend in backends
    ]


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")  # steps are coarse, and the same on both sides
@pytest.mark.parametrize("friction", [0.05])  # with more of it, there are several answers
def test_loops_and_contacts_move_as_in_python(friction):
    model, q, v = four_bar(friction)
    fast, slow = runs(model, q, v, 0.16)
    assert fast.report.backend.startswith("compiled loop")
    assert slow.report.backend.startswith("contact law in Python")
    assert len(fast.events) >= 2
    assert {name for event in fast.events for name in event.names} >= {"ground/a", "ground/b"}
    assert fast.q == pytest.approx(slow.q, abs=1e-8)
    assert fast.v == pytest.approx(slow.v, abs=1e-7)  # impulses of both end at 1e-12 of velocities of some m/s
    system = JointSystem(model)
    for state in fast.q[::20]:
        assert np.abs(system.constraint_error(state)).max() < 1e-12


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")
def test_a_joint_that_follows_touches_like_one_that_a_constraint_ties():
    """One has fewer velocities, the other rows that reactions obey: two ways that share no code but contacts."""
    follows, ties = (rbd.simulate(*geared(0.3, tied), 0.3, 2e-3, contact=LAW, progress=False) for tied in (False, True))
    for run in (follows, ties):
        assert run.report.backend.startswith("compiled loop")
    assert len(follows.events) >= 3
    assert ties.q[:, :8] == pytest.approx(follows.q, abs=1e-9)
    assert ties.q[:, 8] == pytest.approx(0.1 - 1.5 * ties.q[:, 7], abs=1e-12)
    assert ties.v[:, :7] == pytest.approx(follows.v, abs=1e-8)
    for name in follows.contacts.names:
        assert ties.contacts.total_force(name) == pytest.approx(follows.contacts.total_force(name), abs=1e-4)


@pytest.mark.parametrize(("boxes", "tol"), [(3, 1e-10), (4, 1e-6), (37, 1e-6), (38, 1e-3)])
def test_by_default_sweeps_over_many_points_end_sooner(boxes, tol):
    """Boxes that slide on four corners each; what is asked for holds for any number of points."""
    model, size = rbd.Model("boxes"), [0.2, 0.2, 0.1]
    for k in range(boxes):
        inertia = rbd.Inertia.box(size, mass=1.0)
        model.add_body(f"box{k}", joint=rbd.Free(), inertia=inertia, geometry=rbd.Box(size))
    model.add_ground(friction=0.3)
    q, v = np.tile(model.neutral()[:7], (boxes, 1)), np.zeros((boxes, 6))
    q[:, 4], q[:, 6], v[:, 2], v[:, 3] = 0.5 * np.arange(boxes), 0.05, 2.0, 1.0
    runs = [
        rbd.simulate(model, q.ravel(), v.ravel(), 0.02, 2e-3, contact=TimeStepping(**given), progress=False)
        for given in ({}, *({"tol": x} for x in (1e-10, 1e-6, 1e-3)))
    ]
    by_default, *others = runs
    assert by_default.report.backend.startswith("compiled loop")
    assert len(by_default.contacts.at(-1)) == 4 * boxes
    same = [np.array_equal(by_default.v, run.v) for run in others]
    assert same == [x == tol for x in (1e-10, 1e-6, 1e-3)]
    fine, _, coarse = (run.report.contacts for run in others)
    assert fine.rounds > coarse.rounds
    assert fine.residual < 1e-9 < coarse.residual < 1e-3


class Height(rbd.ConstraintElement):
    """A body that is lifted as time says."""

    body: str
    size: float
    rate: float

    def gap(self, at):
        return at.position(self.body)[2] - self.size * np.sin(self.rate * at.time)


def lift(moved):
    """A plate that goes up and down by 5 cm, as a constraint or a loop joint says, with a ball on it."""
    model, size = rbd.Model("lift"), [0.6, 0.6, 0.1]
    inertia = rbd.Inertia.box(size, mass=3.0)
    model.add_body("plate", joint=rbd.Prismatic("z"), inertia=inertia, geometry=rbd.Box(size))
    ball = rbd.Inertia.sphere(0.1, mass=0.7)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.1))
    model.add_contact("plate", "ball", friction=0.4)
    if moved == "constraint":
        model.add_constraint("height", Height("plate", 0.05, 6.0))
    else:
        path = rbd.Prescribed(
            rbd.Prismatic("z"),
            lambda t: (0.05 * np.sin(6.0 * t), 0.3 * np.cos(6.0 * t), -1.8 * np.sin(6.0 * t)),
        )
        model.add_loop("ram", "world", "plate", path)
    q, v = np.array(model.neutral()), np.zeros(model.nv)
    q[-1], v[0], v[-3:], v[-5] = 0.15, 0.3, [0.2, 0.0, 0.3], 1.0
    return model, q, v


@pytest.mark.parametrize("moved", ["constraint", "loop joint"])
def test_a_lift_that_time_moves_carries_a_ball(moved):
    model, q, v = lift(moved)
    fast, slow = runs(model, q, v, 0.6)
    assert fast.report.backend.startswith("compiled loop"), fast.report.backend
    assert slow.report.backend.startswith("contact law in Python")
    assert fast.q == pytest.approx(slow.q, abs=1e-9)
    assert fast.v == pytest.approx(slow.v, abs=1e-8)
    height = 0.05 * np.sin(6.0 * fast.t)
    assert fast.q[:, 0] == pytest.approx(height, abs=1e-13)  # every step ends on it
    # the ball stays on it, by the step's error of first order
    assert fast.q[:, -1] - height == pytest.approx(0.15, abs=2e-3 * 0.3)
    assert fast.report.energy_error < 1.3e-3  # 1.26e-3 at 2 ms, and half as much in steps half as long: first order
    force = np.array([fast.contacts.total_force(name) for name in fast.contacts.names])[0]
    expected = 0.7 * (9.81 - 1.8 * np.sin(6.0 * fast.t))
    assert np.abs(np.abs(force[5:-1, 2]) - expected[5:-1]).max() < 0.7 * 1.8 * 6.0 * 2e-3 * 2  # of two steps


@pytest.mark.parametrize("moved", ["constraint", "loop joint"])
def test_blows_on_a_lift_that_time_moves_are_in_the_account(moved):
    """A ball that drops on it: its motor brings the impulse times the lift's speed, that of the middle of the step."""
    model, q, v = lift(moved)
    q[-1], v[1:] = 0.35, 0.0
    options = {"dt": 1e-3, "contact": TimeStepping(tol=1e-10)}
    fast, slow, few = (
        rbd.simulate(model, q, v, duration, every=every, backend=backend, **options)
        for duration, every, backend in [(0.4, 1, "auto"), (0.25, 1, "book"), (0.4, 10, "auto")]
    )
    assert fast.report.backend.startswith("compiled loop"), fast.report.backend
    n, driven = len(slow.t), fast.contacts.driven
    assert driven[:n] == pytest.approx(slow.contacts.driven, abs=1e-10)
    assert few.contacts.driven == pytest.approx(driven[::10], abs=1e-14)
    blow = next(event for event in fast.events if event.kind == "impact")
    k = int(np.searchsorted(fast.t, blow.t - 1e-9))
    middle = 0.15 * (np.cos(6.0 * fast.t[k]) + np.cos(6.0 * fast.t[k + 1]))
    assert driven[k] == 0.0 and driven[k + 1] == pytest.approx(blow.impulse * middle, rel=1e-6)
    assert fast.report.energy_error < 5e-3 and few.report.energy_error < 5e-3  # it was 2.6 and 7.2 %


def test_a_lift_that_time_moves_works_through_a_stop():
    """A pin that drops on the lower end of its slot in the plate; compiled, and step by step in Python."""
    model, q, v = lift("constraint")
    pin = rbd.Inertia.sphere(0.02, 0.5)
    model.add_body("pin", "plate", rbd.Prismatic("z"), joint_name="pin", inertia=pin)
    model.add_constraint("end", rbd.Limit("pin", 0.0, None))
    q, v = np.append(q, 0.02), np.append(v, 0.0)
    fast, slow = runs(model, q, v, 0.2)
    assert fast.report.backend.startswith("compiled loop"), fast.report.backend
    assert fast.contacts.push[:, 0].max() > 0.0
    assert fast.contacts.driven == pytest.approx(slow.contacts.driven, abs=1e-9)
    assert fast.report.energy_error < 5e-3  # of first order in the step of 2 ms


def test_what_no_program_can_ask_for_time_steps_from_python():
    model = rbd.Model("lift")
    model.add_body("plate", joint=rbd.Prismatic("z"), inertia=ROD, geometry=rbd.Sphere(0.1))
    model.add_ground()
    asked = []

    def path(t):
        asked.append(t)
        return 0.2 + 0.05 * t, 0.05, 0.0

    model.add_loop("ram", "world", "plate", rbd.Prescribed(rbd.Prismatic("z"), path))
    run = rbd.simulate(model, [0.2], [0.05], 0.02, 2e-3, progress=False)
    assert "joints move as a Python function of time says" in run.report.backend
    assert run.q[:, 0] == pytest.approx(0.2 + 0.05 * run.t, abs=1e-13) and asked


SOFT = {
    "constraint in time": lambda: (*lift("constraint"), 0.05),
    "loop joint in time": lambda: (*lift("loop joint"), 0.05),
    "four-bar": lambda: (*four_bar(0.3), 0.14),
    "gears": lambda: (*geared(0.3, True), 0.14),
}


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT", "ignore:STEP TOO LONG")  # the same on both sides
@pytest.mark.parametrize(
    ("kind", "patch"),
    [("constraint in time", "analytic"), ("loop joint in time", "state"), ("four-bar", "analytic"), ("gears", "state")],
)
def test_soft_surfaces_beside_what_holds(kind, patch, monkeypatch):
    """Against the readable law, which puts forces of patches on bodies of the readable equations."""
    model, q, v, duration = SOFT[kind]()
    law = rbd.laws.Compliant(stiffness=1e4, damping=1e3, patch=patch)
    fast = rbd.simulate(model, q, v, duration, 2.5e-4, contact=law, progress=False)
    monkeypatch.setattr("rbdkit.simulation.contacts.compiled_law", lambda *_: (None, "as the test says"))
    slow = rbd.simulate(model, q, v, duration, 2.5e-4, contact=law, progress=False)
    assert fast.report.backend.startswith("compiled loop")
    assert "as the test says" in slow.report.backend
    force = sum(np.abs(slow.contacts.total_force(name)).max() for name in slow.contacts.names)
    assert force > 5.0  # something was touched
    # round-off, which stiff surfaces make larger
    assert fast.q == pytest.approx(slow.q, abs=1e-11)
    assert fast.v == pytest.approx(slow.v, abs=1e-9)
    for name in slow.contacts.names:
        assert fast.contacts.total_force(name) == pytest.approx(slow.contacts.total_force(name), abs=1e-9 * force)
