"""Reader of COLLADA (DAE) files, for the part that robot descriptions use: polygons, transforms, diffuse colours, unit.

The up axis of the file is not applied: robot files mean a mesh in the axes of its link, whatever the exporter wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from rbdkit.meshes.piece import Piece, fans

Node = ElementTree.Element
PRIMITIVES = ("triangles", "polylist", "polygons")
MOST_PIECES = 100_000
"""Largest number of nodes, and of pieces, that a file may place: a small file can nest references to millions."""
PIECE = 100
"""Number of vertices that counts as another piece in this limit."""


def read_dae(path: Path) -> list[Piece]:
    """Read the polygons of a COLLADA file as triangles in m, a piece for each placed primitive.

    Raises
    ------
    ValueError : the file is not XML, its numbers do not fit together, or a polygon has fewer than three corners.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as fault:
        raise ValueError(f"not well-formed XML: {fault}") from None
    return list(_Document(root).pieces())


class _Document:
    """A parsed COLLADA file: its elements, without namespaces, can be looked up by id."""

    def __init__(self, root: Node) -> None:
        for node in root.iter():
            node.tag = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
        self.root = root
        self.by_id = {node.get("id"): node for node in root.iter() if node.get("id")}
        unit = root.find("asset/unit")
        self.unit = float(unit.get("meter", "1")) if unit is not None else 1.0
        self._visited = self._placed = 0
        self._known: dict[int, tuple[NDArray, NDArray]] = {}

    def target(self, reference: str | None) -> Node | None:
        """Return the element that a reference '#id' points to; None if there is none."""
        return self.by_id.get((reference or "").lstrip("#"))

    def pieces(self) -> Iterator[Piece]:
        scene = self.root.find("scene/instance_visual_scene")
        visual = self.target(scene.get("url")) if scene is not None else None
        if visual is None:
            visual = self.root.find("library_visual_scenes/visual_scene")
        if visual is None:  # a library without a scene: everything where it is
            for geometry in self.root.iterfind("library_geometries/geometry"):
                yield from self._geometry(geometry, np.eye(4), {})
            return
        for node in visual.iterfind("node"):
            yield from self._node(node, np.eye(4), 0)

    def _node(self, node: Node, placed: NDArray, depth: int) -> Iterator[Piece]:
        if depth > 64:
            raise ValueError("nodes are nested more than 64 deep")
        self._visited += 1
        if self._visited > MOST_PIECES:  # instances nest, so their number can grow exponentially with the file's size
            raise ValueError(f"it places more than {MOST_PIECES} nodes")
        placed = placed @ _transform(node)
        for child in node:
            if child.tag == "node":
                yield from self._node(child, placed, depth + 1)
            elif child.tag == "instance_node" and (inner := self.target(child.get("url"))) is not None:
                yield from self._node(inner, placed, depth + 1)
            elif child.tag == "instance_geometry" and (geometry := self.target(child.get("url"))) is not None:
                bound = {m.get("symbol"): m.get("target") for m in child.iter("instance_material")}
                yield from self._geometry(geometry, placed, bound)

    def _geometry(self, geometry: Node, placed: NDArray, bound: dict[str | None, str | None]) -> Iterator[Piece]:
        for primitive in geometry.iterfind("mesh/*"):
            if primitive.tag in PRIMITIVES:
                if id(primitive) not in self._known:
                    self._known[id(primitive)] = self._polygons(primitive)
                vertices, faces = self._known[id(primitive)]
                self._placed += 1 + len(vertices) // PIECE
                if self._placed > MOST_PIECES:
                    raise ValueError(f"it places more than {MOST_PIECES} pieces or {MOST_PIECES * PIECE} vertices")
                if len(faces):
                    moved = self.unit * (vertices @ placed[:3, :3].T + placed[:3, 3])
                    symbol = primitive.get("material")
                    yield Piece(moved, faces, self._diffuse(bound.get(symbol, symbol)))

    def _polygons(self, primitive: Node) -> tuple[NDArray, NDArray]:
        """Return vertices (n, 3) and triangles (m, 3) of one primitive."""
        inputs = primitive.findall("input")
        stride = 1 + max((int(i.get("offset", "0")) for i in inputs), default=0)
        vertex = next((i for i in inputs if i.get("semantic") == "VERTEX"), None)
        if vertex is None or any(int(i.get("offset", "0")) < 0 for i in inputs):
            raise ValueError(f"a <{primitive.tag}> has no vertices, or an input with a negative offset")
        indices = [np.array((p.text or "").split(), dtype=np.int64).reshape(-1, stride) for p in primitive.iter("p")]
        if not indices:
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        corners = np.concatenate(indices)[:, int(vertex.get("offset", "0"))]
        if primitive.tag == "triangles":
            counts = np.full(len(corners) // 3, 3)
        elif primitive.tag == "polygons":
            counts = np.array([len(own) for own in indices])
        else:
            vcount = primitive.find("vcount")
            counts = np.array(((vcount.text if vcount is not None else "") or "").split(), dtype=np.int64)
        positions = self._positions(vertex.get("source"))
        if counts.min(initial=0) < 0 or counts.sum() != len(corners):
            raise ValueError("the polygons have other numbers of corners than there are corners")
        if (fewest := counts.min(initial=3)) < 3:
            raise ValueError(f"a polygon has {fewest} corners, but it needs three")
        if corners.min(initial=0) < 0 or corners.max(initial=0) >= len(positions):
            raise ValueError("a polygon names a vertex that does not exist")
        return positions, corners[fans(counts)]

    def _positions(self, reference: str | None) -> NDArray:
        vertices = self.target(reference)
        position = (
            None
            if vertices is None
            else next((i for i in vertices.iter("input") if i.get("semantic") == "POSITION"), None)
        )
        source = None if position is None else self.target(position.get("source"))
        numbers = None if source is None else source.find("float_array")
        if source is None or numbers is None:
            raise ValueError(f"vertices {reference!r} have no positions")
        accessor = source.find("technique_common/accessor")
        stride = int(accessor.get("stride", "3")) if accessor is not None else 3
        return np.array((numbers.text or "").split(), dtype=float).reshape(-1, stride)[:, :3]

    def _diffuse(self, reference: str | None) -> NDArray | None:
        """Return the diffuse colour (3,) of a material; None if it has a texture or does not exist."""
        material = self.target(reference)
        effect = None if material is None else material.find("instance_effect")
        profile = None if effect is None else self.target(effect.get("url"))
        color = None if profile is None else profile.find(".//diffuse/color")
        return None if color is None else np.clip(np.array((color.text or "").split()[:3], dtype=float), 0.0, 1.0)


def _transform(node: Node) -> NDArray:
    """Return the product (4, 4) of a node's transform elements, in their order."""
    T = np.eye(4)
    for child in node:
        if child.tag in ("matrix", "translate", "rotate", "scale"):
            numbers = np.array((child.text or "").split(), dtype=float)
            step = np.eye(4)
            if child.tag == "matrix":
                step = numbers.reshape(4, 4)
            elif child.tag == "translate":
                step[:3, 3] = numbers
            elif child.tag == "scale":
                step[:3, :3] = np.diag(numbers)
            else:
                step[:3, :3] = _about(numbers[:3], np.deg2rad(numbers[3]))
            T = T @ step
    return T


def _about(axis: NDArray, angle: float) -> NDArray:
    """Return the rotation matrix about an axis of any length (Rodrigues' formula); angle in rad."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
