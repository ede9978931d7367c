"""Check whether recorded states are dense enough to integrate over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.simulation.simpson import integral
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.spatial import so3

SMALL = 1e-9
"""Movement that counts as round-off, as a part of a turn or of the largest displacement."""


def displacement_error(motion: Trajectory) -> float:
    """Return the relative error of body displacements that are integrated from the recorded velocities.

    The true displacements are known from the poses. Where velocities do not integrate to them, power does not integrate
    to work either. Comparing with every other state would not show that: samples once per period agree perfectly.
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
    """Return the range of x (n, bodies, k) for each body, and the error of the integral of its rate, (bodies,)."""
    missed = x - x[0] - np.apply_along_axis(integral, 0, rate, t)
    return np.ptp(x, axis=0).max(axis=-1), np.abs(missed).max(axis=(0, -1))
