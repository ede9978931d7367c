"""Inverse dynamics with every vector in base coordinates, as the book first states the equations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crf, crm


def rnea_base(
    model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> NDArray:
    """Return joint forces by the recursive Newton-Euler equations as first stated (Featherstone 2008, Eqs 5.7-5.11).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Gravity acts as an external force ``I a_g`` here, not as a base acceleration. For reading and for checking `rnea`,
    which needs fewer operations in body coordinates.

    Returns
    -------
    (nv,) joint forces.
    """
    n, parent = len(model.bodies), model.parent
    v, a, f, tau = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(model.nv)
    S, X_0 = [np.zeros((6, 0))] * n, [np.eye(6)] * n
    a_g = np.concatenate([np.zeros(3), model.gravity])
    f_x = external_forces(model, f_ext)

    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S_i, v_J, c_J = joint.calc(q, qd, t)
        X_0[i] = X_J @ model.X_tree[i] @ X_0[p]
        to_base = plucker.inverse(X_0[i])
        S[i], v_J, c_J = to_base @ S_i, to_base @ v_J, to_base @ c_J
        I_i = X_0[i].T @ model.I[i] @ X_0[i]  # Eq 2.66
        v[i] = v[p] + v_J  # Eq 5.7
        a[i] = a[p] + S[i] @ qdd[joint.v_slice] + c_J + crm(v[i]) @ v_J  # Eq 5.8 with Sdot = S ring + v x S
        f[i] = I_i @ a[i] + crf(v[i]) @ I_i @ v[i]  # Eq 5.9
        f[i] -= I_i @ a_g  # Eq 5.10
        if f_x is not None:
            f[i] -= f_x[i]
    for i in model.inward:
        joint = model.joints[i]
        tau[joint.v_slice] += S[i].T @ f[i] + rotor_inertia(joint) * qdd[joint.v_slice]  # Eq 5.11
        f[parent[i]] += f[i]  # Eq 5.10
    return tau
