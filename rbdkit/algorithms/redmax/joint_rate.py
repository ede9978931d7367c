"""Rate S-dot of the motion subspace of a joint, column by column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Joint
from rbdkit.spatial import se3

STEP = 5e-3
"""Step of differences, rad or m: truncation, h^6 / 140 times the seventh derivative, and rounding are below 1e-12."""


def joint_rate(joint: Joint, q: NDArray, qd: NDArray) -> NDArray:
    """Return the componentwise rate of S in joint coordinates, (6, nv_i), at a state (q, qd) of the model.

    Joint types provide c = S-dot qd, which is quadratic in qd and gives the symmetric part of its bilinear form. The
    antisymmetric part is a bracket, because columns of S are ``E^-1 dE/dq_k`` (Eq 2.29): d_j S_i - d_i S_j = ad(S_i)
    S_j. So S-dot is as exact as c. If qd is not the rate of coordinates and S varies, S itself is differentiated.
    """
    type, own, v = joint.type, joint.coordinates(q), joint.velocities(qd)
    if type.constant_S or type.nv == 0:
        return np.zeros((6, type.nv))
    scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
    if type.is_curved:
        h = STEP / max(1.0, float(np.linalg.norm(v)))
        return scale * sum(
            w
            / h
            * (
                type.motion_subspace(type.integrate(own, k * h * v))
                - type.motion_subspace(type.integrate(own, -k * h * v))
            )
            for k, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
        )
    S, c = type.motion_subspace(own), type.velocity_product
    columns = []
    for x in np.eye(type.nv):
        symmetric = 0.5 * (c(own, v + x) - c(own, v) - c(own, x))
        columns.append(symmetric + 0.5 * se3.ad(S @ x) @ (S @ v))
    return scale * np.array(columns).T
