"""What is said when two kinds do not go together."""

from __future__ import annotations

from typing import Any, NoReturn


def kind(x: Any) -> str:
    """Name of the type of x, as an error shows it."""
    return {"Star": "X*", "AxialScrew": "screw"}.get(type(x).__name__, type(x).__name__)


def refuse(expression: str, remedy: str) -> NoReturn:
    """Raise the TypeError that names an expression which has no meaning, and says what there is instead."""
    raise TypeError(f"{expression} is not defined: {remedy}")
