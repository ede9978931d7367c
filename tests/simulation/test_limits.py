"""Joint limits of a model: watched, held by stops, or ignored."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.simulation import SimulationWarning


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


@pytest.mark.parametrize("every", [1, 7])
def test_a_motion_that_passes_a_limit_stops_there_and_is_as_without_until_then(every):
    given = {"tau": [8.0], "duration": 1.0, "every": every, "progress": False}
    motion, watched = (rbd.simulate(thrown(), [0.0], [4.0], limits=x, **given) for x in (None, "watch"))
    reached = int(np.argmax(watched.q[:, 0] > 0.8))
    np.testing.assert_array_equal(motion.t, watched.t)
    np.testing.assert_array_equal(motion.q[:reached], watched.q[:reached])
    np.testing.assert_array_equal(motion.v[:reached], watched.v[:reached])
    assert motion.q.max() < 0.8 + 1e-9
    np.testing.assert_allclose(motion.q[reached:], 0.8, atol=1e-9)
    np.testing.assert_allclose(motion.v[reached + 1 :], 0.0, atol=1e-9)
    weight = 10.0 * 0.5 * np.sin(0.8)
    np.testing.assert_allclose(motion.contacts.normal_force("hinge.angle")[reached + 1 :], 8.0 - weight, rtol=1e-7)
    # what the stop takes is the kinetic energy with which it is reached
    arriving = 0.5 * (1.0 / 3.0 + 0.02**2 / 12.0 * 1.0) * watched.v[reached, 0] ** 2
    assert every > 1 or abs(motion.energy_error()[-1]) < 2e-2
    assert motion.contacts.lost[-1] == pytest.approx(arriving, rel=5e-2)
    (told,) = motion.report.stops
    assert told.startswith("joints stop at their limits: hinge.angle first at t = 0.1")
    assert "steps are those of rk4" in told and told in repr(motion)
    assert not motion.report.violations


def test_a_motion_within_limits_is_as_without_them():
    free, limited = (rbd.simulate(thrown(x), [0.1], [1.0], duration=1.0) for x in ((-np.inf, np.inf), (-0.5, 0.8)))
    np.testing.assert_array_equal(free.q, limited.q)
    np.testing.assert_array_equal(free.v, limited.v)
    assert limited.report.integrator == "rk4" and not limited.report.stops and not limited.report.watched[12:]


def test_a_limit_that_is_passed_between_two_recorded_states_only_is_seen():
    """A swing of 0.795 rad and back."""
    motion = rbd.simulate(thrown((-1.0, 0.78)), [0.0], [3.0], duration=0.9, every=300, progress=False)
    watched = rbd.simulate(thrown((-1.0, 0.78)), [0.0], [3.0], duration=0.9, limits="watch", progress=False)
    assert watched.q.max() > 0.79 and watched.q[::300].max() < 0.77
    assert motion.report.stops
    assert abs(motion.q[-1, 0] - watched.q[-1, 0]) > 1e-2


@pytest.mark.parametrize("contact", [None, "rigid", "impulse"])
@pytest.mark.parametrize("limits", [None, "stop"])
def test_a_joint_that_begins_beyond_a_limit_stops_where_it_begins(contact, limits):
    motion = rbd.simulate(thrown(), [1.2], [2.0], duration=0.5, contact=contact, limits=limits, progress=False)
    assert motion.q.max() < 1.2 + 1e-9
    energy = motion.energy().total
    assert energy.max() <= energy[0] + 1e-12 and energy[-1] < energy[0] - 0.5  # of 0.67 J that it begins with
    assert "joint 'hinge' begins at 1.2 rad, beyond its limit 0.8: there it stops" in repr(motion)


def test_a_locked_joint_stays():
    motion = rbd.simulate(thrown((0.3, 0.3)), [0.3], duration=0.5)
    np.testing.assert_allclose(motion.q, 0.3, atol=1e-9)
    assert [c.name for c in motion.model.constraints] == ["hinge.angle lower", "hinge.angle upper"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"formulation": "se3"}, "needs formulation='joint'"),
        ({"contact": "none"}, "a contact law that stops joints"),
        ({"contact": "compliant"}, "a contact law that stops joints"),
        ({"integrator": "dop853"}, "integrator 'dop853' has no part; leave the integrator out"),
        ({"integrator": "dop853", "contact": "rigid"}, "integrator 'dop853' cannot choose them"),
    ],
)
def test_the_report_says_why_joints_were_not_stopped(options, why):
    motion, watched = (
        rbd.simulate(thrown(), [0.0], [4.0], duration=0.5, limits=x, progress=False, **options) for x in (None, "watch")
    )
    np.testing.assert_array_equal(motion.q, watched.q)
    assert "joints were not stopped" in repr(motion) and why in repr(motion)
    assert [x.what for x in motion.report.violations] == ["position"]


def test_a_controller_is_asked_again_only_if_it_can_begin_anew():
    class Pushing:
        def __init__(self):
            self.asked = 0

        def __call__(self, t, q, v):
            self.asked += 1
            return [8.0]

    class Resetting(Pushing):
        def reset(self):
            self.asked = 0

    given = {"duration": 0.5, "progress": False}
    once, again = Pushing(), Resetting()
    held = rbd.simulate(thrown(), [0.0], [4.0], tau=rbd.Sampled(once, 0.01), **given)
    assert held.q.max() > 0.8 and "give it a method reset, or take limits='stop'" in repr(held)
    stopped = rbd.simulate(thrown(), [0.0], [4.0], tau=rbd.Sampled(again, 0.01), **given)
    assert stopped.q.max() < 0.8 + 1e-9 and once.asked == again.asked
    asked = []
    with pytest.warns(SimulationWarning, match="LAW WITH MEMORY"):
        motion = rbd.simulate(
            thrown(), [0.0], [4.0], tau=lambda t, q, v: [8.0 + len(asked), asked.append(t)][:1], **given
        )
    assert "it was not asked again" in repr(motion)


def test_steps_that_are_too_long_pass_limits_that_no_motion_need_pass():
    model = rbd.Model("stiff", gravity=(0, 0, 0))
    model.add_body(
        "cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), damping=50.0, limits=rbd.Limits(-1.0, 1.0)
    )
    with pytest.warns(SimulationWarning, match="STEP TOO LONG: joint 'cart_joint'"):
        motion = rbd.simulate(model, [0.0], [1.0], duration=5.0, dt=0.1, progress=False)
    assert "the steps are too long to tell" in repr(motion)
    assert abs(rbd.simulate(model, [0.0], [1.0], duration=0.5, dt=0.01).q).max() < 0.03


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
        with pytest.raises(SimulationError, match=r"limits='stop': that needs formulation='joint'.*'rigid'"):
            rbd.simulate(thrown(), duration=0.1, limits="stop", **options)
    for wrong, shown in (("hold", "'hold'"), (np.array(["stop", "watch"]), "array"), (3, "3")):
        with pytest.raises(SimulationError, match=rf"limits {shown}.* is unknown; there are 'stop', 'watch', 'ignore'"):
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


def test_members_of_a_sweep_that_pass_a_limit_stop_as_alone():
    values = {"hinge.angle rate": [1.0, 3.5, 6.0]}
    ensemble = rbd.sweep(thrown(), values, duration=0.5, every=5)
    for rate, member in zip(values["hinge.angle rate"], ensemble, strict=True):
        alone = rbd.simulate(thrown(), [0.0], [rate], duration=0.5, every=5, progress=False)
        np.testing.assert_allclose(member.q, alone.q, rtol=0, atol=1e-14)
    assert ensemble.q.max() < 0.8 + 1e-9
    assert [(how.endswith("joints stop at limits"), n) for how, n in ensemble.report.code.items()] in (
        [(False, 1), (True, 2)], [(True, 2), (False, 1)],
    )  # fmt: skip
    heun = rbd.sweep(thrown(), values, duration=0.5, integrator="heun")
    assert heun.q.max() > 0.8 and any("joints pass limits" in how for how in heun.report.code)
    assert not any("limits" in how for how in rbd.sweep(thrown(), values, duration=0.5, limits="watch").report.code)
