"""Joint sliders."""

from __future__ import annotations

import numpy as np
import pytest

SLIDERS = """
import numpy as np, rbdkit as rbd
model = rbd.Model("arm")
mass = rbd.Inertia(1.0, [0, 0, 0.2])
model.add_body("base", joint=rbd.Spherical(), inertia=mass, joint_name="ball")
elbow = dict(joint=rbd.Revolute("y"), joint_name="elbow", limits=rbd.Limits(-1.0, 2.0))
model.add_body("arm", "base", placement=[0, 0, 0.4], inertia=mass, **elbow)
model.add_body("slide", "arm", rbd.Prismatic("z"), [0, 0, 0.3], mass, joint_name="slide")
view = rbd.sliders(model)
view
"""


@pytest.fixture
def arm(notebook):
    notebook.run(SLIDERS)
    notebook.view()
    return notebook


def drag(notebook, name: str, to: float) -> None:
    """Drag a slider to a fraction of its range."""
    slider = notebook.view().locator(f"[data-row='{name}'] input[type=range]")
    box, share = slider.bounding_box(), float(slider.evaluate("s => (s.value - s.min) / (s.max - s.min)"))
    mouse, y = notebook.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + 7 + share * (box["width"] - 14), y)
    mouse.down()
    mouse.move(box["x"] + 7 + to * (box["width"] - 14), y, steps=8)
    mouse.up()
    notebook.settle()


def test_sliders_move_the_model(arm, changed):
    before = arm.picture()
    arm.keep("sliders", arm.view())
    drag(arm, "elbow", 0.8)
    target = pytest.approx(1.4, abs=0.05)  # four fifths of the way from -1 to 2
    assert arm.reaches("view.q[4]", target) == target
    elbow = arm.value("view.q[4]")
    assert changed(before, arm.picture()) > 3e-3
    drag(arm, "ball.rx", 0.7)
    target = pytest.approx(np.sin(0.2 * np.pi), abs=0.05)
    assert arm.reaches("view.q[1]", target) == target
    q = np.array(eval(arm.python("print(view.q.tolist())")))
    assert np.linalg.norm(q[:4]) == pytest.approx(1.0, abs=1e-12)  # still a unit quaternion
    assert q[4] == elbow
    asked = np.array(eval(arm.python("print(rbd.forward_kinematics(model, view.q).poses.tolist())")))
    assert np.abs(arm.poses() - asked).max() < 1e-6


def test_keys_numbers_buttons_and_python(arm, changed):
    view, page = arm.view(), arm.page
    before = arm.picture()
    row = view.locator("[data-row='elbow']")
    row.locator("input[type=number]").fill("0.5")
    page.keyboard.press("Enter")
    assert arm.reaches("view.q[4]", 0.5) == 0.5
    row.locator("input[type=number]").fill("7")
    page.keyboard.press("Enter")
    assert arm.reaches("view.q[4]", 2.0) == 2.0  # limits hold for typed numbers too
    row.locator("input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    target = pytest.approx(1.97)  # a hundredth of the range
    assert arm.reaches("view.q[4]", target) == target

    view.get_by_role("button", name="Random values").click()
    arm.settle()
    random = eval(arm.python("print(view.q.tolist())"))
    assert len(set(random)) == 6 and -1.0 <= random[4] <= 2.0
    view.get_by_role("button", name="Back to the first values").click()
    arm.settle()
    assert changed(before, arm.picture()) == 0.0
    arm.python("view.q = model.integrate(model.neutral(), [0, 0, 0.3, 1.25, 0.1])")
    arm.settle()
    assert row.locator("input[type=number]").input_value() == "1.250"
    assert view.locator("[data-row='ball.rz'] input[type=number]").input_value() == "0.300"


def test_stale_values_are_dropped_and_the_last_wins(arm):
    arm.python("""
import time
seen, tell = [], view.panel._on_change
def slow(values):
    time.sleep(0.15)
    seen.append(values[3])
    tell(values)
view.panel._on_change = slow
""")
    drag(arm, "elbow", 0.1)
    drag(arm, "elbow", 0.9)
    target = pytest.approx(1.7, abs=0.05)
    assert arm.reaches("view.q[4]", target) == target
    seen = eval(arm.python("print([float(s) for s in seen])"))
    assert len(seen) < 12 and seen[-1] == target  # of 16 moves, some while Python was busy


FOUR_BAR = """
import numpy as np, rbdkit as rbd
model = rbd.library.planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
view = rbd.sliders(model)
view
"""


def test_loops_follow_the_mouse(notebook, changed):
    """The crank is dragged, coupler and rocker and their sliders follow; at a dead centre the rocker stops."""
    notebook.run(FOUR_BAR)
    view = notebook.view()
    before = notebook.picture()
    drag(notebook, "crank_joint", 0.8)
    target = pytest.approx(0.6 * np.pi, abs=0.05)
    assert notebook.reaches("view.q[0]", target) == target
    assert changed(before, notebook.picture()) > 3e-3
    notebook.keep("four_bar_sliders", view)
    q = np.array(eval(notebook.python("print(view.q.tolist())")))
    closed = np.array(eval(notebook.python("print(rbd.assemble(model, view.q).tolist())")))
    assert np.abs(q - closed).max() < 1e-12
    shown = [
        float(view.locator(f"[data-row='{name}'] input[type=number]").input_value())
        for name in ("crank_joint", "coupler_joint", "rocker_joint")
    ]
    assert np.abs(q - shown).max() < 1e-3
    drag(notebook, "rocker_joint", 0.99)
    notebook.settle()
    assert "is at its end" in view.locator(".rbd-fault").inner_text()
    notebook.keep("four_bar_dead_centre", view)
    drag(notebook, "rocker_joint", 0.5)
    notebook.settle()
    assert not view.locator(".rbd-fault").is_visible()


def test_a_body_is_dragged_and_the_joints_follow(arm):
    page = arm.page
    point = [0.0, 0.0, 0.2]  # the centre of mass
    where = """([name, point]) => {
        const { core } = document.querySelector(".rbd-view"), { camera } = core.graph.objects;
        const node = core.graph.nodes[core.graph.spec.nodes.indexOf(name)];
        camera.updateMatrixWorld();
        node.updateMatrixWorld(true);
        const seen = new core.graph.THREE.Vector3(...point).applyMatrix4(node.matrixWorld).project(camera);
        const { left, top, width, height } = document.querySelector(".rbd-canvas").getBoundingClientRect();
        return [left + ((seen.x + 1) / 2) * width, top + ((1 - seen.y) / 2) * height];
    }"""
    x, y = page.evaluate(where, ["slide", point])
    direction = "document.querySelector('.rbd-view').core.graph.objects.camera.position.toArray()"
    eye = page.evaluate(direction)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=6)
    page.mouse.up()
    arm.settle()
    assert arm.reaches("abs(view.q - model.neutral()).max() > 0.05", True)
    arm.settle()
    there = page.evaluate(where, ["slide", point])
    assert np.hypot(there[0] - x - 40, there[1] - y - 30) < 10.0  # px; taken at the surface in front of that point
    assert page.evaluate(direction) == eye and -1.0 <= arm.value("view.q[4]") <= 2.0
    page.mouse.click(*there)  # a click still picks
    assert arm.reaches("view.inspected == 'slide'", True)
