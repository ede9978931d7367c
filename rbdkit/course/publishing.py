"""The HTML edition of the course: notebooks as executed, to be read without Python, linked to each other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from posixpath import dirname, normpath, relpath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from rbdkit.atomic_write import write_file
from rbdkit.course.mathml import with_mathml

LINK = re.compile(r'(<a\b[^>]*?\bhref=")([^"#?:]+)\.ipynb((?:#[^"]*)?")')
"""A link of the page itself: pages inside a page (`srcdoc`) have their quotes escaped and are left alone."""
BODY = re.compile(r"<body\b[^>]*>")
FROM_NETWORK = re.compile(
    r'<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->|<script src="https?:[^"]*"></script>', re.DOTALL
)
"""Scripts that nbconvert has pages ask for, of which ours need none: MathJax, and RequireJS for widgets with state."""


def publish(
    notebooks: Path, out: Path, only: Sequence[str] = (), seconds: float = 600.0, mathjax: str = ""
) -> Iterator[Path]:
    """Execute notebooks and write each as a page, with the notebook itself beside it to be downloaded.

    Widgets show what they keep for places without a kernel: their picture, and where something moved, its motion.

    Parameters
    ----------
    notebooks : folder of the course.
    out : folder to write to, made if there is none; folders in it are those of `notebooks`.
    only : files in `notebooks` without ending, such as ``featherstone/05_inverse_dynamics``; all if none is named.
        Links to notebooks that are left out stay as they are.
    seconds : time for each cell.
    mathjax : address of MathJax, if that is to typeset mathematics. If empty, pages have MathML, which browsers know:
        they ask for nothing but themselves.

    Yields
    ------
    The pages, as they are written.

    Raises
    ------
    FileNotFoundError
        If the folder has no notebook, or none of a name in `only`.
    RuntimeError
        If a cell fails, or a formula is not understood; it names notebook and fault. Pages before it are written.
    """
    there = sorted(
        file.relative_to(notebooks).with_suffix("").as_posix()
        for file in notebooks.rglob("*.ipynb")
        if ".ipynb_checkpoints" not in file.parts
    )
    if not there:
        raise FileNotFoundError(f"there is no notebook in {notebooks}; name the folder of the course")
    missing = [name for name in only if name not in there]
    if missing:
        raise FileNotFoundError(f"{notebooks} has no notebook {missing[0]!r}; it has {', '.join(there)}")
    chosen = [name for name in there if not only or name in only]
    for name in chosen:
        source, page = notebooks / f"{name}.ipynb", out / f"{name}.html"
        text = linked(_page(source, name, seconds, mathjax), name, chosen)
        page.parent.mkdir(parents=True, exist_ok=True)
        write_file(page, text)
        write_file(page.with_suffix(".ipynb"), source.read_bytes())
        yield page


def linked(page: str, name: str, published: Sequence[str]) -> str:
    """A page whose links to published notebooks lead to their pages, with a link to download its own notebook.

    Examples
    --------
    >>> from rbdkit.course.publishing import linked
    >>> page = linked('<body><a href="../index.ipynb#map">map</a>', "labs/A", ["index", "labs/A"])
    >>> page.splitlines()[-1].partition("</p>")[2]
    '<a href="../index.html#map">map</a>'
    """
    home = dirname(name)

    def lead(link: re.Match[str]) -> str:
        target = normpath(f"{home}/{unquote(link[2])}" if home else unquote(link[2]))
        return f"{link[1]}{link[2]}.html{link[3]}" if target in published else link[0]

    own = escape(f"{relpath(name, home or '.')}.ipynb", quote=True)
    ways = [f'<a href="{own}" download>Download this notebook</a> to run it']
    if "index" in published and name != "index":
        ways.insert(0, f'<a href="{relpath("index.html", home or ".")}">The course</a>')
    bar = f'<p style="margin: 12px 80px; font: 13px system-ui, sans-serif">{" · ".join(ways)}</p>'
    return BODY.sub(lambda body: f"{body[0]}\n{bar}", LINK.sub(lead, page), count=1)


def _page(source: Path, name: str, seconds: float, mathjax: str) -> str:
    """One notebook, executed, as HTML."""
    import nbformat  # all of these are slow, and of the extra `lab`
    from jinja2 import pass_context
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    from nbconvert import HTMLExporter

    notebook = nbformat.read(source, as_version=4)
    place: dict[str, Any] = {"metadata": {"path": str(source.parent)}}
    # Without their state in the page, widgets do not stand before the pictures that are kept of them.
    client = NotebookClient(notebook, timeout=seconds, kernel_name="python3", resources=place, store_widget_state=False)
    try:
        with TemporaryDirectory() as progress:  # the exercises that somebody has done here are not the reader's
            client.execute(env={**os.environ, "RBDKIT_COURSE_DIR": progress})
    except (CellExecutionError, CellTimeoutError) as fault:
        raise RuntimeError(f"{name}.ipynb cannot be published, a cell fails: {fault}") from fault
    title = {"metadata": {"name": Path(name).name}}
    if mathjax:
        text, _ = HTMLExporter(mathjax_url=mathjax).from_notebook_node(notebook, resources=title)
        return str(text)

    class WithMathML(HTMLExporter):
        """With formulas as the browser knows them."""

        @pass_context
        def markdown2html(self, context: Any, source: str) -> str:
            return with_mathml(super().markdown2html(context, source))

    try:
        text, _ = WithMathML().from_notebook_node(notebook, resources=title)
    except ValueError as fault:
        raise RuntimeError(f"{name}.ipynb cannot be published: {fault}") from fault
    return FROM_NETWORK.sub("", str(text))
