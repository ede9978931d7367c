"""The hand that holds a body at a point."""

from __future__ import annotations

import numpy as np

import rbdkit as rbd
from rbdkit.forces.pull import MeasuredPull


def test_a_ball_on_a_hand_swings_as_a_damped_oscillator():
    ball = rbd.Model("ball", gravity=(0.0, 0.0, 0.0))
    ball.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=0.5))
    ball.add_force("hand", rbd.Pull("ball", 8.0, 1.0, target=(0.3, -0.2, 0.1)))
    run = rbd.simulate(ball, duration=2.0, dt=1e-3)
    decay, wave = 1.0, np.sqrt(8.0 / 0.5 - 1.0)  # c / 2m and the damped frequency
    swing = np.exp(-decay * run.t) * (np.cos(wave * run.t) + decay / wave * np.sin(wave * run.t))
    expected = np.array([0.3, -0.2, 0.1]) * (1.0 - swing)[:, None]
    np.testing.assert_allclose(
        run.poses("ball")[:, :3, 3], expected, atol=1e-11
    )  # RK4: 1e-3^4 times a factor of 4^4/120


def test_the_work_that_it_counts_is_the_energy_that_the_model_gains():
    model = rbd.library.double_pendulum()
    model.add_force("hand", MeasuredPull("rod2", 40.0, 3.0, (0.0, 0.0, -0.4), (0.6, 0.0, 0.2)))
    run = rbd.simulate(model, [1.0, 0.5], duration=2.0, dt=1e-3)
    bare = rbd.energy(rbd.library.double_pendulum(), run.q, run.v)
    work = run.state("hand.work")
    assert np.abs(work).max() > 1.0
    np.testing.assert_allclose(bare.total - bare.total[0], work, atol=1e-8)
