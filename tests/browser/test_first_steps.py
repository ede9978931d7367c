"""The first notebook as a person meets it: opened in JupyterLab, run to its end, played, pulled at."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "00_first_steps.ipynb"


@pytest.fixture
def first_steps(notebook):
    if not (notebook.root / NOTEBOOK.name).exists():
        shutil.copy(NOTEBOOK, notebook.root)
        notebook.visit(NOTEBOOK.name)
        notebook.run_all()
    return notebook


def test_the_robot_flies(first_steps, changed):
    view = first_steps.view()
    view.scroll_into_view_if_needed()
    start = first_steps.picture()
    assert len(np.unique(start.reshape(-1, 3), axis=0)) > 50  # a robot with light on it, not an empty canvas
    first_steps.keep("first_steps", first_steps.page)
    height = first_steps.poses()[:, 2, 3].max()
    view.locator("select.rbd-rate").select_option("0.25")  # a busy machine may be slow to press pause
    view.get_by_role("button", name="Play (space)", exact=True).click()
    first_steps.page.wait_for_function("document.querySelector('.rbd-view').core.player.t > 0.25")
    view.get_by_role("button", name="Pause (space)", exact=True).click()
    first_steps.settle()
    assert first_steps.poses()[:, 2, 3].max() > height + 0.3  # thrown upward
    assert changed(start, first_steps.picture()) > 0.01
    first_steps.keep("first_steps_flight", view)


def test_a_slider_bends_the_arm(first_steps, changed):
    view = first_steps.view(1)
    view.scroll_into_view_if_needed()
    before, poses = first_steps.picture(1), first_steps.poses(1)
    slider = view.locator("input[type=range]").nth(1)
    box = slider.bounding_box()
    first_steps.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + box["height"] / 2)
    first_steps.settle()
    assert np.abs(first_steps.poses(1) - poses).max() > 0.1
    assert changed(before, first_steps.picture(1)) > 0.01
    first_steps.keep("first_steps_sliders", view)


def test_every_view_and_every_verdict_is_there(first_steps):
    assert first_steps.page.locator(".rbd-view").count() == 3
    verdicts = first_steps.page.get_by_text("not yet")
    assert verdicts.count() == 3  # the exercises are still to be done
