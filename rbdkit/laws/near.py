"""What is near in one state: points where shapes touch or soon may, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.search import TILTED


@dataclass(frozen=True, eq=False)
class Near:
    """Points of one state where shapes touch or may do so soon; the frame of each is (normal, tangent, tangent).

    Attributes
    ----------
    pair, slot : ndarray (m,) of int
        Which pair, and which of its points; together they name a point from step to step.
    gap : ndarray (m,)
        Signed distance, m.
    point, normal, point_rate, normal_rate : ndarray (m, 3)
        In world axes, with their rates as the contact moves over the surfaces.
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
        """Some of them, by numbers or by a mask."""
        parts = (self.pair, self.slot, self.gap, self.point, self.normal, self.point_rate, self.normal_rate)
        return Near(*(part[rows] for part in parts))

    @property
    def keys(self) -> list[tuple[int, int]]:
        """(pair, slot) of each."""
        return list(zip(self.pair.tolist(), self.slot.tolist(), strict=True))

    @property
    def axes(self) -> NDArray:
        """Normal and two tangents of each, (m, 3, 3), rows in world axes."""
        return frames(self.normal)


NOTHING = Near(
    np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0), *(np.zeros((0, 3)) for _ in range(4))
)  # fmt: skip


def frames(normal: NDArray) -> NDArray:
    """Orthogonal frames (m, 3, 3) whose first rows are unit normals (m, 3), as `tangents_of` has them."""
    x, y, z = np.moveaxis(normal, -1, 0)
    s = np.where(normal @ TILTED < 0.0, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    first = np.stack([s + x * x * a, b, -x], axis=-1)
    second = np.stack([b, s + y * y * a, -y], axis=-1)
    return np.stack([normal, first, second], axis=-2)


class Pairs(Protocol):
    """All pairs of a model that can touch.

    names : of the pairs. slots : (pairs,) at how many points each may touch. bodies : (pairs, 2) numbers of predecessor
    and successor. reach :
    (bodies,) how far a colliding shape of a body reaches from its origin, m. thickness : (pairs,) of the thinner shape,
    m; infinite of half-spaces.
    """

    names: tuple[str, ...]
    slots: NDArray
    bodies: NDArray
    reach: NDArray
    thickness: NDArray

    @property
    def surfaces(self) -> Sequence[Any]:
        """One for each pair, as `rbdkit.Material` is."""
        ...

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """What is nearer than the margin, in m, in a state; rates may be left out."""
        ...

    def moving(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """The same with the rates of points and normals."""
        ...
