"""A Matplotlib figure that a notebook shows by itself."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import cast

import matplotlib
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

PAGE_INK, NUMBERS_INK = "#76808c", "#77828c"
"""Of the style `rbdkit.figures.page`, which stands on light and on dark pages; the second of the numbers along y."""


class Plot(Figure):
    """A figure that shows itself in a notebook, whether or not pyplot is there."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()

    def svg(self) -> str:
        """The figure as SVG without a background, its black ink in the colour of the text around it."""
        buffer = StringIO()
        dpi, width, height = self.dpi, *(72.0 * self.get_size_inches())
        patches = [self.patch, *(ax.patch for ax in self.axes)]
        colors = [(patch.get_facecolor(), patch.get_edgecolor()) for patch in patches]
        try:  # as savefig does, which draws everything twice
            self.dpi = 72.0
            for patch in patches:
                patch.set(facecolor="none", edgecolor="none")
            with matplotlib.rc_context({"svg.fonttype": "none"}):
                own = RendererSVG(width, height, buffer, image_dpi=dpi, metadata={"Date": None})
                renderer = MixedModeRenderer(self, width, height, dpi, own)
                self.draw(cast(RendererBase, renderer))
                renderer.finalize()
        finally:
            self.dpi = dpi
            for patch, (face, edge) in zip(patches, colors, strict=True):
                patch.set(facecolor=face, edgecolor=edge)
        text = buffer.getvalue()
        for ink in ("#000000", PAGE_INK, NUMBERS_INK):
            text = text.replace(ink, "currentColor")
        return text[text.index("<svg") :]
