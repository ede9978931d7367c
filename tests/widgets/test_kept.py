"""What a notebook that is saved keeps of a view: its picture, in the bundle and for those who ask for the widget."""

from __future__ import annotations

import io
import re
from base64 import b64decode

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from PIL import Image

import rbdkit as rbd
from rbdkit.figures import Plot
from rbdkit.widgets import Picture, Playground, Slider

MODEL = rbd.library.double_pendulum()
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def shown():
    """What a cell holds that ends in something, and the pixels of its picture; closed at the end."""
    things = []
    shell = InteractiveShell.instance()

    def shown(thing):
        things.append(thing)
        with capture_output() as caught:
            shell.display_formatter.ipython_display_formatter(thing)
        return [output.data for output in caught.outputs]

    yield shown
    for thing in things:
        thing.close()
    InteractiveShell.clear_instance()


def pixels(data: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(b64decode(data))).convert("RGBA")).astype(int)


def test_a_view_leaves_its_picture_beside_the_widget(shown):
    run = rbd.simulate(MODEL, [2.0, 1.0], duration=0.5, dt=1e-2)
    widget, keeper = shown(rbd.show(run))
    assert set(widget) == {VIEW, "text/plain", "image/png"} and set(keeper) == {"text/html"}
    picture = pixels(widget["image/png"])
    assert picture.shape[1::-1] == (640, 400)
    solid = picture[picture[..., 3] == 255][:, :3]
    blue, orange = (solid[:, 2] > solid[:, 0] + 40).sum(), (solid[:, 0] > solid[:, 2] + 40).sum()
    assert blue > 100 and orange > 100  # both rods
    assert len(b64decode(widget["image/png"])) < 40_000


def test_the_picture_is_shown_in_the_place_of_the_widget_alone(shown):
    """The style names the widget, holds the very picture, and spares what rbdkit draws."""
    widget, keeper = shown(rbd.show(MODEL))
    name = widget[VIEW]["model_id"]
    assert keeper["text/html"].count(f'style[data-view="{name}"]') == 2
    inside = re.search(r"base64,([^)]*)\)", keeper["text/html"])
    assert inside is not None and inside[1] == widget["image/png"]
    assert ':not(:has([class*="rbd-"]))' in keeper["text/html"]


def test_comparisons_and_playgrounds_leave_theirs(shown):
    pairs = {"a": ("joint", "rk4"), "b": ("joint", "heun")}
    widget, _ = shown(rbd.compare(MODEL, pairs, q0=[1.0, 0.0], duration=0.1))
    assert pixels(widget["image/png"])[..., 3].any()

    def bent(angle):
        figure = Plot(figsize=(2.0, 1.0))
        figure.subplots().plot([0.0, angle])
        return Picture(q=[angle, 0.0], figure=figure)

    sliders = [Slider("angle", "rad", -1.0, 1.0, 0.5)]
    in_3d, _ = shown(Playground("Bent", sliders, bent, MODEL))
    flat, _ = shown(Playground("Bent", sliders, bent))
    assert pixels(in_3d["image/png"]).shape[1] == 640 and pixels(flat["image/png"]).shape[1] == 220
    alone = shown(Playground("Bent", sliders, lambda angle: Picture(note=f"{angle}")))
    assert len(alone) == 1 and "image/png" not in alone[0]
