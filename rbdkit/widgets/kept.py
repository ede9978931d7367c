"""What a cell shows once the kernel is gone: the picture, in place of a widget that nobody answers for."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from rbdkit.widgets.pictured import pixels_of

if TYPE_CHECKING:
    from rbdkit.widgets.stage import Stage

WIDTH, HEIGHT = 640, 400
NOTE = "Run the cell to touch it."
INK = "#6e7681"
"""Legible on light and on dark paper."""
COLORS = 160
STYLE = """<style data-view="{name}">
.jp-OutputArea-child:has(> .jp-OutputArea-output > style[data-view="{name}"]) {{ display: none; }}
.jp-OutputArea-child:has(+ .jp-OutputArea-child > .jp-OutputArea-output > style[data-view="{name}"])
  > .jp-OutputArea-output:not(:has([class*="rbd-"])) {{
  box-sizing: border-box; flex: none; width: {width}px; max-width: {width}px; height: {height}px; padding: 0;
  font-size: 0; overflow: hidden; background: url(data:image/png;base64,{data}) left / contain no-repeat;
}}
</style>"""
"""JupyterLab, Notebook 7 and pages of nbconvert prefer the widget to the picture beside it, even where it is not to be
had and no picture is seen. This shows it in the widget's place for as long as nothing of rbdkit is in there."""


def still(stage: Stage) -> bytes:
    """A PNG of a view as it stands, on no ground, with a note how it comes to life."""
    image = Image.fromarray(pixels_of(stage, WIDTH, HEIGHT, transparent=True))
    pen = ImageDraw.Draw(image)
    pen.text((12, HEIGHT - 24), f"{stage.scene.name}. {NOTE}", fill=INK, font=ImageFont.load_default(size=13))
    buffer = BytesIO()
    image.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def put_down(bundle: dict[str, Any], png: bytes, name: str) -> None:
    """Show a widget's bundle with its picture in the cell that is going on, and what keeps the picture seen.

    Parameters
    ----------
    bundle : with the widget's own types.
    png : the picture.
    name : the widget's id.
    """
    from IPython.display import display  # slow, and at hand where there are cells

    display({**bundle, "image/png": b64encode(png).decode()}, raw=True)
    width, height = Image.open(BytesIO(png)).size
    style = STYLE.format(name=name, width=width, height=height, data=b64encode(png).decode())
    display({"text/html": style}, raw=True)
