"""Result of the forward dynamics of this package."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.system import System
from rbdkit.spatial import plucker


@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Accelerations of a model and the forces through its joints; row or entry i belongs to body i.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations.
    a : ndarray (n, 6)
        Accelerations of the bodies in their own coordinates, with ``a[0] = -gravity``, as in `aba`.
    f : ndarray (n, 6)
        Force that the parent exerts on body i through joint i, in body coordinates; as in `rnea`.
    """

    qdd: NDArray
    a: NDArray
    f: NDArray


def motion(system: System, a: NDArray, f: NDArray) -> TreeMotion:
    """Return the result for accelerations a and joint forces f, (n, 6) each in common coordinates."""
    qdd = np.zeros(system.model.nv)
    for i in system.model.outward:
        qdd[system.model.joints[i].v_slice] = system.joint(i).qdd(a[system.model.parent[i]], a[i])
    return TreeMotion(qdd, (system.X @ a[..., None])[..., 0], (plucker.force(system.X) @ f[..., None])[..., 0])
