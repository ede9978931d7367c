"""The JavaScript and CSS beside this file, joined into the one module that a widget sends."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent / "js"


def module(*names: str) -> str:
    """Join the named JavaScript files in this order; the last one exports."""
    return "\n".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in names)


def style(name: str) -> str:
    """Return the named CSS file."""
    return (HERE / f"{name}.css").read_text(encoding="utf-8")
