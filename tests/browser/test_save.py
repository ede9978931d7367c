"""What the save menu of a view gives: files that hold what is seen."""

from __future__ import annotations

import numpy as np
from PIL import Image

import rbdkit as rbd
from rbdkit.pictures import look_at

SHOW = """
import rbdkit as rbd
run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.4)
rbd.show(run, height=300)
"""


def saved(notebook, entry: str, folder):
    with notebook.page.expect_download() as caught:
        notebook.page.get_by_role("button", name="Save as picture, film or page").click()
        notebook.page.get_by_role("menuitem", name=entry).click()
    file = folder / caught.value.suggested_filename
    caught.value.save_as(file)
    return file


def test_picture_film_and_page_are_saved_from_the_menu(notebook, tmp_path):
    notebook.run(SHOW)
    view = notebook.view()
    notebook.page.get_by_role("button", name="Save as picture, film or page").click()
    notebook.keep("save_menu", view)
    notebook.page.keyboard.press("Escape")
    picture = saved(notebook, "Save picture (PNG)", tmp_path)
    assert picture.name == "double_pendulum.png"
    found = np.asarray(Image.open(picture).convert("RGB"))
    box = view.locator(".rbd-canvas canvas, .rbd-canvas img").first.bounding_box()
    assert abs(found.shape[1] / found.shape[0] - box["width"] / box["height"]) < 0.02
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 200  # bodies and sky
    script = """el => [el.clientWidth / el.clientHeight,
        ...el.closest('.rbd-view').core.graph.objects.camera.position.toArray()]"""
    aspect, *place = view.locator(".rbd-canvas").evaluate(script)
    own = rbd.show(rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.4))
    np.testing.assert_allclose(
        look_at(own.scene.outline, aspect).place, place, atol=1e-6
    )  # Python looks from there, too
    own.close()
    page = saved(notebook, "Save as page (HTML)", tmp_path)
    assert page.name == "double_pendulum.html" and "three.js authors" in page.read_text(encoding="utf-8")
    film = saved(notebook, "Save film (WebM)", tmp_path)
    assert film.read_bytes()[:4] == b"\x1a\x45\xdf\xa3" and film.stat().st_size > 5_000  # the mark of its kind
