"""One HTML file with a picture in it, and all that draws it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from gzip import compress
from html import escape
from pathlib import Path
from typing import Any

from rbdkit import engine
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.play import Play
from rbdkit.widgets.stage import DRAWING, Stage
from rbdkit.widgets.view import View

HERE = Path(__file__).parent / "js"
TRAITS = (
    "t", "rate", "loop", "layers", "follow", "height", "selected", "_scene", "_tracks", "_plots", "_pose", "_axes",
    "_followable", "_near", "_accent", "_arrows", "_ellipsoids", "_arrow_names", "_ellipsoid_names",
)  # fmt: skip
"""Of a stage, that its page begins with."""
LOAD = """
const text = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
Promise.all([text("rbd-code"), text("rbd-data")])
  .then(([code, data]) => new Function("data", `${code}; return open_page(data);`)(data))
  .then(() => { document.documentElement.dataset.ready = "true"; })
  .catch((fault) => {
    document.getElementById("rbd-host").textContent = `This page cannot be shown: ${fault.message}`;
    throw fault;
  });
"""


def page(
    stage: Stage, title: str, note: str, live: Mapping[str, Any] | None = None, panel: Mapping[str, Any] | None = None
) -> str:
    """The file as text.

    Parameters
    ----------
    title, note : above and below the picture.
    live, panel : what the page simulates by itself, and its sliders; as `rbdkit.scene.in_page` and `Panel` have them.
    """
    traits = {name: getattr(stage, name) for name in TRAITS} | {"_handle": {}}
    if isinstance(stage, Play):
        traits["_live"] = stage._live
    if isinstance(stage, View) and (touching := stage.packed_touching()) is not None:
        traits |= {"_tracks": {**stage._tracks, "touching": touching}, "_arrows": b"", "_ellipsoids": b""}
    if live is not None:
        traits |= {"_tracks": {}, "_plots": []}  # the page makes them
    data = {"stage": traits, "live": live, "panel": panel}
    text = json.dumps(data, default=_buffer)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<!-- rbdkit draws with three.js:
{escape((HERE / "three.LICENSE.txt").read_text(encoding="utf-8").strip())}
-->
<style>
{style("view")}
{(HERE / "page.css").read_text(encoding="utf-8")}
</style>
</head>
<body>
<div id="rbd-page">
<h1>{escape(title)}</h1>
<div id="rbd-host">
<div class="rbd-wait">A moment ...<noscript> or not: this page draws with JavaScript.</noscript></div>
</div>
<footer>{escape(note)}</footer>
</div>
<script type="text/plain" id="rbd-code">{_packed(_code())}</script>
<script type="text/plain" id="rbd-data">{_packed(text)}</script>
<script>{LOAD}</script>
</body>
</html>
"""


def _code() -> str:
    """All JavaScript of a page: three.js, the view, and what stands in for the notebook."""

    def own(name: str) -> str:
        return (HERE / name).read_text(encoding="utf-8")

    after = ("three_of_page.js", "live.js", "page.js")
    return "\n".join(
        [
            own("three.min.js"),
            module("traits", "computed", *DRAWING, "panel"),
            engine.loader(),
            module("play"),
            *map(own, after),
        ]
    )


def _packed(text: str) -> str:
    return b64encode(compress(text.encode(), 9, mtime=0)).decode()


def _buffer(value: Any) -> dict[str, str]:
    return {"$": b64encode(bytes(value)).decode()}
