"""One HTML file with a picture in it, and all that draws it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from gzip import compress
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

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
const packed = (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};
Promise.all([packed("rbd-code").text(), packed("rbd-data").text(), packed("rbd-arrays").arrayBuffer()])
  .then(([code, ...given]) => new Function("data", "arrays", `${code}; return open_page(data, arrays);`)(...given))
  .then(() => { document.documentElement.dataset.ready = "true"; })
  .catch((fault) => {
    document.getElementById("rbd-host").textContent = `This page cannot be shown: ${fault.message}`;
    throw fault;
  });
"""


def page(
    stage: Stage,
    title: str,
    note: str,
    live: Mapping[str, Any] | None = None,
    panel: Mapping[str, Any] | None = None,
    toy: Mapping[str, Any] | None = None,
) -> str:
    """The file as text.

    Parameters
    ----------
    title, note : above and below the picture.
    live, panel : what the page simulates by itself, and its sliders; as `rbdkit.scene.in_page` and `Panel` have them.
    toy : what is played where the picture is let go; as `rbdkit.export.toy` has it.
    """
    traits = {name: getattr(stage, name) for name in TRAITS} | {"_handle": {}}
    if isinstance(stage, Play):
        traits["_live"] = stage._live
    if isinstance(stage, View) and (touching := stage.packed_touching()) is not None:
        traits |= {"_tracks": {**stage._tracks, "touching": touching}, "_arrows": b"", "_ellipsoids": b""}
    if live is not None:
        traits |= {"_tracks": {}, "_plots": []}  # the page makes them
    data = {"stage": traits, "live": live, "panel": panel, "toy": toy}
    arrays = bytearray()

    def put(value: Any) -> dict[str, list[int]]:
        start = len(arrays)
        arrays.extend(_spread(bytes(value)))
        return {"$": [start, len(value)]}

    text = json.dumps(data, default=put).encode()
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
<script type="text/plain" id="rbd-code">{_packed(_code().encode())}</script>
<script type="text/plain" id="rbd-data">{_packed(text)}</script>
<script type="text/plain" id="rbd-arrays">{_packed(bytes(arrays))}</script>
<script>{LOAD}</script>
</body>
</html>
"""


def _code() -> str:
    """All JavaScript of a page: three.js, the view, and what stands in for the notebook."""

    def own(name: str) -> str:
        return (HERE / name).read_text(encoding="utf-8")

    after = ("three_of_page.js", "live.js", "toy.js", "page.js")
    ours = (module("traits", "computed", *DRAWING, "panel"), engine.loader(), module("play"), *map(own, after))
    return "\n".join([own("three.min.js"), *map(_terse, ours)])


def _terse(code: str) -> str:
    """JavaScript without lines of comment and indentation, on which nothing of ours depends."""
    lines = (line.strip() for line in code.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _packed(data: bytes) -> str:
    return b64encode(compress(data, 7, mtime=0)).decode()


def _spread(data: bytes) -> bytes:
    """Words of four bytes as differences, all first bytes before all second ones: so arrays pack to half the size."""
    words = np.frombuffer(data + bytes(-len(data) % 4), dtype="<u4")
    return np.diff(words, prepend=np.uint32(0)).view(np.uint8).reshape(-1, 4).T.tobytes()
