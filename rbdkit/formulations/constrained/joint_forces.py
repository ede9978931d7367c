"""Forces in joints as wrenches on the two bodies of each: applied forces, springs, dampers and rotors.

In absolute coordinates a joint has no coordinate on which a force could act. A joint force tau is therefore a wrench f
with ``S^T f = tau`` on the successor, and its opposite on the predecessor. A rotor (armature) resists the joint's
acceleration, which is ``P V' + bias`` in terms of the bodies' accelerations; it adds P^T armature P to the mass matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.constrained.joint_constraints import JointConstraints, Relative
from rbdkit.model import Model
from rbdkit.spatial.cross import cross_motion


def applied(model: Model, constraints: JointConstraints, relative: Relative, tau: NDArray) -> NDArray:
    """Return the wrenches (bodies, 6) on the bodies' reference frames of joint forces tau (nv,).

    Any force f with S^T f = tau may act on the successor, and -f on the predecessor; different choices differ by
    constraint forces only. The shortest f is taken.
    """
    f = np.zeros((len(constraints.joints), 6))
    for k, joint in enumerate(model.joints[1:]):  # loop joints come after these and have no tau
        if joint.nv > 0:
            S = joint.type.motion_subspace(joint.type.project(relative.X[k]))
            f[k] = np.linalg.pinv(S).T @ tau[joint.v_slice]
    Q = np.zeros((constraints.bodies, 6))
    np.add.at(Q, constraints.successor, (f[:, None, :] @ relative.from_S)[:, 0])
    np.add.at(Q, constraints.predecessor, -(f[:, None, :] @ relative.from_P)[:, 0])
    return Q


class Rotors(NamedTuple):
    """Rotor inertias (armature) of joints: joint accelerations are ``P V' + bias``, torques -armature times that.

    P : (k, n, 6), without the world. bias, armature : (k,).
    """

    P: NDArray
    bias: NDArray
    armature: NDArray

    def with_velocities(self, B: NDArray, drift: NDArray) -> Rotors:
        """Return the rotors in terms of velocities v with V' = B v' + drift."""
        bias = self.bias + np.einsum("kia,ia->k", self.P, drift)
        return Rotors(np.einsum("kia,iab->kib", self.P, B), bias, self.armature)

    @property
    def mass(self) -> NDArray:
        """Contribution to the mass matrix, (6 n, 6 n)."""
        P = self.P.reshape(len(self.P), -1)
        return P.T * self.armature @ P

    @property
    def force(self) -> NDArray:
        """Contribution to the forces, (6 n,)."""
        return -self.P.reshape(len(self.P), -1).T @ (self.armature * self.bias)


def joint_rates(
    model: Model, constraints: JointConstraints, relative: Relative, t: float, joints: Sequence[int]
) -> tuple[NDArray, NDArray, NDArray]:
    """Return accelerations of joints of the tree as ``P V' + bias``: P (k, bodies, 6), with the world, and bias (k,).

    The third array has the indices of their velocity variables, (k,). joints : indices of the joints.
    """
    P, bias, velocities = [], [], []
    for i in joints:
        joint, k = model.joints[i], i - 1
        q = joint.type.project(relative.X[k])
        S_inverse = np.linalg.pinv(joint.type.motion_subspace(q))
        rows = np.zeros((joint.nv, constraints.bodies, 6))
        rows[:, constraints.successor[k]] = S_inverse @ relative.from_S[k]
        rows[:, constraints.predecessor[k]] -= S_inverse @ relative.from_P[k]
        c_J = joint.type.velocity_product(q, S_inverse @ relative.v_rel[k], t)
        P.append(rows)
        # V_S' - Ad V_P' = S qdd + c_J - v_rel x V_S, solved for qdd
        bias.append(S_inverse @ (cross_motion(relative.v_rel[k], relative.V_S[k]) - c_J))
        velocities.append(np.arange(joint.v_slice.start, joint.v_slice.stop))
    return np.concatenate(P), np.concatenate(bias), np.concatenate(velocities)


def rotors(model: Model, constraints: JointConstraints, relative: Relative, t: float) -> Rotors:
    """Return the rotors of all joints of the tree."""
    turning = [i for i, joint in enumerate(model.joints) if joint.armature.any()]
    P, bias, _ = joint_rates(model, constraints, relative, t, turning)
    return Rotors(P[:, 1:], bias, np.concatenate([model.joints[i].armature for i in turning]))
