"""Source text of a function, and the loops in it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rbdkit.errors import RbdkitError


@dataclass(frozen=True)
class Pass:
    """An outermost ``for`` loop: its first and last line, and the variable that it runs over."""

    first: int
    last: int
    variable: str


@dataclass(frozen=True)
class Source:
    """Source text of a function.

    Attributes
    ----------
    name : str
        Name of the function.
    file : str
        File that it is defined in.
    first : int
        Number of its first line there.
    lines : tuple of str
        Its text.
    passes : tuple of Pass
        Its outermost loops, in order.
    """

    name: str
    file: str
    first: int
    lines: tuple[str, ...]
    passes: tuple[Pass, ...]

    def pass_at(self, line: int) -> int | None:
        """Return the number of the loop that a line of the file is in; None if it is in none."""
        return next((k for k, loop in enumerate(self.passes) if loop.first <= line <= loop.last), None)


def source_of(function: Callable[..., Any]) -> Source:
    """Return the source of a function or method.

    Raises
    ------
    RbdkitError
        If it has none: built-in and compiled functions, classes, or text that was typed without being kept.
    """
    plain = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(plain):
        raise RbdkitError(f"{function!r} is not a Python function, so there are no lines to step through")
    try:
        lines, first = inspect.getsourcelines(plain)
    except (OSError, TypeError):
        raise RbdkitError(f"the source of {plain.__name__!r} is not to be had; define it in a cell or a file") from None
    text = textwrap.dedent("".join(lines))
    return Source(
        plain.__name__, inspect.getsourcefile(plain) or "", first, tuple(text.splitlines()), _passes(text, first)
    )


def _passes(text: str, first: int) -> tuple[Pass, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a lambda in the middle of an expression
        return ()
    loops: list[Pass] = []
    _collect(tree, first - 1, loops)
    return tuple(loops)


def _collect(node: ast.AST, offset: int, loops: list[Pass]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.For) and isinstance(child.target, ast.Name):
            loops.append(Pass(child.lineno + offset, (child.end_lineno or child.lineno) + offset, child.target.id))
        else:
            _collect(child, offset, loops)
