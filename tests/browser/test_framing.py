"""The eye holds what moves: another motion is framed anew, unless the user has put the eye where it is."""

from __future__ import annotations

import numpy as np
import pytest

TWEAK = """
import rbdkit as rbd
ranges = {"hinge2.placement.z": (-5.0, -0.5, -1.0), "hinge1.damping": (0.0, 1.0)}
view = rbd.tweak(rbd.library.double_pendulum(), ranges, [1.0, 0.5], duration=2.0)
view
"""
# Outermost places of origins of what moves, over the whole motion, in halves of the picture; by the camera's matrices.
REACH = """view => {
    const { core } = view, { graph, player } = core, { camera } = graph.objects, before = player.t;
    let most = 0;
    for (let k = 0; k <= 40; k++) {
        graph.pose(player.tracks.at(player.tracks.end * k / 40), 0);
        for (const node of graph.nodes.slice(1)) {
            node.updateMatrixWorld(true);
            const place = new graph.THREE.Vector3().setFromMatrixPosition(node.matrixWorld).project(camera);
            most = Math.max(most, Math.abs(place.x), Math.abs(place.y));
        }
    }
    player.seek(before, false);
    return most;
}"""
EYE = "view => [...view.core.eye.camera.position.toArray(), ...view.core.eye.controls.target.toArray()]"


@pytest.fixture
def tweaking(notebook):
    notebook.run(TWEAK)
    notebook.view()
    return notebook


def put(notebook, **values) -> tuple[np.ndarray, float]:
    """Where the eye is with these values, and how far out the motion reaches."""
    notebook.python(f"view.set(**{values!r})")
    notebook.settle(600)  # the glide takes 0.28 s
    view = notebook.view()
    return np.array(view.evaluate(EYE)), view.evaluate(REACH)


def test_a_longer_motion_is_framed_anew_and_a_small_change_moves_nothing(tweaking):
    view = tweaking.view()
    first = np.array(view.evaluate(EYE))
    same, reach = put(tweaking, **{"hinge1.damping": 0.1})
    assert reach < 1.0 and np.array_equal(first, same)
    eye, reach = put(tweaking, **{"hinge2.placement.z": -5.0})
    assert 0.5 < reach < 1.0
    ways = [(each[:3] - each[3:]) for each in (first, eye)]
    assert np.linalg.norm(ways[1]) > 1.5 * np.linalg.norm(ways[0])
    np.testing.assert_allclose(*(way / np.linalg.norm(way) for way in ways), atol=1e-5)  # from where it looked
    tweaking.keep("framed-anew", view)
    height, lowest = view.evaluate(
        "view => [view.core.graph.ground.height, Math.min(...view.core.motion.map((p) => p[2]))]"
    )
    assert height == pytest.approx(lowest)  # the grid goes down with what would fall through it
    put(tweaking, **{"hinge2.placement.z": -1.0})
    tweaking.page.wait_for_timeout(900)  # then what stands becomes the ghost, and the long motion is gone
    back, reach = put(tweaking, **{"hinge1.damping": 0.0})
    assert reach < 1.0
    np.testing.assert_allclose(back, first, rtol=0.15, atol=0.2)  # the eye came back


def test_an_eye_moved_by_hand_stays_until_home_is_asked_for(tweaking):
    page, view = tweaking.page, tweaking.view()
    box = view.locator(".rbd-canvas").bounding_box()
    x, y = box["x"] + 0.7 * box["width"], box["y"] + 0.75 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    tweaking.python("view.set(**{'hinge2.placement.z': -4.0})")  # while the eye is in hand
    tweaking.settle(400)
    page.mouse.up()
    tweaking.settle()
    held = np.array(view.evaluate(EYE))
    eye, reach = put(tweaking, **{"hinge2.placement.z": -5.0})
    np.testing.assert_array_equal(eye, held)
    assert reach > 1.0
    view.get_by_role("button", name="Home view").click()
    tweaking.settle(700)
    assert view.evaluate(REACH) < 1.0  # Home knows the motion, too
    _, reach = put(tweaking, **{"hinge2.placement.z": -0.6})
    assert reach < 1.0
