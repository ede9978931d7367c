"""What compiled code computes in place of a joint: one of a chain of simple joints."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

TURNABLE = ("revolute", "prismatic", "helical")
"""Simple joints that are themselves from their other end, with the axis turned round."""


@dataclass(frozen=True)
class Piece:
    """One link's share of a joint.

    Attributes
    ----------
    motion : the simple joint: its name in `rbdkit.engine.steps.motions`, a motion recorded from a joint's own formulas,
        or a pair ("reversed_axes", "reversed_pose" or "driven", motion).
    basis : (3, 3) its axes in the joint's, z along the freedom.
    q, v : where its coordinates and velocities begin among the joint's.
    numbers : that its formulas need, such as a pitch.
    ratio : how far it goes for each unit of the coordinate and velocity that it shares with the piece that has them;
        None for a piece that has its own.
    """

    motion: Hashable
    basis: NDArray
    q: int = 0
    v: int = 0
    numbers: tuple[float, ...] = ()
    ratio: float | None = None

    def driven(self) -> Piece:
        """The same, moved as time says."""
        return replace(self, motion=("driven", self.motion))

    def reversed(self) -> list[Piece]:
        """The same from its other end: what turns about one axis turns about the opposite one."""
        if self.motion in TURNABLE:
            # half a turn about the first axis of the basis takes z to -z
            return [replace(self, basis=self.basis * np.array([1.0, -1.0, -1.0]))]
        return [replace(self, motion=(half, self.motion)) for half in ("reversed_axes", "reversed_pose")]
