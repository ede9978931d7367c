"""The load under the trolley swings as forward dynamics says, with the trolley driven as time says."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import joints
from rbdkit_course.featherstone.pictures import driven_trolley as picture

PULLS = (0.3, 1.4, 1.9)


@pytest.mark.source("F9.01")
def test_the_load_swings_as_a_simulation_says():
    """A prescribed joint of the same spline, by an adaptive method; in the rope's hinge acts nothing."""
    spline = picture.path(*PULLS)
    model = rbd.Model("trolley and load")
    rail = joints.Prescribed(rbd.Prismatic("x"), lambda t: tuple(float(spline.derivative(k)(t)) for k in range(3)))
    trolley = model.add_body("trolley", joint=rail, inertia=rbd.Inertia.box([0.3, 0.2, 0.12], mass=2.0))
    model.add_body("load", trolley, rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0, 0, -1.0], np.zeros((3, 3))))
    times, q, qd, qdd = picture.motion(*PULLS)
    inside = times <= picture.DRIVE
    run = rbd.simulate(model, duration=picture.DRIVE, dt=times[1], integrator="rk4", tau=None)
    np.testing.assert_allclose(run.q[:, -1], q[inside, 1], rtol=0, atol=1e-9)  # the same steps of RK4
    np.testing.assert_allclose(rbd.rnea(picture._MODEL, q, qd, qdd)[:, 1], 0.0, rtol=0, atol=1e-12)


def test_it_starts_and_stops_without_a_jerk():
    spline = picture.path(*PULLS)
    for t, place in ((0.0, 0.0), (picture.DRIVE, picture.WAY)):
        found = [float(spline.derivative(k)(t)) for k in range(3)]
        np.testing.assert_allclose(found, [place, 0.0, 0.0], rtol=0, atol=1e-12)


def test_what_is_left_over_is_how_far_it_swings_afterwards():
    _, q, qd, _ = picture.motion(*PULLS)
    after = q[int(picture.STEPS * picture.DRIVE / picture.DURATION) :, 1]
    assert picture.left_over(q, qd) == pytest.approx(np.abs(after).max(), abs=1e-3)  # the turn lies between two steps


def test_the_time_slider_picks_a_state():
    playground = picture.driven_trolley()
    playground.set(time=1.25)
    times, q, _, _ = picture.motion(1.0, 1.0, 1.0)
    k = int(np.argmin(np.abs(times - 1.25)))
    assert playground.picture.poses[1][0, 3] == pytest.approx(q[k, 0])
    assert playground.picture.poses[2][:3, 2] == pytest.approx([np.sin(q[k, 1]), 0.0, np.cos(q[k, 1])])
    playground.close()
