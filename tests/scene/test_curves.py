"""Curves beside a motion: angles go on through whole turns."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene.curves import plots_of, unrolled


def turning(formulation: str, every: int = 1) -> rbd.Trajectory:
    """The crank of a four-bar linkage turns several times."""
    model = rbd.library.planar_four_bar()
    q = rbd.assemble(model)
    v = rbd.project_velocity(model, q, np.full(model.nv, 8.0))
    options = {"duration": 2.0, "dt": 2e-4, "formulation": formulation, "every": every}
    return rbd.simulate(model, q, v, progress=False, **options)


@pytest.mark.parametrize("every", [1, 100])
def test_angles_of_bodies_go_on_through_whole_turns(every):
    joint, bodies = turning("joint", every), turning("se3", every)
    assert np.abs(np.diff(bodies.q, axis=0)).max() > 5.0 and np.abs(joint.q[-1] - joint.q[0]).max() > 30.0
    (curve,) = (tab for plot in plots_of(bodies) for tab in plot.tabs if tab.name == "q (rad)")
    np.testing.assert_allclose(curve.values, joint.q.T, atol=1e-4)  # what the steps of both add up to


def test_what_was_counted_stays_as_it_is():
    run = turning("joint", 100)
    np.testing.assert_array_equal(unrolled(run.model, run.t, run.q, run.v), run.q)
    fast = rbd.simulate(rbd.library.pendulum(), [0.0], [800.0], duration=1.0, every=10, progress=False)
    assert np.diff(fast.q[:, 0]).min() > 2.0 * np.pi  # more than a turn from sample to sample
    np.testing.assert_array_equal(unrolled(fast.model, fast.t, fast.q, fast.v), fast.q)
    leap = np.array([[0.0], [np.pi], [np.pi], [-np.pi]])  # half a turn is none; a whole one is
    found = unrolled(fast.model, np.arange(4.0), leap, np.zeros((4, 1)))
    np.testing.assert_array_equal(found, [[0.0], [np.pi], [np.pi], [np.pi]])


def test_a_motion_that_ran_away_is_left_alone():
    model, t = rbd.library.pendulum(), np.arange(3.0)
    wild = np.array([[0.0], [1e300], [np.inf]])
    np.testing.assert_array_equal(unrolled(model, t, wild, -wild), wild)


def test_quaternions_stay_on_the_side_of_the_one_before():
    """On bodies rotations are told by the quaternion with qw >= 0, which leaps to its negative twice a turn."""
    model = rbd.library.tumbling_box()
    start = rbd.library.tumbling_box_state()
    joint, bodies = (
        rbd.simulate(model, *start, duration=1.0, dt=1e-3, formulation=formulation, progress=False)
        for formulation in ("joint", "se3")
    )
    found = unrolled(model, bodies.t, bodies.q, bodies.v)
    assert np.abs(np.diff(bodies.q, axis=0)).max() > 1.0 > 0.2 > np.abs(np.diff(found, axis=0)).max()
    np.testing.assert_allclose(found, joint.q, atol=1e-3)  # which steps add up, and never leap
    np.testing.assert_array_equal(unrolled(model, joint.t, joint.q, joint.v), joint.q)
    same = [rbd.forward_kinematics(model, q).poses for q in (found[::100], bodies.q[::100])]
    np.testing.assert_allclose(*same, atol=1e-14)
