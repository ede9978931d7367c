"""Joint forces as linear functions of the inertial parameters: the regressor for the identification of robots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rnea import rnea
from rbdkit.model import Model
from rbdkit.spatial.cross import cross_force
from rbdkit.spatial.so3 import skew


def inertial_regressor(model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the regressor Y of ``tau = Y pi`` (Atkeson, An and Hollerbach 1986), shape (nv, bodies, 10).

    With loop joints Y belongs to the spanning tree, see `rnea`.

    pi of a body are its ten numbers ``Inertia.ten_parameters``: mass, first moment, inertia about the body's origin.
    Rotors and external forces add to this: ``rnea = Y pi + armature * a - J.T f_ext``. Row 0, of the world, is zero.

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
    """Return the spatial inertia (Eq 2.63) whose parameter k of the ten is one and the others zero."""
    pi = np.eye(10)[k]
    xx, xy, xz, yy, yz, zz = pi[4:]
    C = skew(pi[1:4])
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), C], [C.T, pi[0] * np.eye(3)]])


UNIT_INERTIAS = np.array([_unit_inertia(k) for k in range(10)])
"""Basis (10, 6, 6): a body's spatial inertia is the sum of these, weighted with its ten parameters."""
