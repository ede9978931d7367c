"""Arrows and ellipsoids that change with the state: velocities, forces, inertias."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.scene import palette
from rbdkit.spatial import quaternion

Kind = Literal["straight", "turning"]


@dataclass(frozen=True)
class Arrow:
    """An arrow on a node.

    Attributes
    ----------
    node : int
        Number of the node it moves with; 0 is the world.
    start, vector : tuple
        (3,) tail and shaft in node coordinates, m; an arrow without length is not drawn.
    color : str
        '#rrggbb'.
    kind : Kind
        'straight', or 'turning' for what turns about the arrow (angular velocity, moment): it has two heads.
    name : str
        Symbol of what it shows, as source code and legends have it.
    text : str
        Written beside its tip: symbol, number and unit.
    """

    node: int
    start: tuple[float, float, float]
    vector: tuple[float, float, float]
    color: str
    kind: Kind = "straight"
    name: str = ""
    text: str = ""


@dataclass(frozen=True)
class Ellipsoid:
    """A translucent ellipsoid on a node.

    Attributes
    ----------
    node : int
        Number of the node.
    center : ndarray (3,)
        In node coordinates, m.
    axes : ndarray (3, 3)
        Rotation whose columns are its axes.
    radii : ndarray (3,)
        m.
    color : str
        '#rrggbb'.
    name : str
        Symbol of what it shows.
    """

    node: int
    center: NDArray
    axes: NDArray
    radii: NDArray
    color: str
    name: str = ""


def spatial_arrows(
    node: int,
    vector: NDArray,
    kind: Literal["motion", "force"],
    scale: tuple[float, float],
    at: NDArray | None = None,
    name: str = "",
    units: tuple[str, str] | None = None,
) -> list[Arrow]:
    """A spatial vector in node coordinates as two arrows at a point, turning and straight.

    Parameters
    ----------
    vector : ndarray
        (6,) angular part (or moment) about the node's origin, then the linear part (or force).
    kind : {'motion', 'force'}
        'motion' or 'force', which gives the colours and says how the vector changes from point to point.
    scale : tuple
        Metres of arrow for a unit of the first three and of the last three numbers.
    at : ndarray (3,), optional
        The point, in node coordinates; the origin if not given.
    name : str, optional
        Symbol of the vector.
    units : tuple of str, optional
        Of the first three and of the last three numbers; where they are given, name, length and unit stand beside.

    Returns
    -------
    list of Arrow
        Without those too short to see.
    """
    point = np.zeros(3) if at is None else np.asarray(at, dtype=float)
    first, last = np.asarray(vector, dtype=float)[:3], np.asarray(vector, dtype=float)[3:]
    if kind == "motion":
        last = last + np.cross(first, point)  # velocity of the point
    else:
        first = first - np.cross(point, last)  # moment about the point
    colors = palette.SPATIAL[kind]
    arrows = [
        Arrow(
            node, triple(point), triple(scale[0] * first), colors[0], "turning", name, _beside(name, first, units, 0)
        ),
        Arrow(node, triple(point), triple(scale[1] * last), colors[1], "straight", name, _beside(name, last, units, 1)),
    ]
    return [arrow for arrow in arrows if np.linalg.norm(arrow.vector) > 1e-9]


def _beside(name: str, vector: NDArray, units: tuple[str, str] | None, half: int) -> str:
    """Return the text at the tip of an arrow: name, length and unit."""
    return "" if units is None else f"{name} {np.linalg.norm(vector):.3g} {units[half]}".strip()


def pack_arrows(arrows: Iterable[Arrow], nodes: int) -> bytes:
    """Pack arrows as rows of 11 little-endian float32: node, start, vector, red, green, blue, 1 for a turning one.

    Raises
    ------
    StateError : an arrow is on a node that there is not, or is not finite.
    """
    rows = []
    for k, arrow in enumerate(arrows):
        if not 0 <= arrow.node < nodes:
            raise StateError(f"arrow {k} is on node {arrow.node}; there are nodes 0 to {nodes - 1}")
        row = [arrow.node, *arrow.start, *arrow.vector, *palette.rgb(arrow.color), arrow.kind == "turning"]
        if not np.isfinite(row).all():
            raise StateError(
                f"arrow {k} on node {arrow.node} is not finite: start {arrow.start}, vector {arrow.vector}"
            )
        rows.append(row)
    return np.array(rows, dtype="<f4").tobytes()


def pack_ellipsoids(ellipsoids: Iterable[Ellipsoid], nodes: int) -> bytes:
    """Pack ellipsoids as rows of 14 little-endian float32: node, center, quaternion xyzw, radii, color.

    Raises
    ------
    StateError : an ellipsoid is on a node that there is not, or is not finite.
    """
    rows = []
    for k, ellipsoid in enumerate(ellipsoids):
        if not 0 <= ellipsoid.node < nodes:
            raise StateError(f"ellipsoid {k} is on node {ellipsoid.node}; there are nodes 0 to {nodes - 1}")
        w, x, y, z = quaternion.from_matrix(ellipsoid.axes)
        row = [ellipsoid.node, *ellipsoid.center, x, y, z, w, *ellipsoid.radii, *palette.rgb(ellipsoid.color)]
        if not np.isfinite(row).all():
            raise StateError(f"ellipsoid {k} on node {ellipsoid.node} is not finite: radii {ellipsoid.radii}")
        rows.append(row)
    return np.array(rows, dtype="<f4").tobytes()


def triple(x: NDArray) -> tuple[float, float, float]:
    """Return an array (3,) as a tuple of floats."""
    return float(x[0]), float(x[1]), float(x[2])
