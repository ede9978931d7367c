"""A figure as SVG, drawn once: the same text as Matplotlib's own way, which draws twice, and the figure as it was."""

from __future__ import annotations

from io import StringIO

import matplotlib
import numpy as np
import pytest

from rbdkit.figures import Plot


def flat(figure):
    for axes in figure.subplots(1, 2):
        axes.plot([0.0, 1.0], [2.0, 3.0], label="$y_1$")
        axes.scatter([0.0, 0.5], [2.0, 2.5])
        axes.legend()
        axes.set(xlabel="time (s)")


def with_image(figure):
    figure.subplots().imshow(np.eye(3))


def in_space(figure):
    figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d").plot([0.0, 1.0], [0.0, 2.0], [1.0, 3.0])


@pytest.mark.parametrize("drawn", [flat, with_image, in_space])
def test_it_is_what_savefig_writes(drawn):
    with matplotlib.rc_context({"svg.hashsalt": "the same each time", "svg.fonttype": "none"}):
        first, second, buffer = Plot(figsize=(4.0, 3.0)), Plot(figsize=(4.0, 3.0)), StringIO()
        drawn(first)
        drawn(second)
        second.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        wanted = buffer.getvalue()
        assert first.svg() == wanted[wanted.index("<svg") :].replace("#000000", "currentColor")


def test_the_figure_stays_as_it_was():
    figure = Plot(figsize=(4.0, 3.0), dpi=130)
    flat(figure)
    before = figure._repr_png_()
    figure.svg()
    assert figure._repr_png_() == before
