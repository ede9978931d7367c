"""The view of a model or a trajectory, without a browser."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

import rbdkit as rbd
from rbdkit.algorithms import forward_kinematics
from rbdkit.scene import scene_of, seven
from rbdkit.simulation import Trajectory
from rbdkit.widgets import View, show, sliders


def test_close_frees_every_widget(open_widgets, swing):
    before = open_widgets()
    views = [show(swing), show(swing.model), sliders(swing.model)]
    assert open_widgets() > before
    for view in views:
        view.close()
    assert open_widgets() == before


def test_number_of_widgets_does_not_grow_with_bodies(open_widgets):
    def used(links):
        before = open_widgets()
        show(rbd.library.chain_pendulum(links))
        return open_widgets() - before

    assert used(1) == used(60) < 30


def test_setting_q_sends_one_message_with_the_poses(swing, monkeypatch):
    view = show(swing.model)
    sent = []
    monkeypatch.setattr(view.comm, "send", lambda data=None, buffers=None, **_: sent.append((data, buffers)))
    view.q = [0.3, -0.2]
    assert len(sent) == 1
    data, buffers = sent[0]
    assert data["method"] == "update" and data["buffer_paths"] == [["_pose"]]
    rows = np.frombuffer(buffers[0], np.float32)
    expected = seven(forward_kinematics(swing.model, np.array([0.3, -0.2])).poses).ravel()
    assert np.array_equal(rows[:-1], expected)
    assert view.q.tolist() == [0.3, -0.2]
    view.q = [0.3, -0.2]
    assert len(sent) == 2  # the picture may have moved on since: the same pose is sent again


def test_q_is_checked_at_the_door(swing):
    view = show(swing.model)
    with pytest.raises(rbd.StateError, match="shape"):
        view.q = [0.0]
    with pytest.raises(rbd.StateError, match="not finite"):
        show(swing.model, [0.0, np.nan])
    with pytest.raises(rbd.StateError, match="nodes of this scene need"):
        view.pose(np.eye(4)[None])
    before, stack = view.q, [[0.1, 0.2]] * 3
    with pytest.raises(rbd.StateError, match=r"q has shape \(3, 2\); a picture shows one pose, \(2,\)"):
        view.q = stack
    np.testing.assert_array_equal(view.q, before)
    for door in (show, sliders, rbd.export.to_html, scene_of):
        with pytest.raises(rbd.StateError, match=r"q has shape \(3, 2\); a picture shows one pose, \(2,\)"):
            door(swing.model, q=stack)


def test_time_and_frame_go_together(swing):
    view = show(swing)
    seen = []
    view.observe(lambda change: seen.append(change["new"]), "frame")
    view.t = 0.5
    assert view.frame == 25 and view.q == pytest.approx(swing.q[25])
    view.frame = 60
    assert view.t == pytest.approx(swing.t[60]) and seen == [25, 60]
    view.t = 0.5 + 0.9 * (swing.t[1] - swing.t[0])
    assert view.frame == 25
    view.t = 99.0
    assert view.t == 2.0 and view.frame == 100
    view.q = [0.0, 0.0]
    assert view.q.tolist() == [0.0, 0.0]
    view.t = 1.0
    assert view.q == pytest.approx(swing.q[50])


def test_nothing_plays_by_itself_and_play_is_a_trait(swing):
    view = show(swing, rate=0.5, loop=True)
    assert (view.t, view.frame, view.playing, view.rate, view.loop) == (0.0, 0, False, 0.5, True)
    view.play()
    assert view.playing
    view.pause()
    assert not view.playing
    with pytest.raises(traitlets.TraitError):
        view.rate = 0.0


def test_repr_says_what_is_hidden(swing):
    view = show(swing)
    assert repr(view).startswith("<View of 'double pendulum': 2 bodies; 2 s in 101 states; hidden: frames, joints, com")
    view.show(*view.layers)
    assert "hidden" not in repr(view)
    view.hide("grid")
    assert "hidden: grid; show with view.show('grid')" in repr(view)
    with pytest.raises(traitlets.TraitError, match="no layer 'wheels' in this view; there are bodies, frames"):
        view.hide("wheels")


def test_text_fallback_and_view_are_in_the_mime_bundle(swing):
    data = show(swing)._repr_mimebundle_()
    bundle = data[0] if isinstance(data, tuple) else data
    assert bundle["text/plain"].startswith("<View of") and "application/vnd.jupyter.widget-view+json" in bundle


def test_what_cannot_be_shown_is_refused_in_words(swing):
    with pytest.raises(TypeError, match="show takes a Model or a Trajectory, not str; load a file first"):
        show("robot.urdf")
    with pytest.raises(TypeError, match="brings its own coordinates"):
        show(swing, [0.0, 0.0])
    with pytest.raises(TypeError, match=r"sliders: model = .* must be a Model; it has one: give its \.model"):
        sliders(swing)


def test_a_motion_in_place_is_framed_and_one_that_leaves_is_followed():
    model = rbd.Model("thrown")
    model.add_body("stone", joint=rbd.Free(), inertia=rbd.Inertia.box([0.3, 0.2, 0.1], mass=1.0))
    t = np.linspace(0.0, 2.0, 50)
    q = np.tile(model.neutral(), (50, 1))
    q[:, -1] = -4.9 * t**2
    far = show(Trajectory(model, t, q, np.zeros((50, 6))))
    assert far.follow == "stone" and np.ptp(far.scene.outline[:, 2]) == pytest.approx(19.6, abs=0.5)
    assert np.ptp(np.array(far._near), axis=0).max() < 1.0
    q[:, -1] *= 0.01
    near = show(Trajectory(model, t, q, np.zeros((50, 6))))
    assert near.follow == "" and near._followable == "stone"
    assert show(Trajectory(model, t, q, np.zeros((50, 6))), follow="stone").follow == "stone"
    with pytest.raises(traitlets.TraitError, match="no node 'rock' to follow; there are world, stone"):
        near.follow = "rock"


def test_new_motion_for_the_same_view(swing):
    view = show(swing)
    view.t = 2.0
    from rbdkit.scene import tracks

    view.record(tracks([0.0, 1.0], np.tile(swing.poses()[:1], (2, 1, 1, 1))))
    assert view.t == 1.0 and len(view._tracks["t"]) == 16 and view._plots == []
    view.record(None)
    assert view._tracks == {}


def test_another_model_in_the_same_view_keeps_the_switches(swing):
    from rbdkit.scene import scene_of

    view = View(swing.model)
    view.hide("grid")
    view.draw(scene_of(rbd.library.pendulum()))
    assert not view.layers["grid"] and len(view._scene["nodes"]) == 2


def test_drawing_a_stage_needs_no_model():
    from rbdkit.scene import Layer, Part, Scene, triangulate
    from rbdkit.widgets import Stage

    scene = Scene(
        "box",
        ("a",),
        np.eye(4)[None],
        (Layer("bodies", "Bodies", ""),),
        (Part(0, "bodies", triangulate(rbd.Box((1, 1, 1)))),),
    )
    stage = Stage(scene)
    stage.pose(np.eye(4)[None])
    assert repr(stage) == "<Stage of 'box': 0 bodies>"


def test_a_closed_view_holds_nothing_for_the_browser(swing):
    view = show(swing)
    assert view._scene and view._tracks and view._plots
    view.close()
    assert not (view._scene or view._tracks or view._plots)
    assert view.tracks is not None  # what it is a picture of stays
