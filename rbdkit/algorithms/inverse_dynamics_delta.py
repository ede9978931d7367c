"""Product of the joint-space inertia matrix H with a vector, without forming H."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.model import Model


def inverse_dynamics_delta(model: Model, q: NDArray, qdd: NDArray, *, t: float = 0.0) -> NDArray:
    """Return H(q) qdd, the joint forces for a change qdd of accelerations (Featherstone 2008, Eq 6.4, Table 6.1).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qdd : ndarray (nv,)
        Joint accelerations.

    Returns
    -------
    (nv,) joint forces.
    """
    n, parent = len(model.bodies), model.parent
    X, a, f, tau = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(model.nv)
    S = [joint.motion_subspace(q) for joint in model.joints]
    for i in model.outward:
        joint = model.joints[i]
        X[i] = joint.transform(q, t) @ model.X_tree[i]
        a[i] = X[i] @ a[parent[i]] + S[i] @ qdd[joint.v_slice]
        f[i] = model.I[i] @ a[i]
    for i in model.inward:
        joint = model.joints[i]
        tau[joint.v_slice] += S[i].T @ f[i] + rotor_inertia(joint) * qdd[joint.v_slice]
        f[parent[i]] += X[i].T @ f[i]
    return tau
