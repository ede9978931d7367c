"""Joint forces as linear functions of the bodies' inertial parameters: what identification of robots starts from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rnea import rnea
from rbdkit.model import Model
from rbdkit.spatial.cross import cross_force
from rbdkit.spatial.so3 import skew


def inertial_regressor(model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, t: float = 0.0) -> NDArray:
    """Y of ``tau = Y pi`` (Atkeson, An and Hollerbach 1986), shape (nv, bodies, 10).

    Where joints close loops Y is that of the spanning tree, see `rnea`.

    pi of a body are its ten numbers ``Inertia.ten_parameters``: mass, first moment, inertia about the body's origin.
    Rotors and external forces come on top: ``rnea = Y pi + armature * a - J.T f_ext``. Row 0, of the world, is zero.

    Parameters
    ----------
    q, qd, qdd, t
        As in `rnea`.
    """
    motion = rnea(model, q, qd, qdd, t=t)
    Y = np.zeros((model.nv, len(model.bodies), 10))
    for i in model.outward:
        v, a = motion.v[i], motion.a[i]
        # f_i = A pi_i, in body coordinates
        A = np.stack([I @ a + cross_force(v, I @ v) for I in UNIT_INERTIAS], axis=-1)
        j = i
        while j > 0:
            Y[model.joints[j].v_slice, i] += motion.S[j].T @ A
            A = motion.X[j].T @ A
            j = model.parent[j]
    return Y


def _unit_inertia(k: int) -> NDArray:
    """The spatial inertia (Eq 2.63) of which number k of the ten is one and the others are zero."""
    pi = np.eye(10)[k]
    xx, xy, xz, yy, yz, zz = pi[4:]
    C = skew(pi[1:4])
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), C], [C.T, pi[0] * np.eye(3)]])


UNIT_INERTIAS = np.array([_unit_inertia(k) for k in range(10)])
"""(10, 6, 6), so that a body's spatial inertia is the sum of them with its ten numbers as factors."""
