"""Runs that end early keep what they have and say why."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ConvergenceError, StateError
from rbdkit.library import double_pendulum
from rbdkit.simulation import SimulationWarning

KINDS = [
    rbd.Revolute("z"),
    rbd.Prismatic("x"),
    rbd.Helical("y", pitch=0.1),
    rbd.Cylindrical("z"),
    rbd.Planar(),
    rbd.Universal(),
    rbd.Spherical(),
    rbd.EulerSpherical(),
    rbd.Free(),
    rbd.Free(translation="successor"),
]


def body_on(kind, **numbers):
    model = rbd.Model("box", gravity=(0, 0, 0))
    inertia = rbd.Inertia(1.0, [0.1, 0.2, 0.0], np.diag([0.1, 0.15, 0.2]))
    model.add_body("box", joint=kind, inertia=inertia, joint_name="hold", **numbers)
    return model


@pytest.mark.parametrize("integrator", ["explicit_euler", "symplectic_euler", "rk4"])
@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_a_state_that_runs_away_stops_with_time_joint_and_cause(kind, integrator):
    """A damper much too strong for the step; whatever the joint, no exception and no lost states."""
    model = body_on(kind, damping=100.0)
    with pytest.warns(SimulationWarning, match="STOPPED"):
        run = rbd.simulate(model, v0=np.ones(model.nv), duration=100.0, dt=0.3, integrator=integrator)
    assert run.report.stopped.startswith("the state is not finite any more after t = ")
    assert "joint 'hold'" in run.report.stopped and "likely cause: the step of 0.3 s is too long" in run.report.stopped
    assert f"after t = {run.t[-1]:.6g} s" in run.report.stopped
    assert 1 < len(run) == run.report.steps + 1 < 300
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all()
    assert run.energy().total.shape == run.t.shape


@pytest.mark.parametrize("integrator", ["rk4", "dop853", "rk45", "radau"])
def test_a_force_that_grows_with_the_motion_is_named_as_such(integrator):
    """tau = v^3 tears the mass away within half a second, whatever the step."""
    model = body_on(rbd.Prismatic("x"))
    with pytest.warns(SimulationWarning, match="STOPPED"):
        run = rbd.simulate(model, v0=[1.0], duration=1.0, dt=1e-2, integrator=integrator, tau=lambda t, q, v: v**3)
    assert "joint 'hold' was the fastest" in run.report.stopped
    assert 0.4 < run.t[-1] < 0.6
    if integrator == "rk4":
        assert "a force that grows with the motion, or a step that is too long" in run.report.stopped


def test_a_mimic_joint_that_runs_away_stops_too():
    model = body_on(rbd.Prismatic("x"), damping=100.0)
    model.add_body("follower", "box", rbd.Revolute("y"), inertia=model.bodies[1].inertia, mimic=rbd.Mimic("hold", 2.0))
    with pytest.warns(SimulationWarning, match="STOPPED.*joint 'hold'"):
        run = rbd.simulate(model, v0=[1.0], duration=50.0, dt=0.3)
    assert len(run) > 2 and np.isfinite(run.v).all()


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
def test_an_interruption_keeps_the_motion_so_far(integrator, every):
    """Ctrl-C arrives inside of tau."""
    model, presses = double_pendulum(), []

    def tau(t, q, v):
        if t > 0.305 and not presses:
            presses.append(t)
            raise KeyboardInterrupt
        return np.zeros(2)

    with pytest.warns(SimulationWarning, match=r"STOPPED: interrupted at t = 0\.(27|3) s"):
        run = rbd.simulate(model, [1.0, 0.0], None, 0.4, 1e-2, integrator=integrator, tau=tau, every=every)
    # also stepped from Python, so equal to the last bit
    whole = rbd.simulate(model, [1.0, 0.0], None, 0.4, 1e-2, integrator=integrator, tau=lambda t, q, v: np.zeros(2))
    assert run.report.stopped == f"interrupted at t = {run.t[-1]:.6g} s"  # whatever was kept, the last state is
    row = round(run.t[-1] / 1e-2)
    np.testing.assert_array_equal(run.q[-1], whole.q[row])
    assert run.report.steps <= whole.report.steps
    assert len(run) == len(range(0, row + 1, every)) + (row % every > 0)


def test_a_torque_that_is_no_number_is_named():
    def tau(t, q, v):
        return [0.0, np.nan if t > 0.05 else 0.0]

    with pytest.warns(SimulationWarning, match="STOPPED: .*returned nan for joint 'hinge2' at t = 0.0"):
        run = rbd.simulate(double_pendulum(), duration=0.1, dt=1e-2, tau=tau)
    assert run.t[-1] == pytest.approx(0.05)
    assert run.tau.shape == (len(run), 2)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize(
    ("integrator", "last"), [("rk4", 0.053), ("implicit_midpoint", 0.053), ("dop853", 0.05), ("rk45", 0.05)]
)
@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_compiled_runs_and_those_in_python_name_the_same_torque(formulation, integrator, last, wrong):
    """Compiled adaptive runs said "no step short enough" of a torque that has no value beyond a recorded time."""

    def tau(t, q, v):
        return np.where(t > last, wrong, 0.0) * np.ones(2)

    ends = []
    for law in (rbd.traced(tau), rbd.untraced(tau)):
        with pytest.warns(SimulationWarning, match=f"STOPPED: .*returned {wrong} for joint 'hinge1' at t = 0.05"):
            run = rbd.simulate(
                double_pendulum(),
                [0.3, 0.1],
                duration=0.1,
                dt=1e-2,
                tau=law,
                formulation=formulation,
                integrator=integrator,
            )
        ends.append((run.t[-1], "tau traced" in run.report.backend))
    # compiled code takes the steps back that reach beyond `last`, and comes closer to it
    assert ends[1][0] <= ends[0][0] <= last and ends[0][0] - ends[1][0] < 0.011
    assert [compiled for _, compiled in ends] == [True, False]


@pytest.mark.parametrize("integrator", ["dop853", "rk45"])
@pytest.mark.parametrize("size", [1e200, 1e308])
def test_a_huge_torque_ends_adaptive_runs_in_python_too(integrator, size):
    """A step whose error estimate is no number gave a next step that is none, and that had no end in Python."""

    def tau(t, q, v):
        return np.where(t > 0.05, size, 0.0) * np.ones(2)

    for law in (rbd.traced(tau), rbd.untraced(tau)):
        with pytest.warns(SimulationWarning, match=rf"STOPPED: .*{integrator} finds no step short enough"):
            run = rbd.simulate(double_pendulum(), duration=0.1, dt=1e-2, tau=law, integrator=integrator)
        assert 0.03 < run.t[-1] <= 0.05 + 1e-12


def test_a_force_that_fails_at_the_last_state_itself():
    """tau and f_ext cannot be had there any more; the states are kept, the report is made."""
    model = body_on(rbd.Prismatic("x"))

    def tau(t, q, v):
        return [1.0] if t < 0.045 else [1.0, 2.0]

    with pytest.warns(SimulationWarning, match=r"returned shape \(2,\) at t = 0.05"):
        run = rbd.simulate(model, duration=0.1, dt=1e-2, tau=tau, integrator="explicit_euler")
    np.testing.assert_array_equal(run.tau[:-1], 1.0)
    assert np.isnan(run.tau[-1]) and np.isfinite(run.report.energy_error)

    def f_ext(t, q, v):
        return {"box" if t < 0.045 else "bax": np.ones(6)}

    with pytest.warns(SimulationWarning, match="'bax' is not in model"):
        run = rbd.simulate(model, duration=0.1, dt=1e-2, f_ext=f_ext, integrator="explicit_euler")
    assert len(run) == 6 and np.isnan(run.report.energy_error)


def test_errors_in_the_first_step_are_raised():
    model = body_on(rbd.Prismatic("x"))
    with pytest.raises(StateError):
        rbd.simulate(model, duration=0.1, dt=1e-2, tau=lambda t, q, v: [np.inf])
    with pytest.raises(KeyError, match="gain"):
        rbd.simulate(model, duration=0.1, dt=1e-2, tau=lambda t, q, v: [{}["gain"]])


def test_a_whole_run_has_no_complaint():
    run = rbd.simulate(double_pendulum(), [0.3, 0.0], duration=0.1)
    assert run.report.stopped == "" and run.report.alarms(run.model) == []


@pytest.mark.parametrize("method", ["dop853", "rk45", "rk23", "radau"])
def test_a_motion_too_fast_for_any_step_is_refused(method):
    """A body that turns 1e14 rad/s about a middle axis: each step gains 1e-14 s."""
    model = body_on(rbd.Spherical())
    integrator = rbd.integrators.Adaptive(method, max_steps=100)
    with pytest.raises(ConvergenceError, match=f"100 steps of {method} from t = 0 s came to t = .*e-1[0-9] s, not to"):
        rbd.simulate(model, v0=[1e14, 2e14, 3e14], duration=1.0, dt=0.1, integrator=integrator)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_motion_that_becomes_too_fast_keeps_what_there_is(formulation):
    """A torque spins the body up from rest, until it turns too often between two records."""
    model = body_on(rbd.Spherical())
    integrator = rbd.integrators.Adaptive("rk45", max_steps=60)
    with pytest.warns(SimulationWarning, match="STOPPED.*60 steps of rk45"):
        run = rbd.simulate(
            model, duration=20.0, dt=0.5, integrator=integrator, tau=[1.0, 2.0, 3.0], formulation=formulation
        )
    assert run.report.stopped.endswith(f"(after t = {run.t[-1]:.6g} s)")
    assert f"from t = {run.t[-1]:g} s" in run.report.stopped
    assert 2 < len(run) < 41 and np.isfinite(run.q).all() and np.isfinite(run.v).all()


class Forward:
    """A controller that takes no step back: it fails when it is asked once more for what is recorded."""

    def __init__(self, fault):
        self.fault, self.last = fault, -1.0

    def __call__(self, t, q, v):
        if t < self.last - 1e-12:
            raise self.fault
        self.last = t
        return -0.1 * v


@pytest.mark.parametrize("options", [{}, {"backend": "book"}, {"formulation": "se3"}, {"formulation": "redmax"}])
@pytest.mark.parametrize("fault", [ValueError("time goes back"), KeyError("t"), ZeroDivisionError("dt")])
def test_a_law_that_fails_when_it_is_asked_again_loses_nothing(fault, options):
    expected = rbd.simulate(double_pendulum(), [1.0, 0.5], duration=0.05, tau=lambda t, q, v: -0.1 * v, **options)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = rbd.simulate(double_pendulum(), [1.0, 0.5], duration=0.05, tau=Forward(fault), **options)
    np.testing.assert_allclose(run.q, expected.q, atol=1e-13)
    assert np.isnan(run.tau[0]).all() and np.isnan(run.report.energy_error)
    told = [*run.report.notes, *(str(one.message) for one in said)]
    assert any("NOT JUDGED: " + type(fault).__name__ in text or "tau failed at 50 of 51" in text for text in told)


LATE = 0.02
"""s, after which functions of users fail."""


def failing(fault, value):
    """A function of (t, q, v) that fails late."""

    def law(t, q, v):
        if t > LATE:
            raise fault
        return value

    return law


class LateForce(rbd.ForceElement):
    """Fails late."""

    body: str
    conservative = False

    def act(self, at):
        if float(at.time) > LATE:
            raise KeyError("lost")
        at.apply_force(self.body, np.zeros(3))


def late_angle(t):
    if t > LATE:
        raise KeyError("lost")
    return 0.0, 0.0, 0.0


@pytest.mark.parametrize(
    "options", [{}, {"backend": "book"}, {"formulation": "se3"}, {"integrator": "dop853"}], ids=str
)
@pytest.mark.parametrize("kind", [ValueError, KeyError, ZeroDivisionError])
@pytest.mark.parametrize("what", ["tau", "f_ext"])
def test_a_law_that_fails_late_leaves_the_motion_and_its_own_traceback(what, kind, options):
    start, fault = [1.0, 0.5], kind("lost")
    with pytest.warns(SimulationWarning) as said:
        law = failing(fault, np.zeros(2 if what == "tau" else (3, 6)))
        run = rbd.simulate(double_pendulum(), start, duration=0.05, **{what: law}, **options)
    assert run.t[-1] + 1e-12 >= LATE - 1e-3 and run.t[-1] <= LATE + 1e-12
    free = rbd.simulate(double_pendulum(), start, duration=LATE, **options)
    np.testing.assert_allclose(run.q, free.q[: len(run)], rtol=0.0, atol=1e-14)  # two codes, 20 steps of angles near 1
    told = str(said[0].message)
    assert told.startswith("STOPPED: ") and len(said) == 1  # and steps are not blamed
    for text in (told, run.report.stopped):
        assert f"{kind.__name__}: {fault} (test_stopping.py:" in text and ", in law)" in text
    assert "raise fault" in run.report.traceback and run.report.traceback.endswith(f"{kind.__name__}: {fault}\n")
    assert said[0].message.__cause__ is fault


@pytest.mark.parametrize("contact", ["time_stepping", "rigid", "impulse", "compliant", "none"])
def test_laws_of_contact_keep_the_motion_before_an_error_too(contact):
    model = rbd.Model("ball")
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.1))
    model.add_ground()
    start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    with pytest.warns(SimulationWarning, match="STOPPED: KeyError: 'lost'"):
        run = rbd.simulate(model, start, duration=0.05, tau=failing(KeyError("lost"), np.zeros(6)), contact=contact)
    assert abs(run.t[-1] - LATE) < 1.5e-3
    np.testing.assert_allclose(run.v[:, 5], -9.81 * run.t, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(
    "options", [{}, {"backend": "book"}, {"formulation": "maximal"}, {"integrator": "dop853"}], ids=str
)
@pytest.mark.parametrize("what", ["force element", "prescribed joint"])
def test_parts_of_a_model_that_fail_late_leave_the_motion_before(what, options):
    model = rbd.Model("driven")
    if what == "prescribed joint":
        model.add_body("crank", joint=rbd.Prescribed(rbd.Revolute("y"), late_angle))
    parent = model.bodies[-1].name
    model.add_body("rod", parent=parent, joint=rbd.Revolute("y"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    if what == "force element":
        model.add_force("late", LateForce("rod"))
    with pytest.warns(SimulationWarning, match="STOPPED: .*KeyError: 'lost'"):
        run = rbd.simulate(model, [1.0], duration=0.05, **options)
    assert abs(run.t[-1] - LATE) < 1.5e-3 and "lost" in run.report.traceback
