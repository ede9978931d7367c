"""Assembly of one HTML file from a picture, its data and all the JavaScript that draws it."""

from __future__ import annotations

import json
from base64 import b85encode
from collections.abc import Mapping
from functools import cache
from gzip import compress
from html import escape
from pathlib import Path
from typing import Any

from rbdkit import engine
from rbdkit.export.arrays import Arrays, Columns, on_grid
from rbdkit.export.thinned import fewer_keys, fewer_points
from rbdkit.scene import pack_tracks
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.play import Play
from rbdkit.widgets.stage import DRAWING, Stage
from rbdkit.widgets.view import View

HERE = Path(__file__).parent / "js"
VERTEX, POSE, SHAPE = 20, 23, 14
"""Resolution of vertices, of recorded poses and of the displacement of vertices as shapes change: the power of two
between the largest number and the grid."""
TRAITS = (
    "t", "rate", "loop", "layers", "follow", "height", "selected", "_scene", "_tracks", "_plots", "_pose", "_axes",
    "_followable", "_near", "_accent", "_arrows", "_ellipsoids", "_arrow_names", "_ellipsoid_names",
)  # fmt: skip
"""Traits of a stage with which its page begins."""
LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~"
"""Digits of base 85 as in Python, without "<", which has a meaning in HTML."""
LOAD = """
const places = new Uint8Array(128);
[...LETTERS].forEach((letter, k) => (places[letter.charCodeAt(0)] = k));
const packed = (id) => {
  const text = document.getElementById(id).textContent;
  const bytes = new Uint8Array(4 * Math.ceil(text.length / 5));
  for (let k = 0, n = 0; k < text.length; k += 5) {
    let word = 0;
    for (let j = k; j < k + 5; j++) word = 85 * word + (j < text.length ? places[text.charCodeAt(j)] : 84);
    for (let j = 24; j >= 0; j -= 8) bytes[n++] = Math.floor(word / 2 ** j) % 256;
  }
  const data = new Blob([bytes.subarray(0, Math.floor((4 * text.length) / 5))]);
  return new Response(data.stream().pipeThrough(new DecompressionStream("gzip")));
};
Promise.all([packed("rbd-code").text(), packed("rbd-data").text(), packed("rbd-arrays").arrayBuffer()])
  .then(([code, ...given]) => new Function("data", "arrays", `${code}; return open_page(data, arrays);`)(...given))
  .then(() => { document.documentElement.dataset.ready = "true"; })
  .catch((fault) => {
    document.getElementById("rbd-host").textContent = `This page cannot be shown: ${fault.message}`;
    throw fault;
  });
""".replace("LETTERS", json.dumps(LETTERS.decode()))


def page(
    stage: Stage | None,
    title: str,
    note: str,
    live: Mapping[str, Any] | None = None,
    panel: Mapping[str, Any] | None = None,
    toy: Mapping[str, Any] | None = None,
    scene: Mapping[str, Any] | None = None,
    played: Mapping[str, Any] | None = None,
    worked_out: Mapping[str, Any] | None = None,
    keys: int | None = None,
) -> str:
    """Return the HTML file as text.

    Parameters
    ----------
    title, note : above and below the picture.
    live, panel : what the page simulates by itself, and its sliders; as `rbdkit.scene.in_page` and `Panel` have them.
    toy : what is played where the picture is let go; as `rbdkit.export.toy` has it.
    scene : in place of the picture's own, as packed.
    played : pictures of a playground, and where its sliders stand for them; as `rbdkit.export.played` has it.
    worked_out : a playground as the page computes it; as `rbdkit.export.worked_out` has it.
    keys : about how many moments of recorded motion and curves are kept; all if None.
    """
    traits = {} if stage is None else _traits(stage, live, scene, keys)
    data = {"stage": traits, "live": live, "panel": panel, "toy": toy, "played": played, "worked_out": worked_out}
    arrays = Arrays()
    text = json.dumps(data, default=arrays.put).encode()
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
{style("playground") if played is not None or worked_out is not None else ""}
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
<script type="text/plain" id="rbd-code">{packed_code()}</script>
<script type="text/plain" id="rbd-data">{_packed(text)}</script>
<script type="text/plain" id="rbd-arrays">{_packed(bytes(arrays.data))}</script>
<script>{LOAD}</script>
</body>
</html>
"""


def _traits(
    stage: Stage, live: Mapping[str, Any] | None, scene: Mapping[str, Any] | None, keys: int | None
) -> dict[str, Any]:
    """Return the initial traits of a picture's page."""
    traits = {name: getattr(stage, name) for name in TRAITS} | {"_handle": {}}
    tracks = stage.tracks
    if keys is not None and tracks is not None:
        tracks = fewer_keys(tracks, keys)
        traits |= {"_tracks": pack_tracks(tracks), "_plots": fewer_points(stage._plots, keys)}
    if isinstance(stage, Play):
        traits["_live"] = stage._live
    if isinstance(stage, View) and tracks is not None and (touching := stage.packed_touching(tracks)) is not None:
        traits |= {"_tracks": {**traits["_tracks"], "touching": touching}, "_arrows": b"", "_ellipsoids": b""}
    if scene is not None:
        traits["_scene"] = {**scene, **{name: stage._scene[name] for name in ("outline", "grid", "shade")}}
    if live is not None:
        traits |= {"_tracks": {}, "_plots": []}  # the page makes them
    traits |= {"_scene": _placed(traits["_scene"]), "_tracks": _moved(traits["_tracks"])}
    return traits


@cache
def packed_code() -> str:
    """Return all JavaScript of a page, compressed as it stands there."""
    return _packed(_code().encode())


def _code() -> str:
    """Return all JavaScript of a page: three.js, the view, and the replacements for the notebook."""

    def own(name: str) -> str:
        return (HERE / name).read_text(encoding="utf-8")

    after = ("three_of_page.js", "live.js", "toy.js", "played.js", "numerals.js", "worked_out.js", "page.js")
    ours = (
        module("traits", "computed", *DRAWING, "glide", "panel", "tour", "made", "playground"),
        engine.loader(),
        module("play"),
        *map(own, after),
    )
    return "\n".join([own("three.min.js"), *map(_terse, ours)])


def _terse(code: str) -> str:
    """Strip JavaScript of comment lines and indentation, which no code of rbdkit depends on."""
    lines = (line.strip() for line in code.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _packed(data: bytes) -> str:
    level = 9 if len(data) < 1_000_000 else 6  # meshes take seconds at 9, and little less room
    return b85encode(compress(data, level, mtime=0)).replace(b"<", b",").decode()


def _placed(scene: dict[str, Any]) -> dict[str, Any]:
    """Return a packed scene with vertices on a grid much finer than anything visible."""
    shapes = [
        {**shape, "by": on_grid(shape["by"], len(shape["by"]) // 4 // len(shape["at"]), SHAPE)}
        for shape in scene.get("shapes", ())
    ]
    index, position = Columns(scene["index"], 3), on_grid(scene["position"], 3, VERTEX)
    return {**scene, "position": position, "index": index, "shapes": shapes}


def _moved(tracks: dict[str, Any]) -> dict[str, Any]:
    """Return packed tracks whose poses are stored as differences between keys, those of copies beside them as well."""
    if not tracks.get("poses"):
        return tracks
    keys = len(tracks["t"]) // 8
    poses = on_grid(tracks["poses"], len(tracks["poses"]) // 4 // keys, POSE)
    return {**tracks, "poses": poses, "beside": [_moved(other) for other in tracks["beside"]]}
