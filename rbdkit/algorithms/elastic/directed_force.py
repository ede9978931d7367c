"""A force that keeps its direction in the world, at a point of a body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.elastic.attached import Attached, PointForces
from rbdkit.spatial.so3 import skew


def directed_force(one: Attached, a: NDArray, k: float = 1.0) -> PointForces:
    """The force k a at a point (section 1.9.2).

    Parameters
    ----------
    one : Attached
        The point.
    a : ndarray (3,)
        Direction in world axes.
    k : float, optional
        N for each unit of a.

    Examples
    --------
    A force beside the origin turns the body:

    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached, directed_force
    >>> at = Attached(np.eye(4), np.array([1.0, 0.0, 0.0]))
    >>> directed_force(at, np.array([0.0, 1.0, 0.0]), 2.0).f.tolist()
    [0.0, 0.0, 2.0, 0.0, 2.0, 0.0]
    """
    f = k * one.wrench(a)  # Eq 1.31
    V = -k * float(one.position @ a)  # Eq 1.32
    Ra = skew(one.R.T @ a)
    O = np.zeros((3, 3))
    K = k * np.block([[skew(one.x) @ Ra, O], [Ra, O]])  # Eq 1.33
    return PointForces(f, K, np.zeros((6, 6)), V)
