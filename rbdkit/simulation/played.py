"""Forces of the mouse on a model that was played in the page, as external forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.algorithms.kinematics import in_world
from rbdkit.model import Model


class PlayedPulls:
    """Recorded spring-damper pulls of the mouse on bodies; the target of each is constant over a frame.

    Called with t, q, v it returns the external forces (bodies, 6) in world coordinates.

    Parameters
    ----------
    model : Model
        The model that was played.
    bodies : sequence of str
        Names of the bodies that the rows number.
    t : ndarray (n,)
        Times of the animation frames, s.
    rows : ndarray (k, 10)
        For each pull: time of its frame, s, number of the body, point in body coordinates, m, target in world
        coordinates, m, stiffness, N/m, damping, N s/m; see `rbdkit.Pull`.
    """

    NUMBERS: ClassVar[int] = 10

    def __init__(self, model: Model, bodies: Sequence[str], t: NDArray, rows: NDArray) -> None:
        self.model, self.t, self.rows = model, t, rows
        self.bodies = np.array([model.body(name).index for name in bodies])[rows[:, 1].astype(int)]
        pictures = np.searchsorted(t, rows[:, 0] - 1e-12)
        self.first = np.searchsorted(
            pictures, np.arange(len(t) + 1)
        )  # rows of picture k: from first[k] to first[k + 1]

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        forces = np.zeros((len(self.model.bodies), 6))
        k = max(0, int(np.searchsorted(self.t, t + 1e-12, side="right")) - 1)
        rows = range(self.first[k], self.first[k + 1])
        if not rows:
            return forces
        kinematics = forward_kinematics(self.model, q, v)
        for row in rows:
            body = self.bodies[row]
            point, target, (stiffness, damping) = np.split(self.rows[row, 2:], [3, 6])
            pose = kinematics.poses[body]
            place = pose[:3, :3] @ point + pose[:3, 3]
            w, v0 = np.split(in_world(pose, kinematics.velocity(self.model.bodies[body].name)), 2)  # at the origin
            force = stiffness * (target - place) - damping * (v0 + np.cross(w, place))
            forces[body] += np.concatenate([np.cross(place, force), force])
        return forces
