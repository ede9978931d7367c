"""One member that fails takes no other along, and what it was is said; so is an interruption."""

import concurrent.futures
import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.library import double_pendulum, pendulum, spherical_pendulum
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.ensembles import lanes
from rbdkit.simulation.ensembles.chunk import run_chunk

SHORT = {"duration": 0.2, "dt": 2e-3, "progress": False}


def sweep(*arguments, **options):
    """A sweep with failures, without its warning."""
    with pytest.warns(SimulationWarning, match="FAILED"):
        return rbd.sweep(*arguments, **SHORT | options)


def test_an_impossible_inertia():
    ensemble = sweep(double_pendulum(), {"rod1.mass": [1.0, -1.0, 2.0]}, [0.1, 0.2])
    (failure,) = ensemble.failures
    assert (failure.member, failure.parameters, failure.t) == (1, {"rod1.mass": -1.0}, 0.0)
    assert "the mass is negative: -1 kg" in failure.reason
    assert np.isnan(ensemble.q[1]).all() and np.isnan(ensemble.v[1]).all()
    assert np.isfinite(ensemble.q[[0, 2]]).all()
    assert "member 1 (rod1.mass = -1): body 'rod1'" in repr(ensemble)
    with pytest.raises(SimulationError, match=r"no motion of member 1 \(rod1.mass = -1\)"):
        ensemble[1]
    assert len(list(ensemble)) == 2


def test_an_inertia_that_can_be_built_but_has_no_motion():
    """Findings of `validate` are reasons too: here, a joint that moves nothing with mass."""
    ensemble = sweep(
        pendulum(), [{"rod.mass": 0.0, "rod.inertia": np.zeros((3, 3))}, {"rod.mass": 1.0, "rod.inertia": np.eye(3)}]
    )
    assert [failure.member for failure in ensemble.failures] == [0]
    assert "'hinge'" in ensemble.failures[0].reason


def test_a_state_off_its_manifold():
    states = [[1.0, 0, 0, 0], [0.0, 1.1, 0, 0], [0.0, 0, 0, 1.0]]
    ensemble = sweep(spherical_pendulum(), {"q0": states})
    assert [failure.member for failure in ensemble.failures] == [1]
    assert "'pivot'" in ensemble.failures[0].reason
    assert np.isfinite(ensemble.q[[0, 2]]).all()


@pytest.mark.parametrize("tau", [None, lambda t, q, v: 0.0 * q], ids=["compiled", "from Python"])
def test_a_motion_that_runs_away(tau):
    """Damping that RK4 cannot follow at this step; the states before are kept, the last one as well."""
    model, damping = pendulum(), [0.1, 1e5, 0.2]
    ensemble = sweep(model, {"hinge.damping": damping}, [0.5], [1.0], tau=tau, every=5)
    (failure,) = ensemble.failures
    assert failure.member == 1
    assert "not finite any more" in failure.reason
    assert failure.parameters == {"hinge.damping": 1e5}
    with pytest.warns(SimulationWarning):
        alone = rbd.simulate(model.with_parameters(failure.parameters), [0.5], [1.0], tau=tau, every=5, **SHORT)
    own = ensemble[1]
    np.testing.assert_array_equal(own.t, alone.t)
    np.testing.assert_allclose(own.q, alone.q, rtol=1e-9)
    assert failure.t == alone.t[-1] < 0.2
    kept = np.count_nonzero(np.isfinite(ensemble.q[1, :, 0]))
    assert kept == np.count_nonzero(ensemble.t <= failure.t)
    assert np.isfinite(ensemble.energy().total[1, 0]) and np.isnan(ensemble.energy().total[1, kept:]).all()
    assert np.isfinite(ensemble.q[[0, 2]]).all()


def test_functions_that_raise():
    """Whatever a function of the user's raises, in building or in running."""

    def build(length):
        return pendulum(1.0 / length)

    def tau(t, q, v):
        return {"a": 1.0}["b"] if q[0] > 1.0 else np.zeros(1)

    ensemble = sweep(build, {"length": [1, 0], "hinge.angle": [0.5, 1.5]}, tau=tau)
    assert [failure.member for failure in ensemble.failures] == [1, 2, 3]
    assert [failure.reason.split(":")[0] for failure in ensemble.failures] == [
        "KeyError",
        "ZeroDivisionError",
        "ZeroDivisionError",
    ]
    assert np.isfinite(ensemble.q[0, 0]).all()


def test_a_fault_while_members_run_together_is_laid_at_one_door(monkeypatch):
    """What goes wrong for a group is tried again one by one."""
    together = lanes.simulate_many

    def fragile(kernels, q, *arguments):
        if (q[:, 0] > 0.35).any():
            raise ArithmeticError("too wide")
        return together(kernels, q, *arguments)

    monkeypatch.setattr(lanes, "simulate_many", fragile)
    ensemble = sweep(pendulum(), {"hinge.angle": [0.1, 0.2, 0.3, 0.4]}, chunk=4)
    assert [failure.member for failure in ensemble.failures] == [3]
    line = fragile.__code__.co_firstlineno + 2
    said = f"ArithmeticError: too wide (test_sweep_failures.py:{line}, in fragile)"
    assert ensemble.failures[0].reason == said
    assert np.isfinite(ensemble.q[:3]).all()


