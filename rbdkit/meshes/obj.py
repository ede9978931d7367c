"""Reader of Wavefront OBJ files, with the diffuse colours of their materials."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbdkit.meshes.piece import Piece, fans


def read_obj(path: Path) -> list[Piece]:
    """Read the polygons of an OBJ file as triangles, a piece for each material.

    Raises
    ------
    ValueError : a line cannot be understood, or a face names a vertex that was not defined before it.
    """
    vertices: list[list[str]] = []
    materials: dict[str, NDArray] = {}
    corners: dict[str | None, list[int]] = {}
    counts: dict[str | None, list[int]] = {}
    material: str | None = None
    for line in path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ").splitlines():
        keyword, _, rest = line.strip().partition(" ")
        if keyword == "v":
            vertices.append(rest.split()[:3])
        elif keyword == "f":
            numbers = [int(word.split("/")[0]) for word in rest.split()]
            if wrong := [n for n in numbers if not 0 < abs(n) <= len(vertices)]:
                raise ValueError(f"a face names vertex {wrong[0]}, but there are {len(vertices)} before it")
            corners.setdefault(material, []).extend(n - 1 if n > 0 else len(vertices) + n for n in numbers)
            counts.setdefault(material, []).append(len(numbers))
        elif keyword == "usemtl":
            material = rest.strip()
        elif keyword == "mtllib":
            materials |= _colors(path.parent / rest.strip())
    points = np.array(vertices, dtype=float).reshape(-1, 3)
    pieces = []
    for name, own in corners.items():
        pieces.append(Piece(points, np.array(own, dtype=int)[fans(np.array(counts[name]))], materials.get(name or "")))
    return pieces


def _colors(path: Path) -> dict[str, NDArray]:
    """Read the diffuse colour (3,) of each material of an MTL file; empty if the file is missing."""
    colors: dict[str, NDArray] = {}
    name = ""
    if path.is_file():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            words = line.split()
            if words[:1] == ["newmtl"]:
                name = line.strip().partition(" ")[2].strip()
            elif words[:1] == ["Kd"] and len(words) >= 4:
                colors[name] = np.clip(np.array(words[1:4], dtype=float), 0.0, 1.0)
    return colors
