"""Controls of actuators in runs: equal to the same joint forces written by hand, in every form that u can have."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.errors import ArgumentError, ModelError, SimulationError, StateError
from rbdkit.simulation import SimulationWarning

DT = 2e-3
RUN = {"duration": 2.0, "dt": DT}
STEPS = 1000
Q0 = [0.3, -0.2]
ROUND_OFF = 1e-12
"""The same forces, added up in another order."""


def arm(limit=None):
    """A double pendulum with a motor of gear 2 and a servo."""
    model = rbd.library.double_pendulum()
    model.add_motor("hinge1", gear=2.0, u_range=1.5)
    model.add_servo("hinge2", kp=30.0, kd=1.0, target=0.1, limit=limit)
    return model


def torques(u, q, v, limit=None):
    """The same in words: joint forces of controls, one state or many."""
    command = np.clip(u[..., 0], -1.5, 1.5)
    effort = 30.0 * (u[..., 1] - q[..., 1]) - v[..., 1]
    if limit is not None:
        effort = np.clip(effort, -limit, limit)
    return np.stack([2.0 * command, effort], axis=-1)


def law(t, q, v):
    return np.array([-3.0 * q[0] - v[0], np.sin(5.0 * t)])


def by_hand(limit, u=law, tau=None):
    """The motion with joint forces that are written by hand."""

    def forces(t, q, v):
        own = torques(np.asarray(u(t, q, v)), q, v, limit)
        return own if tau is None else own + tau(t, q, v)

    return rbd.simulate(rbd.library.double_pendulum(), Q0, tau=forces, **RUN)


@pytest.mark.parametrize("limit", [None, 0.8])
@pytest.mark.parametrize("formulation", ["joint", "so3xr3"])
def test_a_function_is_what_its_forces_are(limit, formulation):
    motion = rbd.simulate(arm(limit), Q0, u=law, formulation=formulation, **RUN)
    assert "tau traced" in motion.report.backend
    expected = rbd.simulate(rbd.library.double_pendulum(), Q0, formulation=formulation, **RUN,
                            tau=lambda t, q, v: torques(law(t, q, v), q, v, limit))  # fmt: skip
    assert_allclose(motion.q, expected.q, rtol=0, atol=ROUND_OFF)
    found = np.array([law(*state) for state in zip(motion.t, motion.q, motion.v, strict=True)])
    assert_allclose(motion.u, np.clip(found, [-1.5, -np.inf], [1.5, np.inf]), rtol=0, atol=ROUND_OFF)
    assert motion.u[:, 0].min() < found[:, 0].min() + 3.0  # the motor's range is not all that is seen


@pytest.mark.parametrize("limit", [None, 0.8])
def test_untraced_functions_and_joint_forces_beside_them(limit):
    def tau(t, q, v):
        return -0.1 * v

    motion = rbd.simulate(arm(limit), Q0, u=rbd.untraced(law), tau=tau, **RUN)
    assert "stepped from Python" in motion.report.backend
    assert_allclose(motion.q, by_hand(limit, tau=tau).q, rtol=0, atol=ROUND_OFF)
    both = rbd.simulate(arm(limit), Q0, u=law, tau=tau, **RUN)
    assert_allclose(both.q, motion.q, rtol=0, atol=ROUND_OFF)
    steady = rbd.simulate(arm(limit), Q0, u=law, tau=[0.3, -0.1], **RUN)
    assert_allclose(steady.q, by_hand(limit, tau=lambda t, q, v: np.array([0.3, -0.1])).q, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("limit", [None, 0.8])
def test_constants_by_number_and_by_name(limit):
    one = rbd.simulate(arm(limit), Q0, u=[1.0, 0.4], **RUN)
    other = rbd.simulate(arm(limit), Q0, u={"hinge1_motor": 1.0, "hinge2_servo": 0.4}, **RUN)
    assert_array_equal(one.q, other.q)
    assert_allclose(one.q, by_hand(limit, u=lambda t, q, v: [1.0, 0.4]).q, rtol=0, atol=ROUND_OFF)
    assert_array_equal(one.u, np.tile([1.0, 0.4], (STEPS + 1, 1)))
    assert one.tau is None  # they are forces of the model
    own = rbd.simulate(arm(limit), Q0, **RUN)
    assert_array_equal(own.u, np.tile([0.0, 0.1], (STEPS + 1, 1)))


@pytest.mark.parametrize("limit", [None, 0.8])
def test_tables_are_held_over_steps(limit):
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1.0, 1.0, (STEPS, 2))
    motion = rbd.simulate(arm(limit), Q0, u=rows, **RUN)
    assert_array_equal(motion.u, [*rows, rows[-1]])
    q, v = np.array(Q0), np.zeros(2)
    for k in range(STEPS):  # each step is a run of its own
        part = rbd.simulate(arm(limit), q, v, duration=DT, dt=DT, u=rows[k])
        q, v = part.q[-1], part.v[-1]
    assert_allclose(motion.q[-1], q, rtol=0, atol=ROUND_OFF)


def test_samples_are_joined_by_straight_lines():
    rows = np.stack([np.linspace(0.0, 1.0, STEPS + 1), np.linspace(0.5, -0.5, STEPS + 1)], axis=1)
    motion = rbd.simulate(arm(), Q0, u=rows, **RUN)
    straight = rbd.simulate(arm(), Q0, u=lambda t, q, v: np.array([t / 2.0, 0.5 - t / 2.0]), **RUN)
    assert_allclose(motion.q, straight.q, rtol=0, atol=ROUND_OFF)
    with pytest.raises(SimulationError, match=r"limit their effort need controls held over steps, \(1000, 2\)"):
        rbd.simulate(arm(0.8), u=rows, **RUN)


class Counting:
    """A controller with a memory."""

    def reset(self):
        self.asked = []

    def __call__(self, t, q, v):
        self.asked.append(t)
        return np.array([0.02 * len(self.asked), -q[0]])


@pytest.mark.parametrize("limit", [None, 0.8])
def test_sampled_controllers_are_asked_once_a_period(limit):
    controller = Counting()
    motion = rbd.simulate(arm(limit), Q0, u=rbd.Sampled(controller, 10 * DT), **RUN)
    assert_allclose(controller.asked, 10 * DT * np.arange(100), rtol=0, atol=1e-15)
    rows = np.repeat(motion.u[:-1:10], 10, axis=0)
    assert_array_equal(motion.u[:-1], np.clip(rows, [-1.5, -9.0], [1.5, 9.0]))
    assert_allclose(rows[10], [0.04, -motion.q[10, 0]], rtol=0, atol=1e-15)
    again = rbd.simulate(arm(limit), Q0, u=rows, **RUN)
    assert_allclose(again.q, motion.q, rtol=0, atol=ROUND_OFF)


def test_controls_are_known_after_a_journey():
    motion = rbd.simulate(arm(), Q0, u=law, **RUN)
    assert_array_equal(pickle.loads(pickle.dumps(motion)).u, motion.u)


def test_mimic_joints_and_sums_of_joints():
    """Virtual work: the joint force of an effort F along a length L(q) is F dL/dq, by differences of L."""
    model = rbd.Model("hand")
    model.add_body("a", joint=rbd.Revolute("y"), joint_name="one", inertia=rbd.Inertia(1.0, (0.1, 0.0, 0.0)))
    model.add_body("b", "a", joint=rbd.Prismatic("x"), joint_name="two", inertia=rbd.Inertia(0.5))
    model.add_body("c", "b", joint=rbd.Revolute("z"), joint_name="three", inertia=rbd.Inertia(0.2, (0.0, 0.1, 0.0)),
                   mimic=rbd.Mimic("one", -0.5, 0.2))  # fmt: skip
    tendon = rbd.Actuator(("one", "two", "three"), (0.7, 2.0, -3.0), stiffness=4.0, damping=0.6, u=0.3)
    model.add_force("tendon", tendon)
    q, v = np.array([0.4, -0.1]), np.array([0.2, 0.5])

    def length(q):
        return 0.7 * q[0] + 2.0 * q[1] - 3.0 * (-0.5 * q[0] + 0.2)

    arms = np.array([(length(q + 0.5 * e) - length(q - 0.5 * e)) for e in np.eye(2)])
    effort = 0.3 - 4.0 * length(q) - 0.6 * arms @ v
    assert_allclose(rbd.actuator_force(model, q, v), effort * arms, rtol=1e-14)
    assert_allclose(rbd.passive_force(model, q, v), effort * arms, rtol=1e-14)
    stack = rbd.actuator_force(model, [q, q], v, [[0.3], [1.3]])
    assert_allclose(stack[1] - stack[0], arms, rtol=1e-13)
    motion = rbd.simulate(model, q, v, u=lambda t, q, v: [0.3 + 0.0 * t], duration=0.1)
    assert_allclose(motion.q, rbd.simulate(model, q, v, duration=0.1).q, rtol=0, atol=ROUND_OFF)


def test_stiff_servos_are_implicit_to_integrators_that_know_it():
    """A servo that no explicit step could hold: its springs belong to the model whoever commands it."""
    model = rbd.library.pendulum()
    model.add_servo("hinge", kp=1e6, kd=1e4)
    for u in ({"hinge_servo": 0.4}, lambda t, q, v: [0.4 + 0.0 * t], np.full((100, 1), 0.4)):
        with pytest.warns(SimulationWarning, match="STEP TOO LONG"):  # on the way, not at the end
            motion = rbd.simulate(model, u=u, duration=1.0, dt=0.01, integrator="linearly_implicit_euler")
        assert motion.q[-1, 0] == pytest.approx(0.4, abs=1e-4)


def test_contact_laws_know_them():
    model = rbd.Model("hopper", gravity=(0.0, 0.0, -10.0))
    ball = rbd.Sphere(0.1)
    model.add_body("foot", joint=rbd.Prismatic("z"), joint_name="slide", inertia=rbd.Inertia(1.0), geometry=ball)
    model.add_ground()
    model.add_motor("slide", gear=3.0)
    for u in ([4.0], lambda t, q, v: [4.0 + 0.0 * t], np.full((500, 1), 4.0), rbd.Sampled(lambda t, q, v: [4.0], 0.01)):
        motion = rbd.simulate(model, [0.1], duration=0.5, dt=1e-3, u=u)
        assert_allclose(motion.q[:, 0], 0.1 + 0.5 * 2.0 * motion.t**2, rtol=0, atol=2e-3)  # 12 N up, 10 N down
        assert motion.q[-1, 0] > 0.3


WRONG = [
    ({"u": np.zeros(3)}, StateError, r"u has shape \(3,\); model 'double pendulum' needs"),
    ({"u": np.zeros((5, 2))}, SimulationError, r"u has shape \(5, 2\); give \(2,\) for constants, \(1000, 2\) held"),
    ({"u": {"hinge_motor": 1.0}}, StateError, "'hinge_motor' is no actuator of model 'double pendulum'; did you mean"),
    ({"u": [2.0, 0.0]}, StateError, "u of actuator 'hinge1_motor' is 2; its range is -1.5 to 1.5"),
    ({"u": [np.nan, 0.0]}, StateError, "u of actuator 'hinge1_motor' is not finite: nan"),
    ({"u": "full speed"}, StateError, "u 'full speed' must be made of numbers"),
    ({"u": lambda t: 1.0}, SimulationError, r"must be a function of \(t, q, v\)"),
    ({"u": lambda t, q, v: [1.0]}, StateError, r"u\(t, q, v\) returned \[1.0\]; model 'double pendulum' needs 2"),
    ({"u": lambda t, q, v: [1.0, np.inf]}, StateError, "not finite for actuator 'hinge2_servo'"),
    ({"u": law, "tau": np.zeros((1000, 2))}, SimulationError, "u is a function, and tau is a table"),
    ({"u": np.zeros((1000, 2)), "tau": np.zeros((1001, 2))}, SimulationError, "u is held over steps, and tau is"),
    ({"u": rbd.Sampled(law, DT), "integrator": "dop853"}, SimulationError, "sampled controller is held over whole"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_what_cannot_be_honoured_is_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        rbd.simulate(arm(), Q0, **RUN, **arguments)


def test_models_without_actuators_refuse_controls():
    for u in ([], [0.0], law, {"motor": 1.0}, rbd.Sampled(law, DT)):
        with pytest.raises(ModelError, match="model 'pendulum' has no actuators"):
            rbd.simulate(rbd.library.pendulum(), u=u)


def test_actuators_that_make_no_sense_are_refused():
    model = rbd.library.pendulum()
    with pytest.raises(ModelError, match=r"kp = 0.0 must be more than zero"):
        model.add_servo("hinge")
    with pytest.raises(ModelError, match="one that keeps a velocity has no kp"):
        model.add_servo("hinge", kp=1.0, kd=1.0, velocity=True)
    with pytest.raises(ModelError, match="2 gears do not fit 1 joints"):
        model.add_force("drive", rbd.Actuator("hinge", (1.0, 2.0)))
    with pytest.raises(ModelError, match=r"effort \(2.0, 1.0\) must be two numbers, the smaller first"):
        model.add_motor("hinge", limit=(2.0, 1.0))
    with pytest.raises(ModelError, match=r"u 3\.0 is not in its range"):
        model.add_motor("hinge", u=3.0, u_range=1.0)
    with pytest.raises(ModelError, match="joint 'hing' is not in model"):
        model.add_motor("hing")
    ball = rbd.Model("ball")
    ball.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(1.0, 0.1))
    with pytest.raises(ModelError, match="has 3 freedoms; an actuator drives joints with one each"):
        ball.add_motor(ball.joints[-1].name)


def test_loop_joints_act_by_their_own_control_alone():
    model = rbd.library.planar_four_bar(crank=0.3, coupler=0.5, base=0.5, rocker=0.3)
    model.add_motor(model.loops[0].joint.name, u=0.1)
    rbd.simulate(model, duration=0.05)
    with pytest.raises(ModelError, match="closes a loop, so no control can be given for it"):
        rbd.simulate(model, u=lambda t, q, v: [0.1], duration=0.05)


def test_a_closed_loop_is_driven_by_its_crank():
    model = rbd.library.planar_four_bar(crank=0.3, coupler=0.5, base=0.5, rocker=0.3)
    model.add_motor("crank_joint", gear=0.5)
    driven = rbd.simulate(model, u=lambda t, q, v: [np.cos(t)], duration=0.3)
    tau = rbd.simulate(model, tau=lambda t, q, v: 0.5 * np.array([np.cos(t), *(0.0 * v[1:])]), duration=0.3)
    assert_allclose(driven.q, tau.q, rtol=0, atol=1e-11)


def test_the_work_of_a_servo_at_its_limit_is_counted():
    motion = rbd.simulate(arm(0.8), Q0, u=law, duration=0.4, dt=DT / 4)
    # the limit's kink costs some orders of the quadrature of the work
    assert np.abs(motion.energy_error()).max() < 1e-8
    assert np.abs(motion.tau).max() > 0.5


# --- sweeps, sliders, pages -------------------------------------------------------------------------------------------


def test_sweeps_take_controls():
    """Each member against a run of its own: constants, functions, a control that varies, and what u varies over."""
    options = {"duration": 0.4, "dt": DT, "every": 20}
    for u in ([0.4, 0.2], law):
        swept = rbd.sweep(arm(0.8), {"rod2.mass": [0.5, 2.0], "hinge1.angle": [0.1, 0.3]}, u=u, **options)
        for i, mass in enumerate((0.5, 2.0)):
            model = arm(0.8).with_parameters({"rod2.mass": mass})
            alone = rbd.simulate(model, [0.3, 0.0], u=u, **options)
            assert_allclose(swept[i, 1].q, alone.q, rtol=0, atol=ROUND_OFF)
            assert_allclose(swept[i, 1].u, alone.u, rtol=0, atol=1e-9)
            again = swept.simulate((i, 1), every=20)
            assert_allclose(again.q, alone.q, rtol=0, atol=ROUND_OFF)
            assert_allclose(again.u, alone.u, rtol=0, atol=1e-9)
    gears = rbd.sweep(arm(), {"hinge1_motor.gear": [1.0, 5.0], "hinge2_servo.u": [0.0, 0.7]}, Q0, u=law, **options)
    for k, gear in enumerate((1.0, 5.0)):
        alone = rbd.simulate(arm().with_parameters({"hinge1_motor.gear": gear}), Q0, u=law, **options)
        for j in range(2):  # a function's control is that, whatever the actuator's own
            assert_allclose(gears[k, j].q, alone.q, rtol=0, atol=ROUND_OFF)
    several = rbd.sweep(arm(), {"u": [[0.1, 0.0], [1.0, 0.5]]}, Q0, **options)
    assert_allclose(several[1].q, rbd.simulate(arm(), Q0, u=[1.0, 0.5], **options).q, rtol=0, atol=ROUND_OFF)
    for u in (np.zeros((200, 2)), rbd.Sampled(law, DT)):
        with pytest.raises(SimulationError, match="sampled controller"):
            rbd.sweep(arm(), {"rod2.mass": [1.0]}, u=u, **options)


def test_stores_are_told_of_controls(tmp_path):
    options = {"duration": 0.1, "dt": DT, "store": tmp_path / "kept"}
    rbd.sweep(arm(), {"rod2.mass": [0.5, 2.0]}, u=[0.1, 0.2], **options)
    rbd.sweep(arm(), {"rod2.mass": [0.5, 2.0]}, u=[0.1, 0.2], **options)
    with pytest.raises(SimulationError, match="holds a sweep that differs in u"):
        rbd.sweep(arm(), {"rod2.mass": [0.5, 2.0]}, u=[0.1, 0.3], **options)


def test_sliders_and_controls_go_together():
    def push(t, q, v, k=1.0):
        return -k * v

    ranges = {"rod2.mass": (0.5, 2.0), "tau.k": (0.0, 2.0), "hinge1_motor.gear": (1.0, 4.0)}
    view = rbd.tweak(arm(), ranges, Q0, u=law, tau=push, duration=0.5, dt=DT)
    try:
        view.set(**{"rod2.mass": 1.5, "tau.k": 0.5, "hinge1_motor.gear": 3.0})
        model = arm().with_parameters({"rod2.mass": 1.5, "hinge1_motor.gear": 3.0})
        alone = rbd.simulate(model, Q0, u=law, tau=lambda t, q, v: -0.5 * v, duration=0.5, dt=DT)
        found = view.trajectory
        assert_allclose(found.q[-1], alone.q[-1], rtol=0, atol=ROUND_OFF)
        assert_allclose(found.u[-1], alone.u[-1], rtol=0, atol=1e-9)
    finally:
        view.close()


def test_play_has_sliders_for_controls():
    toy = rbd.play(arm(), q0=Q0)
    try:
        assert [row["name"] for row in toy._live["knobs"]] == ["hinge1_motor.u", "hinge2_servo.u"]
        assert toy._live["panel"]["rows"][0]["low"] == -1.5
    finally:
        toy.close()
    for u in ({"hinge1_motor": 1.0}, law):
        rbd.play(arm(0.8), q0=Q0, u=u).close()
    with pytest.raises(SimulationError, match="the actuator is commanded by a function"):
        rbd.play(arm(), {"hinge1_motor.gear": (1.0, 2.0)}, u=law)


def test_tables_of_a_motion_have_its_controls():
    lines = rbd.simulate(arm(), Q0, u=law, duration=0.1, dt=0.01).to_csv().splitlines()
    assert lines[0].split(",")[-2:] == ["hinge1_motor control", "hinge2_servo control"]
    assert float(lines[-1].split(",")[-1]) == pytest.approx(np.sin(0.5), abs=1e-15)


def test_controls_are_plotted():
    motion = rbd.simulate(arm(), Q0, u=law, duration=0.1, dt=0.01)
    (diagram,) = rbd.plot(motion, "u").axes
    assert [line.get_label() for line in diagram.lines] == ["hinge1_motor", "hinge2_servo"]
    assert_array_equal(diagram.lines[1].get_ydata(), motion.u[:, 1])
    with pytest.raises(ArgumentError, match="model 'pendulum' has no u"):
        rbd.plot(rbd.simulate(rbd.library.pendulum(), duration=0.1), "u")
