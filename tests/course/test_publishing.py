"""The HTML edition: pages of two notebooks with what they computed, linked to each other, read by a parser of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nbformat
import pytest
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from rbdkit_course import progress
from rbdkit_course.__main__ import NOTEBOOKS, main
from rbdkit_course.mathml import with_mathml
from rbdkit_course.publishing import linked, publish

TASK = "from rbdkit_course import progress\nprint(6 * 7001, 'done:', [*progress.done()])"


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


def test_formulas_are_mathml_and_pages_ask_for_nothing(course, tmp_path):
    r"""Those in code are code, those in text are elements; `\tag` and a bracket that begins a matrix are understood."""
    text = r"$\dot q < 1$, `$x$` and $$\begin{pmatrix} [\omega] & v \\ 0 & 0 \end{pmatrix} \tag{2.1}$$"
    cells = [new_markdown_cell(text), new_code_cell("print('$y$')")]
    nbformat.write(new_notebook(cells=cells), course / "labs" / "A.ipynb")
    (page,) = publish(course, tmp_path / "site", ["labs/A"])
    read = page.read_text(encoding="utf-8")
    assert read.count("<math ") == 2 and read.count("<mtable>") == 1 and "(2.1)" in read
    assert "<code>$x$</code>" in read and "$y$" in read
    assert "mathjax" not in read.lower() and '<script src="http' not in read
    nbformat.write(new_notebook(cells=[new_markdown_cell(r"$\begin{pmatrix}$")]), course / "labs" / "A.ipynb")
    with pytest.raises(RuntimeError, match=r"labs/A\.ipynb cannot be published: formula .*pmatrix.* not understood"):
        list(publish(course, tmp_path / "site", ["labs/A"]))


def test_every_formula_of_the_course_is_understood():
    """And nothing is left of LaTeX's words."""
    renderer, found = IPythonRenderer(escape=False), 0
    for file in sorted(NOTEBOOKS.rglob("*.ipynb")):
        for cell in nbformat.read(file, as_version=4).cells:
            if cell.cell_type == "markdown" and "$" in cell.source:
                html = with_mathml(MarkdownWithMath(renderer=renderer).render(cell.source))
                found += html.count("<math ")
                prose = re.sub(r"<(pre|code)\b.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
                assert not re.search(r"\\[a-zA-Z]", prose), (file.name, re.search(r".{0,30}\\[a-zA-Z].{0,30}", prose))
    assert found > 2000
