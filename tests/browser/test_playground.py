"""Playgrounds: sliders, what a function makes of them, and a handle to drag."""

from __future__ import annotations

import pytest

IN_SPACE = """
import numpy as np
from rbdkit.library import double_pendulum
from rbdkit.scene import Arrow
from rbdkit.spatial import se3
from rbdkit.widgets import Picture, Playground, Slider
from rbdkit.figures import Plot
def draw(a, b):
    figure = Plot(figsize=(3.6, 2.0), layout="constrained")
    figure.subplots().plot([0.0, a], [0.0, b])
    grip = se3.pose(np.eye(3), [0.0, a, 0.5])
    return Picture([a, b], arrows=[Arrow(0, (0, 0, 0), (0, a, 0.5), "#aa3377")], figure=figure, handle=grip,
                   readout=[("sum", f"{a + b:.2f} rad")], note="Drag the handle.")
sliders = [Slider("a", "rad", -2.0, 2.0, 0.5), Slider("b", "rad", -2.0, 2.0, 0.2)]
playground = Playground("Two angles", sliders, draw, double_pendulum(), on_drag=lambda pose: {"a": pose[1, 3]})
playground
"""

FLAT = """
def curve(a, shape):
    if a < 0: raise StateError("a must not be negative")
    figure = Plot(figsize=(5.0, 3.0), layout="constrained")
    figure.subplots().plot(np.linspace(0, 1) ** a if shape == "power" else np.sin(a * np.linspace(0, 6)))
    return Picture(figure=figure, readout=[("shape", shape)])
from rbdkit.errors import StateError
choice = Slider("shape", "", 0, 1, 0, choices=("power", "wave"))
flat = Playground("Curves", [Slider("a", "", -1.0, 3.0, 2.0), choice], curve)
flat
"""


@pytest.fixture
def page_with_both(notebook):
    notebook.run(IN_SPACE, FLAT)
    notebook.view()
    return notebook


def test_sliders_numbers_and_drawing_follow_each_other(page_with_both, changed):
    page, view = page_with_both, page_with_both.view()
    before, drawing = page.picture(), view.locator(".rbd-drawn").inner_html()
    row = view.locator("[data-row='a'] input[type=number]")
    row.fill("1.5")
    page.page.keyboard.press("Enter")
    assert page.reaches("playground.values['a']", 1.5) == 1.5
    page.settle()
    assert view.locator(".rbd-readout").inner_text().split("\n") == ["sum", "1.70 rad"]
    assert view.locator(".rbd-drawn").inner_html() != drawing
    assert changed(before, page.picture()) > 3e-3
    side, picture = view.locator(".rbd-side").bounding_box(), view.locator(".rbd-picture").bounding_box()
    assert picture["height"] == pytest.approx(side["height"], abs=1.5)  # nothing is cut off
    for theme in ("Light", "Dark"):
        page.theme(f"JupyterLab {theme}")
        page.settle(1500)  # the splash of a new theme
        page.keep(f"playground-{theme.lower()}")
    page.theme("JupyterLab Light")


def test_a_handle_drags_the_sliders(page_with_both):
    page = page_with_both
    page.python("playground.set(a=0.5)")
    page.settle()
    view = page.view()
    start, end = view.evaluate(
        """view => { const { gizmo, models } = view.core;
        const canvas = view.querySelector('.rbd-canvas').getBoundingClientRect();
        const grip = 0.8 * gizmo.group.scale.x;  // on the arrow along y
        return [grip, grip + 0.6].map(along => { const p = gizmo.group.position.clone();
            p.y += along; p.project(models.camera.obj);
            return [canvas.left + (p.x + 1) / 2 * canvas.width, canvas.top + (1 - p.y) / 2 * canvas.height]; }); }"""
    )
    mouse = page.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*end, steps=8)
    mouse.up()
    page.settle()
    target = pytest.approx(1.1, abs=0.02)  # 0.6 m further
    assert page.reaches("playground.values['a']", target) == target


def test_a_drawing_alone_with_choice_and_refusal(page_with_both):
    page = page_with_both
    panel = page.page.locator(".rbd-alone")
    panel.scroll_into_view_if_needed()
    panel.locator("select").select_option(label="wave")
    page.settle()
    assert panel.locator(".rbd-readout").inner_text().split("\n") == ["shape", "wave"]
    drawing = panel.locator(".rbd-drawn").inner_html()
    panel.locator("[data-row='a'] input[type=number]").fill("-0.5")
    page.page.keyboard.press("Enter")
    page.settle()
    assert panel.locator(".rbd-fault").inner_text() == "a must not be negative"
    assert panel.locator(".rbd-drawn").inner_html() == drawing
    controls, drawn = panel.locator(".rbd-controls").bounding_box(), panel.locator(".rbd-drawn").bounding_box()
    assert drawn["x"] < controls["x"] and drawn["y"] == pytest.approx(controls["y"], abs=2)  # side by side
    page.keep("playground-alone", panel)


def test_a_tour_moves_the_sliders_and_says_what_to_see(notebook):
    notebook.run(
        """
from rbdkit_course.featherstone.pictures.push_the_box import push_the_box
box = push_the_box()
box
"""
    )
    view, page = notebook.view(), notebook.page
    stops = view.locator(".rbd-stop")
    assert stops.count() == 4 and not view.locator(".rbd-seen").is_visible()
    stops.nth(1).click()
    assert notebook.reaches("round(box.values['azimuth'], 6)", 1.570796) == 1.570796
    assert "stays where it is" in view.locator(".rbd-seen").inner_text()
    assert stops.nth(1).get_attribute("aria-current") == "step"
    stops.nth(3).press("Enter")
    assert notebook.reaches("box.values['cylinder']", 10.0) == 10.0
    assert notebook.reaches("box.panel.stop", 3) == 3
    notebook.settle()
    assert "2 kg, 12 kg" in view.locator(".rbd-readout").inner_text()
    view.locator("[data-row='slide'] input[type=number]").fill("0.1")
    page.keyboard.press("Enter")
    assert notebook.reaches("box.panel.stop", -1) == -1
    view.locator(".rbd-seen").wait_for(state="hidden")
    assert "2 kg, 12 kg" in view.locator(".rbd-readout").inner_text()


def test_how_a_picture_is_made_unfolds_below_it(notebook):
    """Where a function made it; a cell that makes it itself shows that already."""
    made_here = "Playground('own', [Slider('a', '', 0.0, 1.0, 0.5)], lambda a: Picture(readout=[('a', f'{a:g}')]))"
    notebook.run(
        "from rbdkit_course.featherstone import pictures\npictures.far_frame()",
        f"from rbdkit.widgets import Picture, Playground, Slider\n{made_here}",
    )
    made = notebook.page.locator(".rbd-made")
    made.first.wait_for()
    notebook.settle()
    assert [each.is_visible() for each in made.all()] == [True, False]
    listing = made.first.locator("pre").first
    assert not listing.is_visible()
    made.first.locator("summary").click()
    assert listing.is_visible() and "def far_frame() -> Playground:" in listing.inner_text()
    notebook.keep("how_it_is_made")
