"""A faint copy of a model beside it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.library import double_pendulum
from rbdkit.scene import plots_of, scene_of, tracks_of
from rbdkit.scene.ghost import OPACITY, plots_with_ghost, tracks_with_ghost, with_ghost


def run(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rbd.simulate(double_pendulum(), [1.0, 0.5], **{"duration": 0.2, "dt": 0.01, **options})


def test_the_copy_has_nodes_a_layer_and_grey_bodies_of_its_own():
    scene = scene_of(double_pendulum())
    both = with_ghost(scene)
    assert both.nodes == ("world", "rod1", "rod2", "ghost of world", "ghost of rod1", "ghost of rod2")
    assert [layer.name for layer in both.layers][:2] == ["bodies", "ghost"]
    ghosts = [part for part in both.parts if part.layer == "ghost"]
    assert {part.node for part in ghosts} == {4, 5} and {part.opacity for part in ghosts} == {OPACITY}
    assert len(both.parts) == len(scene.parts) + len(ghosts)
    assert [trail.node for trail in both.trails] == [2, 5]


def test_motion_and_ghost_run_at_their_own_times():
    now, before = run(), run(dt=0.02, duration=0.1)
    tracks = tracks_with_ghost(now.t, now.poses(), before.t, before.poses())
    assert_array_equal(tracks.t, now.t)
    rows = tracks.rows(now.t)
    assert_allclose(rows[:, 2, :3], now.poses()[:, 2, :3, 3], atol=1e-6)
    assert_allclose(rows[:11:2, 5, :3], before.poses()[:, 2, :3, 3], atol=1e-6)
    assert_allclose(rows[11:, 5], np.tile(rows[10, 5], (10, 1)))  # it has ended


def test_a_fine_ghost_of_a_coarse_motion_stays_fine():
    now, before = run(dt=0.1), run(dt=0.01)
    (ghost,) = tracks_with_ghost(now.t, now.poses(), before.t, before.poses()).beside
    assert_array_equal(ghost.t, before.t)
    assert_allclose(ghost.poses[:, 2, :3], before.poses()[:, 2, :3, 3], atol=1e-6)
    tab = plots_with_ghost(plots_of(now), plots_of(before))[1].tabs[0]
    assert_array_equal(tab.t, before.t)
    assert_allclose(tab.values[2:], before.q.T, rtol=1e-12)
    assert_allclose(tab.values[:2, ::10], now.q.T, rtol=1e-12)
    middle = 0.5 * (now.q[1:] + now.q[:-1])  # between its own times a motion is drawn straight
    assert_allclose(tab.values[:2, 5::10], middle.T, rtol=1e-12)


def test_a_motion_that_ran_away_is_drawn_as_far_as_it_was_finite():
    for dt in np.arange(0.1, 0.3, 0.01):  # most end before; which of them do is a matter of rounding
        gone = run(integrator="explicit_euler", duration=10.0, dt=dt)
        if not np.isfinite(gone.poses()).all() or np.abs(gone.poses()[..., :3, :3]).max() > 1.001:
            break
    else:
        pytest.fail("no motion left what can be drawn")
    count = len(tracks_of(gone).t)
    assert 10 < count < len(gone)
    R = gone.poses()[:count, 1:, :3, :3]
    assert_allclose(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)
    calm = run()
    assert len(tracks_with_ghost(gone.t, gone.poses(), calm.t, calm.poses()).t) == count
    assert len(tracks_with_ghost(calm.t, calm.poses(), gone.t, gone.poses()).t) == len(calm.t)


def test_curves_of_the_ghost_stand_faintly_under_the_same_tab():
    now, before = run(), run(duration=0.1)
    plots = plots_with_ghost(plots_of(now), plots_of(before))
    tab = plots[1].tabs[0]
    assert tab.names == ("hinge1", "hinge2", "hinge1 before", "hinge2 before")
    assert_allclose(tab.values[2, :11], before.q[:, 0], rtol=1e-12)
    assert np.isnan(tab.values[2, 11:]).all()
    assert tab.colors[2] == f"{tab.colors[0]}55"
