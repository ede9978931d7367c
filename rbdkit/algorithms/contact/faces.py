"""Contact of a vertex with a bounded face, which is lost when the vertex runs off the edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.contact.surfaces import VertexOnPlane
from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.errors import ModelError
from rbdkit.model import Model

Point = tuple[float, float, float]


@dataclass(frozen=True)
class VertexOnFace:
    """Contact pair: a vertex of the successor and a flat convex face of the predecessor (Featherstone 2008, Fig 11.6).

    Parameters
    ----------
    name, predecessor, successor : str
        Names of the contact and of its bodies.
    vertex : tuple of 3 floats
        Vertex in the coordinates of the successor, m.
    corners : tuple of points
        Corners of the face, counterclockwise seen from outside, in the coordinates of the predecessor, m.

    Raises
    ------
    ModelError
        If there are fewer than three corners, or they are not a flat convex polygon.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import VertexOnFace
    >>> shelf = VertexOnFace("shelf", "world", "box", (0.0, 0.0, -0.1), ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)))
    >>> shelf.normal
    (0.0, 0.0, 1.0)
    """

    name: str
    predecessor: str
    successor: str
    vertex: Point
    corners: tuple[Point, ...]

    def __post_init__(self) -> None:
        c = np.array(self.corners, dtype=float)
        if c.ndim != 2 or c.shape[1] != 3 or len(c) < 3 or not np.isfinite(c).all():
            raise ModelError(f"face of contact {self.name!r} needs three corners or more, of 3 finite numbers each")
        edges = np.roll(c, -1, axis=0) - c
        size = float(np.abs(edges).max())
        turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ np.array(self.normal)
        if np.abs((c - c[0]) @ np.array(self.normal)).max() > 1e-9 * size or turns.min() < -1e-12 * size**2:
            raise ModelError(f"corners of contact {self.name!r} must be a flat convex polygon, counterclockwise")

    @property
    def normal(self) -> Point:
        """Outward unit normal of the face, in the coordinates of the predecessor."""
        c = np.array(self.corners, dtype=float)
        n = np.cross(c, np.roll(c, -1, axis=0)).sum(axis=0)  # twice the area
        length = float(np.linalg.norm(n))
        if length == 0.0:
            raise ModelError(f"face of contact {self.name!r} has no area")
        x, y, z = (n / length).tolist()
        return (x, y, z)

    def at(self, model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> PointContact:
        """Return the contact in a state, as if the face were a plane; `over` tells whether the vertex is on it."""
        on = VertexOnPlane(self.name, self.predecessor, self.successor, self.vertex, self.corners[0], self.normal)
        return on.at(model, q, qd, t=t)

    def over(self, model: Model, q: NDArray, *, t: float = 0.0) -> float:
        """Return the distance of the vertex from the nearest edge of the face, m, negative outside.

        Its zero crossing is a geometric event, which no equation of motion shows.
        """
        kinematics = forward_kinematics(model, q, t=t)
        p, s = kinematics.pose(self.predecessor), kinematics.pose(self.successor)
        x = p[:3, :3].T @ (s[:3, :3] @ self.vertex + s[:3, 3] - p[:3, 3])
        c = np.array(self.corners, dtype=float)
        edges = np.roll(c, -1, axis=0) - c
        inwards = np.cross(self.normal, edges)
        return float((np.einsum("ij,ij->i", inwards, x - c) / np.linalg.norm(edges, axis=1)).min())
