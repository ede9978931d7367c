"""What becomes of the errors of steps: the estimate against runs that are exact for its purpose."""

import pickle
import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.integrators import Adaptive
from rbdkit.simulation.distance import distance

START = [2.0, 3.0]
EXACT = Adaptive("dop853", rtol=1e-13, atol=1e-13)


def true_error(run, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact = rbd.simulate(run.model, run.q[0], run.v[0], integrator=EXACT, **options)
    return distance(run.model, run.poses(), exact.poses())


@pytest.mark.parametrize(
    ("integrator", "formulation"),
    [("rk4", "joint"), ("rk4", "se3"), ("symplectic_euler", "joint"), ("implicit_midpoint", "joint"),
     ("generalized_alpha", "so3xr3")],
)  # fmt: skip
def test_the_estimate_is_the_error(integrator, formulation):
    # Richardson's estimate is right up to the next power of the step: here a tenth of it, of first order a third
    span = {"duration": 2.005, "dt": 2e-3 if integrator != "symplectic_euler" else 1e-4}
    model = rbd.library.double_pendulum()
    run = rbd.simulate(model, START, integrator=integrator, formulation=formulation, **span)
    growth, error = run.error_growth(), true_error(run, **span)
    late = slice(len(error) // 4, None)
    np.testing.assert_allclose(growth.error[late], error[late], rtol=0.35)
    assert growth.error[0] == 0.0 and "half the step" in growth.how


def test_it_sees_what_the_sum_of_step_errors_does_not():
    span = {"duration": 15.0, "dt": 5e-3}
    run = rbd.simulate(rbd.library.double_pendulum(), START, **span)
    growth, error = run.error_growth(), true_error(run, **span)
    assert error[-1] > 30 * run.report.end_error
    for bound in (1e-6, 1e-4):
        until = growth.known_until(bound)
        k = np.flatnonzero(error >= bound)[0]
        assert abs(until - run.t[k]) < 0.15  # errors grow tenfold in about a second
    assert growth.known_until(10.0) == 15.0
    assert "KNOWN UNTIL" in str(growth) if growth.end > 1e-2 else "KNOWN" not in str(growth)


def test_adaptive_runs_are_compared_with_tighter_ones():
    span = {"duration": 3.0, "dt": 0.01}
    loose = Adaptive("rk45", rtol=1e-5, atol=1e-5)
    run = rbd.simulate(rbd.library.double_pendulum(), START, integrator=loose, **span)
    growth = run.error_growth()
    np.testing.assert_allclose(growth.error[100:], true_error(run, **span)[100:], rtol=0.35)
    assert "tolerances" in growth.how


def in_pieces(model, times, tau):
    """The coordinates after all steps, each of them a run of its own in eight steps, under a force that is smooth."""
    q, v = np.array(START), np.zeros(2)
    for k, h in enumerate(np.diff(times)):
        ends = tau[k : k + 2] if len(tau) == len(times) else tau[[k, k]]
        forces = np.linspace(*ends, 9)
        piece = rbd.simulate(model, q, v, duration=h, dt=h / 8, tau=forces)
        q, v = piece.q[-1], piece.v[-1]
    return q


@pytest.mark.parametrize("duration", [0.5, 0.493, 0.497])
@pytest.mark.parametrize("rows", [50, 51])
def test_joint_forces_act_in_half_steps_as_they_did(duration, rows):
    """Held or sampled ones act at the same times; one row too early would show a hundred times as large."""
    model, tau = rbd.library.double_pendulum(), np.random.default_rng(7).normal(size=(rows, 2))
    times = np.minimum(0.01 * np.arange(51), duration)
    run = rbd.simulate(model, START, duration=duration, dt=0.01, tau=tau)
    exact = rbd.forward_kinematics(model, in_pieces(model, times, tau)).poses[None]
    # the estimate is right up to the next power of the step
    np.testing.assert_allclose(run.error_growth().end, distance(model, run.poses()[[-1]], exact)[0], rtol=0.2)


def test_bodies_that_touch_and_external_forces():
    start = rbd.library.ball_pit(3)
    run = rbd.simulate(start.model, start.q, start.v, duration=0.3, f_ext={"ball1": [0, 0, 0, 0.01, 0, 0]})
    growth = run.error_growth()
    assert np.isfinite(growth.error).all() and 0.0 < growth.end < 0.1


def test_motions_that_cannot_be_computed_again_say_so():
    run = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1)
    loaded = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(loaded.q, run.q)
    with pytest.raises(SimulationError, match="cannot be computed once more"):
        loaded.error_growth()


def test_a_report_that_is_looked_at_says_it():
    run = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1)
    run = rbd.simulate(run.model, [1.0], duration=0.1)  # compiled by now
    assert str(run.error_growth()) in repr(run)
    assert "at its end off by about" not in repr(rbd.simulate(run.model, [1.0], duration=0.1, backend="book"))


def test_a_run_that_ended_early_is_known_no_further():
    model = rbd.library.double_pendulum()
    with pytest.warns(rbd.simulation.SimulationWarning):
        run = rbd.simulate(model, START, duration=2.0, dt=0.2, tau=lambda t, q, v: 500.0 * v)
    growth = run.error_growth()
    assert len(growth.error) == len(run) and not growth.end < 1e-2
