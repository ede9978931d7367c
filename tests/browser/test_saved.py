"""Widgets whose state was stored, as in an exported page, open again without the kernel that made them.

The state is the one of `embed_minimal_html` and of `jupyter nbconvert --to html`. Their pages load require.js and
Jupyter's html-manager from the network; JupyterLab's own manager reads the same state with what is installed.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest
from ipywidgets.embed import embed_data

import rbdkit as rbd
from rbdkit_course.featherstone.pictures import dh_frames

ARTEFACTS = Path(__file__).parent / "artefacts"

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


def test_sliders_that_nobody_answers_are_not_to_be_used(opened):
    notebook = opened(rbd.tweak(MODEL, {"rod1.mass": (0.1, 5.0)}, Q, duration=0.5, height=300))
    notebook.view()
    panel = notebook.page.locator(".rbd-panel")
    panel.locator(".rbd-silent", has_text="Run the cell").wait_for()
    assert panel.evaluate("el => Boolean(el.querySelector('input[type=range]').closest('[inert]'))")
    notebook.keep("stored_tweak", notebook.view())


CELL = """
import rbdkit as rbd
from rbdkit_course.featherstone.pictures import dh_frames
run = rbd.simulate(rbd.library.double_pendulum(), [2.0, 1.0], duration=0.5)
rbd.show(run)
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook that ran where there is no browser, without the state of its widgets, as JupyterLab saves it."""
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(book, timeout=120, kernel_name="python3", store_widget_state=False).execute()
    return book


# Of all outputs that are seen: what is drawn behind them or in their figure, and how large that is.
SHOWN = """() => [...document.querySelectorAll('.jp-OutputArea-output')].filter(el => el.clientHeight).map(el => {
    const shown = el.querySelector('figure[data-kept]') ?? el;
    return [getComputedStyle(shown).backgroundImage.slice(0, 20), shown.clientWidth, shown.clientHeight];
})"""
PICTURE = ['url("data:image/png;', 640, 400]


def test_reopened_without_a_kernel_a_view_shows_its_picture(notebook, executed):
    nbformat.write(executed, notebook.root / "kept.ipynb")
    notebook.visit("kept.ipynb")
    trust = "for (const cell of jupyterapp.shell.currentWidget.content.model.cells) cell.trusted = true"
    notebook.page.evaluate(trust)
    notebook.page.wait_for_function("document.querySelector('.jp-OutputArea-output.jupyter-widgets')")
    notebook.page.get_by_role("button", name="Play").wait_for()
    assert notebook.page.evaluate(SHOWN) == [PICTURE]
    notebook.keep("reopened", notebook.page.locator(".jp-OutputArea").first)
    assert any("not found" in fault for fault in notebook.faults)  # JupyterLab tells of the missing widget
    notebook.faults.clear()

    notebook.run_all()  # and now it is the view
    notebook.view()
    assert [shown[0] for shown in notebook.page.evaluate(SHOWN)] == ["none"]
    assert notebook.page.locator("figure[data-kept]").is_hidden()


def test_a_page_without_network_shows_the_picture(chromium, executed, tmp_path):
    from nbconvert import HTMLExporter

    context = chromium.new_context(offline=True, viewport={"width": 1000, "height": 700})
    page = context.new_page()
    for name, state in (("without", False), ("with", True)):
        book = nbformat.from_dict(executed)
        if state:  # as of `nbconvert --execute`: then the widget comes first, which needs its scripts from the network
            id = book.cells[0].outputs[0].data["application/vnd.jupyter.widget-view+json"]["model_id"]
            model = {
                "model_name": "AnyModel",
                "model_module": "anywidget",
                "model_module_version": "~0.9.*",
                "state": {},
            }
            kept = {"state": {id: model}, "version_major": 2, "version_minor": 0}
            book.metadata.widgets = {"application/vnd.jupyter.widget-state+json": kept}
        text, _ = HTMLExporter().from_notebook_node(book)
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        page.goto(file.as_uri(), wait_until="domcontentloaded")
        page.get_by_role("button", name="Play").wait_for()
        assert page.evaluate(SHOWN) == [PICTURE]
    unscripted = chromium.new_context(offline=True, java_script_enabled=False)
    page = unscripted.new_page()
    page.goto((tmp_path / "without.html").as_uri(), wait_until="domcontentloaded")
    assert page.locator(".jp-OutputArea-output img").is_visible() and not page.locator("figure").count()
    unscripted.close()
    context.close()


def test_a_page_without_network_plays_the_motion(chromium, executed, tmp_path):
    from nbconvert import HTMLExporter

    text, _ = HTMLExporter().from_notebook_node(executed)
    file = tmp_path / "plays.html"
    file.write_text(text, encoding="utf-8")
    shown = executed.cells[0].outputs[1].data["text/html"]
    assert len(shown) < 350_000  # one motion with the code that all share; of further ones a tenth
    context = chromium.new_context(offline=True, viewport={"width": 1000, "height": 900})
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(file.as_uri(), wait_until="domcontentloaded")
    play = page.get_by_role("button", name="Play")
    play.wait_for()
    assert page.locator(".jp-OutputArea-output img").is_hidden()  # the figure stands in its place
    page.screenshot(path=ARTEFACTS / "kept.png")
    play.click()
    inside = page.frame_locator("figure iframe")
    inside.locator(".rbd-time", has_text="0.5000 / 0.5000 s").wait_for()
    core = "document.querySelector('iframe').contentDocument.querySelector('.rbd-view').core"
    script = f"""{core}.graph.nodes.map(node => {{
        node.updateMatrixWorld(true);
        return [...node.matrixWorld.elements];
    }})"""
    poses = np.array(page.evaluate(script)).reshape(-1, 4, 4).transpose(0, 2, 1)
    run = rbd.simulate(MODEL, [2.0, 1.0], duration=0.5)
    np.testing.assert_allclose(poses, run.poses()[-1], atol=1e-5)  # float32 on the grid of a page
    page.wait_for_timeout(300)
    page.screenshot(path=ARTEFACTS / "kept_playing.png")
    context.close()
    assert not faults


def test_one_output_carries_the_code_for_all(notebook, chromium, tmp_path):
    from nbconvert import HTMLExporter

    notebook.run(CELL, "rbd.show(run, height=240)")
    notebook.view(1)
    notebook.command("docmanager:save")
    notebook.page.wait_for_timeout(500)
    book = nbformat.read(notebook.root / "test.ipynb", 4)
    first, second = (len(cell.outputs[1].data["text/html"]) for cell in book.cells)
    assert first - second > 200_000 > 100_000 > second
    (tmp_path / "both.html").write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    context = chromium.new_context(offline=True, viewport={"width": 1000, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "both.html").as_uri(), wait_until="domcontentloaded")
    page.get_by_role("button", name="Play").nth(1).click()
    page.frame_locator("figure iframe").locator(".rbd-time", has_text="0.5000 / 0.5000 s").wait_for()
    context.close()


FRAMES = "from rbdkit_course.featherstone import pictures\n\npictures.dh_frames()"


def test_a_page_without_network_computes_a_playground(chromium, tmp_path):
    """Its sliders answer without Python, as its function does."""
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FRAMES)])
    NotebookClient(book, timeout=120, kernel_name="python3", store_widget_state=False).execute()
    text, _ = HTMLExporter().from_notebook_node(book)
    file = tmp_path / "computes.html"
    file.write_text(text, encoding="utf-8")
    context = chromium.new_context(offline=True, viewport={"width": 1000, "height": 900})
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(file.as_uri(), wait_until="domcontentloaded")
    page.get_by_role("button", name="Try it").click()
    inside = page.frame_locator("figure iframe")
    for name, value in {"alpha": 0.4, "a": 0.3, "theta": -0.8, "d": 0.2}.items():
        number = inside.locator(f"[data-row='{name}'] input[type=number]")
        number.fill(str(value))
        number.press("Enter")
    told = inside.locator(".rbd-readout").inner_text().replace("\N{MINUS SIGN}", "-").split("\n")
    expected = dh_frames.draw(0.4, 0.3, -0.8, 0.2).readout
    assert [line.split() for line in told] == [line.split() for row in expected for line in row]
    page.wait_for_timeout(300)
    page.screenshot(path=ARTEFACTS / "kept_computing.png")
    assert faults == []
    context.close()
