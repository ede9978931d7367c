"""What the widgets with JavaScript of their own have in common."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from rbdkit.widgets.bundle import module


class Front(anywidget.AnyWidget):
    """Base of the widgets; a class gives its JavaScript as the default of `_module`, its CSS as `_css`.

    A page keeps every module that it has loaded: `_esm` is the same few lines for all, and they load the module of a
    class only once.
    """

    _esm = module("release", "loader")
    _module = traitlets.Unicode().tag(sync=True)

    def close(self) -> None:
        """Close the widget and its layout."""
        super().close()
        self.layout.close()

    def _get_embed_state(self, drop_defaults: bool = False) -> Any:
        """The whole state also for a page that leaves defaults out: in the browser these classes have none."""
        return super()._get_embed_state(drop_defaults=False)
