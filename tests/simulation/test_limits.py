"""Joint limits of a model: watched, held by stops, or ignored."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError


def thrown(limits=(-0.5, 0.8)):
    """A pendulum on a hinge with limits."""
    model = rbd.Model("swing", gravity=(0, 0, -10.0))
    rod = rbd.Inertia.box((0.02, 0.02, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    bounds = rbd.Limits(*limits)
    model.add_body("rod", joint=rbd.Revolute("y"), joint_name="hinge", inertia=rod, limits=bounds)
    return model


@pytest.mark.parametrize("contact", [None, "rigid", "impulse"])
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_a_pendulum_thrown_at_its_stop_rests_there(contact, backend):
    """A motor presses it against the stop, whose torque then is the motor's less the weight's."""
    model, push, bound = thrown(), 8.0, 0.8
    motion = rbd.simulate(
        model, [0.0], [4.0], tau=[push], duration=1.0, limits="stop", contact=contact, backend=backend, progress=False
    )
    assert motion.q.max() < bound + 1e-9  # 'time_stepping' closes a gap to the tolerance of its sweeps, 1e-10 of 4 m/s
    assert np.all(motion.q[-200:] > bound - 1e-9)
    assert np.abs(motion.v[-200:]).max() < 1e-9
    weight = 10.0 * 0.5 * np.sin(bound)
    np.testing.assert_allclose(motion.contacts.normal_force("hinge.angle")[-200:], push - weight, rtol=1e-7)
    assert not motion.report.violations
    assert [c.name for c in motion.model.constraints] == ["hinge.angle"]
    assert not model.constraints


@pytest.mark.parametrize("contact", ["time_stepping", "rigid"])
def test_energy_never_grows_at_a_stop(contact):
    motion = rbd.simulate(thrown((-0.3, 0.2)), [0.1], [6.0], duration=3.0, limits="stop", contact=contact)
    energy = motion.energy().total
    # steps of first order let the energy of a free swing vary by h times its power, at most 1e-3 s * 6 rad/s * 5 N m
    assert (energy - np.minimum.accumulate(energy)).max() < (3e-2 if contact == "time_stepping" else 1e-9)
    assert energy[-1] < energy[0] - 1.0
    assert motion.q.min() > -0.3 - 1e-9 and motion.q.max() < 0.2 + 1e-9


def test_what_was_passed_is_told_or_not():
    watched, ignored = (rbd.simulate(thrown(), [0.0], [6.0], duration=0.5, limits=x) for x in ("watch", "ignore"))
    np.testing.assert_array_equal(watched.q, ignored.q)
    assert watched.q.max() > 0.8
    assert [x.joint for x in watched.report.violations] == ["hinge"]
    assert not ignored.report.violations
    assert "hinge" not in str(ignored.report)


def test_a_limit_of_ones_own_stands_in_for_that_of_the_joint():
    model = thrown()
    model.add_constraint("buffer", rbd.Limit("hinge", None, 0.4))
    motion = rbd.simulate(model, [0.0], [3.0], tau=[8.0], duration=1.0, limits="stop")
    assert [c.name for c in motion.model.constraints] == ["buffer"]
    assert abs(motion.q[-1, 0] - 0.4) < 1e-9


def test_what_cannot_stop_is_refused_by_name():
    for options in ({"formulation": "se3"}, {"contact": "none"}, {"contact": "compliant"}):
        with pytest.raises(SimulationError, match=r"limits='stop' needs formulation='joint'.*'rigid'"):
            rbd.simulate(thrown(), duration=0.1, limits="stop", **options)
    for wrong, shown in (("hold", "'hold'"), (np.array(["stop", "watch"]), "array"), (None, "None")):
        with pytest.raises(SimulationError, match=rf"limits {shown}.* is unknown; there are 'watch', 'stop', 'ignore'"):
            rbd.simulate(thrown(), duration=0.1, limits=wrong)
    without = rbd.library.pendulum()  # has no limits, so nothing needs a stop
    assert len(rbd.simulate(without, duration=0.1, limits="stop", formulation="se3")) == 101


@pytest.mark.parametrize("robot", ["ur5_robot", "panda", "anymal"])
def test_robots_stay_within_the_limits_of_their_files(robot):
    """Mimic fingers, too; the model falls for two seconds from the middle of its ranges."""
    model = rbd.load(rbd.library.robot_file(robot))
    q = model.neutral()
    for joint in model.joints:
        low, high = np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)
        if joint.mimic is None and joint.nq == 1 and np.isfinite([low, high]).all():
            q[joint.q_slice] = 0.5 * (low + high)
    motion = rbd.simulate(model, q, duration=2.0, limits="stop", progress=False)
    worst = 0.0
    for joint in model.joints:
        at = joint.coordinates(motion.q)
        beyond = np.maximum(at - joint.limits.upper, joint.limits.lower - at)
        worst = max(worst, float(np.max(beyond, initial=0.0)))
    assert worst < 1e-6
    assert all(x.what != "position" for x in motion.report.violations)


@pytest.mark.parametrize("length", [1e-3, 1.0])
def test_a_joint_with_next_to_no_inertia_is_named(length):
    """A point mass on a gimbal, as the head of a robot file: one axis misses it by a millionth of a length only.

    Every step took minutes of sweeps against stops, and left the energy as it could.
    """
    model = rbd.Model("neck", gravity=(0.0, 0.0, -9.81 * length))
    stops = {"limits": rbd.Limits(-0.7, 0.7), "damping": length**2}
    for k, axis in enumerate("yx"):
        nothing = rbd.Inertia(0.1, (0.0, 0.0, 0.0))
        above = rbd.pose(position=(0.0, 0.0, 0.05 * length))
        parent = f"ring{k - 1}" if k else "world"
        model.add_body(f"ring{k}", parent, rbd.Revolute(axis), above, nothing, **stops)
    head = rbd.Inertia(1.3, (0.1 * length, 1e-6 * length, 1e-6 * length))
    model.add_body("head", "ring1", rbd.Revolute("z"), inertia=head, **stops)
    with pytest.raises(SimulationError, match=r"joint 'ring1_joint' is accelerated by .* next to no inertia"):
        rbd.simulate(model, duration=0.1, dt=0.05, limits="stop", backend="book", progress=False)


def test_members_of_a_sweep_stop_or_not():
    ensemble = rbd.sweep(thrown(), {"limits": ["watch", "stop"], "hinge.angle rate": [3.0, 6.0]}, duration=0.5)
    assert ensemble.q[0, :, :, 0].max() > 0.8 > ensemble.q[1].max() - 1e-9
    alone = rbd.simulate(thrown(), [0.0], [6.0], duration=0.5, limits="stop")
    np.testing.assert_allclose(ensemble.q[1, 1], alone.q, rtol=0, atol=1e-14)
    held = rbd.sweep(thrown(), {"hinge.angle": [0.0, 0.1]}, v0=[6.0], duration=0.5, limits="stop")
    assert held.q.max() < 0.8 + 1e-9
    with pytest.raises(SimulationError, match="limits 'hold' is unknown"):
        rbd.sweep(thrown(), {"hinge.angle": [0.0, 0.1]}, duration=0.1, limits="hold")
