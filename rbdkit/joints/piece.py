"""Joint primitives: the simple joints that compiled code uses; a joint is a chain of one or more."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

TURNABLE = ("revolute", "prismatic", "helical")
"""Primitives that stay of their kind when reversed, with the axis negated."""


@dataclass(frozen=True)
class Piece:
    """A joint primitive, one link of the chain that stands for a joint.

    Attributes
    ----------
    motion : kind of the primitive: a name in `rbdkit.engine.steps.motions`, a motion traced from a joint's own
        formulas, or a pair ("reversed_axes", "reversed_pose" or "driven", motion).
    basis : (3, 3) its axes in those of the joint, z along the freedom.
    q, v : offsets of its coordinates and velocities among those of the joint.
    numbers : parameters of its formulas, such as a pitch.
    ratio : gear ratio to the primitive whose coordinate and velocity it shares; None if it has its own.
    """

    motion: Hashable
    basis: NDArray
    q: int = 0
    v: int = 0
    numbers: tuple[float, ...] = ()
    ratio: float | None = None

    def driven(self) -> Piece:
        """Return the prescribed form of the primitive, moved by time."""
        return replace(self, motion=("driven", self.motion))

    def reversed(self) -> list[Piece]:
        """Return the primitives of the reversed motion: a hinge, slider or screw turns into one with negated axis."""
        if self.motion in TURNABLE:
            # half a turn about the first axis of the basis takes z to -z
            return [replace(self, basis=self.basis * np.array([1.0, -1.0, -1.0]))]
        return [replace(self, motion=(half, self.motion)) for half in ("reversed_axes", "reversed_pose")]