def test_no_member_can_be_started():
    with pytest.raises(
        SimulationError, match=r"none of 2 members .* member 0 \(hinge.angle = nan\): q0\[0\] \(joint 'hinge'\)"
    ):
        rbd.sweep(pendulum(), {"hinge.angle": [np.nan, np.inf]}, **SHORT)


def test_a_drift_that_is_as_large_as_the_motion_is_said():
    with pytest.warns(SimulationWarning, match="member 1: its step is likely too long"):
        ensemble = rbd.sweep(pendulum(), {"dt": [5e-4, 0.05]}, [1.0], integrator="explicit_euler", duration=3.0)
    assert ensemble.report.worst == 1
    assert ensemble.report.drift > 0.05


class Impatient:
    """Presses Ctrl+C when some of the work is done."""

    def __init__(self, when):
        self.when = when

    def __call__(self, fraction):
        if fraction >= self.when:
            self.when = np.inf
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    "options",
    [{"duration": 100.0, "dt": 1e-3, "every": 1000}, {"duration": 5.0, "dt": 0.05, "integrator": "dop853"}],
    ids=["compiled", "from Python"],
)
def test_an_interruption_keeps_what_is_done(options):
    angles = np.linspace(0.1, 0.3, 40)
    with pytest.warns(SimulationWarning, match="INTERRUPTED"):
        ensemble = rbd.sweep(
            double_pendulum(), {"hinge1.angle": angles}, chunk=1, threads=1, progress=Impatient(0.02), **options
        )
    done = np.isfinite(ensemble.q[:, -1, 0])
    assert 0 <= done.sum() < 40
    assert ensemble.report.interrupted and "INTERRUPTED" in repr(ensemble)
    assert [failure.member for failure in ensemble.failures] == list(np.flatnonzero(~done))
    assert ensemble.failures[-1].reason == "interrupted before it began"
    alone = rbd.simulate(double_pendulum(), [0.1, 0.0], **options)
    np.testing.assert_allclose(ensemble[0].q[:5], alone.q[:5], atol=1e-9)


class Here(concurrent.futures.Executor):
    """Computes at once, and loses some of the chunks. lost : which, by their number in order, the first is 1."""

    def __init__(self, lost=lambda number: False, workers=1):
        self.calls, self._lost, self._max_workers = 0, lost, workers

    def submit(self, function, /, *arguments, **options):
        future = concurrent.futures.Future()
        self.calls += 1
        if self._lost(self.calls):
            future.set_exception(ConnectionError("the machine is gone"))
        else:
            future.set_result(function(*arguments, **options))
        return future


def test_a_lost_worker_loses_its_own_members_only():
    ensemble = sweep(
        pendulum(), {"hinge.angle": np.linspace(0.1, 0.6, 6)}, executor=Here(lambda number: number % 2 == 0), chunk=2
    )
    assert [failure.member for failure in ensemble.failures] == [2, 3]
    assert ensemble.failures[0].reason == "its worker gave no result: ConnectionError: the machine is gone"
    assert np.isfinite(ensemble.q[[0, 1, 4, 5]]).all()


def test_a_member_from_python_tells_how_far_it_is():
    """As it runs, not only when it is done: else it would not hear of an interruption."""
    executor, chunks, told = Here(), [], []
    executor.submit = lambda function, chunk: chunks.append(chunk) or Here.submit(executor, function, chunk)
    rbd.sweep(pendulum(), {"hinge.angle": [0.5]}, executor=executor, tau=lambda t, q, v: 0.0 * q, **SHORT)
    (outcome,) = run_chunk(*chunks, told.append)
    assert 0.0 < told[0] < 1.0 and told[-1] == 1.0 and not outcome.interrupted


def test_a_chunk_that_got_lost_once_is_tried_again():
    executor = Here(lambda number: number == 1)
    ensemble = rbd.sweep(pendulum(), {"hinge.angle": np.linspace(0.1, 0.6, 6)}, executor=executor, chunk=2, **SHORT)
    assert not ensemble.failures and np.isfinite(ensemble.q).all() and executor.calls == 4


@pytest.mark.parametrize("members, chunks", [(64, 8), (65, 5), (8, 1), (7, 1)])
def test_chunks_are_whole_lanes_four_for_each_worker(members, chunks):
    """The smallest multiple of eight members that makes eight chunks or fewer for two workers."""
    executor = Here(workers=2)
    rbd.sweep(pendulum(), {"hinge.angle": np.linspace(0.1, 0.6, members)}, executor=executor, **SHORT)
    assert executor.calls == chunks


def test_warnings_of_members_are_said_once():
    """A member from Python warns for itself; the sweep says it for all."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbd.sweep(pendulum(), {"hinge.damping": [0.0, 1e5]}, v0=[1.0], tau=lambda t, q, v: 0.0 * q, **SHORT)
    assert len(caught) == 1 and "FAILED: 1 member" in str(caught[0].message)
