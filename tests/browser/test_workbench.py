"""The workbench notebook as a person meets it: every tool is there, and does what the text says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_workbench.ipynb"
VIEWS = (
    "tweak",
    "play",
    "function",
    "forces",
    "builder",
    "built",
    "inspect",
    "integrator",
    "algorithm",
    "own",
    "compare",
    "holding",
)
ALL_VIEWS = (*VIEWS, "brake")  # the last one belongs to an exercise


@pytest.fixture
def workbench(notebook):
    if not (notebook.root / NOTEBOOK.name).exists():
        shutil.copy(NOTEBOOK, notebook.root)
        notebook.visit(NOTEBOOK.name)
        notebook.run_all()
    return notebook


def test_every_tool_shows_itself(workbench):
    assert workbench.page.locator(".rbd-view").count() == len(ALL_VIEWS)
    for number, name in enumerate(ALL_VIEWS):
        view = workbench.view(number)
        view.scroll_into_view_if_needed()
        workbench.settle()
        workbench.keep(f"workbench_{name}", view)
    assert workbench.page.get_by_text("not yet").count() == 4  # the exercises are still to be done


def test_the_facts_of_the_second_rod_are_open(workbench):
    view = workbench.view(VIEWS.index("inspect"))
    view.scroll_into_view_if_needed()
    panel = view.locator(".rbd-inspector")
    assert panel.locator(".rbd-bar strong").text_content() == "rod2"
    assert "One motion, many velocities" in panel.text_content()


def test_a_function_of_ones_own_is_stepped_through(workbench):
    view = workbench.view(VIEWS.index("own"))
    view.scroll_into_view_if_needed()
    assert "mass[model.parent[i]] += mass[i]" in view.locator(".rbd-here code").text_content()
    before = view.locator(".rbd-values").first.text_content()
    view.get_by_role("button", name="Run one line (→)", exact=True).click()
    workbench.settle()
    assert view.locator(".rbd-values").first.text_content() != before
