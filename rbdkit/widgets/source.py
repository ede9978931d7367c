"""Source of functions as it stands in their files, for reading in a notebook."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any

STYLE = """
.rbd-source { border: 1px solid var(--jp-border-color2, #d5d9de); border-radius: 6px; overflow: hidden; }
.rbd-source header { padding: 3px 12px; color: var(--jp-ui-font-color2, #66707c); background: var(--jp-layout-color2, #eef0f2); font: 11px var(--jp-ui-font-family, system-ui, sans-serif); }
.rbd-source pre { margin: 0 !important; padding: 8px 12px !important; overflow-x: auto; white-space: pre !important; color: var(--jp-content-font-color1, #22272e); background: none; font: 12px/1.45 var(--jp-code-font-family, monospace) !important; }
.rbd-source .k, .rbd-source .ow { color: var(--jp-mirror-editor-keyword-color, #008000); font-weight: 600; }
.rbd-source .s { color: var(--jp-mirror-editor-string-color, #ba2121); }
.rbd-source .c { color: var(--jp-mirror-editor-comment-color, #408080); font-style: italic; }
.rbd-source .m { color: var(--jp-mirror-editor-number-color, #080); }
.rbd-source .nf { color: var(--jp-mirror-editor-def-color, #00f); }
.rbd-source .o { color: var(--jp-mirror-editor-operator-color, #a2f); }
"""  # noqa: E501


class Source:
    """The source of functions or classes; see `source`."""

    def __init__(self, *things: Callable[..., Any] | type, doc: bool = True) -> None:
        self.things, self.doc = things, doc

    def _texts(self) -> list[tuple[str, str]]:
        """Return file and line of each function or class, and its text."""
        found = []
        for thing in self.things:
            lines, first = inspect.getsourcelines(thing)
            while lines and not lines[-1].strip():
                lines.pop()
            parts = Path(inspect.getsourcefile(thing) or "").parts
            module = inspect.getmodule(thing)  # a code object has a file, but knows no module
            package = module.__name__.partition(".")[0] if module else ""
            inside = parts[parts.index(package) :] if package in parts else parts[-1:]
            text = dedent("".join(lines)).rstrip()
            found.append((f"{'/'.join(inside)}, line {first}", text if self.doc else without_doc(text)))
        return found

    def __repr__(self) -> str:
        return "\n\n\n".join(text for _, text in self._texts())

    def _repr_html_(self) -> str:
        blocks = (
            f"<div class='rbd-source'><header>{escape(place)}</header><pre>{coloured(text)}</pre></div>"
            for place, text in self._texts()
        )
        return f"<style>{STYLE}</style>" + "<p></p>".join(blocks)


def without_doc(text: str) -> str:
    """Return the text of a function or class without its docstring."""
    lines, definition = text.splitlines(), ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    if ast.get_docstring(definition) is not None:
        first = definition.body[0]
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def coloured(text: str) -> str:
    """Return Python as HTML, with tokens of one kind in spans of one class: k, ow, s, c, m, nf, o."""
    from pygments import lex  # comes with IPython
    from pygments.lexers import PythonLexer
    from pygments.token import Token

    classes = {
        Token.Keyword: "k",
        Token.Operator.Word: "ow",
        Token.Literal.String: "s",
        Token.Comment: "c",
        Token.Literal.Number: "m",
        Token.Name.Function: "nf",
        Token.Name.Class: "nf",
        Token.Operator: "o",
    }

    def span(kind: Any, word: str) -> str:
        name = next((classes[k] for k in reversed(kind.split()) if k in classes), "")
        return f"<span class='{name}'>{escape(word)}</span>" if name else escape(word)

    return "".join(span(kind, word) for kind, word in lex(text, PythonLexer(stripnl=False)))


def source(*things: Callable[..., Any] | type, doc: bool = True) -> Source:
    """The source of functions or classes, coloured, with the file and line where it stands.

    Parameters
    ----------
    things
        Functions or classes.
    doc : bool, optional
        Whether their docstrings are shown.

    Raises
    ------
    TypeError, OSError
        If one of them has no source that Python can find.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.widgets import source
    >>> listing = source(rbd.algorithms.rnea)
    """
    found = Source(*things, doc=doc)
    repr(found)
    return found
