"""Closure error of the joints of a model, by the numbers of `rbdkit.engine.rows.gaps`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.gaps import GAP_NUMBERS, covered, gap_numbers
from rbdkit.formulations.constrained.joint_constraints import JointConstraints


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
        parts = np.split(self.numbers, range(3, GAP_NUMBERS - 8, 3), axis=1)
        n_S, n_P, e_S, e_P, b_P, screw, p_S, p_P, D = parts
        P, S = C[..., self.predecessor, :, :], C[..., self.successor, :, :]
        back = np.swapaxes(P[..., :3, :3], -1, -2)
        R, p = back @ S[..., :3, :3], _times(back, S[..., :3, 3] - P[..., :3, 3])
        between = p + _times(R, p_S) - p_P
        angle = np.sum(screw * between, axis=-1, keepdims=True)
        tilt = _times(R, n_S) - n_P
        twist = np.sum(_times(R, e_S) * (np.cos(angle) * b_P - np.sin(angle) * e_P), axis=-1)
        shift = _times(D.reshape(-1, 3, 3), between) / self.length
        squared = (np.sum(tilt**2 + shift**2, axis=-1) + twist**2).max(axis=-1, initial=0.0)
        if self._others:
            g = self.constraints.position(C, t) / min(1.0, self.length)
            for rows in self._others:
                squared = np.maximum(squared, np.sum(g[..., rows] ** 2, axis=-1))
        return np.asarray(np.sqrt(squared))


def _times(A: NDArray, x: NDArray) -> NDArray:
    return (A @ x[..., None])[..., 0]
