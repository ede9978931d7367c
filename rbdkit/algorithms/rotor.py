"""Rotors behind gears, as the velocity variables feel them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Joint


def rotor_inertia(joint: Joint) -> NDArray:
    """What the joint's rotor adds to the diagonal of H, shape (nv,); a mimic joint's through its ratio, squared."""
    return joint.armature if joint.mimic is None else joint.mimic.multiplier**2 * joint.armature


def rotor_matrix(joint: Joint) -> NDArray:
    """The same as a block of H, shape (nv, nv)."""
    inertia = rotor_inertia(joint)
    return np.diag(inertia) if isinstance(inertia, np.ndarray) else inertia  # of a program it is a diagonal matrix
