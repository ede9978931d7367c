"""Derivatives of the passive forces of springs and dampers in the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.model import Joint, Model

STEP = 0.02
"""Step of the central differences, rad or m. A(u) is analytic for |u| < 2 pi and u stays below pi, so that the error
term of ninth order is below round-off."""
EIGHTH_ORDER = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))
"""Weights of the central difference of eighth order: (number of steps, weight)."""


@dataclass(frozen=True)
class PassiveDerivatives:
    """Derivatives of passive forces. dtau_dq, dtau_dv : (nv, nv). parameters : by name, (nv, ...)."""

    dtau_dq: NDArray
    dtau_dv: NDArray
    parameters: dict[str, NDArray]


def passive_derivatives(model: Model, q: NDArray, qd: NDArray) -> PassiveDerivatives:
    """Return the derivatives of the joints' passive forces by q, qd, and the damping, stiffness and rest of each joint.

    q and rest vary as ``integrate(q, dq)``.
    """
    by_q, by_v = np.zeros((2, model.nv, model.nv))
    parameters: dict[str, NDArray] = {}
    for joint in model.joints:
        if joint.nv == 0:
            continue
        scale, own = 1.0 if joint.mimic is None else joint.mimic.multiplier, joint.v_slice
        K, K_rest, u_force = _spring(joint, joint.coordinates(q))
        by_q[own, own] -= scale**2 * K
        by_v[own, own] -= scale**2 * np.diag(joint.damping)
        of_joint = {"damping": -np.diag(joint.velocities(qd)), "stiffness": -u_force, "rest": -K_rest}
        for name, block in of_joint.items():
            rows = np.zeros((model.nv, joint.nv))
            rows[own] = scale * block
            parameters[f"{joint.name}.{name}"] = rows[:, 0] if joint.nv == 1 else rows
    return PassiveDerivatives(by_q, by_v, parameters)


def _spring(joint: Joint, q: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return the derivatives of f = A.T (stiffness * u) by q, by rest and by stiffness, (nv, nv) each.

    u is the displacement from rest to q. It changes by A(u) dq, since ``du/dt = A v``; its reverse -u, from q to rest,
    changes by A(-u) drest.
    """
    type, stiffness = joint.type, joint.stiffness
    u = type.difference(joint.rest, q)
    A = type.local_rate(u)
    by_u = A.T * stiffness
    if stiffness.any() and type.is_curved:
        by_u = by_u + _of_local_rate(type, u, stiffness * u)
    return by_u @ A, -by_u @ type.local_rate(-u), A.T * u


def _of_local_rate(type: JointType, u: NDArray, force: NDArray) -> NDArray:
    """Return the derivative of A(u).T force by u, (nv, nv), at constant force."""
    columns = []
    for e in np.eye(type.nv):
        change = np.zeros((type.nv, type.nv))
        for k, weight in EIGHTH_ORDER:
            way = k * STEP * e
            change += weight / STEP * (type.local_rate(u + way) - type.local_rate(u - way))
        columns.append(change.T @ force)
    return np.stack(columns, axis=-1)
