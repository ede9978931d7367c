"""Inertia that can be exchanged between two connected bodies without changing the dynamics (Featherstone 2008)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.algorithms.equivalence.ten_numbers import matrix_of
from rbdkit.algorithms.equivalence.two_body import two_body_equation
from rbdkit.joints import JointType
from rbdkit.spatial.cross import cross_force

_STATES = 12
"""Number of random states at which a condition for all states is tested; three would suffice."""


def table_9_7(joint: JointType) -> NDArray:
    """Return the inertias I_Delta that a joint allows to exchange, as columns of ten numbers, shape (10, k).

    Featherstone 2008, Table 9.7, for revolute, prismatic and spherical joints; the others follow in the same way. The
    same numbers hold in the joint's predecessor and successor frames. Unknown joint types have none.
    """
    particle = np.eye(10)[:, :1]
    if joint.is_users_own:
        return np.zeros((10, 0))
    match joint:
        case joints.Reversed() | joints.Prescribed():
            return table_9_7(joint.joint)
        case joints.Fixed():
            return np.eye(10)
        case joints.Revolute():
            return np.column_stack([particle, _first_moment(joint.axis), _about(joint.axis)])  # particles on the axis
        case joints.Prismatic():
            return np.eye(10)[:, 4:]  # any rotational inertia: nothing turns
        case joints.Spherical() | joints.EulerSpherical() | joints.Universal():
            return particle  # at the centre
        case joints.Helical() if joint.pitch == 0.0:
            return table_9_7(joints.Revolute(joint.axis))
        case joints.Helical() | joints.Cylindrical() | joints.Planar() | joints.RackAndPinion():
            return _about(joint.axis)  # axisymmetric rotational inertia, none about the axis
    return np.zeros((10, 0))


def _first_moment(n: NDArray) -> NDArray:
    return np.concatenate([[0.0], n, np.zeros(6)])[:, None]


def _about(n: NDArray) -> NDArray:
    """Return the ten numbers of the rotational inertia 1 - n n^T, (10, 1)."""
    I = np.eye(3) - np.outer(n, n)
    return np.concatenate([np.zeros(4), I[np.triu_indices(3)]])[:, None]


def exchange_space(joint: JointType, seed: int = 0) -> NDArray:
    """Return the space of exchangeable inertias, computed as the null space of Eq 9.29 at random states.

    The columns are orthonormal, shape (10, k). Only the joint's `calc` is needed, so it works for user-defined joints.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(_STATES):
        q, v1, qd = joint.random(rng), rng.normal(size=6), rng.normal(size=joint.nv)
        effects = []
        for numbers in np.eye(10):
            I = matrix_of(numbers)
            e = two_body_equation(I, -I, joint, q, v1, qd)  # linear in the inertias
            effects.append(np.concatenate([e.H.ravel(), e.C]))
        rows.append(np.column_stack(effects))
    _, values, V = np.linalg.svd(np.concatenate(rows))
    return np.asarray(V[values < 1e-10 * max(values[0], 1.0)].T)


def conditions(joint: JointType, I_delta: NDArray, q: NDArray, v1: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return the terms that Eq 9.30 requires to vanish: I S, I - X_J^T I X_J and S^T v_1 x* I v_1, with I = I_delta.

    They decide for joints whose motion subspace is constant in one of its frames (the book's footnote 3).
    """
    X_J, S = joint.transform(q), joint.motion_subspace(q)
    return I_delta @ S, I_delta - X_J.T @ I_delta @ X_J, S.T @ cross_force(v1, I_delta @ v1)
