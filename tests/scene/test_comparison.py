"""Scenes of several motions: copies, colours, layers, curves."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.library import double_pendulum
from rbdkit.scene.comparison import GHOST, color_of, copies, laid_over, plots_of_comparison, tracks_laid_over
from rbdkit.scene.palette import rgb
from rbdkit.simulation import compare_runs

LABELS = ("first", "second", "third")


def test_each_motion_has_nodes_a_layer_a_colour_and_trails_of_its_own():
    scene = laid_over(double_pendulum(), LABELS)
    assert scene.nodes == ("world", *(f"{label}: {rod}" for label in LABELS for rod in ("rod1", "rod2")))
    assert [layer.name for layer in scene.layers[:3]] == list(LABELS)
    for k, label in enumerate(LABELS):
        own = [part for part in scene.parts if part.layer == label]
        assert {part.node for part in own} == {1 + 2 * k, 2 + 2 * k}
        assert all(part.opacity == (1.0 if k == 0 else GHOST) for part in own)
        hue = np.concatenate([part.surface.colors for part in own]).mean(axis=0)
        nearest = min(range(3), key=lambda n: np.abs(hue - rgb(color_of(n))).sum())
        assert nearest == k
    assert [trail.color for trail in scene.trails] == [color_of(k) for k in range(3)]
    assert_allclose(scene.poses[1:3], scene.poses[3:5])


def test_tracks_hold_every_motion_and_one_that_ended_early_stays_at_its_end():
    long = rbd.simulate(double_pendulum(), [1.0, 0.5], duration=0.2, dt=0.01)
    short = rbd.simulate(double_pendulum(), [-1.0, 0.5], duration=0.1, dt=0.01)
    tracks = tracks_laid_over([short, long])
    assert_array_equal(tracks.t, long.t)
    places = tracks.rows(long.t)[..., :3]
    assert_allclose(places[:, 4], long.poses()[:, 2, :3, 3], atol=1e-6)
    assert_allclose(places[:11, 2], short.poses()[:, 2, :3, 3], atol=1e-6)
    assert_allclose(places[11:, 2], np.tile(places[10, 2], (10, 1)))


def test_each_motion_keeps_the_times_it_was_recorded_at():
    coarse = rbd.simulate(double_pendulum(), [1.0, 0.5], duration=0.2, dt=0.05)
    fine = rbd.simulate(double_pendulum(), [-1.0, 0.5], duration=0.2, dt=0.01)
    for runs in ([coarse, fine], [fine, coarse]):
        tracks = tracks_laid_over(runs)
        for own, run in zip(tracks.beside, runs, strict=True):
            assert_array_equal(own.t, run.t)
            assert_allclose(own.poses[:, 1, :3], run.poses()[:, 2, :3, 3], atol=1e-6)
        comparison = compare_runs(runs)
        energy = plots_of_comparison(comparison)[0].tabs[0]
        for row, run, contender in zip(energy.values, runs, comparison.contenders, strict=True):
            at = np.searchsorted(energy.t, run.t[1:])
            assert_array_equal(energy.t[at], run.t[1:])
            assert_array_equal(row[at], contender.drifts["energy"][1:])


def test_copies_keep_one_world():
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3, 4, 4))
    assert_array_equal(copies([a, b]), np.concatenate([a, b[:, 1:]], axis=1))


def test_curves_are_logarithmic_and_hold_what_was_measured():
    pairs = [("joint", "rk4"), ("joint", "explicit_euler")]
    comparison = compare_runs(double_pendulum(), pairs, q0=[1.0, 0.5], duration=0.3, dt=0.01)
    plots = plots_of_comparison(comparison)
    assert [plot.title for plot in plots] == ["What is kept", "How the motions part"]
    energy = plots[0].tabs[0]
    assert energy.log and energy.name == "energy drift" and energy.names == ("joint, rk4", "joint, explicit_euler")
    assert_allclose(energy.values[1, 1:], comparison["joint, explicit_euler"].drifts["energy"][1:])
    assert_array_equal(energy.values[:, 0], 0.0)  # at the start nothing has drifted, and no floor is put below
    assert np.all(energy.values[:, 1:] > 0.0) and "energy that moves about" in energy.tip
    assert "constraint error" not in [tab.name for tab in plots[0].tabs]  # there is none to show
