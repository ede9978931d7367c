"""Unit acceleration of one velocity variable: the meaning of a column of H."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import weightless
from rbdkit.algorithms.rnea import rnea
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree
from rbdkit.spatial import plucker


@dataclass(frozen=True, eq=False)
class UnitAcceleration:
    """Result of `unit_acceleration` in world coordinates; row i belongs to body i.

    Attributes
    ----------
    joint : int
        Index of the joint that owns the variable.
    s : ndarray (6,)
        Motion vector s_alpha of the variable.
    a : ndarray (n, 6)
        Accelerations.
    f : ndarray (n, 6)
        Forces through joint i onto body i.
    tau : ndarray (nv,)
        Joint forces: a column of H.
    """

    joint: int
    s: NDArray
    a: NDArray
    f: NDArray
    tau: NDArray


def unit_acceleration(model: Model, q: NDArray, alpha: int, *, t: float = 0.0) -> UnitAcceleration:
    """Return accelerations and forces when qdd = delta_alpha at rest, without gravity (Featherstone 2008, section 6.3).

    The subtree of the joint moves as one rigid body while all else stays at rest (Eq 6.21). So every joint on the path
    to the base transmits the same force, the one that accelerates this composite body (Eq 6.24). It is computed by
    `rnea`, independently of composite inertias.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    alpha : int
        Index of the velocity variable.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    StateError, ModelError
        If there is no such variable; or if the model has loop joints, where no variable accelerates alone.

    Notes
    -----
    Prescribed motion is left out. With mimic joints, several joints accelerate at once.
    """
    require_tree(model, "the acceleration of a single variable")
    if not 0 <= alpha < model.nv:
        raise StateError(f"alpha is {alpha}; model {model.name!r} has velocity variables 0 to {model.nv - 1}")
    rest, delta = np.zeros(model.nv), np.zeros(model.nv)
    delta[alpha] = 1.0
    free = weightless(model)
    moving, driven = rnea(free, q, rest, delta, t=t), rnea(free, q, rest, rest, t=t)
    X_0, a, f = np.array([np.eye(6)] * len(model.bodies)), np.zeros_like(moving.a), np.zeros_like(moving.f)
    for i in model.outward:
        X_0[i] = moving.X[i] @ X_0[model.parent[i]]
        a[i] = plucker.inverse(X_0[i]) @ (moving.a[i] - driven.a[i])
        f[i] = X_0[i].T @ (moving.f[i] - driven.f[i])
    f[0] = moving.f[0] - driven.f[0]
    i = next(i for i in model.outward if alpha in range(model.nv)[model.joints[i].v_slice])
    s = plucker.inverse(X_0[i]) @ moving.S[i][:, alpha - model.joints[i].v_slice.start]
    return UnitAcceleration(i, s, a, f, moving.tau - driven.tau)
