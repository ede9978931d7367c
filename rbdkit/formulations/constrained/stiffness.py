"""Stiffness and damping matrices of passive forces, in the velocities of constrained bodies.

Linearly implicit methods need K = df/dx and D = -df/dv of springs, dampers and force elements. These act on joint rates
and on bodies, so their derivatives are collected for these arguments first, then mapped to the velocities of the bodies
by a constant matrix: ``seen^T matrix seen``. What changes with that matrix itself is left out; methods keep their order
with any K and D, see `rbdkit.formulations.system.Stiff`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.passive_derivatives import passive_derivatives
from rbdkit.engine.links.element_slopes import slopes
from rbdkit.formulations.constrained.index1 import Index1
from rbdkit.formulations.constrained.layout import block_diagonal
from rbdkit.formulations.system import StiffMatrices
from rbdkit.model.force import surroundings_at

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.bodies import ConstrainedBodies


def body_stiffness(system: ConstrainedBodies, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
    """Return K = df/dx and D = -df/dv, (6 n, 6 n) each, without springs of loop joints.

    Springs and dampers of joints are mapped from joint velocities to those of the bodies: ``P^T K_r P`` with
    ``qd = P V``, where P is taken as constant.
    """
    model, rows = system.model, len(system.model.bodies)
    q, qd = system.joint_state(x, v)
    P = _joint_rates(system, x, v, q)
    n, own = rows - 1, passive_derivatives(model, q, qd)
    at = surroundings_at(model, system.poses(x), system.velocities(x, v), q, qd, t)
    acting = slopes(model, q, qd, np.zeros(0), t, at=at, or_differences=True)
    seen = np.zeros((6 * n + model.nv, rows, 6))  # maps twists of all bodies to the arguments of the elements
    for body in range(1, rows):
        seen[6 * body - 6 : 6 * body, body] = system.to_body[body]
    seen[6 * n :] = P
    seen = seen.reshape(len(seen), 6 * rows)[:, 6:]
    both = []
    for values, of_joints in ((acting.K, own.dtau_dq), (acting.D, -own.dtau_dv)):
        matrix = np.zeros((len(seen), len(seen)))
        np.add.at(matrix, (acting.rows, acting.columns), values)
        matrix[6 * n :, 6 * n :] += of_joints
        both.append(seen.T @ matrix @ seen)
    K, D = both
    if system.group.hybrid.any():  # V = B v
        B = block_diagonal(system.group.tangent(system.reference_poses(x)[1:]))
        K, D = B.T @ K @ B, B.T @ D @ B
    return K, D


@dataclass(frozen=True)
class HeldStiffMatrices(StiffMatrices):
    """`StiffMatrices` of constrained bodies. here : the equations of motion at the state."""

    here: Index1

    def increment(self, s: float, r: NDArray, u: NDArray) -> NDArray:
        """Solve ``(M + s D - s^2 K) w + G^T lambda = M r + K u`` and ``G w = G r`` for w.

        The rows of G are the independent ones of the equations of motion, as their rank is decided by geometry.
        """
        A, b = self.M + s * self.D - s * s * self.K, self.M @ r + self.K @ u
        G = self.here.independent_rows.T @ self.here.J
        return replace(self.here, M=A, Q=b, J=G, eta=G @ r, independent=True, loops=None).accelerations()


def stiff_matrices(system: ConstrainedBodies, t: float, x: NDArray, v: NDArray) -> HeldStiffMatrices:
    """Return M, K and D at a state, with the constraints that increments obey."""
    here = system.index1(t, x, v)
    return HeldStiffMatrices(here.M, *body_stiffness(system, t, x, v), here)


def _joint_rates(system: ConstrainedBodies, x: NDArray, v: NDArray, q: NDArray) -> NDArray:
    """Return P (nv, bodies, 6) with qd = P V, the velocities of the tree's joints closest to twists V of the bodies."""
    relative = system.relative(x, v)
    P = np.zeros((system.model.nv, len(system.model.bodies), 6))
    for k, joint in enumerate(system.model.joints[1:]):
        place = system.constraints.joints[k]
        if joint.nv:
            S_plus = np.linalg.pinv(joint.motion_subspace(q))
            P[joint.v_slice, place.successor] += S_plus @ relative.from_S[k]
            P[joint.v_slice, place.predecessor] -= S_plus @ relative.from_P[k]
    # the world does not move
    P[:, 0] = 0.0
    return P
