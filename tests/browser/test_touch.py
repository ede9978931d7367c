"""Hands in the picture: picking, selecting, arrows, and the handle that is dragged along and about its axes."""

from __future__ import annotations

import numpy as np
import pytest

STAGE = """
import numpy as np, rbdkit as rbd
from rbdkit.scene import Arrow
model = rbd.Model("two boxes")
for name, x in (("left", -1), ("right", 1)):
    model.add_body(name, placement=rbd.pose(position=(x, 0, 0)), geometry=rbd.Box([0.6, 0.6, 0.6]))
view = rbd.show(model)
picks, drags = [], []
view.on_pick(picks.append)
view.on_drag(lambda pose, done: drags.append((pose, done)))
view
"""

ON_SCREEN = """(view, point) => {
    const camera = view.core.models.camera.obj;
    camera.updateMatrixWorld();
    const p = new view.core.graph.THREE.Vector3(...point).project(camera);
    const box = view.querySelector('.rbd-canvas').getBoundingClientRect();
    return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
}"""


@pytest.fixture
def stage(notebook):
    notebook.run(STAGE)
    notebook.view().scroll_into_view_if_needed()
    return notebook


def place(notebook, *point: float) -> tuple[float, float]:
    """Where a world point is on the page, px."""
    x, y = notebook.view().evaluate(ON_SCREEN, list(point))
    return x, y


def click(notebook, *point: float) -> None:
    notebook.page.mouse.click(*place(notebook, *point))
    notebook.settle()


def drag(notebook, start, end, modifier: str | None = None) -> None:
    mouse = notebook.page.mouse
    mouse.move(*start)
    mouse.down()
    if modifier:
        notebook.page.keyboard.down(modifier)
    for s in np.linspace(0.2, 1.0, 6):
        mouse.move(*(np.array(start) + s * (np.array(end) - np.array(start))))
    mouse.up()
    if modifier:
        notebook.page.keyboard.up(modifier)
    notebook.settle(500)


def test_a_click_says_what_was_hit_and_where(stage):
    click(stage, 1.0, -0.3, 0.1)  # on the face that looks towards the eye
    assert stage.python("print(picks[-1].node, picks[-1].layer)") == "right bodies"
    point, normal = (np.array(eval(stage.python(f"print(picks[-1].{x}.tolist())"))) for x in ("point", "normal"))
    np.testing.assert_allclose(point, [1.0, -0.3, 0.1], atol=5e-3)  # a pixel is about 4 mm there
    np.testing.assert_allclose(normal, [0.0, -1.0, 0.0], atol=1e-6)
    click(stage, 0.0, 0.0, 0.4)
    assert stage.python("print(repr(picks[-1].node))") == "''"


def test_what_is_selected_stands_out(stage, changed):
    before = stage.picture()
    stage.python("view.selected = ['right']")
    stage.settle()
    assert changed(before, stage.picture()) > 0.01
    stage.keep("selected", stage.view())
    stage.python("view.selected = []")
    stage.settle()
    assert changed(before, stage.picture()) == 0.0
    assert "no node 'middle' to select; there are world, left, right" in stage.python("view.selected = ['middle']")


def test_arrows_stand_on_their_nodes(stage, changed):
    before = stage.picture()
    stage.python("view.arrows([Arrow(2, (0, 0, 0.3), (0, 0, 0.7), '#c2417c'), "
                 "Arrow(1, (0, 0, 0.3), (0.4, 0, 0.5), '#8f5bd0', 'turning')])")  # fmt: skip
    stage.settle()
    assert changed(before, stage.picture()) > 0.003
    stage.keep("arrows", stage.view())
    tip = """view => {
        const mesh = view.core.arrows.meshes[0];
        mesh.updateMatrixWorld(true);
        return new view.core.graph.THREE.Vector3(0, 0, 0.7).applyMatrix4(mesh.matrixWorld).toArray();
    }"""
    np.testing.assert_allclose(stage.view().evaluate(tip), [1.0, 0.0, 1.0], atol=1e-6)
    stage.python("view.arrows([])")
    stage.settle()
    assert changed(before, stage.picture()) == 0.0


def dragged(notebook) -> np.ndarray:
    assert notebook.python("print(drags[-1][1])") == "True"  # it was let go
    return np.array(eval(notebook.python("print(drags[-1][0].tolist())")))


def test_the_handle_moves_along_one_axis_and_the_eye_stays(stage):
    stage.python("drags.clear(); view.handle(rbd.pose(position=(1, 0, 0)))")
    stage.settle()
    stage.keep("handle", stage.view())
    eye = stage.view().evaluate("view => view.core.models.camera.obj.position.toArray()")
    reach = stage.view().evaluate("view => view.core.gizmo.group.scale.x")
    start, end = place(stage, 1.0, 0.0, 0.8 * reach), place(stage, 1.0, 0.0, 0.8 * reach + 0.4)
    drag(stage, start, end)
    pose = dragged(stage)
    np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(pose[:2, 3], [1.0, 0.0], atol=1e-9)
    assert pose[2, 3] == pytest.approx(0.4, abs=0.01)
    assert stage.view().evaluate("view => view.core.models.camera.obj.position.toArray()") == pytest.approx(eye)
    assert stage.value("len(drags)") >= 2  # it followed on the way


def test_shift_moves_in_round_steps(stage):
    stage.python("drags.clear(); view.handle(rbd.pose(position=(1, 0, 0)))")
    stage.settle()
    reach = stage.view().evaluate("view => view.core.gizmo.group.scale.x")
    drag(stage, place(stage, 1.0, 0.0, 0.8 * reach), place(stage, 1.0, 0.0, 0.8 * reach + 0.333), "Shift")
    height = dragged(stage)[2, 3]
    assert height == pytest.approx(0.333, abs=0.06)
    assert 100.0 * height == pytest.approx(round(100.0 * height), abs=1e-6)


def test_the_handle_turns_about_one_axis(stage):
    stage.python("drags.clear(); view.handle(rbd.pose(position=(1, 0, 0)))")
    stage.settle()
    radius = 0.82 * stage.view().evaluate("view => view.core.gizmo.group.scale.x")
    a, b = np.radians([-60.0, -20.0])  # on the ring about z, the side that faces the eye
    ends = [place(stage, 1.0 + radius * np.cos(x), radius * np.sin(x), 0.0) for x in (a, b)]
    drag(stage, *ends)
    pose = dragged(stage)
    np.testing.assert_allclose(pose[:3, 3], [1.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(pose[:3, 2], [0.0, 0.0, 1.0], atol=1e-9)
    assert np.degrees(np.arctan2(pose[1, 0], pose[0, 0])) == pytest.approx(40.0, abs=3.0)


def test_a_drag_beside_the_handle_turns_the_eye(stage):
    stage.python("drags.clear(); view.handle(rbd.pose(position=(1, 0, 0)))")
    stage.settle()
    eye = stage.view().evaluate("view => view.core.models.camera.obj.position.toArray()")
    drag(stage, place(stage, -0.4, 0.0, 0.4), place(stage, 0.0, 0.0, 0.3))
    assert stage.value("len(drags)") == 0
    assert stage.view().evaluate("view => view.core.models.camera.obj.position.toArray()") != pytest.approx(eye)
    stage.python("view.handle(None)")
