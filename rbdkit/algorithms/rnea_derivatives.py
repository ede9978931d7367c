"""Derivatives of inverse dynamics, by recursion over the tree in base coordinates.

In base coordinates a displacement along a joint axis moves the joint's whole subtree as one rigid body, so derivatives
of all bodies on it add up to those of one body with composite inertia IC and composite Coriolis matrix BC (Singh,
Russell and Wensing 2022). The cost is O(n d) for a tree of depth d, without any tensor of third order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.base_motion import base_motion
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.algorithms.stages import moved, parts, stages
from rbdkit.joints.stage import Stage
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.body import bar
from rbdkit.spatial.cross import crm, cross_force, cross_motion


@dataclass(frozen=True)
class Axes:
    """Joint axes in base coordinates and their rates, one column per freedom, shape (6, nv) each.

    Attributes
    ----------
    J : ndarray
        The axes.
    Psi_dot : ndarray
        v_c x J, their rates; v_c is the velocity of the frame in which the axes are constant.
    Psi_ddot : ndarray
        a_c x J + v_c x Psi_dot, their second rates.
    W : ndarray
        (v_before + v_after) x J, with the velocities before and after the axis.
    """

    J: NDArray
    Psi_dot: NDArray
    Psi_ddot: NDArray
    W: NDArray

    def joined(self, G: NDArray) -> Axes:
        """Return the axes of freedoms that move several axes at once, by G (axes, freedoms)."""
        return Axes(self.J @ G, self.Psi_dot @ G, self.Psi_ddot @ G, self.W @ G)


@dataclass(frozen=True)
class RneaDerivatives:
    """Result of `rnea_derivatives`: rows belong to joint forces, columns to the variables of differentiation.

    Attributes
    ----------
    dtau_dq, dtau_dv, dtau_da : ndarray
        (nv, nv); dtau_da is the inertia matrix H.
    v, a : ndarray (n, 6)
        Velocities and accelerations of the bodies in base coordinates, with ``a[0] = -gravity``.
    IC, BC : ndarray (n, 6, 6)
        Inertia and Coriolis matrix of the subtree that each joint carries, in base coordinates.
    F, F_x : ndarray (n, 6)
        Force through each joint, and the external forces on the subtree that it carries.
    axes : list of Axes
        Axes of each joint.
    X_0 : ndarray (n, 6, 6)
        Motion transforms from base to body coordinates.
    """

    dtau_dq: NDArray
    dtau_dv: NDArray
    dtau_da: NDArray
    v: NDArray
    a: NDArray
    IC: NDArray
    BC: NDArray
    F: NDArray
    F_x: NDArray
    axes: list[Axes]
    X_0: NDArray


def rnea_derivatives(
    model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> RneaDerivatives:
    """Return derivatives of the joint forces by q, qd and qdd (Singh, Russell and Wensing 2022, in base coordinates).

    With loop joints these are derivatives of the forces of the spanning tree, see `rnea`.

    The derivative with respect to q is that along ``model.integrate(q, dq)`` at dq = 0: nv columns, for a quaternion
    the three rotations about the body's own axes. qd and qdd keep their components while the joint axes move along.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, qdd : ndarray (nv,)
        Joint velocities and accelerations.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`; they are constant in the world
        when q changes.
    t : float, optional
        Time in s, for prescribed joints.

    Notes
    -----
    A displacement along axis J of a joint moves its subtree as one rigid body, and forces turn along with it, J x* f.
    The motion (v_c, a_c) of the frame before the axis does not turn: relative to the displaced subtree it changes by
    Psi_dot and Psi_ddot, which changes the forces by ``IC Psi_ddot + 2 BC Psi_dot``. A mimic joint adds to the column
    of its master joint.
    """
    n, parent = len(model.bodies), model.parent
    X_0, _, v, a, IC, BC, f, f_x = base_motion(model, q, qd, qdd, f_ext=f_ext, t=t)
    F_x = np.zeros((n, 6)) if f_x is None else f_x
    F, axes = f - F_x, [Axes(*np.zeros((4, 6, 0)))] * n
    J_parts, G = [np.zeros((6, 0))] * n, [np.zeros((0, 0))] * n
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        P, G[i] = parts(joint, q)
        P, qd_i, qdd_i = plucker.inverse(X_0[i]) @ P, G[i] @ qd[joint.v_slice], G[i] @ qdd[joint.v_slice]
        of_parts = axes_of(P, stages(joint), v[p], a[p], qd_i, qdd_i)
        J_parts[i], axes[i] = of_parts.J, of_parts.joined(G[i])

    dtau_dq, dtau_dv, dtau_da = np.zeros((3, model.nv, model.nv))
    for i in model.inward:
        joint, i_ = model.joints[i], model.joints[i].v_slice
        J, Psi_dot, Psi_ddot, W = axes[i].J, axes[i].Psi_dot, axes[i].Psi_ddot, axes[i].W
        answer_q = IC[i] @ Psi_ddot + 2.0 * BC[i] @ Psi_dot
        answer_v = IC[i] @ W + 2.0 * BC[i] @ J
        with_it = np.where(moved(stages(joint))[:, :, None], F_x[i], F[i] + F_x[i])
        turning = np.einsum("xk,klx->kl", J_parts[i], cross_force(J_parts[i].T, with_it))
        dtau_dq[i_, i_] += J.T @ answer_q + G[i].T @ turning @ G[i]
        dtau_dv[i_, i_] += J.T @ answer_v
        dtau_da[i_, i_] += J.T @ IC[i] @ J + np.diag(rotor_inertia(joint))
        for j in model.support(i)[:-1]:
            j_, J_j = model.joints[j].v_slice, axes[j].J
            # joint i moves a part of the subtree of joint j; joint j carries joint i and its axes along
            dtau_dq[j_, i_] += J_j.T @ (answer_q + bar(F[i] + F_x[i]) @ J)
            dtau_dq[i_, j_] += J.T @ (IC[i] @ axes[j].Psi_ddot + 2.0 * BC[i] @ axes[j].Psi_dot + bar(F_x[i]) @ J_j)
            dtau_dv[j_, i_] += J_j.T @ answer_v
            dtau_dv[i_, j_] += J.T @ (IC[i] @ axes[j].W + 2.0 * BC[i] @ J_j)
            H_ij = J.T @ IC[i] @ J_j
            dtau_da[i_, j_] += H_ij
            dtau_da[j_, i_] += H_ij.T
        if parent[i] >= 0:
            for total in (IC, BC, F, F_x):
                total[parent[i]] += total[i]
    return RneaDerivatives(dtau_dq, dtau_dv, dtau_da, v, a, IC, BC, F, F_x, axes, np.array(X_0))


def axes_of(J: NDArray, order: list[Stage], v: NDArray, a: NDArray, qd: NDArray, qdd: NDArray) -> Axes:
    """Return the axes J (6, m) with their rates, for a joint on a parent that moves with v, a; in base coordinates."""
    Psi_dot, Psi_ddot, W = np.zeros((3, *J.shape))
    for stage in order:
        k = list(stage.freedoms)
        v_J = J[:, k] @ qd[k]
        v_after, a_after = v + v_J, a + J[:, k] @ qdd[k] + cross_motion(v, v_J)
        v_c, a_c = (v, a) if stage.carried else (v_after, a_after)
        Psi_dot[:, k] = crm(v_c) @ J[:, k]
        Psi_ddot[:, k] = crm(a_c) @ J[:, k] + crm(v_c) @ Psi_dot[:, k]
        W[:, k] = crm(v + v_after) @ J[:, k]
        v, a = v_after, a_after
    return Axes(J, Psi_dot, Psi_ddot, W)
