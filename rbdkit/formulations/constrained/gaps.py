"""Closure error of the joints of a model, by the numbers of `rbdkit.engine.rows.gaps`.

The rank decision of loops and the report need one number: how far is the joint open that is open most? Rotations count
as angles, shifts as shifts over the model's length, so that neither units nor scale matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.gaps import GAP_NUMBERS, covered, gap_numbers, gap_squared
from rbdkit.formulations.constrained.joint_constraints import JointConstraints
from rbdkit.formulations.constrained.layout import elements
from rbdkit.spatial.compact import Pose


class Gaps:
    """Closure error of all joints of a model, as an angle. length : by which shifts are divided, m."""

    def __init__(self, constraints: JointConstraints, length: float) -> None:
        self.constraints, self.length = constraints, length
        joints = constraints.joints
        self._own = np.array([covered(place.type) for place in joints], dtype=bool)
        own = [place for place in joints if covered(place.type)]
        self.numbers = np.array([gap_numbers(place) for place in own]).reshape(-1, GAP_NUMBERS)
        self.successor = np.array([place.successor for place in own], dtype=np.int64)
        self.predecessor = np.array([place.predecessor for place in own], dtype=np.int64)
        self._others = [rows for place, rows in zip(joints, constraints.rows, strict=True) if not covered(place.type)]

    def largest(self, C: NDArray, t: float = 0.0) -> NDArray:
        """Return the largest closure error (...,) of a joint, rad; C (..., bodies, 4, 4), the world first."""
        T_P, T_S = (Pose(*elements(C[..., own, :, :])) for own in (self.predecessor, self.successor))
        each = gap_squared(list(self.numbers.T), T_P.to(T_S), self.length)
        squared = np.max(np.asarray(each), axis=-1, initial=0.0)
        if self._others:
            g = self.constraints.position(C, t) / min(1.0, self.length)
            for rows in self._others:
                squared = np.maximum(squared, np.sum(g[..., rows] ** 2, axis=-1))
        return np.asarray(np.sqrt(squared))
