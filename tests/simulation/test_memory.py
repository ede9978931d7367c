"""Controllers that keep something from call to call, and what a report can say of them."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.simulation import SimulationWarning


class Integrating:
    """A controller with an integral of the error, for calls once a step."""

    def __init__(self, step):
        self.step, self.sum, self.calls = step, 0.0, 0

    def __call__(self, t, q, v):
        self.calls += 1
        error = 0.3 - q
        self.sum = self.sum + error * self.step
        return 40.0 * error + 30.0 * self.sum - 4.0 * v


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_controller_with_memory_is_told_so_and_not_blamed_on_the_step(formulation):
    model, controller = rbd.library.double_pendulum(), Integrating(1e-3)
    with pytest.warns(SimulationWarning, match="LAW WITH MEMORY: tau gives other values when asked again") as told:
        run = rbd.simulate(model, duration=0.05, tau=controller, formulation=formulation)
    said = str(told[0].message)
    assert "'rk4' asks 4 times a step" in said and "tau=rbdkit.Sampled(controller, period)" in said
    assert "STEP TOO LONG" not in said and run.report.adequacy is None and np.isnan(run.report.energy_error)
    assert controller.calls >= 4 * 50


def test_what_the_report_advises_holds_the_output_over_a_step():
    """As a table of what the controller said, one value for each step."""
    model, controller, dt = rbd.library.double_pendulum(), Integrating(1e-2), 1e-2
    q, v, said = np.array([0.1, -0.2]), np.zeros(2), []
    for k in range(20):
        u = controller(k * dt, q, v)
        said.append(u)
        step = rbd.simulate(model, q, v, duration=dt, dt=dt, tau=u)
        q, v = step.q[-1], step.v[-1]
    assert controller.calls == 20
    advised = rbd.Sampled(Integrating(1e-2), dt)
    whole = rbd.simulate(model, [0.1, -0.2], duration=20 * dt, dt=dt, tau=advised, progress=False)
    np.testing.assert_allclose(whole.q[-1], q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(whole.tau[:-1], said, rtol=0, atol=1e-13)


def test_functions_that_answer_alike_are_judged_as_ever():
    seen = []

    @rbd.untraced
    def watched(t, q, v):
        seen.append(t)
        return -0.1 * v

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rbd.simulate(rbd.library.double_pendulum(), [0.1, 0.2], duration=0.05, tau=watched)
    assert not run.report.memory and run.report.adequacy.stable and run.report.energy_error < 1e-6


def test_another_last_digit_is_no_memory():
    """Compiled functions may compute one state in more than one way."""
    calls = []

    @rbd.untraced
    def rounding(t, q, v):
        calls.append(t)
        return -0.1 * (v + q) * (1.0 + 1e-15 * (len(calls) % 2))

    run = rbd.simulate(rbd.library.double_pendulum(), [0.1, 0.2], duration=0.05, tau=rounding)
    assert not run.report.memory and run.report.adequacy.stable


def test_external_forces_with_memory():
    calls = []

    def growing(t, q, v):
        calls.append(t)
        return {"rod1": [0.0, 1e-3 * len(calls), 0.0, 0.0, 0.0, 0.0]}

    with pytest.warns(SimulationWarning, match=r"LAW WITH MEMORY: f_ext gives .* 'symplectic_euler'|MEMORY: f_ext"):
        run = rbd.simulate(rbd.library.double_pendulum(), duration=0.02, f_ext=growing, integrator="symplectic_euler")
    assert "times a step" not in run.report.memory


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_an_arm_that_is_held_still_keeps_its_energy(backend):
    model, q = rbd.library.double_pendulum(), [0.3, 0.2]
    run = rbd.simulate(model, q, duration=0.1, tau=rbd.gravity_force(model, q), backend=backend)
    assert run.report.energy_error == 0.0 and "energy is kept to round-off" in repr(run)
    swinging = rbd.simulate(model, q, duration=0.1, backend=backend)
    assert swinging.report.energy_error > 0.0 and "that move about" in repr(swinging)
