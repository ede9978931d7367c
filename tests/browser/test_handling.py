"""How a picture behaves among the cells of a notebook, and what it shows of a model at first sight."""

from __future__ import annotations

import numpy as np

HELD = """
import rbdkit as rbd
view = rbd.show(rbd.library.double_pendulum(), [0.6, 0.4])
view
"""
BUILT = """
builder = rbd.build(rbd.library.pendulum())
builder
"""
EYE = "view => view.core.graph.objects.camera.position.toArray()"


def test_the_wheel_is_the_pages_until_the_picture_is_clicked(notebook):
    notebook.run(HELD, BUILT)
    view, page = notebook.view(0), notebook.page
    page.evaluate("document.activeElement.blur()")
    box = view.locator(".rbd-canvas").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 150)
    before = view.evaluate(EYE)
    page.mouse.wheel(0, 40)
    page.wait_for_timeout(150)
    assert view.evaluate(EYE) == before
    assert view.locator(".rbd-passing").count() == 1  # and it says what to do
    page.keyboard.down("Control")
    page.mouse.wheel(0, 40)
    page.keyboard.up("Control")
    page.wait_for_timeout(150)
    held = view.evaluate(EYE)
    assert held != before
    box = view.locator(".rbd-canvas").bounding_box()
    page.mouse.click(box["x"] + 200, box["y"] + 150)
    page.mouse.wheel(0, 40)
    page.wait_for_timeout(150)
    assert view.evaluate(EYE) != held


def test_shadows_fall_on_the_ground_and_go_with_the_grid(notebook, changed):
    notebook.run(HELD, BUILT)
    notebook.python("view.home()")
    notebook.settle(500)
    flat = """view => view.core.graph.shadows.meshes.map(mesh => [mesh.visible, mesh.geometry.index.count])"""
    shadows = notebook.view(0).evaluate(flat)
    assert len(shadows) == 2 and all(visible for visible, _ in shadows)  # of two rods; the support casts none
    with_shadows = notebook.picture(0)
    notebook.view(0).evaluate(
        "view => { view.core.graph.shadows.meshes.forEach(m => { m.visible = false; }); view.core.draw(); }"
    )
    notebook.settle(300)
    bare = notebook.picture(0)
    assert changed(with_shadows, bare) > 1e-3
    assert (with_shadows - bare).max() <= 8  # darker only
    notebook.view(0).evaluate("view => { view.core.show_layers(); }")
    notebook.settle(300)
    assert changed(with_shadows, notebook.picture(0)) == 0.0


def test_gravity_points_down_in_the_compass(notebook):
    notebook.run(HELD, BUILT)
    fall = notebook.view(0).locator(".rbd-fall")
    assert fall.get_attribute("aria-label") == "Gravity: 9.810 m/s\u00b2"
    line = fall.locator("line")
    assert float(line.get_attribute("y2")) > 10.0 and abs(float(line.get_attribute("x2"))) < 1.0


def test_the_whole_handle_is_in_the_picture(notebook):
    notebook.run(HELD, BUILT)
    view = notebook.view(1)
    view.scroll_into_view_if_needed()  # only what is in sight is drawn
    notebook.python("builder.select(builder.draft.sheet.parts[0].key); builder.home()")
    notebook.settle(500)
    notebook.keep("handle", view)
    places = view.evaluate(
        """view => {
        const { gizmo, graph } = view.core;
        const { camera } = graph.objects;
        gizmo.fit(camera);
        gizmo.group.updateMatrixWorld(true);
        const shown = gizmo.parts.filter(({ mesh }) => mesh.visible);
        return shown.flatMap(part => gizmo.outline(part)).map(p => p.project(camera).toArray());
    }"""
    )
    assert len(places) > 100 and np.abs(np.array(places)[:, :2]).max() < 0.97


def test_pictures_grow_with_the_cell(notebook):
    notebook.run(HELD, BUILT)
    tall = "view => view.querySelector('.rbd-picture').clientHeight"
    assert notebook.view(0).evaluate(tall) == 400
    notebook.page.set_viewport_size({"width": 1920, "height": 1080})
    notebook.settle(400)
    grown = notebook.view(0).evaluate(tall)
    notebook.page.set_viewport_size({"width": 1280, "height": 900})
    assert 550 < grown <= 0.68 * 1080 + 1
