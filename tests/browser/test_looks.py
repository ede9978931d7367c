"""Themes and widths."""

from __future__ import annotations

import numpy as np

SHOW = """
import numpy as np, rbdkit as rbd
from rbdkit.simulation import Trajectory
model = rbd.library.double_pendulum()
t = np.linspace(0.0, 2.0, 201)
q = np.stack([1.8 * np.cos(2.5 * t), 0.4 + np.sin(4.0 * t)], axis=1)
traj = Trajectory(model, t, q, np.gradient(q, t, axis=0))
view = rbd.show(traj)
view
"""
BARE = """
stick = rbd.Model("stick figure")
arm = stick.add_body("upper arm", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0, 0, -0.2]))
stick.add_body("left", arm, rbd.Revolute("y"), [-0.3, 0, -0.4], rbd.Inertia(1.0, [0, 0, -0.3]))
stick.add_body("right", arm, rbd.Spherical(), [0.3, 0, -0.4], rbd.Inertia(1.0, [0, 0, -0.3]))
sliders = rbd.sliders(stick)
sliders
"""


def test_dark_theme(notebook):
    notebook.run(SHOW, BARE)
    notebook.view(1)
    light = notebook.picture(0)
    notebook.keep("light")
    notebook.theme("JupyterLab Dark")
    notebook.settle(500)
    dark = notebook.picture(0)
    notebook.keep("dark")
    assert light[:20].mean() > 220 and dark[:20].mean() < 70  # the sky
    text = "v => getComputedStyle(v).color.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    assert np.mean(notebook.view(0).evaluate(text)) > 150
    notebook.theme("JupyterLab Light")
    notebook.settle(500)
    assert np.abs(notebook.picture(0) - light).max() <= 1


def test_narrow_and_wide(notebook):
    notebook.run(SHOW)
    view, page = notebook.view(), notebook.page

    def places() -> tuple[dict, dict]:
        return view.locator(".rbd-main").bounding_box(), view.locator(".rbd-side").bounding_box()

    main, side = places()
    assert side["x"] >= main["x"] + main["width"] - 1  # beside the picture
    assert abs(side["height"] - main["height"]) <= 1
    page.set_viewport_size({"width": 760, "height": 900})
    notebook.settle(400)
    main, side = places()
    assert side["y"] >= main["y"] + main["height"] - 1  # below it
    canvas, picture = view.locator("canvas").first.bounding_box(), view.locator(".rbd-picture").bounding_box()
    assert abs(canvas["width"] - picture["width"]) <= 1 and abs(canvas["height"] - picture["height"]) <= 1
    for control in view.locator(".rbd-transport > *").all():
        box = control.bounding_box()
        assert box["x"] >= main["x"] and box["x"] + box["width"] <= main["x"] + main["width"]
    notebook.keep("narrow", view)


def test_every_control_has_a_name_and_can_be_reached(notebook):
    notebook.run(SHOW, BARE)
    notebook.view(1)
    nameless = """view => [...view.querySelectorAll('button, select, input, [role=button]')].filter(control =>
        !(control.title || control.ariaLabel || control.textContent || control.closest('label')?.textContent)
        || control.tabIndex < 0).map(control => control.outerHTML)"""
    assert [notebook.view(k).evaluate(nameless) for k in (0, 1)] == [[], []]
    notebook.view(0).focus()
    for _ in range(3):  # the arms of the compass
        notebook.page.keyboard.press("Tab")
    assert notebook.page.evaluate("document.activeElement.ariaLabel").startswith("Look along")
    notebook.page.keyboard.press("Tab")
    assert notebook.page.evaluate("document.activeElement.title").startswith("Show and hide")


def test_nothing_jumps_while_playing(notebook):
    notebook.run(SHOW)
    view = notebook.view()
    parts = ".rbd-main, .rbd-side, .rbd-transport > *, .rbd-area"
    sizes = f"v => JSON.stringify([...v.querySelectorAll('{parts}')].map(e => e.getBoundingClientRect()))"
    before = view.evaluate(sizes)
    notebook.python("view.play()")
    for _ in range(4):
        notebook.page.wait_for_timeout(150)
        assert view.evaluate(sizes) == before
    notebook.python("view.pause()")
