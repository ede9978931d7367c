"""Inertia of geared rotors, reflected to the velocity variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Joint


def rotor_inertia(joint: Joint) -> NDArray:
    """Return the rotor's addition (nv,) to the diagonal of H; for a mimic joint times its ratio squared."""
    return joint.armature if joint.mimic is None else joint.mimic.multiplier**2 * joint.armature


def rotor_matrix(joint: Joint) -> NDArray:
    """Return the rotor inertia of a joint as a block of H, shape (nv, nv)."""
    inertia = rotor_inertia(joint)
    return np.diag(inertia) if isinstance(inertia, np.ndarray) else inertia  # traced: diagonal matrix
