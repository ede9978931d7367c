"""The table of facts that opens when a body is clicked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets
from numpy.typing import NDArray

from rbdkit.inspection import Inspection
from rbdkit.stepping import text_of
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.front import Front


class Inspector(Front):
    """Facts about a body, with units and frames; each can be copied as NumPy.

    Parameters
    ----------
    on_close : callable
        Called when the table is closed by hand.
    """

    _module = traitlets.Unicode(module("dom", "inspector")).tag(sync=True)
    _css = style("view") + style("inspector")

    title = traitlets.Unicode("").tag(sync=True)
    sections: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)

    def __init__(self, on_close: Callable[[], None]) -> None:
        super().__init__()
        self.on_msg(lambda _, content, __: on_close() if content.get("do") == "close" else None)

    def show(self, inspection: Inspection) -> None:
        """Show these facts in place of those that were there."""
        with self.hold_sync():
            self.title = inspection.body
            self.sections = [
                {
                    "title": title,
                    "facts": [
                        {
                            "name": fact.name,
                            "symbol": fact.symbol,
                            "unit": fact.unit,
                            "frame": fact.frame,
                            "tip": fact.tip,
                            "parts": parts_of(fact.rounded),
                            "numpy": fact.numpy,
                        }
                        for fact in facts
                    ],
                }
                for title, facts in inspection.sections.items()
            ]


def parts_of(value: NDArray) -> list[str]:
    """Return a value as text, in parts that may stand below each other: angular and linear half."""
    if value.ndim == 2 and value.shape[1] == 6:
        return [f"columns 1 to 3\n{text_of(value[:, :3])}", f"columns 4 to 6\n{text_of(value[:, 3:])}"]
    angular, bar, linear = text_of(value).partition("| ")
    return [angular + bar.rstrip(), linear] if bar else [angular]
