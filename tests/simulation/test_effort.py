"""Effort limits of joints: watched, or joint forces cut to them."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError, StateError

INERTIA = 0.5


def wheel(**limits):
    """A wheel of 0.5 kg m2 without weight, and a slide of 2 kg on it that has no limit."""
    model = rbd.Model("wheel", gravity=(0, 0, 0))
    rim = rbd.Inertia(1.0, np.zeros(3), INERTIA * np.eye(3))
    model.add_body("rim", joint=rbd.Revolute("z"), joint_name="axle", inertia=rim, limits=rbd.Limits(**limits))
    model.add_body("bead", joint=rbd.Prismatic("x"), joint_name="rail", inertia=rbd.Inertia(2.0))
    return model


def braking(t, q, v):
    """As soon as the wheel turns with 2 rad/s, it is braked no more than by -0.5 N m."""
    return [10.0 * (2.0 - v[0]), 7.0]


@pytest.mark.parametrize(
    ("tau", "code"),
    [
        ([-9.0, 7.0], "compiled loop"),
        (np.full((500, 2), [-9.0, 7.0]), "compiled loop"),
        (np.full((501, 2), [-9.0, 7.0]), "compiled loop"),
        (lambda t, q, v: np.array([-9.0, 7.0]), "tau"),
        (rbd.traced(lambda t, q, v: [-9.0, 7.0]), "tau traced"),
        (rbd.untraced(lambda t, q, v: [-9.0, 7.0]), "Python"),
        (rbd.Sampled(lambda t, q, v: [-9.0, 7.0], 0.01), "compiled loop (LLVM), tau from a sampled controller"),
    ],
)
def test_a_constant_effort_is_cut_to_the_limit_of_its_joint(tau, code):
    motion = rbd.simulate(wheel(effort=2.0), duration=0.5, tau=tau, effort="clip", progress=False)
    t = motion.t
    np.testing.assert_allclose(motion.q, np.c_[-0.5 * 2.0 / INERTIA * t**2, 0.5 * 3.5 * t**2], atol=1e-12)
    np.testing.assert_array_equal(motion.tau, np.full((501, 2), [-2.0, 7.0]))
    assert "'axle' at 2 N m for 0.5 s, first at t = 0 s" in repr(motion)
    assert code in motion.report.backend and not motion.report.violations


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_law_is_cut_as_long_as_it_asks_for_more(formulation):
    """v' = 2 / I until 10 (2 - v) = 2, at v = 1.8 and t = 0.45 s; then v goes to 2 by exp(-20 t)."""
    motion = rbd.simulate(wheel(effort=2.0), tau=braking, duration=0.6, effort="clip", formulation=formulation)
    late = motion.t > 0.4505
    np.testing.assert_allclose(motion.v[~late, 0], 4.0 * motion.t[~late], atol=1e-3)
    np.testing.assert_allclose(motion.v[late, 0], 2.0 - 0.2 * np.exp(-20.0 * (motion.t[late] - 0.45)), atol=1e-3)
    assert "'axle' at 2 N m for 0.4" in repr(motion)


def test_each_freedom_of_a_joint_has_its_limit():
    model = rbd.Model("ball", gravity=(0, 0, 0))
    ball = rbd.Inertia(1.0, np.zeros(3), 0.1 * np.eye(3))
    model.add_body("ball", joint=rbd.Spherical(), inertia=ball, limits=rbd.Limits(effort=[1.0, np.inf, 2.0]))
    motion = rbd.simulate(model, duration=0.1, tau=lambda t, q, v: np.array([5.0, 5.0, -5.0]), effort="clip")
    np.testing.assert_array_equal(motion.tau, np.full((101, 3), [1.0, 5.0, -2.0]))
    assert "'ball_joint' (" in next(note for note in motion.report.notes if "cut" in note)


def test_without_being_asked_efforts_and_speeds_are_watched():
    motion = rbd.simulate(wheel(effort=2.0, velocity=1.0), duration=0.5, tau=[4.0, 0.0])
    assert [x.what for x in motion.report.violations] == ["speed", "effort"] and motion.v[-1, 0] == pytest.approx(4.0)
    cut = rbd.simulate(wheel(effort=2.0, velocity=1.0), duration=0.5, tau=[4.0, 0.0], effort="clip")
    assert [x.what for x in cut.report.violations] == ["speed"]
    assert "cut" not in repr(rbd.simulate(wheel(), duration=0.1, tau=[4.0, 0.0], effort="clip"))
    assert "none was reached" in repr(rbd.simulate(wheel(effort=9.0), duration=0.1, tau=[4.0, 0.0], effort="clip"))


def test_breaks_and_alarms_of_a_law_are_kept():
    def law(t, q, v):
        return np.array([9.0 * (t < 0.05), 0.0])

    law.breaks = [0.05]
    motion = rbd.simulate(wheel(effort=2.0), duration=0.1, dt=0.04, tau=law, effort="clip", integrator="dop853")
    assert motion.v[-1, 0] == pytest.approx(4.0 * 0.05, abs=1e-12)
    with pytest.raises(StateError, match=r"tau\(t, q, v\) returned shape \(3,\)"):
        rbd.simulate(wheel(effort=2.0), duration=0.1, tau=lambda t, q, v: [1.0, 2.0, 3.0], effort="clip")
    with pytest.raises(SimulationError, match="tau has shape"):
        rbd.simulate(wheel(effort=2.0), duration=0.1, tau=np.zeros((7, 2)), effort="clip")
    with pytest.raises(SimulationError, match="effort 'cut' is unknown; there are 'watch', 'clip'"):
        rbd.simulate(wheel(effort=2.0), duration=0.1, effort="cut")


def test_members_of_sweeps_and_pages():
    ensemble = rbd.sweep(wheel(effort=2.0), {"effort": ["watch", "clip"]}, tau=[4.0, 0.0], duration=0.5)
    np.testing.assert_allclose(ensemble.v[:, -1, 0], [4.0, 2.0], atol=1e-12)
    view = rbd.tweak(wheel(effort=2.0), {"rim.mass": (1.0, 2.0)}, tau=braking, duration=0.2, effort="clip")
    assert view.trajectory.tau[:, 0].max() == 2.0
    assert "a law of joint forces is not cut to effort limits in pages" in view.to_html()
    view.close()


def test_effort_of_a_motor_pressing_at_a_stop():
    """The stop bears what the cut effort gives."""
    model = wheel(effort=2.0, upper=0.1)
    motion = rbd.simulate(model, duration=1.0, tau=[9.0, 0.0], effort="clip")
    np.testing.assert_allclose(motion.contacts.normal_force("axle.angle")[-100:], 2.0, rtol=1e-9)
