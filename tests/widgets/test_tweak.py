"""The facts of a body under tweak are those of its motion, with everything that acts."""

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
