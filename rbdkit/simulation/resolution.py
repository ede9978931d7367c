"""Whether recorded states stand so close together that integrals over them mean something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.simulation.simpson import integral
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.spatial import so3

SMALL = 1e-9
"""Movements, as a part of a turn or of the largest displacement, below which they are round-off."""


def displacement_error(motion: Trajectory) -> float:
    """Relative error of the displacements of bodies when they are integrated from the recorded velocities.

    Displacements are known from the poses. Where velocities do not give them, power does not give work either, however
    well every other state agrees with all of them: samples once a period agree perfectly.
    """
    poses, velocities = motion.poses(), motion.velocities()
    R, p = poses[..., :3, :3], poses[..., :3, 3]
    of_R = (R @ so3.skew(velocities[..., :3])).reshape(*R.shape[:2], 9)
    of_p = np.einsum("nbij,nbj->nbi", R, velocities[..., 3:])
    turned, missed = _ranges(R.reshape(of_R.shape), of_R, motion.t)
    moved, off = _ranges(p, of_p, motion.t)
    furthest = max(float(moved.max()), float(off.max()), np.finfo(float).tiny)
    return float(max(np.max(missed / np.maximum(turned, SMALL)), np.max(off / np.maximum(moved, SMALL * furthest))))


def _ranges(x: NDArray, rate: NDArray, t: NDArray) -> tuple[NDArray, NDArray]:
    """How far x (n, bodies, k) of each body goes, and by how much the integral of its rate misses that, (bodies,)."""
    missed = x - x[0] - np.apply_along_axis(integral, 0, rate, t)
    return np.ptp(x, axis=0).max(axis=-1), np.abs(missed).max(axis=(0, -1))
