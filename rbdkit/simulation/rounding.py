"""What rounding leaves of computed energies: where a robot is held still, more than all that moves about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.model import Model

ROUNDINGS = 1e3
"""Of the last digit, in a motion of many steps."""


def rounding_of_energy(model: Model, poses: NDArray, energy: Energy) -> float:
    """Up to which a change of energy is round-off, J, by the weights of all bodies at all states.

    poses : (n, bodies, 4, 4) of the bodies. energy : at the same states.
    """
    weights = np.zeros(len(poses))
    for body, pose in zip(model.bodies, np.moveaxis(poses, 1, 0), strict=True):
        if body.inertia is not None:
            heights = (pose[:, :3, :3] @ body.inertia.com + pose[:, :3, 3]) @ model.gravity
            weights += body.inertia.mass * np.abs(heights)
    largest = np.max(np.abs(energy.kinetic) + np.abs(energy.spring) + weights)
    return float(ROUNDINGS * np.finfo(float).eps * largest)
