"""The scene: nodes, and what is drawn on them, as plain data without browser or widget."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene.triangles import Triangles


@dataclass(frozen=True)
class Layer:
    """Things that are shown and hidden together.

    Attributes
    ----------
    name : str
        Key, as in ``view.layers``.
    label : str
        As written on the switch.
    tip : str
        What the layer shows, in a sentence.
    visible : bool
        Whether it is shown at first.
    xray : bool
        Drawn faintly through whatever stands before it.
    """

    name: str
    label: str
    tip: str
    visible: bool = True
    xray: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """A surface that moves with a node. surface : in node coordinates. opacity : 1 is solid."""

    node: int
    layer: str
    surface: Triangles
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    """A text at a point of a node. position : (3,) in node coordinates, m."""

    node: int
    text: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Trail:
    """The path that a point of a node draws. point : (3,) in node coordinates, m. color : '#rrggbb'."""

    node: int
    point: tuple[float, float, float]
    color: str


@dataclass(frozen=True)
class Shade:
    """A colour that changes. of : name of what it shows, 0 in the colour `none` and 1 in the colour `full`."""

    of: str
    none: tuple[float, float, float]
    full: tuple[float, float, float]

    def at(self, value: float) -> NDArray:
        """The colour of a value, (3,)."""
        return np.array(self.none) + value * (np.array(self.full) - np.array(self.none))


@dataclass(frozen=True, eq=False)
class Band:
    """A surface that is stretched between points of two nodes, or of three.

    nodes : of the ends. points : (3,) in their coordinates, m. surface : along x, from x = 0 at the first end to x = 1
    at the second; only its length is stretched. With three ends x and y lead to the second and the third, and z is
    across. rest : length at which it is as wide as the surface, m; where it is longer or shorter its volume stays. None
    for one whose width stays. shade : its colour, if that changes.
    """

    nodes: tuple[int, ...]
    points: tuple[tuple[float, float, float], ...]
    layer: str
    surface: Triangles
    rest: float | None = None
    shade: Shade | None = None


@dataclass(frozen=True)
class Grid:
    """A square grid parallel to the xy plane. height : z. spacing : of lines. lines : on each side of the centre."""

    height: float
    spacing: float
    lines: int
    center: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Scene:
    """Nodes, what hangs on them, and the frame of the picture.

    Attributes
    ----------
    name : str
        Of what is shown.
    nodes : tuple of str
        Names; for a model node i is body i.
    poses : ndarray (nodes, 4, 4)
        World pose of each node at first.
    layers, parts, labels, trails, bands, grid
        What is drawn.
    outline : ndarray (k, 3)
        World points that the picture should hold, m.
    grounds : tuple of ndarray (4, 4)
        Poses of half-spaces, full below the planes z = 0 of these frames.
    gravity : tuple
        (3,) m/s2, whose direction the picture shows.
    notes : tuple of str
        What the reader of the picture should know.
    """

    name: str
    nodes: tuple[str, ...]
    poses: NDArray
    layers: tuple[Layer, ...]
    parts: tuple[Part, ...] = ()
    labels: tuple[Label, ...] = ()
    trails: tuple[Trail, ...] = ()
    bands: tuple[Band, ...] = ()
    grid: Grid | None = None
    outline: NDArray = field(default_factory=lambda: np.array([[-1.0] * 3, [1.0] * 3]))
    notes: tuple[str, ...] = ()
    grounds: tuple[NDArray, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def size(self) -> float:
        """Diagonal of the box about the outline, m."""
        return float(np.linalg.norm(np.ptp(self.outline, axis=0)))

    def __repr__(self) -> str:
        triangles = sum(len(part.surface.faces) for part in self.parts)
        return f"<Scene {self.name!r}: {len(self.nodes)} nodes, {len(self.parts)} parts, {triangles} triangles>"
