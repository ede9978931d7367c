"""Source view of a picture: the function that a cell called by its name, and the one that draws, as in their files."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

from rbdkit.widgets.source import Source


def how_made(draw: Callable[..., Any]) -> str:
    """Return as HTML the source of the function that is making a widget, and of the function that draws.

    Parameters
    ----------
    draw : callable
        Shown too, unless it is written inside the other one.

    Returns
    -------
    str
        Empty where a notebook's cell makes the widget itself, for there it can be read, and where Python has no source.
    """
    maker = _caller()
    if maker is None:
        return ""
    own: Any = draw
    while isinstance(own, partial):
        own = own.func
    code = getattr(own, "__code__", None)
    inside = code is None or f"{maker.co_qualname}.<locals>" in code.co_qualname
    try:
        shown: list[Any] = [maker] if inside else [maker, own]
        return Source(*shown)._repr_html_()
    except (OSError, TypeError):  # no file that could be read: typed in, or packed away
        return ""


def _caller() -> CodeType | None:
    """Return the innermost calling function that is not one of the widgets'; None if it is a module or a cell."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("rbdkit.widgets"):
        frame = frame.f_back
    if frame is None or frame.f_code.co_name == "<module>" or frame.f_globals is sys.modules["__main__"].__dict__:
        return None
    return frame.f_code
