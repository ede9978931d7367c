"""Where three.js comes from in a notebook is known to two files alone: the rest runs on any that a page brings."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import rbdkit

ROOT = Path(rbdkit.__file__).parent
KNOWS = re.compile(r"pythreejs|\bp3\s*\.\s*[A-Z]|ipymodel|initPromise|isFrozen|frozenRenderer")
"""Its name, and names that nothing else in the page has."""


def code_of(file: Path) -> str:
    """A file without comments and without texts that stand alone."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".js":
        return re.sub(r"//.*", "", text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return " ".join(token.string for token in tokens if token.type not in (tokenize.COMMENT, tokenize.STRING))


def test_two_files_know_where_three_js_comes_from_in_a_notebook():
    files = [file for kind in ("*.py", "*.js") for file in ROOT.rglob(kind) if file.name != "three.min.js"]
    knowing = {file.relative_to(ROOT).as_posix() for file in files if KNOWS.search(code_of(file))}
    assert knowing == {"widgets/three.py", "widgets/js/three_of_notebook.js"}


def test_what_draws_asks_the_page_for_three_js():
    drawing = (ROOT / "widgets" / "js" / "stage.js").read_text(encoding="utf-8")
    for bringing in ("widgets/js/three_of_notebook.js", "export/js/three_of_page.js"):
        code = (ROOT / bringing).read_text(encoding="utf-8")
        for name in ("async function open_three(", "class ViewCanvas extends Canvas"):
            assert name in code and name not in drawing
