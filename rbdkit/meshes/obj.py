"""Reader of Wavefront OBJ files, with the diffuse colours of their materials."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbdkit.meshes.piece import Piece, fans


def read_obj(path: Path) -> list[Piece]:
    """Read the polygons of an OBJ file as triangles, a piece for each material.

    Raises
    ------
    ValueError : a line cannot be understood, or a face has fewer than three corners or names a vertex that was not
        defined before it; with the number of the line.
    """
    vertices: list[list[float]] = []
    materials: dict[str, NDArray] = {}
    corners: dict[str | None, list[int]] = {}
    counts: dict[str | None, list[int]] = {}
    material: str | None = None
    for number, line in _lines(path.read_text(encoding="utf-8", errors="replace")):
        keyword, _, rest = line.strip().partition(" ")
        try:
            if keyword == "v":
                vertices.append(_vertex(rest.split()))
            elif keyword == "f":
                face = _face(rest.split(), len(vertices))
                corners.setdefault(material, []).extend(face)
                counts.setdefault(material, []).append(len(face))
        except ValueError as fault:
            raise ValueError(f"line {number}: {fault}") from None
        if keyword == "usemtl":
            material = rest.strip()
        elif keyword == "mtllib":
            materials |= _colors(path.parent / rest.strip())
    points = np.array(vertices, dtype=float).reshape(-1, 3)
    pieces = []
    for name, own in corners.items():
        pieces.append(Piece(points, np.array(own, dtype=int)[fans(np.array(counts[name]))], materials.get(name or "")))
    return pieces


def _vertex(words: list[str]) -> list[float]:
    if len(words) < 3:
        raise ValueError(f"a vertex has {len(words)} coordinates, but it needs three")
    return [float(word) for word in words[:3]]


def _face(words: list[str], before: int) -> list[int]:
    """Return the vertices of a face, counted from 0. before : number of vertices above it."""
    numbers = [int(word.split("/")[0]) for word in words]
    if wrong := [n for n in numbers if not 0 < abs(n) <= before]:
        raise ValueError(f"a face names vertex {wrong[0]}, but there are {before} before it")
    if len(numbers) < 3:
        raise ValueError(f"a face has {len(numbers)} corners, but it needs three")
    return [n - 1 if n > 0 else before + n for n in numbers]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers from 1; one that goes on after a backslash has its first number."""
    begun, first = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        first = first if begun else number
        if line.endswith("\\"):
            begun += line[:-1] + " "
            continue
        yield first, begun + line
        begun = ""
    if begun:
        yield first, begun


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
