"""Views in Notebook 7 and in Voila: drawn, played, dragged, with a quiet console."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from PIL import Image

import rbdkit as rbd

CELL = """
import rbdkit as rbd
model = rbd.library.double_pendulum()
view = rbd.tweak(model, {"rod1.mass": (0.1, 5.0), "hinge1.angle": (-3.0, 3.0, 1.0)}, [1.0, 0.5], duration=0.5)
view
"""


ARTEFACTS = Path(__file__).parent / "artefacts"
STALL = "GPU stall due to ReadPixels"  # software drawing
ANSWERED = "!document.querySelector('.rbd-panel[data-busy=true]')"
POSES = """document.querySelector('.rbd-view').core.graph.nodes.map(node => {
    node.updateMatrixWorld(true);
    return [...node.matrixWorld.elements];
})"""


def poses(page) -> np.ndarray:
    return np.array(page.evaluate(POSES)).reshape(-1, 4, 4).transpose(0, 2, 1)


def pixels(canvas) -> np.ndarray:
    with Image.open(BytesIO(canvas.screenshot())) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def drag(page, name: str, to: float) -> None:
    """Drag a slider to a fraction of its range."""
    slider = page.locator(f"[data-row='{name}'] input[type=range]")
    slider.scroll_into_view_if_needed()
    box, share = slider.bounding_box(), float(slider.evaluate("s => (s.value - s.min) / (s.max - s.min)"))
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 7 + share * (box["width"] - 14), y)
    page.mouse.down()
    page.mouse.move(box["x"] + 7 + to * (box["width"] - 14), y, steps=6)
    page.mouse.up()


def test_a_view_lives_in_notebook_7(notebook_7, changed):
    notebook_7.open(CELL)
    notebook_7.page.wait_for_timeout(1000)
    notebook_7.faults.clear()  # Notebook's own, of its menus and plug-ins
    notebook_7.run_all()
    notebook_7.view()
    notebook_7.check_console()
    first = notebook_7.picture()
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200
    drag(notebook_7.page, "hinge1.angle", 0.9)
    notebook_7.settle()
    angle = pytest.approx(2.4, abs=0.1)
    assert notebook_7.reaches("view.values['hinge1.angle']", angle) == angle
    assert notebook_7.value("view.trajectory.q[0, 0] - view.values['hinge1.angle']") == 0.0
    asked = np.array(eval(notebook_7.python("print(view.trajectory.poses()[0].tolist())")))
    assert np.abs(notebook_7.poses()[: len(asked)] - asked).max() < 1e-6
    assert changed(first, notebook_7.picture()) > 3e-3
    notebook_7.view().get_by_role("button", name="Play (space)").click()
    notebook_7.view().locator(".rbd-time", has_text="0.5000 / 0.5000 s").wait_for()
    notebook_7.keep("notebook_7")


def test_a_view_lives_in_voila(voila, chromium, changed):
    url, root = voila
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, root / "app.ipynb")
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page, faults = context.new_page(), []
    page.route(lambda address: not address.startswith(url), lambda route: route.abort())  # fonts of its template
    page.on("console", lambda message: message.type in ("warning", "error") and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{url}/voila/render/app.ipynb")
    page.locator(".rbd-view[data-ready=true]").wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    assert not [fault for fault in faults if "widget" in fault or "rbd" in fault]
    faults.clear()  # Voila's own, of its plug-ins
    canvas = page.locator(".rbd-canvas")
    first = pixels(canvas)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200
    drag(page, "hinge1.angle", 0.9)
    page.wait_for_function(ANSWERED)
    number = page.locator("[data-row='hinge1.angle'] input[type=number]")
    assert float(number.input_value()) == pytest.approx(2.4, abs=0.1)
    asked = rbd.forward_kinematics(rbd.library.double_pendulum(), [float(number.input_value()), 0.5]).poses
    np.testing.assert_allclose(poses(page)[: len(asked)], asked, atol=1e-3)  # the number is written with four digits
    assert changed(first, pixels(canvas)) > 3e-3
    page.locator(".rbd-play").click()
    page.locator(".rbd-time", has_text="0.5000 / 0.5000 s").wait_for()
    page.screenshot(path=ARTEFACTS / "voila.png")
    context.close()
    assert not [fault for fault in faults if STALL not in fault]
