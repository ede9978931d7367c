"""Views live with their cells, kernels and pages."""

from __future__ import annotations

import numpy as np
import pytest

SHOW = """
import numpy as np, rbdkit as rbd
from rbdkit.simulation import Trajectory
model = rbd.library.double_pendulum()
t = np.linspace(0.0, 1.0, 101)
q = np.stack([1.8 * np.cos(2.5 * t), 0.4 + np.sin(4.0 * t)], axis=1)
traj = Trajectory(model, t, q, np.gradient(q, t, axis=0))
view = rbd.show(traj)
view
"""
AGAIN = "other = rbd.sliders(model)\nother"


def test_rerun_two_views_and_close(notebook, changed):
    notebook.run(SHOW, AGAIN)
    notebook.view(1)
    one, two = notebook.picture(0), notebook.picture(1)
    notebook.python("other.q = [-1.0, 0.5]")
    notebook.settle()
    assert changed(two, notebook.picture(1)) > 3e-3 and changed(one, notebook.picture(0)) == 0.0
    notebook.python("view.t = 0.8")
    notebook.settle()
    assert changed(one, notebook.picture(0)) > 0.01

    count = "from ipywidgets.widgets.widget import _instances; print(len(_instances))"
    before = int(notebook.python(count))
    notebook.run_all()
    notebook.view(1)
    assert notebook.page.locator(".rbd-view").count() == 2
    assert int(notebook.python(count)) == before  # the views of the first run are closed, not forgotten
    assert changed(one, notebook.picture(0)) == 0.0 and changed(two, notebook.picture(1)) == 0.0

    notebook.python("third = rbd.sliders(model); third.close(); fourth = rbd.show(traj); fourth.close()")
    assert int(notebook.python(count)) == before
    notebook.python("view.close()")
    notebook.settle()
    assert notebook.page.locator(".rbd-view").count() == 1


def test_one_view_in_two_cells_moves_in_both(notebook, changed):
    notebook.run(SHOW, "view")
    notebook.view(1)
    one, two = notebook.picture(0), notebook.picture(1)
    notebook.python("view.t = 0.6")
    notebook.settle()
    assert changed(one, notebook.picture(0)) > 0.01 and changed(two, notebook.picture(1)) > 0.01


def test_a_view_that_opens_out_of_sight_is_framed_when_it_is_seen(notebook, changed):
    tab = "import ipywidgets\nipywidgets.Tab([ipywidgets.HTML('first'), rbd.show(traj)], titles=['one', 'two'])"
    notebook.run(SHOW, tab)
    notebook.page.locator(".rbd-view[data-ready=true]").nth(1).wait_for(state="attached")
    notebook.settle()
    notebook.page.get_by_role("tab", name="two").click()
    eye = "view => view.core.eye.camera.position.toArray()"
    first = notebook.view(1).evaluate(eye)
    picture = notebook.picture(1)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 200  # not blank
    assert notebook.view(1).evaluate(f"view => {{ view.core.home(false); return ({eye})(view); }}") == pytest.approx(
        first
    )
    notebook.settle()
    assert changed(picture, notebook.picture(1)) < 1e-3


def test_restarted_kernel(notebook):
    notebook.run(SHOW)
    notebook.view()
    notebook.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }")
    notebook.wait_for_kernel()
    notebook.run_all()
    notebook.view()
    notebook.python("view.frame = 50")
    notebook.settle()
    asked = np.array(eval(notebook.python("print(traj.poses()[50].tolist())")))
    assert np.abs(notebook.poses() - asked).max() < 1e-6


def test_reloaded_page_finds_the_view_again(notebook, changed):
    notebook.run(SHOW)
    notebook.view()
    notebook.python("view.frame = 50; view.show('frames')")
    notebook.settle()
    before = notebook.picture()
    notebook.command("docmanager:save")
    notebook.page.wait_for_timeout(500)
    notebook.page.reload(wait_until="domcontentloaded")
    notebook.wait_for_kernel()
    notebook.view()
    notebook.settle(500)
    assert changed(before, notebook.picture()) < 1e-3
    notebook.view().get_by_role("button", name="Play (space)").click()
    notebook.page.wait_for_timeout(300)
    notebook.settle()
    assert notebook.value("view.t") > 0.5
