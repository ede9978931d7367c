"""The style of figures that stand on light and on dark pages."""

from __future__ import annotations

from io import BytesIO

import matplotlib
import numpy as np
import pytest
from matplotlib import style
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread

from rbdkit.figures.figure import NUMBERS_INK, PAGE_INK, Plot

INKS = ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "xtick.labelcolor", "ytick.labelcolor")
PAGES = {"light": "#ffffff", "dark": "#111111"}  # JupyterLab's


def luminance(color: str) -> float:
    """Relative luminance as the guidelines for accessible pages define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_ink_is_legible_on_every_page(page):
    with style.context("rbdkit.figures.page"):
        inks = {matplotlib.rcParams[key] for key in INKS}
    for ink in inks:
        low, high = sorted([luminance(ink), luminance(page)])
        assert (high + 0.05) / (low + 0.05) > 3.9  # no ink reaches 4.5 on both


def test_drawings_of_panels_take_the_ink_of_the_page():
    with style.context("rbdkit.figures.page"):
        figure = Plot(figsize=(2.0, 1.5))
        figure.subplots().set_xlabel("time")
    assert PAGE_INK not in figure.svg() and NUMBERS_INK not in figure.svg()
    assert "currentColor" in figure.svg()


def test_a_figure_has_no_background():
    with style.context("rbdkit.figures.page"):
        figure = Figure(figsize=(2.0, 1.5))
        axes = figure.subplots()
        axes.plot([0.0, 1.0], label="a line")
        axes.legend()
        buffer = BytesIO()
        figure.savefig(buffer, format="png", facecolor=figure.get_facecolor())  # as notebooks save it
    buffer.seek(0)
    opacity = imread(buffer)[..., 3]
    assert opacity[0, 0] == 0.0 and np.mean(opacity == 0.0) > 0.8


def test_jupyter_puts_no_plate_under_a_figure():
    inline = pytest.importorskip("matplotlib_inline.backend_inline")
    with style.context("rbdkit.figures.page"):
        figure = Figure(figsize=(2.0, 1.5))
        figure.subplots().plot([0.0, 1.0])
    assert inline._fetch_figure_metadata(figure) is None  # else {"needs_background": ...}: white on a dark page
