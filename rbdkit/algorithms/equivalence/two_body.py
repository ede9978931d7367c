"""Two bodies that float, and a joint between them: the system on which equivalence is decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.spatial.cross import cross_force, cross_motion


@dataclass(frozen=True)
class TwoBody:
    """``H [a_1; qdd] + C = [f; tau]`` (Featherstone 2008, Eq 9.29). H : (6 + nv, 6 + nv). C : (6 + nv,)."""

    H: NDArray
    C: NDArray


def two_body_equation(I1: NDArray, I2: NDArray, joint: JointType, q: NDArray, v1: NDArray, qd: NDArray) -> TwoBody:
    """The equation of motion of the two-body system of Fig 9.3 (Featherstone 2008, Eq 9.29).

    Parameters
    ----------
    I1, I2 : ndarray (6, 6)
        Inertias in the joint's predecessor and successor frames.
    joint : JointType
        Its type.
    q : ndarray (nq,)
        Its coordinates.
    qd : ndarray (nv,)
        Its velocities.
    v1 : ndarray (6,)
        Velocity of the first body.
    """
    X_J, S, v_J, c_J = joint.calc(q, qd)
    v2 = X_J @ v1 + v_J
    bias = I2 @ (c_J + cross_motion(v2, v_J)) + cross_force(v2, I2 @ v2)  # Sdot qd = c_J + v2 x S qd
    H = np.block([[I1 + X_J.T @ I2 @ X_J, X_J.T @ I2 @ S], [S.T @ I2 @ X_J, S.T @ I2 @ S]])
    return TwoBody(H, np.concatenate([cross_force(v1, I1 @ v1) + X_J.T @ bias, S.T @ bias]))
