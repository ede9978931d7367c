"""Round-off of computed energies: for a robot at rest it exceeds the energy scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.model import Model

ROUNDINGS = 1e3
"""Round-off of the energy in a motion of many steps, in units of the last digit."""


def rounding_of_energy(model: Model, poses: NDArray, energy: Energy) -> float:
    """Return the change of energy, J, that is explained by round-off of the bodies' potential energies.

    poses : (n, bodies, 4, 4) poses of the bodies. energy : energies at the same states.
    """
    weights = np.zeros(len(poses))
    for body, pose in zip(model.bodies, np.moveaxis(poses, 1, 0), strict=True):
        if body.inertia is not None:
            heights = (pose[:, :3, :3] @ body.inertia.com + pose[:, :3, 3]) @ model.gravity
            weights += body.inertia.mass * np.abs(heights)
    largest = np.max(np.abs(energy.kinetic) + np.abs(energy.spring) + weights)
    return float(ROUNDINGS * np.finfo(float).eps * largest)
