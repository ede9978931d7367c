"""Kapitza's pendulum: upright where the averaged theory says so, by hybrid dynamics and by the prescribed joint."""

import numpy as np
import pytest
from scipy.linalg import expm

import rbdkit as rbd
from rbdkit.library import shaken_pendulum, shaking, upright_frequency

AMPLITUDE = 0.02


def run_hybrid(frequency: float, tilt: float, duration: float, steps_per_period: int = 24) -> np.ndarray:
    """Angles from upright, by RK4 on the hinge with the carriage's motion given to hybrid dynamics."""
    model, motion = shaken_pendulum(), shaking(AMPLITUDE, frequency)
    dt = 2 * np.pi / frequency / steps_per_period

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        z, dz, ddz = motion(t)
        a = rbd.algorithms.hybrid_aba(
            model, np.array([z, state[0]]), np.array([dz, state[1]]), np.zeros(2), np.array([ddz, 0.0]), ["hinge"]
        ).qdd
        return np.array([state[1], a[1]])

    state, angles = np.array([np.pi + tilt, 0.0]), [tilt]
    for k in range(round(duration / dt)):
        t = k * dt
        k1 = rate(t, state)
        k2 = rate(t + 0.5 * dt, state + 0.5 * dt * k1)
        k3 = rate(t + 0.5 * dt, state + 0.5 * dt * k2)
        k4 = rate(t + dt, state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        angles.append(state[0] - np.pi)
        if abs(angles[-1]) > 0.5 * np.pi:
            break
    return np.array(angles)


@pytest.mark.source("F9.01", "F9.04")
def test_upright_above_the_known_frequency_and_not_below():
    limit = upright_frequency(AMPLITUDE)
    assert np.abs(run_hybrid(1.15 * limit, 0.05, 1.5)).max() < 0.3
    assert np.abs(run_hybrid(0.8 * limit, 0.05, 3.0)).max() > 0.5 * np.pi


@pytest.mark.source("F9.04")
@pytest.mark.parametrize("factor", [0.8, 1.4])
def test_hybrid_dynamics_is_the_prescribed_joint(factor):
    """The same motion from a model whose carriage is driven by its joint type; both RK4 with the same steps."""
    frequency = factor * upright_frequency(AMPLITUDE)
    angles = run_hybrid(frequency, 0.1, 0.12)
    dt = 2 * np.pi / frequency / 24
    model = shaken_pendulum(AMPLITUDE, frequency)
    run = rbd.simulate(model, [np.pi + 0.1], [0.0], duration=dt * (len(angles) - 1), dt=dt, progress=False)
    assert run.q[:, 0] - np.pi == pytest.approx(angles, abs=1e-9)


@pytest.mark.source("F9.04")
def test_force_that_shakes():
    """It carries the bob: m (g + its acceleration), from the positions of the centre of mass."""
    frequency, h = 70.0, 1e-4
    model, motion = shaken_pendulum(), shaking(AMPLITUDE, frequency)
    z, dz, ddz = motion(0.013)
    q, v = np.array([z, 2.5]), np.array([dz, 1.2])
    a, tau = rbd.hybrid_dynamics(model, q, v, [np.nan, 0.0], [ddz, np.nan], ["hinge"])
    assert a[0] == ddz
    heights = [rbd.center_of_mass(model, q + s * v + 0.5 * s * s * a)[2] for s in (-h, 0.0, h)]
    assert tau[0] == pytest.approx(9.81 + (heights[0] - 2 * heights[1] + heights[2]) / h**2, rel=1e-5)


def test_frequency_of_the_averaged_theory_against_floquet():
    """The linearized equation x'' = (g/l - a w^2/l cos wt) x, its growth over a period from a product of exponentials.

    For a/l = 0.04 averaging is good to about a/l squared.
    """
    length, g = 0.5, 9.81
    limit = upright_frequency(AMPLITUDE, length, g)

    def stable(frequency: float, steps: int = 2000) -> bool:
        dt, growth = 2 * np.pi / frequency / steps, np.eye(2)
        for t in (np.arange(steps) + 0.5) * dt:
            pull = (g - AMPLITUDE * frequency**2 * np.cos(frequency * t)) / length
            growth = (np.eye(2) + dt * np.array([[0.0, 1.0], [pull, 0.0]]) + 0.5 * dt**2 * pull * np.eye(2)) @ growth
        return abs(np.trace(growth)) < 2.0

    assert stable(1.01 * limit)
    assert not stable(0.99 * limit)
    assert expm(np.array([[0.0, 1.0], [g / length, 0.0]])).trace() > 2.0  # not shaken, it falls
