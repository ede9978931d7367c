"""Fallback for a widget without a kernel: a picture in the saved notebook, in which a motion can still play."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import md5
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from rbdkit.widgets.bundle import module
from rbdkit.widgets.cell import running_cell
from rbdkit.widgets.pictured import pixels_of

if TYPE_CHECKING:
    from rbdkit.widgets.stage import Stage

WIDTH, HEIGHT = 640, 400
NOTE = "Run the cell to touch it."
INK = "#6e7681"
"""Ink that is legible on light and on dark paper."""
COLORS = 160
STYLE = """<style data-view="{name}">
.jp-OutputArea-child:has(> .jp-OutputArea-output > style[data-view="{name}"]):not(:has(figure[data-kept="{name}"])),
.jp-OutputArea-child:has([class*="rbd-"]) + .jp-OutputArea-child:has(figure[data-kept="{name}"]),
.jp-OutputArea-child:not(:has([class*="rbd-"])):has(+ .jp-OutputArea-child figure[data-kept="{name}"]) {{
  display: none;
}}
.jp-OutputArea-child:has(+ .jp-OutputArea-child > .jp-OutputArea-output > style[data-view="{name}"])
  > .jp-OutputArea-output:not(:has([class*="rbd-"])), figure[data-kept="{name}"]:not([data-open]) {{
  box-sizing: border-box; flex: none; width: {width}px; max-width: {width}px; height: {height}px; padding: 0;
  font-size: 0; overflow: hidden; background: url(data:image/png;base64,{data}) left / contain no-repeat;
}}
figure[data-kept="{name}"] {{ margin: 0; position: relative; }}
figure[data-kept="{name}"] > iframe {{ display: block; width: 100%; border: 0; }}
figure[data-kept="{name}"] > button {{
  position: absolute; left: 12px; top: 12px; padding: 6px 14px; border: 0; border-radius: 4px; cursor: pointer;
  font: 600 13px/1.5 system-ui, sans-serif; color: #ffffff; background: #1f5fbf;
}}
figure[data-kept="{name}"] > button:focus-visible {{ outline: 2px solid #1f5fbf; outline-offset: 2px; }}
</style>"""
"""JupyterLab, Notebook 7 and pages of nbconvert prefer the widget to the picture beside it, even if the widget cannot
be loaded and nothing is shown. This style shows the picture in the widget's place as long as no widget of rbdkit is
there; and where scripts run and something moved, a figure in which it plays."""
PAGE = """<script type="application/json" data-kept-page>{page}</script>
{code}<script>{script}</script>"""
_carriers: dict[str, str] = {}
"""For each page code, the cell of this notebook that carries it for all."""


def still(stage: Stage) -> bytes:
    """Return a PNG of a view as it stands, on a transparent ground, with a note how to make it live."""
    image = Image.fromarray(pixels_of(stage, WIDTH, HEIGHT, transparent=True))
    pen = ImageDraw.Draw(image)
    pen.text((12, HEIGHT - 24), f"{stage.scene.name}. {NOTE}", fill=INK, font=ImageFont.load_default(size=13))
    buffer = BytesIO()
    image.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(buffer, "png", optimize=True)
    return buffer.getvalue()


Pieces = tuple[str, str, str, str]
"""Pieces of a page: text before its code, the code, text after it; and the label of the button that opens it."""


def put_down(bundle: dict[str, Any], png: bytes, name: str, page: Pieces | None = None) -> None:
    """Show a widget's bundle with its picture in the running cell, and the style that keeps the picture visible.

    Parameters
    ----------
    bundle : with the widget's own types.
    png : the picture.
    name : the widget's id.
    page : what plays or computes where the widget is not alive, as `rbdkit.export.kept` has it.
    """
    from IPython.display import display  # slow, and at hand where there are cells

    display({**bundle, "image/png": b64encode(png).decode()}, raw=True)
    width, height = Image.open(BytesIO(png)).size
    text = STYLE.format(name=name, width=width, height=height, data=b64encode(png).decode())
    if page is not None:
        text += _playing(page, name, height)
    display({"text/html": text}, raw=True)


def _playing(page: Pieces, name: str, height: int) -> str:
    """Return a page as part of an output; its code is left out where an output of another cell carries it."""
    before, code, after, word = page
    key, run = md5(code.encode(), usedforsecurity=False).hexdigest()[:12], running_cell()
    carried = ""
    if run is None or _carriers.setdefault(key, run.cell) == run.cell:
        carried = f'<script type="text/plain" data-kept-code>{code}</script>\n'
    names = {"NAME": name, "CODE": key, "HEIGHT": height, "WORD": word}
    script = f"const {', '.join(f'{own} = {json.dumps(value)}' for own, value in names.items())};\n{module('kept')}"
    pieces = json.dumps([before, after]).replace("<", "\\u003c")  # or a script of the page would end this one
    return PAGE.format(page=pieces, code=carried, script=f"{{\n{script}}}")
