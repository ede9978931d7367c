"""A Matplotlib figure that a notebook shows by itself."""

from __future__ import annotations

from io import BytesIO, StringIO

import matplotlib
from matplotlib.figure import Figure


class Plot(Figure):
    """A figure that shows itself in a notebook, whether or not pyplot is there."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()

    def svg(self) -> str:
        """The figure as SVG without a background, its black ink in the colour of the text around it."""
        buffer = StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none"}):
            self.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        text = buffer.getvalue()
        return text[text.index("<svg") :].replace("#000000", "currentColor")
