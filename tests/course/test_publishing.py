"""The HTML edition: pages of two notebooks with what they computed, linked to each other, read by a parser of HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from rbdkit.course import progress
from rbdkit.course.__main__ import main
from rbdkit.course.publishing import linked, publish

TASK = "from rbdkit.course import progress\nprint(6 * 7001, 'done:', [*progress.done()])"


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ways = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "a" and "href" in dict(attrs):
            self.ways.append((dict(attrs)["href"], "download" in dict(attrs)))


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course"
    (folder / "labs").mkdir(parents=True)
    front = [new_markdown_cell("[on](labs/A.ipynb#end) [out](https://example.org/x.ipynb) [gone](labs/B.ipynb)")]
    view = "import rbdkit as rbd\nrbd.show(rbd.library.double_pendulum(), height=240)"
    lab = [new_markdown_cell("[back](../index.ipynb)"), new_code_cell(TASK), new_code_cell(view)]
    nbformat.write(new_notebook(cells=front), folder / "index.ipynb")
    nbformat.write(new_notebook(cells=lab), folder / "labs" / "A.ipynb")
    return folder


def test_pages_are_linked_and_hold_what_was_computed(course, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RBDKIT_COURSE_DIR", str(tmp_path / "mine"))
    progress.note("F05-1")
    out = tmp_path / "site"
    assert main(["publish", "--notebooks", str(course), "--out", str(out)]) == 0
    assert capsys.readouterr().out.split() == [str(out / "index.html"), str(out / "labs" / "A.html")]
    front, lab = ((out / page).read_text(encoding="utf-8") for page in ("index.html", "labs/A.html"))
    ways = Links(front).ways
    assert ("index.ipynb", True) in ways and ("labs/A.html#end", False) in ways
    assert ("https://example.org/x.ipynb", False) in ways and ("labs/B.ipynb", False) in ways  # not of this edition
    ways = Links(lab).ways
    assert ("A.ipynb", True) in ways and ways.count(("../index.html", False)) == 2  # the bar's, and the text's
    assert "42006 done: []" in lab and "data-view=" in lab and "data:image/png;base64," in lab
    assert "widget-state+json" not in lab  # it would stand before the picture, and asks for a network
    for name in ("index", "labs/A"):
        assert (out / f"{name}.ipynb").read_bytes() == (course / f"{name}.ipynb").read_bytes()


def test_a_cell_that_fails_is_named(course, tmp_path):
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), course / "labs" / "B.ipynb")
    with pytest.raises(RuntimeError, match=r"(?s)labs/B\.ipynb cannot be published.*ZeroDivisionError"):
        list(publish(course, tmp_path / "site", ["labs/B"]))
    with pytest.raises(FileNotFoundError, match=r"no notebook 'labs/C'; it has index, labs/A, labs/B"):
        list(publish(course, tmp_path / "site", ["labs/C"]))
    with pytest.raises(FileNotFoundError, match="there is no notebook in"):
        list(publish(tmp_path / "nothing", tmp_path / "site"))


def test_pages_inside_a_page_are_left_alone():
    inside = '<iframe srcdoc="<a href=&quot;index.ipynb&quot;>">'
    assert inside in linked(f"<body>{inside}", "index", ["index"])
