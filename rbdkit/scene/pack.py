"""Scenes, tracks and plots as JSON with binary buffers, for transfer to a browser.

Every buffer is little-endian. The surfaces of all parts share vertex buffers; equal ones are stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container
from typing import Any

import numpy as np

from rbdkit.scene.curves import Plot
from rbdkit.scene.scene import Part, Scene
from rbdkit.scene.tracks import Tracks, seven
from rbdkit.scene.triangles import Triangles, join


def pack_scene(scene: Scene, apart: Container[int] = ()) -> dict[str, Any]:
    """A scene. Parts on one node, layer and opacity become one: [node, layer, opacity, first index, indices, color].

    The color is None where vertices have their own; one that stands there is for a shape that is stored with others.
    The surfaces of bands hang on nodes beyond the last one, one for each. apart : numbers of parts whose surfaces are
    stored each for itself, so that one can change without others that are equal now.
    """
    merged: dict[tuple[int, str, float], list[Triangles]] = {}
    stretched = [Part(len(scene.nodes) + k, band.layer, band.surface) for k, band in enumerate(scene.bands)]
    for part in (*scene.parts, *stretched):
        merged.setdefault((part.node, part.layer, part.opacity), []).append(part.surface)
    stored: dict[bytes, tuple[int, int]] = {}  # by shape and colors, and by shape alone
    blocks: list[tuple[bytes, bytes, bytes]] = []
    indices: list[np.ndarray] = []
    parts: list[list[Any]] = []
    vertex = index = 0
    for (node, layer, opacity), surfaces in merged.items():
        surface = join(surfaces).painted((0.7, 0.7, 0.7))
        block = _vertices(surface)
        faces = np.asarray(surface.faces, dtype="<u4").ravel()
        position, normal, color = block
        shape = hashlib.blake2b(position + normal + faces.tobytes(), digest_size=16)
        painted = shape.copy()
        painted.update(color)
        tint = None
        if len(parts) in apart:
            painted.update(len(stored).to_bytes(4, "little"))
        elif painted.digest() not in stored and shape.digest() in stored and color == color[:4] * (len(color) // 4):
            painted, tint = shape, [x / 255.0 for x in color[:3]]
        if painted.digest() not in stored:
            stored[painted.digest()] = stored[shape.digest()] = (index, len(faces))
            blocks.append(block)
            indices.append(faces + np.uint32(vertex))
            vertex += len(surface.vertices)
            index += len(faces)
        parts.append([node, layer, opacity, *stored[painted.digest()], tint])
    return {
        "name": scene.name,
        "nodes": list(scene.nodes),
        "layers": [vars(layer) for layer in scene.layers],
        "parts": parts,
        "labels": [
            {"node": label.node, "text": label.text, "position": list(label.position)} for label in scene.labels
        ],
        "trails": [{"node": trail.node, "point": list(trail.point), "color": trail.color} for trail in scene.trails],
        "bands": [
            {"nodes": list(band.nodes), "points": [list(point) for point in band.points]}
            | ({} if band.rest is None else {"rest": band.rest})
            | ({} if band.shade is None else {"shade": vars(band.shade)})
            for band in scene.bands
        ],
        "grid": None if scene.grid is None else {**vars(scene.grid), "center": list(scene.grid.center)},
        "shade": _shade(scene),
        "gravity": list(scene.gravity),
        "outline": scene.outline.tolist(),
        "notes": list(scene.notes),
        "pose": seven(scene.poses).tobytes(),
        "position": b"".join(block[0] for block in blocks),
        "normal": b"".join(block[1] for block in blocks),
        "color": b"".join(block[2] for block in blocks),
        "index": np.concatenate(indices).astype("<u4").tobytes() if indices else b"",
    }


def _shade(scene: Scene) -> list[float] | None:
    """Return the plane that shadows fall on, as its unit normal and its distance from the origin; None without one."""
    if scene.grounds:
        normal = scene.grounds[0][:3, 2]
        return [*normal.tolist(), float(normal @ scene.grounds[0][:3, 3])]
    return None if scene.grid is None else [0.0, 0.0, 1.0, scene.grid.height]


def pack_tracks(tracks: Tracks | None) -> dict[str, Any]:
    """Tracks; an empty dictionary for none."""
    if tracks is None:
        return {}
    packed: dict[str, Any] = {"t": tracks.t.astype("<f8").tobytes(), "poses": tracks.poses.astype("<f4").tobytes()}
    if tracks.shades:
        packed["shades"] = {name: values.astype("<f4").tobytes() for name, values in tracks.shades.items()}
    return {**packed, "beside": [pack_tracks(other) for other in tracks.beside]}


def pack_plots(plots: tuple[Plot, ...]) -> list[dict[str, Any]]:
    """Plots; values curve by curve as float32, times as float64."""
    return [
        {
            "title": plot.title,
            "tabs": [
                {
                    "name": tab.name,
                    "unit": tab.unit,
                    "log": tab.log,
                    "tip": tab.tip,
                    "names": list(tab.names),
                    "colors": list(tab.colors),
                    "t": tab.t.astype("<f8").tobytes(),
                    "values": np.ascontiguousarray(tab.values, dtype="<f4").tobytes(),
                }
                for tab in plot.tabs
            ],
        }
        for plot in plots
    ]


def _vertices(surface: Triangles) -> tuple[bytes, bytes, bytes]:
    """Positions as 3 float32, normals as 4 signed bytes, colours as 4 unsigned bytes."""
    count = len(surface.vertices)
    normals, colors = np.zeros((count, 4), dtype=np.int8), np.full((count, 4), 255, dtype=np.uint8)
    normals[:, :3] = np.round(surface.normals * 127.0)
    colors[:, :3] = np.round(np.clip(surface.colors, 0.0, 1.0) * 255.0)  # type: ignore[arg-type]
    return surface.vertices.astype("<f4").tobytes(), normals.tobytes(), colors.tobytes()
