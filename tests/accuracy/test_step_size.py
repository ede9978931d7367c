"""Truncation: long steps in the calm, short ones in the storm, and what that saves."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import adaptive_run, fixed_run, growth, step_lengths
from rbdkit.integrators import ExplicitEuler
from rbdkit.library import turret_pendulum

START, DURATION = ([0.0, 1.0], [0.15, 0.0]), 3.0


@pytest.fixture(scope="module")
def reference():
    return adaptive_run(turret_pendulum(), *START, DURATION, rtol=1e-12, method="dop853")


def error(run, reference):
    assert run.t[-1] == reference.t[-1]
    return np.abs(run.q[-1] - reference.q[-1]).max()


@pytest.mark.source("F10.03")
def test_the_reference_keeps_energy_and_moment_of_momentum(reference):
    model = turret_pendulum()
    energy = rbd.energy(model, reference.q, reference.v).total
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()
    moment = (1e-3 + np.sin(reference.q[:, 1]) ** 2 / 3.0) * reference.v[:, 0]
    assert np.ptp(moment) < 1e-9 * np.abs(moment).max()


@pytest.mark.source("F10.03")
def test_steps_are_short_where_accelerations_are_high(reference):
    model = turret_pendulum()
    run = adaptive_run(model, *START, DURATION, rtol=1e-8, points=2000)
    t, h = step_lengths(run)
    acceleration = np.abs(rbd.forward_dynamics(model, reference.q, reference.v, np.zeros_like(reference.v))).max(axis=1)
    spikes = acceleration > 100.0
    assert acceleration.max() > 100.0 * np.median(acceleration)
    assert np.mean(spikes) < 0.15  # brief
    near = np.interp(t, reference.t, spikes) > 0.5
    assert h.max() > 10.0 * h.min()
    assert np.median(h[near]) < 0.25 * np.median(h[~near])


@pytest.mark.source("F10.03")
def test_a_tighter_tolerance_gives_a_smaller_error_for_more_evaluations(reference):
    runs = [adaptive_run(turret_pendulum(), *START, DURATION, rtol, points=50) for rtol in (1e-4, 1e-6, 1e-8, 1e-10)]
    errors, evaluations = [error(run, reference) for run in runs], [run.evaluations for run in runs]
    assert errors == sorted(errors, reverse=True) and evaluations == sorted(evaluations)
    assert errors[-1] < 1e-7
    # a method of order 5 spends tol^(-1/5): with a ten-thousandth of the tolerance 6 times as many steps
    assert growth([1e-6, 1e-8, 1e-10], [run.steps[-1] for run in runs[1:]]) == pytest.approx(-0.2, abs=0.04)


@pytest.mark.source("F10.03")
def test_fixed_steps_have_the_order_of_their_method(reference):
    steps = [1600, 3200]
    runs = [fixed_run(turret_pendulum(), *START, DURATION, n) for n in steps]
    errors = [error(run, reference) for run in runs]
    assert growth(steps, errors) == pytest.approx(-4.0, abs=0.4)
    assert [run.evaluations for run in runs] == [4 * n for n in steps]


@pytest.mark.source("F10.03")
def test_adaptive_steps_are_cheaper_for_the_same_error(reference):
    fixed = fixed_run(turret_pendulum(), *START, DURATION, 2000)
    adaptive = adaptive_run(turret_pendulum(), *START, DURATION, 1e-7, points=50)
    assert error(adaptive, reference) < error(fixed, reference)
    assert adaptive.evaluations < 0.3 * fixed.evaluations


def test_fixed_steps_that_are_far_too_long_end_early():
    run = fixed_run(turret_pendulum(turret=1e-5), *START, 6.0, 60)
    assert run.t[-1] < 6.0 and len(run.t) == len(run.q) == len(run.steps)


def test_another_method_and_its_price():
    run = fixed_run(turret_pendulum(), *START, 0.1, 10, ExplicitEuler())
    assert run.evaluations == 10 and run.steps.tolist() == list(range(11))
    t, h = step_lengths(run)
    assert h == pytest.approx(np.full(10, 0.01), rel=1e-12) and t[0] == pytest.approx(0.005)
