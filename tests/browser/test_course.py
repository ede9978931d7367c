"""The front door in JupyterLab: the map opens notebooks, hints unfold one after the other, links are followed."""

import shutil
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.fixture(scope="module")
def course(lab, page):
    """The notebooks of the course in the server's folder, for as long as these tests last."""
    _, root = lab
    before = set(root.iterdir())
    ignored = shutil.ignore_patterns(".ipynb_checkpoints", "*.py", "*.toml")
    shutil.copytree(NOTEBOOKS, root, ignore=ignored, dirs_exist_ok=True)
    yield page
    for added in set(root.iterdir()) - before:
        shutil.rmtree(added) if added.is_dir() else added.unlink()


def test_the_front_door_shows_a_motion_and_a_map(course):
    course.visit("index.ipynb")
    course.page.wait_for_selector(".jp-MarkdownOutput h1")
    course.run_all()
    course.view()
    boxes = course.page.locator(".rbd-map a")
    assert boxes.count() > 20
    colours = "a => [getComputedStyle(a).color, getComputedStyle(a.closest('.jp-OutputArea')).backgroundColor]"
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        course.theme(theme)
        boxes.first.scroll_into_view_if_needed()
        course.keep(f"course map {theme.split()[1].lower()}")
        ink = boxes.first.evaluate(colours)[0]
        bright = sum(int(x) for x in ink.removeprefix("rgba(").removeprefix("rgb(").rstrip(")").split(",")[:3])
        assert (bright > 380) == ("Dark" in theme), ink


def test_a_box_of_the_map_opens_its_notebook(course):
    box = course.page.locator(".rbd-map a", has_text="F05").first
    assert "/files/" in box.get_attribute("href") or "05_inverse_dynamics" in box.get_attribute("href")
    box.click()
    course.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget?.context?.path === 'featherstone/05_inverse_dynamics.ipynb'"
    )


def test_hints_unfold_one_after_the_other(course):
    course.visit("featherstone/05_inverse_dynamics.ipynb")
    header = course.page.locator(".jp-MarkdownOutput", has_text="You will be able to").first
    header.wait_for()
    assert "about 60 minutes" in header.inner_text()
    course.keep("course header")
    course.page.evaluate(
        """() => { const book = jupyterapp.shell.currentWidget.content;
        book.activeCellIndex = book.widgets.findIndex(cell => cell.model.id === 'course-hints-F05-2'); }"""
    )
    hints = course.page.locator(".jp-MarkdownOutput", has=course.page.locator("details")).filter(has_text="about 5 min")
    hints.first.scroll_into_view_if_needed()
    for said in ("Which motion is it here?", "only gravity remains", "three zeros", "my_torques"):
        text = hints.first.locator("p, code", has_text=said).first
        assert not text.is_visible()
        hints.first.locator("details:not([open]) > summary").locator("visible=true").first.click()
        text.wait_for()
    course.keep("course hints", hints.first)


SLOW = """import time
from rbdkit_course.checks import checks
from rbdkit_course.verdict import wrong
@checks("00-1")
def slow_check(answer):
    time.sleep(3)
    return wrong("a quarter of a turn is missing")
slow_check(1)"""


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_a_check_says_that_it_computes_until_its_verdict_takes_the_place(notebook, theme):
    notebook.open(SLOW)
    notebook.theme(f"JupyterLab {theme}")
    notebook.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")  # not waited for
    line = notebook.page.locator(".jp-OutputArea-output", has_text="checking your answer")
    line.wait_for()
    place = line.bounding_box()["y"]
    notebook.keep(f"check computing {theme.lower()}")
    verdict = notebook.page.locator(".jp-OutputArea-output", has_text="a quarter of a turn")
    verdict.wait_for()
    assert line.count() == 0
    assert abs(verdict.bounding_box()["y"] - place) <= 12  # pixels: less than a line of text
    notebook.keep(f"check verdict {theme.lower()}")
