"""The distance between two motions of one model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.spatial import so3


def distance(model: Model, a: NDArray, b: NDArray) -> NDArray:
    """Return the largest shift of a centre of mass (m) or rotation (rad) between poses (n, bodies, 4, 4), (n,)."""
    turn = np.linalg.norm(so3.log(np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3]), axis=-1)
    com = np.array([np.zeros(3) if body.inertia is None else body.inertia.com for body in model.bodies])
    places = [np.einsum("...ij,...j->...i", pose[..., :3, :3], com) + pose[..., :3, 3] for pose in (a, b)]
    return np.maximum(turn, np.linalg.norm(places[0] - places[1], axis=-1)).max(axis=1)
