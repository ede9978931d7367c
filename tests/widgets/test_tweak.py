"""The facts of a body under tweak are those of its motion, with everything that acts."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import RbdkitError
from rbdkit.library import double_pendulum


def test_the_facts_count_external_forces_in():
    push = {"rod2": rbd.wrench(force=[30.0, 0.0, 0.0])}
    view = rbd.tweak(double_pendulum(), {"rod1.mass": (0.5, 2.0)}, q0=[0.3, 0.1], duration=0.5, f_ext=push)
    view.t = 0.25
    view.inspected = "rod2"
    run, k = view.trajectory, view.frame
    assert k > 0
    with_push = rbd.inspect(run.model, "rod2", run.q[k], run.v[k], f_ext=push)["f"]
    without = rbd.inspect(run.model, "rod2", run.q[k], run.v[k])["f"]
    assert_allclose(view.facts["f"], with_push, atol=1e-12)
    assert abs(with_push - without).max() > 1.0
    view.close()


def test_a_motion_with_an_alarm_is_shown_with_its_numbers():
    view = rbd.tweak(double_pendulum(), {"dt": (1e-4, 0.1)}, [1.2, 0.4], duration=10.0)
    with pytest.raises(RbdkitError, match="STEP TOO LONG"):
        view.set(dt=0.08)
    assert view.values["dt"] == view.panel.numbers[0] == 0.08
    with pytest.raises(RbdkitError, match="dt"):
        view.set(dt=-1.0)
    assert view.values["dt"] == view.panel.numbers[0] == 0.08
    view.close()


def test_the_ghost_of_a_drag_is_the_motion_before_it_however_long_runs_take(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(import_module("rbdkit.widgets.tweak"), "time", SimpleNamespace(monotonic=lambda: clock.now))
    view = rbd.tweak(double_pendulum(), {"rod1.mass": (0.5, 2.0)}, q0=[0.3, 0.1], duration=0.1)
    run = type(view.experiment).run

    def slow(experiment, values):
        clock.now += 2.0
        return run(experiment, values)

    monkeypatch.setattr(type(view.experiment), "run", slow)
    for masses in ((0.6, 0.8, 1.0), (1.2, 1.4)):
        stood = view.trajectory
        for mass in masses:
            view.set(**{"rod1.mass": mass})
            clock.now += 0.1
            assert view.ghost is stood
        clock.now += 1.0
    view.close()
