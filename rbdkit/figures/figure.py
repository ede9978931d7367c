"""A Matplotlib figure that displays itself in a notebook, and its form as SVG for a page."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import cast

import matplotlib
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

PAGE_INK, NUMBERS_INK = "#76808c", "#77828c"
"""Text colours of the style `rbdkit.figures.page`, legible on light and dark pages; the second is of tick labels."""


class Plot(Figure):
    """A figure that displays itself in a notebook, without pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()

    def svg(self) -> str:
        """Return the figure as SVG without a background; black becomes the text colour of the page (currentColor)."""
        buffer = StringIO()
        dpi, width, height = self.dpi, *(72.0 * self.get_size_inches())
        patches = [self.patch, *(ax.patch for ax in self.axes)]
        colors = [(patch.get_facecolor(), patch.get_edgecolor()) for patch in patches]
        try:  # does what savefig does, but savefig draws everything twice
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
