"""Constraints that hold on one side, among contacts: every law keeps them, each with its own means."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError
from rbdkit.laws import TimeStepping

G = 10.0
SOLVERS = [TimeStepping(solver=name) for name in ("cone", "pyramid", "program", "staggered")]


def sledge(upper=0.3, friction=0.0):
    """A block that slides on the ground on two prismatic joints, against a stop along x."""
    model = rbd.Model("sledge", gravity=(0, 0, -G))
    model.add_body("slide", joint=rbd.Prismatic("x"), joint_name="x", inertia=rbd.Inertia.sphere(0.01, 1e-9))
    box = rbd.Inertia.box((0.2, 0.2, 0.2), mass=2.0)
    model.add_body("block", "slide", joint=rbd.Prismatic("z"), inertia=box, geometry=rbd.Box([0.2] * 3))
    model.add_ground(friction=friction)
    model.add_constraint("stop", rbd.Limit("x", None, upper))
    return model


@pytest.mark.parametrize("law", ["rigid", "impulse", *SOLVERS], ids=str)
@pytest.mark.source("S2.21")
def test_what_slides_on_the_ground_hits_a_stop(law):
    """Pushed with a force it goes x = F t^2 / 2m to the stop, and then presses against it with F."""
    model, force = sledge(), 3.0
    order = 1 if isinstance(law, TimeStepping) else 0
    h = 5e-3 if order else 0.05
    motion = rbd.simulate(model, [0.0, 0.1], tau=np.array([force, 0.0]), duration=0.8, dt=h, contact=law)
    hit = np.sqrt(2.0 * 0.3 * 2.0 / force)  # 0.632 s
    before, after = motion.t < hit - 2 * h, motion.t > hit + 2 * h
    x = 0.5 * force / 2.0 * motion.t[before] ** 2
    np.testing.assert_allclose(motion.q[before, 0], x, rtol=0, atol=1.01 * h * force * hit / 4.0 if order else 1e-8)
    np.testing.assert_allclose(motion.q[after, 0], 0.3, rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.v[after, 0], 0.0, rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.contacts.normal_force("stop")[after], force, rtol=1e-6)
    np.testing.assert_allclose(motion.contacts.normal_force("ground/block")[1:], 2.0 * G, rtol=1e-5)
    (blow,) = [event for event in motion.events if "stop" in event.names and event.kind == "impact"]
    if not order:  # time stepping brings it to rest in two steps: one ends at the stop, one stands
        assert blow.impulse == pytest.approx(2.0 * force / 2.0 * hit, rel=1e-6)
    assert abs(blow.t - hit) < (2.0 * h if order else 1e-9)
    assert motion.contacts.stops == ("stop",)
    assert "ground/block" in motion.contacts.names
    assert "stop" not in motion.contacts.names


@pytest.mark.parametrize("law", ["rigid", "impulse", "time_stepping"])
def test_a_stop_and_a_floor_carry_a_load_together(law):
    """A rod on a hinge lies on its stop and with its end on the floor; however they share it, moments balance."""
    model = rbd.Model("rod", gravity=(0, 0, -G))
    rod = rbd.Inertia.box((1.0, 0.05, 0.05), mass=3.0).transformed(rbd.pose(position=(0.5, 0.0, 0.0)))
    tip = rbd.Geometry(rbd.Sphere(0.1), (1.0, 0.0, 0.0))
    model.add_body("rod", joint=rbd.Revolute("y"), joint_name="hinge", inertia=rod, geometry=tip)
    model.add_ground(height=-0.1, friction=0.0)
    model.add_constraint("stop", rbd.Limit("hinge", None, 0.0))
    motion = rbd.simulate(model, [0.0], duration=0.05, dt=5e-3, contact=law)
    np.testing.assert_allclose(motion.q, 0.0, atol=1e-9)
    moment = motion.contacts.normal_force("stop") + 1.0 * motion.contacts.normal_force("ground/rod")
    np.testing.assert_allclose(moment[1:], 3.0 * G * 0.5, rtol=1e-6)
    assert (motion.contacts.push >= 0.0).all()


@pytest.mark.parametrize("law", ["rigid", "impulse", "time_stepping"])
def test_a_pendulum_between_its_stops_keeps_its_energy_until_it_hits(law):
    model = rbd.library.pendulum()
    model.add_constraint("stops", rbd.Limit("hinge", -0.5, 0.8))
    h = 2e-3 if law == "time_stepping" else 2e-2
    motion = rbd.simulate(model, [0.5], [0.0], duration=1.5, dt=h, contact=law)
    assert motion.q.min() >= -0.5 - 1e-9
    assert {event.kind for event in motion.events} <= {"impact", "gain", "loss"}
    free = rbd.simulate(rbd.library.pendulum(), [0.5], [0.0], duration=1.5, dt=h)
    meets = int(np.argmax(free.q[:, 0] < -0.49))
    tol = 1e-2 if law == "time_stepping" else 1e-8
    np.testing.assert_allclose(motion.q[: meets - 1], free.q[: meets - 1], atol=tol)


@pytest.mark.parametrize("law", ["rigid", "time_stepping"])
def test_a_string_tightens(law):
    """A ball on a string falls, and is caught where the string is out: v and T of a pendulum hanging at rest after."""
    model = rbd.Model("ball", gravity=(0, 0, -G))
    model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, 0.5))
    model.add_constraint("string", rbd.TautString("world", "ball", 1.0))
    h = 1e-3 if law == "time_stepping" else 2e-2
    motion = rbd.simulate(model, [-0.5], duration=0.6, dt=h, contact=law)
    fall = np.sqrt(2.0 * 0.5 / G)
    np.testing.assert_allclose(motion.q[motion.t > fall + 2 * h], -1.0, atol=1e-8)
    np.testing.assert_allclose(motion.contacts.push[motion.t > fall + 4 * h], 0.5 * G, rtol=1e-6)
    if law == "rigid":
        assert motion.events[0].impulse == pytest.approx(0.5 * G * fall, rel=1e-8)
    assert motion.contacts.lost[-1] == pytest.approx(0.5 * 0.5 * (G * fall) ** 2, rel=2e-2)


def test_a_stop_in_a_loop():
    """A four-bar whose crank has a stop comes to rest against it, with its loop closed."""
    model = rbd.library.planar_four_bar()
    joint = model.joints[1].name
    q = rbd.assemble(model, model.neutral())
    start = float(model.joint(joint).coordinates(q)[0])
    model.add_constraint("stop", rbd.Limit(joint, start - 0.2, start + 0.2))
    motion = rbd.simulate(model, q, duration=1.0, dt=5e-3)
    angle = model.joint(joint).coordinates(motion.q)[:, 0]
    assert np.abs(angle - start).max() <= 0.2 + 1e-8
    assert any(event.names == ("stop",) for event in motion.events)
    assert np.abs(motion.constraint_error()).max() < 1e-9


def test_laws_agree_where_a_stop_and_a_floor_meet():
    """An arm falls on the floor and on its stop: time stepping comes to 'rigid' as its step goes to zero."""
    model = rbd.Model("arm", gravity=(0, 0, -G))
    link = rbd.Inertia.box((0.5, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(0.25, 0.0, 0.0)))
    model.add_body("upper", joint=rbd.Revolute("y"), joint_name="shoulder", inertia=link)
    ball = rbd.Geometry(rbd.Sphere(0.05), (0.5, 0.0, 0.0))
    model.add_body(
        "lower", "upper", joint=rbd.Revolute("y"), joint_name="elbow", placement=(0.5, 0.0, 0.0), inertia=link,
        geometry=ball,
    )  # fmt: skip
    model.add_ground(height=-0.4, friction=0.0)
    model.add_constraint("stop", rbd.Limit("elbow", None, 0.6))
    runs = {"duration": 0.3, "q0": [-0.3, 0.4], "v0": [0.0, 4.0]}
    rigid = rbd.simulate(model, dt=1e-2, contact="rigid", **runs)
    assert {name for event in rigid.events for name in event.names} == {"stop", "ground/lower"}
    off = [np.abs(rbd.simulate(model, dt=dt, **runs).q[-1] - rigid.q[-1]).max() for dt in (4e-3, 2e-3, 1e-3)]
    assert off[2] < 0.5 * off[0], off
    assert off[2] < 1e-2


def test_what_is_refused_and_what_is_said():
    model = sledge()
    with pytest.raises(SimulationError, match=r"'compliant' has no stiffness for what holds on one side.*'stop'"):
        rbd.simulate(model, [0.0, 0.1], duration=0.1, contact="compliant")
    with pytest.raises(SimulationError, match=r"'stop' is passed by 0\.1 m where the motion begins"):
        rbd.simulate(model, [0.4, 0.1], duration=0.1, contact="rigid")
    with pytest.raises(ModelError, match=r"'stop'.*bounds its gap on one side"):
        rbd.simulate(model, [0.0, 0.1], duration=0.1, contact="none")
    beyond = rbd.simulate(model, [0.31, 0.1], duration=0.1)
    assert "constraint 'stop' is passed by up to 0.01 m" in str(beyond.report)
    assert beyond.q[-1, 0] < 0.301


@pytest.mark.parametrize("length", [1.0, 1e-9])
def test_what_is_passed_is_said_at_any_size(length):
    """Less than a nanometre was never told, which is much for what is as small."""
    model = rbd.Model("sled")
    bar = rbd.Inertia.box((length, length, length), mass=length**3)
    model.add_body("sled", joint=rbd.Prismatic("x"), joint_name="slide", inertia=bar)
    model.add_constraint("stop", rbd.Limit("slide", 0.0, 0.3 * length))
    span = 0.1 * np.sqrt(length)
    motion = rbd.simulate(model, [0.31 * length], duration=span, dt=span / 10, progress=False)
    assert f"constraint 'stop' is passed by up to {0.01 * length:.2g} m" in str(motion.report)


def test_what_knows_no_law_of_contact_does_not_take_a_stop_for_a_weld():
    """Within its bounds a stop does nothing, and whether it holds at one of them a state does not tell."""
    model = rbd.library.pendulum()
    model.add_constraint("stop", rbd.Limit("hinge", -1.0, 1.0))
    state = np.array([0.3]), np.array([1.0]), np.array([0.0])
    for call in (rbd.forward_dynamics, rbd.state_derivative):
        for backend in ("auto", "book"):
            with pytest.raises(ModelError, match="'stop'"):
                call(model, *state, backend=backend)
    with pytest.raises(SimulationError, match=r"'stop'.* bounds its gap on one side"):
        rbd.play(model, contact="none")  # with a law the page has stops, tests/widgets/test_play.py
    compared = rbd.compare(model, contact=["rigid", "time_stepping"], q0=[0.9], v0=[1.0], duration=0.1, dt=5e-3)
    assert "time_stepping" in repr(compared)
