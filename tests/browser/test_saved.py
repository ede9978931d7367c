"""Widgets whose state was stored, as in an exported page, open again without the kernel that made them.

The state is the one of `embed_minimal_html` and of `jupyter nbconvert --to html`. Their pages load require.js and
Jupyter's html-manager from the network; JupyterLab's own manager reads the same state with what is installed.
"""

from __future__ import annotations

import nbformat
import numpy as np
import pytest
from ipywidgets.embed import embed_data

import rbdkit as rbd

MODEL, Q = rbd.library.double_pendulum(), [1.2, 0.4]


def stored(widget) -> nbformat.NotebookNode:
    """A notebook, nothing of which was run here, with what `embed_minimal_html` writes into a page for this widget."""
    data = embed_data(views=[widget], drop_defaults=True)
    shown = {"application/vnd.jupyter.widget-view+json": data["view_specs"][0]}
    cell = nbformat.v4.new_code_cell("view", outputs=[nbformat.v4.new_output("display_data", data=shown)])
    book = nbformat.v4.new_notebook(cells=[cell])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book.metadata.widgets = {"application/vnd.jupyter.widget-state+json": data["manager_state"]}
    return book


@pytest.fixture
def opened(notebook):
    """Store a widget, close it, and open the notebook."""

    def opened(widget):
        book = stored(widget)
        widget.close()
        nbformat.write(book, notebook.root / "stored.ipynb")
        notebook.visit("stored.ipynb")
        trust = "for (const cell of jupyterapp.shell.currentWidget.content.model.cells) cell.trusted = true"
        notebook.page.evaluate(trust)  # as by the command, which asks; what others wrote is not shown before
        return notebook

    return opened


def test_a_recorded_motion_is_drawn_and_plays(opened, changed):
    run = rbd.simulate(MODEL, Q, duration=1.0, dt=1e-2)
    notebook = opened(rbd.show(run, height=300))
    view, first = notebook.view(), notebook.picture()
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200  # shaded bodies on a graded sky, not a blank canvas
    assert np.abs(notebook.poses() - run.poses()[0]).max() < 1e-6  # float32
    notebook.keep("stored", view)
    curves = """view => [...view.querySelectorAll('.rbd-curves')].map(chart =>
        new Set(chart.getContext('2d').getImageData(0, 0, chart.width, chart.height).data).size)"""
    shades = view.evaluate(curves)
    assert len(shades) == 2 and min(shades) > 20  # energies, and coordinates: curves with soft edges

    view.get_by_role("button", name="Play (space)").click()
    view.locator(".rbd-time", has_text="1.000 / 1.000 s").wait_for()
    assert np.abs(notebook.poses() - run.poses()[-1]).max() < 1e-6
    assert changed(first, notebook.picture()) > 0.01
