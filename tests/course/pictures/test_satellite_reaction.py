"""The hull drifts as a simulation with driven joints drifts, and loops of the arm turn it."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import satellite_with_arm
from rbdkit.spatial import so3
from rbdkit_course.featherstone.pictures.satellite_reaction import START, Drift, satellite_reaction


def driven_twin(q0: np.ndarray, q1: np.ndarray) -> rbd.Model:
    """The satellite with its arm driven from one set of angles to another in one second, at constant speed."""
    free, driven = satellite_with_arm(), rbd.Model("driven", gravity=np.zeros(3))
    for body in free.bodies[1:]:
        kind = body.joint.type
        if kind.nv == 1:
            k = body.joint.v_slice.start - 6
            kind = rbd.Prescribed(kind, lambda t, k=k: (q0[k] + t * (q1[k] - q0[k]), q1[k] - q0[k], 0.0))
        parent = free.bodies[body.parent].name
        driven.add_body(body.name, parent, kind, body.joint.placement, body.inertia)
    return driven


def test_moving_the_arm_turns_the_hull():
    """Against a simulation that begins without momentum; midpoint steps of 0.04 rad are good to a few 1e-5."""
    start, end = np.array(START), np.array([0.9, -0.4, 1.6])
    model = driven_twin(start, end)
    still = rbd.momentum(model, model.neutral(), np.zeros(6))
    columns = np.array([rbd.momentum(model, model.neutral(), e) - still for e in np.eye(6)]).T
    v0 = np.linalg.solve(columns, -still)
    run = rbd.simulate(model, v0=v0, duration=1.0, dt=5e-3, progress=False)
    drift = Drift(q=start)
    drift.move(end)
    pose = run.poses("hull")[-1]
    assert drift.pose == pytest.approx(pose, abs=1e-4)
    assert np.linalg.norm(so3.log(pose[:3, :3])) > 0.05
    assert np.linalg.norm(drift.h) < 1e-13


def test_there_and_back_is_nothing_but_a_loop_is_not():
    drift = Drift()
    here, there = np.array(START), np.array([0.0, -1.0, 1.9])
    drift.move(there)
    drift.move(here)
    assert drift.turned < 1e-12
    for corner in ([0.0, -1.0, 0.9], there, [0.0, 0.5, 1.9], here):
        drift.move(np.array(corner))
    assert drift.q == pytest.approx(here)
    assert drift.turned > 0.02


def test_the_widget_keeps_where_the_hull_is():
    playground = satellite_reaction()
    first = playground.picture.poses
    playground.set(shoulder=-0.5)
    playground.set(elbow=-0.5)
    moved = playground.picture
    assert np.abs(moved.poses[1] - first[1]).max() > 1e-3
    elbow = np.linalg.solve(moved.poses[3], moved.poses[4])
    assert np.arctan2(elbow[0, 2], elbow[0, 0]) == pytest.approx(-0.5)
    assert float(dict(moved.readout)["centre of mass moved by"].split()[0]) < 1e-4
    playground.close()
