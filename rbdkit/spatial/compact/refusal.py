"""Errors of operations that are not defined between two kinds of quantities."""

from __future__ import annotations

from typing import Any, NoReturn


def kind(x: Any) -> str:
    """Return the name of the type of x for messages."""
    return {"Star": "X*", "AxialScrew": "screw"}.get(type(x).__name__, type(x).__name__)


def refuse(expression: str, remedy: str) -> NoReturn:
    """Raise `TypeError` for an undefined expression. remedy : what to use instead, or why it is undefined."""
    raise TypeError(f"{expression} is not defined: {remedy}")
