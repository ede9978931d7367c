"""Joint-space bias force C(q, qd) and its gravity and Coriolis parts: inverse dynamics at zero acceleration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.rnea import rnea
from rbdkit.model import Model


def bias_force(model: Model, q: NDArray, qd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0) -> NDArray:
    """Return C(q, qd) = ID(q, qd, 0): gravity, Coriolis, centrifugal and external forces, shape (nv,).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Featherstone 2008, Eq 6.2.
    """
    return rnea(model, q, qd, np.zeros(model.nv), f_ext=f_ext, t=t).tau


def gravity_force(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the joint forces (nv,) that hold the system still against gravity (Featherstone 2008, Eqs 5.12, 5.13).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.
    """
    n, parent = len(model.bodies), model.parent
    X, a_g, f, tau = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(model.nv)
    a_g[0, 3:] = model.gravity
    for i in model.outward:
        X[i] = model.joints[i].transform(q, t) @ model.X_tree[i]
        a_g[i] = X[i] @ a_g[parent[i]]
        f[i] = -model.I[i] @ a_g[i]  # Eq 5.12
    for i in model.inward:
        joint = model.joints[i]
        tau[joint.v_slice] += joint.motion_subspace(q).T @ f[i]  # Eq 5.13
        f[parent[i]] += X[i].T @ f[i]
    return tau


def coriolis_force(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the velocity-dependent part of C: gravity and external forces are set to zero; shape (nv,).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Featherstone 2008, section 5.3.
    """
    return bias_force(weightless(model), q, qd, t=t)


def weightless(model: Model) -> Model:
    """Return the model with gravity set to zero."""
    return model.with_parameters({"gravity": np.zeros(3)})
