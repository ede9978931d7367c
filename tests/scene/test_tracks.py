"""Recorded motion and curves as plain data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbdkit.errors import StateError
from rbdkit.joints import Free, Revolute
from rbdkit.library import double_pendulum
from rbdkit.model import Mimic, Model
from rbdkit.scene import plots_of, seven, tracks, tracks_of
from rbdkit.scene.curves import curves, names_and_units
from rbdkit.scene.tracks import kept_samples
from rbdkit.simulation import Trajectory
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


def swing(samples: int = 50) -> Trajectory:
    model = double_pendulum()
    t = np.linspace(0.0, 2.0, samples)
    q = np.stack([np.sin(3.0 * t), np.cos(2.0 * t)], axis=1)
    return Trajectory(model, t, q, np.gradient(q, t, axis=0))


def test_tracks_are_absolute_poses_and_begin_with_the_initial_state():
    trajectory = swing()
    recorded = tracks_of(trajectory)
    poses = trajectory.poses()
    assert np.array_equal(recorded.t, trajectory.t)
    # float32: 24 bits of a length of about 2 m
    assert recorded.poses[..., :3] == pytest.approx(poses[..., :3, 3], abs=2.0 * 2.0**-24)
    turned = Rotation.from_quat(recorded.poses[..., 3:].reshape(-1, 4)).as_matrix().reshape(*poses.shape[:2], 3, 3)
    assert turned == pytest.approx(poses[..., :3, :3], abs=4.0 * 2.0**-24)
    assert recorded.poses.dtype == np.float32


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31))
def test_any_tracks_hold_the_poses_they_were_given(seed):
    poses = se3.random(np.random.default_rng(seed), (7, 3))
    rows = tracks(np.arange(7.0), poses).poses
    assert rows[..., :3] == pytest.approx(poses[..., :3, 3], rel=1e-6, abs=1e-6)
    turned = Rotation.from_quat(rows[..., 3:].reshape(-1, 4)).as_matrix().reshape(7, 3, 3, 3)
    assert turned == pytest.approx(poses[..., :3, :3], abs=1e-6)


def test_quaternions_never_jump_to_the_other_sign():
    angles = np.linspace(0.0, 6.0 * np.pi, 400)
    poses = np.tile(np.eye(4), (400, 1, 1, 1))
    poses[:, 0, :3, :3] = Rotation.from_rotvec(np.outer(angles, [0.6, 0.0, 0.8])).as_matrix()
    rows = tracks(angles + np.arange(400.0), poses).poses[:, 0, 3:]
    assert np.all(np.sum(rows[1:] * rows[:-1], axis=1) > 0.99)


def test_long_motion_is_thinned_but_keeps_both_ends():
    recorded = tracks_of(swing(1000), budget=100 * 3 * 28)
    assert len(recorded.t) <= 102
    assert recorded.samples[0] == 0 and recorded.samples[-1] == 999
    assert np.array_equal(recorded.t, swing(1000).t[recorded.samples])


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(100, 10**6))
def test_kept_samples_begin_and_end_right(count, nodes, budget):
    samples = kept_samples(count, nodes, budget)
    assert samples[0] == 0 and samples[-1] == count - 1 and np.all(np.diff(samples) > 0)


def test_bad_tracks_are_refused():
    still = np.tile(np.eye(4), (3, 2, 1, 1))
    with pytest.raises(StateError, match=r"must increase, but t\[1\] = 1.0 and t\[2\] = 0.5"):
        tracks([0.0, 1.0, 0.5], still)
    with pytest.raises(StateError, match="not shapes"):
        tracks([0.0, 1.0], still)
    still[1, 0, 0, 3] = np.nan
    with pytest.raises(StateError, match="not finite"):
        seven(still)


def test_plots_name_curves_and_units():
    model = Model("mixed")
    body = model.add_body("ship", joint=Free(), inertia=Inertia.box([1, 2, 3], mass=1.0), joint_name="sea")
    model.add_body("mast", body, Revolute("x"), inertia=Inertia(1.0, [0, 0, 1]), joint_name="hinge")
    model.add_body("boom", "mast", Revolute("x"), inertia=Inertia(1.0, [0, 0, 1]), mimic=Mimic("hinge", 2.0))
    names, units = names_and_units(model, "q")
    assert len(names) == model.nq and names[-1] == "hinge" and units == ["1"] * 4 + ["m"] * 3 + ["rad"]
    t = np.linspace(0.0, 1.0, 20)
    trajectory = Trajectory(model, t, np.tile(model.neutral(), (20, 1)), np.zeros((20, model.nv)))
    energy, motion = plots_of(trajectory)
    assert [tab.name for tab in energy.tabs] == ["Energy (J)", "Drift (J)"]
    assert energy.tabs[0].names == ("kinetic", "potential", "total")
    assert energy.tabs[0].values[2] == pytest.approx(trajectory.energy().total)
    assert [tab.name for tab in motion.tabs] == ["q (m)", "q (rad)", "q (quaternion)", "v (rad/s)", "v (m/s)"]
    assert sum(len(tab.values) for tab in motion.tabs) == model.nq + model.nv


def test_thinned_curves_keep_their_peaks():
    t = np.linspace(0.0, 1.0, 200_001)
    values = np.zeros((2, len(t)))
    values[0, 123_456], values[1, 77_777] = 5.0, -3.0
    thin = curves("spikes", "", t, ("a", "b"), ("#000000", "#ffffff"), values)
    assert thin.values.size < 70_000
    assert thin.values[0].max() == 5.0 and thin.values[1].min() == -3.0
    assert thin.t[thin.values[0].argmax()] == pytest.approx(t[123_456], abs=7e-5)  # within the run of 14 samples
    assert np.all(np.diff(thin.t) > 0.0) and thin.t[-1] == 1.0
