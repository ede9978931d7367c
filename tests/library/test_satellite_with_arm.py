"""A satellite and its arm: nothing outside, so nothing moves but what is moved, and the centre of mass not at all."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import satellite_with_arm


@pytest.mark.source("F9.05", "F9.08", "F9.11")
def test_momentum_and_centre_of_mass_stay():
    """Joint torques drive the arm; RK4 at 5 ms."""
    model = satellite_with_arm()
    torque = lambda t, q, v: np.array([0, 0, 0, 0, 0, 0, 2 * np.sin(3 * t), 3 * np.cos(2 * t), -2 * np.sin(t)])  # noqa: E731
    q0 = model.neutral()
    q0[-3:] = 0.3, 0.6, -0.9
    run = rbd.simulate(model, q0, duration=2.0, dt=5e-3, tau=torque, progress=False)
    assert np.abs(run.v[-1, 6:]).max() > 0.3
    assert rbd.momentum(model, run.q, run.v) == pytest.approx(np.zeros((len(run), 6)), abs=2e-7)
    com = rbd.center_of_mass(model, run.q)
    assert com - com[0] == pytest.approx(np.zeros_like(com), abs=1e-8)


@pytest.mark.source("F9.10")
def test_prescribed_joint_motion_comes_out_of_forward_dynamics():
    system = algorithms.to_floating_base(satellite_with_arm())
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 3))
    found = algorithms.floating_inverse_dynamics(system, q, qd, np.zeros(6), qdd)
    assert algorithms.floating_aba(system, q, qd, np.zeros(6), found.tau).qdd == pytest.approx(qdd, abs=1e-11)


def test_the_hull_is_symmetric_and_heavy():
    model = satellite_with_arm(hull_mass=50.0)
    hull = model.body("hull").inertia
    assert hull.mass == pytest.approx(50.0)
    assert hull.com == pytest.approx(np.zeros(3), abs=1e-15)
    assert model.validate() == []
