"""What is seen at once, and with the camera moved and layers switched."""

from __future__ import annotations

import numpy as np
import pytest

SHOW = """
import numpy as np, rbdkit as rbd
model = rbd.library.double_pendulum()
q0 = np.array([0.7, -0.4])
view = rbd.show(model, q0)
view
"""


@pytest.fixture
def still(notebook):
    notebook.run(SHOW)
    notebook.view()
    return notebook


def test_model_is_drawn_where_it_is_and_stays_still(still, changed):
    picture = still.picture()
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 200  # shaded bodies on a graded sky, not a blank canvas
    still.keep("model", still.view())
    still.python("poses = rbd.forward_kinematics(model, q0).poses")
    asked = np.array(eval(still.python("print(poses.tolist())")))
    assert np.abs(still.poses() - asked).max() < 1e-6  # float32 on the way
    assert still.frames_drawn(600) == 0
    assert changed(picture, still.picture()) == 0.0


def test_setting_q_poses_the_model(still, changed):
    before = still.picture()
    still.python("view.q = [-0.7, 1.0]")
    still.settle()
    asked = np.array(eval(still.python("print(rbd.forward_kinematics(model, view.q).poses.tolist())")))
    assert np.abs(still.poses() - asked).max() < 1e-6
    assert changed(before, still.picture()) > 0.01
    assert "StateError: q[1] (joint 'hinge2') is not finite" in still.python("view.q = [0, np.nan]")


def test_orbit_zoom_pan_and_home(still, changed):
    page, view = still.page, still.view()
    first = still.picture()
    box = view.locator(".rbd-canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    page.mouse.move(x, y + 100)
    page.mouse.down()
    page.mouse.move(x + 120, y + 60, steps=6)
    page.mouse.up()
    still.settle()
    turned = still.picture()
    assert changed(first, turned) > 3e-3

    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    still.settle()
    near = still.picture()
    assert changed(turned, near) > 3e-3

    view.get_by_role("button", name="Home view").click()
    still.settle(700)
    assert changed(first, still.picture()) < 1e-3
    assert (
        still.value("view._three['camera'].position[2]") > 0.0
    )  # the eye is known to Python, so a reload finds it again

    view.get_by_role("button", name="Look along z").click()
    still.settle(700)
    above = still.picture()
    assert changed(first, above) > 3e-3
    still.python("view.home()")
    still.settle(700)
    assert changed(first, still.picture()) < 1e-3


def test_each_layer_switch_changes_the_picture_and_back(still, changed):
    view = still.view()
    view.get_by_role("button", name="Show and hide").click()
    first = still.picture()
    for layer in ("bodies", "frames", "joints", "com", "inertia", "grid"):
        box = view.locator(f"input[data-layer={layer}]")
        shown = box.is_checked()
        box.click()
        still.settle()
        assert changed(first, still.picture()) > 2e-4, layer
        assert still.python(f"print(view.layers['{layer}'])") == str(not shown)
        box.click()
        still.settle()
        assert changed(first, still.picture()) == 0.0, layer
    view.locator("input[data-layer=labels]").click()
    still.settle()
    names = view.locator(".rbd-name:visible")
    assert sorted(names.all_inner_texts()) == ["rod1", "rod2"]
    still.keep("layers", view)
    assert still.python("view.show('frames', 'com', 'joints', 'inertia'); view.hide('grid')") == ""
    still.settle()
    assert (
        view.locator("input[data-layer=com]").is_checked() and not view.locator("input[data-layer=grid]").is_checked()
    )
    still.page.keyboard.press("Escape")
    still.keep("marks", view)
    assert "no layer 'wheels'" in still.python("view.show('wheels')")


SPRINGS = """
import numpy as np, rbdkit as rbd
model = rbd.Model("hung by springs")
for name, y in (("near", -0.4), ("far", 0.4)):
    box = rbd.Box((0.3, 0.3, 0.12))
    model.add_body(name, joint=rbd.Free(), placement=[0, y, -0.6], inertia=rbd.Inertia(1.0, [0, 0, 0], np.eye(3) / 50),
                   geometry=box)
    for k, (x, z) in enumerate(((-0.12, 0.06), (0.12, 0.06))):
        model.add_force(f"{name} {k}", rbd.Spring(name, "world", 60.0, 0.4, 0.2, (x, 0.0, z), (3 * x, y, 0.0)))
model.add_force("between", rbd.Spring("near", "far", 20.0, 0.4, 0.1, (0.0, 0.15, 0.0), (0.0, -0.15, 0.0)))
trajectory = rbd.simulate(model, v0=[0, 0, 0, 0.5, 0, 0, 1.0, 0, 0, 0, 0, 0.4], duration=2.0)
view = rbd.show(trajectory)
view
"""


def test_springs_are_coils_between_their_ends(notebook):
    notebook.run(SPRINGS)
    view = notebook.view()
    notebook.python("view.play = False")
    for t in (0.0, 0.8):
        notebook.page.evaluate("t => document.querySelector('.rbd-view').core.player.seek(t)", t)
        notebook.settle()
        found = notebook.page.evaluate(
            "() => document.querySelector('.rbd-view').core.graph.stretched.map((band) => band.scale.x)"
        )
        row = round(t / 1e-3)
        asked = eval(
            notebook.python(
                f"""
at = rbd.model.force.surroundings(model, trajectory.q[{row}], trajectory.v[{row}])
print([float(np.linalg.norm(at.position(f.element.b, f.element.at_b) - at.position(f.element.a, f.element.at_a)))
       for f in model.forces])
"""
            )
        )
        assert found == pytest.approx(asked, rel=1e-4)  # float32, and tracks of reduced poses
        notebook.keep(f"springs at {t}", view)
    view.get_by_role("button", name="Show and hide").click()
    view.get_by_label("Springs").uncheck()
    notebook.settle()
    assert not notebook.page.evaluate(
        "() => document.querySelector('.rbd-view').core.graph.stretched.some((band) => band.children[0].visible)"
    )
