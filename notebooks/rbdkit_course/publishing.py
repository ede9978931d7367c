"""HTML edition of the course: executed notebooks as linked pages, to be read without Python."""

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
from rbdkit_course.mathml import with_mathml

LINK = re.compile(r'(<a\b[^>]*?\bhref=")([^"#?:]+)\.ipynb((?:#[^"]*)?")')
"""A link of the page itself; quotes in embedded pages (`srcdoc`) are escaped, so links in those do not match."""
BODY = re.compile(r"<body\b[^>]*>")
FROM_NETWORK = re.compile(
    r'<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->|<script src="https?:[^"]*"></script>', re.DOTALL
)
"""Scripts that nbconvert makes pages load, and ours do not need: MathJax, and RequireJS for widgets with state."""


def publish(
    notebooks: Path, out: Path, only: Sequence[str] = (), seconds: float = 600.0, mathjax: str = ""
) -> Iterator[Path]:
    """Execute notebooks and write each as a page, with the notebook file beside it for download.

    Widgets show the static view that they have for pages without a kernel: a picture, or a recorded motion.

    Parameters
    ----------
    notebooks : folder of the course.
    out : folder to write to, made if there is none; folders in it are those of `notebooks`.
    only : files in `notebooks` without ending, such as ``featherstone/05_inverse_dynamics``; all if none is named.
        Links to notebooks that are left out stay as they are.
    seconds : time for each cell.
    mathjax : address of MathJax, if that is to typeset formulas. If empty, pages have MathML, which browsers display
        without loading anything.

    Yields
    ------
    The pages, as they are written.

    Raises
    ------
    FileNotFoundError
        If the folder has no notebook, or none of a name in `only`.
    RuntimeError
        If a cell fails, or a formula cannot be converted; the message names the notebook. Earlier pages are written.
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
    """Redirect links to published notebooks to their pages, and add a link to download the page's own notebook.

    Examples
    --------
    >>> from rbdkit_course.publishing import linked
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
    """Execute one notebook and return it as HTML."""
    import nbformat  # all of these are slow, and of the extra `lab`
    from jinja2 import pass_context
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    from nbconvert import HTMLExporter

    notebook = nbformat.read(source, as_version=4)
    place: dict[str, Any] = {"metadata": {"path": str(source.parent)}}
    # With their state in the page, widgets would be displayed in place of the pictures saved of them.
    client = NotebookClient(notebook, timeout=seconds, kernel_name="python3", resources=place, store_widget_state=False)
    try:
        with TemporaryDirectory() as progress:  # the reader has done none of the exercises done here
            client.execute(env={**os.environ, "RBDKIT_COURSE_DIR": progress})
    except (CellExecutionError, CellTimeoutError) as fault:
        raise RuntimeError(f"{name}.ipynb cannot be published, a cell fails: {fault}") from fault
    title = {"metadata": {"name": Path(name).name}}
    if mathjax:
        text, _ = HTMLExporter(mathjax_url=mathjax).from_notebook_node(notebook, resources=title)
        return str(text)

    class WithMathML(HTMLExporter):
        """Exporter that writes formulas as MathML."""

        @pass_context
        def markdown2html(self, context: Any, source: str) -> str:
            return with_mathml(super().markdown2html(context, source))

    try:
        text, _ = WithMathML().from_notebook_node(notebook, resources=title)
    except ValueError as fault:
        raise RuntimeError(f"{name}.ipynb cannot be published: {fault}") from fault
    return FROM_NETWORK.sub("", str(text))
