"""Base of the widgets with JavaScript of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anywidget
import traitlets

from rbdkit.errors import ArgumentError
from rbdkit.widgets.bundle import module

_IN_PYTHON_ONLY = ContextVar("_IN_PYTHON_ONLY", default=False)


@contextmanager
def in_python_only() -> Iterator[None]:
    """Make widgets that are never announced to the browser, as they are written to a file and closed at once.

    Otherwise anywidget would report, two seconds later, that each widget closed before its JavaScript came has failed.
    """
    before = _IN_PYTHON_ONLY.set(True)
    try:
        yield
    finally:
        _IN_PYTHON_ONLY.reset(before)


class ValueRefused(ArgumentError, traitlets.TraitError):
    """A widget was given a value that it cannot show."""


class Front(anywidget.AnyWidget):
    """Base of the widgets; a class gives its JavaScript as the default of `_module`, its CSS as `_css`.

    A page keeps every module that it has loaded: `_esm` is the same few lines for all, and they load the module of a
    class only once.
    """

    _esm = module("release", "loader")
    _module = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        try:
            super().__init__(**traits)
        except traitlets.TraitError as fault:
            raise ValueRefused(str(fault)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except traitlets.TraitError as fault:
            raise ValueRefused(str(fault)) from None

    def open(self) -> None:
        """Announce the widget to the browser, unless it is made for Python alone."""
        if not _IN_PYTHON_ONLY.get():
            super().open()

    def close(self) -> None:
        """Close the widget and its layout."""
        super().close()
        self.layout.close()

    def _get_embed_state(self, drop_defaults: bool = False) -> Any:
        """The whole state also for a page that leaves defaults out: in the browser these classes have none."""
        return super()._get_embed_state(drop_defaults=False)
