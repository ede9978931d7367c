"""Homogeneous solids with the inertia of a body, which show it from its ten numbers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.inertia import Inertia

Solid = tuple[NDArray, NDArray]


def ellipsoid(inertia: Inertia) -> Solid:
    """Return semi-axes (3,) and pose (4, 4) of the homogeneous ellipsoid with the same mass and inertia.

    From I_x = m (b^2 + c^2) / 5 and its like: a^2 = 5 (I_y + I_z - I_x) / (2 m).
    """
    excess, pose = _excess(inertia)
    return np.sqrt(2.5 * excess), pose


def cuboid(inertia: Inertia) -> Solid:
    """Return edges (3,) and pose (4, 4) of the homogeneous cuboid with the same mass and inertia.

    From I_x = m (b^2 + c^2) / 12 and its like: a^2 = 6 (I_y + I_z - I_x) / m.
    """
    excess, pose = _excess(inertia)
    return np.sqrt(6.0 * excess), pose


def _excess(inertia: Inertia) -> Solid:
    """Return (I_y + I_z - I_x) / m about the principal axes, and the pose of these at the centre of mass."""
    moments, axes = np.linalg.eigh(inertia.inertia_com)
    if np.linalg.det(axes) < 0.0:
        axes = axes * [1.0, 1.0, -1.0]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, inertia.com
    return np.maximum(moments.sum() - 2.0 * moments, 0.0) / inertia.mass, pose
