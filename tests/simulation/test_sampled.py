"""Sampled controllers: asked once a period, in order, on every road that steps from Python, and held in between."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd


class Keeping:
    """Notes when it is asked, and integrates the error."""

    def __init__(self, nv, gain=30.0):
        self.nv, self.gain = nv, gain
        self.reset()

    def reset(self):
        self.asked, self.sum = [], np.zeros(self.nv)

    def __call__(self, t, q, v):
        self.asked.append(float(t))
        error = 0.4 - q[-self.nv :]
        self.sum += 0.01 * error
        return self.gain * error + 20.0 * self.sum - 3.0 * v


def by_hand(model, controller, q, v, periods, period, dt):
    """The same run as one simulation after the other, each under the constant forces of its period."""
    found = [q]
    for k in range(periods):
        tau = controller(k * period, q, v)
        run = rbd.simulate(model, q, v, period, dt, tau=tau, progress=False)
        q, v = run.q[-1], run.v[-1]
        found.append(q)
    return np.array(found)


def test_it_is_asked_once_a_period_and_held():
    model = rbd.library.double_pendulum()
    controller = Keeping(2)
    run = rbd.simulate(model, [0.1, 0.2], duration=0.5, tau=rbd.Sampled(controller, 0.01), progress=False)
    np.testing.assert_allclose(controller.asked, np.arange(50) * 0.01, rtol=0, atol=1e-12)
    expected = by_hand(model, Keeping(2), np.array([0.1, 0.2]), np.zeros(2), 50, 0.01, 1e-3)
    np.testing.assert_allclose(run.q[::10], expected, rtol=0, atol=1e-11)
    # what the trajectory tells of the forces is what acted
    steps = run.tau[:-1].reshape(50, 10, 2)
    assert (steps == steps[:, :1]).all() and len(np.unique(steps[:, 0, 0])) == 50
    assert not [note for note in run.report.alarms(model) if "TOO LONG" in note]


def test_a_run_again_begins_anew():
    model, law = rbd.library.double_pendulum(), rbd.Sampled(Keeping(2), 0.02)
    first, again = (rbd.simulate(model, [0.1, 0.2], duration=0.3, tau=law, progress=False) for _ in range(2))
    np.testing.assert_array_equal(first.q, again.q)


@pytest.mark.parametrize("contact", ["time_stepping", "compliant", "rigid"])
def test_contact_laws(contact):
    model = rbd.Model("hopper")
    shapes = {"inertia": rbd.Inertia.sphere(0.1, mass=1.0), "geometry": rbd.Sphere(0.1)}
    model.add_body("ball", joint=rbd.Prismatic("z"), **shapes)
    model.add_ground(restitution=0.0)
    controller = Keeping(1, gain=5.0)
    law = rbd.Sampled(controller, 0.01)
    run = rbd.simulate(model, [0.11], duration=0.3, tau=law, contact=contact, progress=False)
    np.testing.assert_allclose(controller.asked, np.arange(30) * 0.01, rtol=0, atol=1e-9)
    assert np.isfinite(run.q).all() and run.q.min() > 0.09


@pytest.mark.parametrize("formulation", ["se3", "maximal"])
def test_formulations_are_asked_in_joint_coordinates(formulation):
    model = rbd.library.double_pendulum()
    law = rbd.Sampled(Keeping(2), 0.01)
    run = rbd.simulate(model, [0.1, 0.2], duration=0.2, tau=law, formulation=formulation, progress=False)
    known = rbd.simulate(model, [0.1, 0.2], duration=0.2, tau=law, progress=False)
    np.testing.assert_allclose(run.tau, known.tau, rtol=0, atol=1e-2 * np.abs(known.tau).max())


def test_loops():
    model = rbd.library.planar_four_bar()
    controller = Keeping(3, gain=1.0)
    rbd.simulate(model, duration=0.1, tau=rbd.Sampled(controller, 0.01), progress=False)
    np.testing.assert_allclose(controller.asked, np.arange(10) * 0.01, rtol=0, atol=1e-9)


def test_the_error_of_the_motion_is_estimated_under_the_same_forces():
    model = rbd.library.double_pendulum()
    run = rbd.simulate(model, [1.0, 0.2], duration=0.5, dt=0.01, tau=rbd.Sampled(Keeping(2), 0.05), progress=False)
    assert run.error_growth().end < 1e-4


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"period": 0.0015}, "take dt = 0.0015 / 2"),
        ({"period": 1e-4}, "whole number of steps"),
        ({"period": 0.01, "integrator": "dop853"}, "own steps"),
        ({"period": -1.0}, "positive"),
        ({"period": "soon"}, "period"),
        ({"period": 0.01, "controller": 3.0}, "function or object"),
        ({"period": 0.01, "controller": lambda t: t}, "the controller"),
        ({"period": 0.01, "controller": lambda t, q, v: [1.0]}, "shape"),
    ],
)
def test_what_does_not_fit_is_refused(change, says):
    model = rbd.library.double_pendulum()
    given = {"controller": lambda t, q, v: np.zeros(2), **change}
    options = {"integrator": given.pop("integrator")} if "integrator" in given else {}
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.simulate(model, duration=0.1, tau=rbd.Sampled(**given), progress=False, **options)


def test_sweeps_refuse_it():
    with pytest.raises(rbd.RbdkitError, match="side by side"):
        law = rbd.Sampled(Keeping(2), 0.01)
        rbd.sweep(rbd.library.double_pendulum(), {"rod1.mass": [1.0, 2.0]}, tau=law, progress=False)


def test_a_controllers_own_error_keeps_what_was_computed():
    def failing(t, q, v):
        if t > 0.05:
            raise ValueError("out of battery")
        return np.zeros(2)

    with pytest.warns(match="out of battery"):
        run = rbd.simulate(
            rbd.library.double_pendulum(), [1.0, 0.0], duration=0.2, tau=rbd.Sampled(failing, 0.01), progress=False
        )
    assert run.t[-1] == pytest.approx(0.06)


def test_compiled_loops_ask_between_chunks_of_steps():
    """The same as stepped from Python, in trees, loops and under a contact law, whatever is recorded."""
    arm, four_bar = rbd.library.double_pendulum(), rbd.library.planar_four_bar()
    for model, q, every in ((arm, [0.1, 0.2], 1), (arm, [0.1, 0.2], 7), (four_bar, None, 3)):
        controllers = [Keeping(model.nv, gain=5.0) for _ in range(2)]
        compiled = rbd.simulate(
            model, q, duration=0.3, tau=rbd.Sampled(controllers[0], 0.01), every=every, progress=False
        )
        assert "compiled loop" in compiled.report.backend
        book = rbd.simulate(
            model, q, duration=0.3, tau=rbd.Sampled(controllers[1], 0.01), every=every, progress=False, backend="book"
        )
        assert controllers[0].asked == controllers[1].asked
        np.testing.assert_allclose(compiled.q, book.q, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(compiled.t, book.t)


def test_a_controller_that_raises_ends_the_run_and_keeps_it():
    model = rbd.library.double_pendulum()

    def tired(t, q, v):
        if t > 0.095:
            raise RuntimeError("battery empty")
        return 0.0 * v

    for contact in ("none", "time_stepping"):
        with pytest.warns(rbd.simulation.SimulationWarning, match="battery empty"):
            run = rbd.simulate(model, [0.1, 0.2], duration=0.3, tau=rbd.Sampled(tired, 0.01), contact=contact)
        assert "battery empty" in run.report.stopped and run.t[-1] == pytest.approx(0.1)
        assert "tired" in run.report.traceback
    with pytest.raises(RuntimeError, match="battery"):
        rbd.simulate(model, duration=0.3, tau=rbd.Sampled(lambda t, q, v: tired(1.0, q, v), 0.01))
