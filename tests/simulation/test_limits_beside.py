"""Joint limits beside other parts of models: loops, mimic and prescribed joints, contacts, several freedoms; stores."""

import pickle
from importlib import import_module

import numpy as np

import rbdkit as rbd
from rbdkit.errors import SimulationError

ROD = rbd.Inertia.box((0.02, 0.02, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))


def arm(**limits):
    model = rbd.Model("arm", gravity=(0, 0, -10.0))
    model.add_body("upper", joint=rbd.Revolute("y"), joint_name="shoulder", inertia=ROD)
    model.add_body(
        "lower", "upper", rbd.Revolute("y"), (0, 0, -1.0), ROD, joint_name="elbow", limits=rbd.Limits(**limits)
    )
    return model


def test_loops_stay_closed_at_a_stop():
    """A parallelogram: its cranks lean like a pendulum, and one of them has a limit."""
    model = rbd.Model("swing", gravity=(0, 0, -10.0))
    model.add_body("left", joint=rbd.Revolute("y"), joint_name="crank", inertia=ROD, limits=rbd.Limits(-0.4, 0.4))
    model.add_body("right", "world", rbd.Revolute("y"), (1.0, 0, 0), ROD)
    model.add_body("beam", "left", rbd.Revolute("y"), (0, 0, -1.0), rbd.Inertia.box((1.0, 0.1, 0.1), mass=1.0))
    model.add_loop("pin", "beam", "right", rbd.Revolute("y"), (1.0, 0, 0), (0, 0, -1.0))
    motion = rbd.simulate(model, [0.0, 0.0, 0.0], [2.0, 2.0, -2.0], duration=0.6, progress=False)
    watched = rbd.simulate(model, [0.0, 0.0, 0.0], [2.0, 2.0, -2.0], duration=0.6, limits="watch", progress=False)
    reached = int(np.argmax(watched.q[:, 0] > 0.4))
    assert reached and motion.q[:, 0].max() < 0.4 + 1e-8
    np.testing.assert_array_equal(motion.q[:reached], watched.q[:reached])
    assert np.abs(motion.constraint_error()).max() < 1e-6
    assert motion.report.stops[0].startswith("joints stop at their limits: crank.angle")


def test_a_mimic_joint_stops_its_master():
    """The follower turns by twice as much, to 0.6 rad; its master has no limit."""
    model = rbd.Model("fingers", gravity=(0, 0, 0))
    model.add_body("one", joint=rbd.Revolute("y"), joint_name="lead", inertia=ROD)
    after = rbd.Mimic("lead", multiplier=2.0)
    model.add_body("two", "world", rbd.Revolute("y"), (1, 0, 0), ROD, mimic=after, limits=rbd.Limits(-0.6, 0.6))
    motion = rbd.simulate(model, [0.0], [1.0], duration=1.0)
    np.testing.assert_allclose(motion.q[-300:, 0], 0.3, atol=1e-9)
    np.testing.assert_allclose(motion.v[-300:], 0.0, atol=1e-9)


def test_a_prescribed_joint_goes_as_it_is_told():
    model = rbd.Model("driven", gravity=(0, 0, 0))
    turn = rbd.Prescribed(rbd.Revolute("y"), lambda t: (2.0 * t, 2.0, 0.0))
    model.add_body("one", joint=turn, inertia=ROD)
    model.add_body("two", "one", rbd.Revolute("y"), (0, 0, -1), ROD, joint_name="free", limits=rbd.Limits(-0.2, 0.2))
    motion = rbd.simulate(model, [0.1], [1.0], duration=0.5, progress=False)
    assert np.abs(motion.q).max() < 0.2 + 1e-9 and motion.report.stops


def test_contacts_and_stops_go_together():
    """A forearm falls on the ground while its elbow is stretched as far as it goes."""
    model = rbd.Model("arm", gravity=(0, 0, -10.0))
    model.add_body("upper", joint=rbd.Revolute("y"), joint_name="shoulder", inertia=ROD)
    tip = rbd.Geometry(rbd.Sphere(0.1), (0, 0, -1.0))
    within = rbd.Limits(-0.1, 0.1)
    model.add_body(
        "lower", "upper", rbd.Revolute("y"), (0, 0, -1.0), ROD, joint_name="elbow", limits=within, geometry=tip
    )
    model.add_ground(height=-1.7, friction=0.5)
    motion = rbd.simulate(model, [1.5, 0.0], duration=1.0, progress=False)
    assert np.abs(motion.q[:, 1]).max() < 0.1 + 1e-8
    bare = rbd.simulate(model, [1.5, 0.0], duration=1.0, limits="stop", progress=False)
    np.testing.assert_array_equal(motion.q, bare.q)  # the law makes all steps in both


def test_a_joint_of_several_freedoms_stops_along_each():
    """A puck hits one cushion and slides on along it; nothing limits its turning."""
    model = rbd.Model("table", gravity=(0, 0, 0))
    limits = rbd.Limits(lower=[-np.inf, -1.0, -1.0], upper=[np.inf, 1.0, 0.2])
    puck = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("puck", joint=rbd.Planar(), inertia=puck, joint_name="cushion", limits=limits)
    motion = rbd.simulate(model, v0=[0.5, 0.4, 0.7], duration=1.0)
    free = rbd.simulate(model, v0=[0.5, 0.4, 0.7], duration=1.0, limits="ignore")
    poses, without = motion.poses("puck"), free.poses("puck")
    assert motion.q[:, 2].max() < 0.2 + 1e-9 and without[-1, 1, 3] > 0.5
    np.testing.assert_allclose(poses[:, 0, 3], without[:, 0, 3], atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 0], free.q[:, 0], atol=1e-9)


def test_where_stops_fail_the_motion_stays_as_without_them(monkeypatch):
    """As where a joint that would be stopped has next to no inertia, which every law refuses."""
    module, run = import_module("rbdkit.simulation.simulate"), []

    def failing(setting):
        run.append(setting)
        if setting.stops:
            raise SimulationError("joint 'elbow' is accelerated by next to no inertia")
        return own(setting)

    own = module.run
    monkeypatch.setattr(module, "run", failing)
    motion = rbd.simulate(arm(lower=-0.1, upper=0.1), [1.0, 0.0], duration=0.6, progress=False)
    assert [bool(setting.stops) for setting in run] == [False, True]
    assert np.abs(motion.q[:, 1]).max() > 0.1
    assert "with stops it cannot be computed: joint 'elbow' is accelerated by next to no inertia" in repr(motion)


def test_a_motion_with_stops_can_be_kept_and_repeated(tmp_path):
    motion = rbd.simulate(arm(lower=-0.1, upper=0.1), [1.0, 0.0], duration=0.6)
    assert motion.report.stops
    again = pickle.loads(pickle.dumps(motion))
    np.testing.assert_array_equal(again.q, motion.q)
    assert [c.name for c in again.model.constraints] == ["elbow.angle"] and again.report.stops == motion.report.stops
    growth = motion.error_growth()
    assert 0.0 < growth.end < 1e-2 and growth.error[50] < 1e-9  # as exact as its integrator until it stops
    values = {"upper.mass": [1.0, 2.0]}
    stored = [rbd.sweep(arm(lower=-0.1, upper=0.1), values, q0=[1.0, 0.0], duration=0.6, store=tmp_path) for _ in "ab"]
    np.testing.assert_array_equal(stored[0].q, stored[1].q)
    assert np.abs(stored[0].q[..., 1]).max() < 0.1 + 1e-9
    np.testing.assert_allclose(stored[0].q[0], motion.q, atol=1e-13)
