"""Forces that act between two recorded times: landed on where they are declared, said where they are not."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.integrators import Adaptive
from rbdkit.integrators.adaptive import EXPLICIT, SOLVERS
from rbdkit.simulation import SimulationWarning

BEGIN, END, FORCE = 0.333, 0.343, 100.0
"""A kick of 1 N s within 10 ms."""


def slider():
    model = rbd.Model("slider", gravity=(0, 0, 0))
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), joint_name="rail")
    return model


def kick(declared=True, open_at_its_begin=False):
    """With its values where it jumps on either side."""

    def closed_open(t, q, v):
        return [np.where((t >= BEGIN) & (t < END), FORCE, 0.0)]

    def open_closed(t, q, v):
        return [np.where((t > BEGIN) & (t <= END), FORCE, 0.0)]

    law = open_closed if open_at_its_begin else closed_open
    if declared:
        law.breaks = [END, BEGIN]
    return law


def place_after_kick(t):
    return 0.5 * FORCE * (END - BEGIN) ** 2 + (t - END)


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        return rbd.simulate(*arguments, **options)


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("open_at_its_begin", [False, True])
def test_declared_breaks_are_landed_on(method, formulation, backend, open_at_its_begin):
    """A force that is constant between its breaks leaves no error of a method of order two, but for rounding."""
    law = rbd.traced(kick(open_at_its_begin=open_at_its_begin))
    run = rbd.simulate(
        slider(), [0.0], duration=1.0, dt=0.1, integrator=method, tau=law, formulation=formulation, backend=backend
    )
    assert ("compiled loop" in run.report.backend) == (method in EXPLICIT and backend == "auto")
    tolerance = 1e-10 if method == "lsoda" else 1e-14  # whose first steps are of order one
    assert abs(run.v[-1, 0] - FORCE * (END - BEGIN)) < tolerance
    assert abs(run.q[-1, 0] - place_after_kick(1.0)) < tolerance
    assert not run.report.alarms(run.model) and np.isnan(run.report.energy_error)
    assert any("energy not judged: forces jump at their breaks" in note for note in run.report.notes)


@pytest.mark.parametrize("method", EXPLICIT)
def test_compiled_and_readable_steps_are_the_same_between_breaks(method):
    model = rbd.library.double_pendulum()

    def law(t, q, v):
        return [np.where(t < 0.21, 3.0, -2.0) - 0.1 * v[0], np.where((t > 0.4) & (t < 0.402), 50.0, np.sin(9.0 * t))]

    law.breaks = [0.21, 0.4, 0.402, 7.0]
    runs = [
        rbd.simulate(model, [0.4, -0.7], duration=1.0, dt=0.05, tau=rbd.traced(law), integrator=method, backend=backend)
        for backend in ("auto", "book")
    ]
    assert runs[0].report.steps == runs[1].report.steps
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)  # rounding, through as many steps
    tight = Adaptive("dop853", 1e-13, 1e-13)
    truth = rbd.simulate(model, [0.4, -0.7], duration=1.0, dt=0.05, tau=rbd.traced(law), integrator=tight)
    np.testing.assert_allclose(runs[0].q, truth.q, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("held", [True, False])
def test_tables_are_as_exact_in_the_readable_form(method, held):
    force, dt = np.array([1.0, -3.0, 0.5, 7.0, 0.0, 2.0])[: 5 if held else 6], 0.1
    run = rbd.simulate(slider(), [0.0], duration=0.5, dt=dt, integrator=method, tau=force[:, None], backend="book")
    impulse = force * dt if held else 0.5 * (force[1:] + force[:-1]) * dt
    expected = np.concatenate([[0.0], np.cumsum(impulse)])
    np.testing.assert_allclose(run.v[:, 0], expected, rtol=0, atol=1e-8 if method == "lsoda" else 2e-14)


def test_external_forces_elements_and_prescribed_motions_declare_breaks():
    model, law = slider(), kick()

    def pushed(t, q, v):
        return {"mass": [0.0, 0.0, 0.0, law(t, q, v)[0], 0.0, 0.0]}

    pushed.breaks = law.breaks
    run = rbd.simulate(model, [0.0], duration=1.0, dt=0.1, integrator="rk45", f_ext=rbd.traced(pushed))
    assert abs(run.v[-1, 0] - 1.0) < 1e-14 and not run.report.unseen

    class Kick(rbd.ForceElement):
        joint: str
        force: float
        breaks = (BEGIN, END)

        def act(self, at):
            at.apply_torque(self.joint, np.where((at.time >= BEGIN) & (at.time < END), self.force, 0.0))

    model = slider()
    model.add_force("kick", Kick("rail", FORCE))
    run = rbd.simulate(model, [0.0], duration=1.0, dt=0.1, integrator="rk45")
    assert abs(run.v[-1, 0] - 1.0) < 1e-14 and not run.report.unseen

    def jerk(t):
        s = np.clip(t, BEGIN, END) - BEGIN
        inside = np.where((t >= BEGIN) & (t < END), FORCE, 0.0)
        return [0.5 * FORCE * s**2 + FORCE * (END - BEGIN) * np.maximum(t - END, 0.0)], [FORCE * s], [inside]

    jerk.breaks = [BEGIN, END]
    sled = rbd.Model("sled", gravity=(0, 0, 0))
    sled.add_body("sled", joint=rbd.Prescribed(rbd.Prismatic("x"), jerk), inertia=rbd.Inertia(1.0))
    sled.add_body("stone", "sled", rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    run = rbd.simulate(sled, [0.0], duration=1.0, dt=0.1, integrator="rk45")
    assert abs(run.v[-1, 0] + 1.0) < 1e-14  # it stays where it is in space
    del jerk.breaks
    found = quietly(sled, [0.0], duration=1.0, dt=0.1, integrator="rk23").report.unseen
    assert "the acceleration of a prescribed joint" in found and "motion.breaks = [0.333, 0.343]" in found


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("method", ["rk23", "radau", "lsoda", "rk4", "implicit_midpoint", "symplectic_euler"])
def test_a_kick_between_recorded_times_is_said(method, backend):
    """None of these sees it: the mass stays where it is."""
    with pytest.warns(SimulationWarning, match=r"FORCE BETWEEN STEPS: tau changes by 100 from t = 0.333 to 0.343 s"):
        run = rbd.simulate(
            slider(), [0.0], duration=1.0, dt=0.1, integrator=method, tau=kick(declared=False), backend=backend
        )
    assert run.v[-1, 0] == 0.0
    assert "law.breaks = [0.333, 0.343]" in run.report.unseen
    assert ("max_step = 0.005 s" if run.report.adaptive else "dt = 0.005 s") in run.report.unseen


@pytest.mark.parametrize("method", SOLVERS)
def test_no_step_is_longer_than_an_interval_of_recording_or_max_step(method):
    """What lasts ten such steps cannot be stepped over."""
    law = kick(declared=False)
    for options, dt in (({}, 0.001), ({"max_step": 0.004}, 0.1)):
        run = quietly(slider(), [0.0], duration=1.0, dt=dt, integrator=Adaptive(method, **options), tau=law)
        assert abs(run.v[-1, 0] - 1.0) < 1e-6
        assert run.report.steps >= 1.0 / options.get("max_step", dt) - 1e-6 and not run.report.unseen
    still = quietly(slider(), [0.0], duration=1.0, dt=0.1, integrator=Adaptive(method, max_step=np.inf), tau=[0.0])
    assert still.report.steps < 12


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT", "ignore:STEP TOO LONG")
@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_nothing_is_said_of_forces_that_recorded_times_show(method):
    for law in (
        lambda t, q, v: [np.sin(40.0 * t)],  # fast, but not hidden
        lambda t, q, v: [np.where(t < 0.333, 1.0, -1.0)],
        lambda t, q, v: [np.where((t > 0.25) & (t < 0.45), 5.0, 0.0)],  # longer than a step
        lambda t, q, v: [-1e4 * np.minimum(q[0], 0.0) - v[0]],
        lambda t, q, v: [0.0 * t],
    ):
        run = rbd.simulate(slider(), [0.1], [-1.0], duration=1.0, dt=0.1, integrator=method, tau=law)
        assert not run.report.unseen


def test_functions_that_keep_something_are_not_asked_once_more():
    asked = []

    @rbd.untraced
    def law(t, q, v):
        asked.append(t)
        return kick(declared=False)(t, q, v)

    run = rbd.simulate(slider(), [0.0], duration=1.0, dt=0.1, integrator="rk4", tau=law)
    assert not run.report.unseen and set(np.round(asked, 9)) <= set(np.round(np.arange(41) * 0.025, 9))


def test_sweeps_land_on_breaks():
    model = slider()
    law, options = rbd.traced(kick()), {"duration": 1.0, "dt": 0.1, "integrator": "rk45"}
    motions = rbd.sweep(model, {"v0": [[0.0], [1.0], [2.0]]}, q0=[0.0], tau=law, **options)
    np.testing.assert_allclose(motions.v[:, -1, 0] - [0.0, 1.0, 2.0], 1.0, rtol=0, atol=1e-14)


def test_steps_of_given_length_say_that_they_do_not_heed_breaks():
    run = quietly(slider(), [0.0], duration=1.0, dt=0.002, integrator="rk4", tau=kick())
    assert any(
        "2 breaks of forces are declared, which steps of given length do not heed" in x for x in run.report.notes
    )


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, "0.1", True, [0.1]])
def test_lengths_that_are_none_are_refused(wrong):
    with pytest.raises(SimulationError, match=r"max_step = .* must be a length of time"):
        Adaptive(max_step=wrong)


@pytest.mark.parametrize("wrong", [0.3, "soon", [np.nan], [[0.1]], [None], {0.1: 1}])
def test_breaks_that_are_no_times_are_refused(wrong):
    law = kick()
    law.breaks = wrong
    with pytest.raises(SimulationError, match=r"tau: breaks = .* must be a list of times"):
        rbd.simulate(slider(), [0.0], duration=0.1, tau=law)
