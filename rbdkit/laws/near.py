"""Candidate contacts of one state: points where shapes touch or soon may, and the protocol that finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.search import TILTED


@dataclass(frozen=True, eq=False)
class Near:
    """Candidate contact points of one state; the frame of each is (normal, tangent, tangent).

    Attributes
    ----------
    pair, slot : ndarray (m,) of int
        Number of the pair, and of the point among those of the pair; together they identify a point from step to step.
    gap : ndarray (m,)
        Signed distance, m.
    point, normal, point_rate, normal_rate : ndarray (m, 3)
        Points, m, and unit normals in world axes, and their rates as the contact moves over the surfaces.
    """

    pair: NDArray
    slot: NDArray
    gap: NDArray
    point: NDArray
    normal: NDArray
    point_rate: NDArray
    normal_rate: NDArray

    def __len__(self) -> int:
        return len(self.pair)

    def of(self, rows: NDArray) -> Near:
        """Return some of the points, by indices or by a mask."""
        parts = (self.pair, self.slot, self.gap, self.point, self.normal, self.point_rate, self.normal_rate)
        return Near(*(part[rows] for part in parts))

    @property
    def keys(self) -> list[tuple[int, int]]:
        """(pair, slot) of each point."""
        return list(zip(self.pair.tolist(), self.slot.tolist(), strict=True))

    @property
    def axes(self) -> NDArray:
        """Normal and two tangents of each point, (m, 3, 3), rows in world axes."""
        return frames(self.normal)


NOTHING = Near(
    np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0), *(np.zeros((0, 3)) for _ in range(4))
)  # fmt: skip


def frames(normal: NDArray) -> NDArray:
    """Return orthonormal frames (m, 3, 3) whose first rows are the unit normals (m, 3).

    Duff et al. (2017), "Building an orthonormal basis, revisited", with a tilted dividing plane: the branch, where
    tangents jump, then lies at no common direction.
    """
    x, y, z = np.moveaxis(normal, -1, 0)
    s = np.where(normal @ TILTED < 0.0, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    first = np.stack([s + x * x * a, b, -x], axis=-1)
    second = np.stack([b, s + y * y * a, -y], axis=-1)
    return np.stack([normal, first, second], axis=-2)


class Pairs(Protocol):
    """The pairs of a model that can touch, and the search for their candidate contacts.

    names : names of the pairs. slots : (pairs,) largest number of points of each pair. bodies : (pairs, 2) numbers of
    predecessor and successor. reach : (bodies,) distance from a body's origin to the farthest point of its colliding
    shapes, m. thickness : (pairs,) least width of the thinner shape, m; infinite for half-spaces.
    """

    names: tuple[str, ...]
    slots: NDArray
    bodies: NDArray
    reach: NDArray
    thickness: NDArray

    @property
    def surfaces(self) -> Sequence[Any]:
        """Material of each pair, with the attributes of `rbdkit.Material`."""
        ...

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return the points with gaps below the margin, m; their rates may be left at zero."""
        ...

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return the points with gaps below the margin, m, with the rates of points and normals."""
        ...
