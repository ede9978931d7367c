"""Inverse dynamics by the recursive Newton-Euler algorithm (RNEA; Featherstone 2008, section 5.3).

An outward pass propagates velocities and accelerations from the base to the leaves and gives the net force on each
body; an inward pass sums these to the forces through the joints, whose components along the motion subspaces are tau.
Cost O(n).
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces, external_forces
from rbdkit.algorithms.room import from_world, joint_room, room
from rbdkit.algorithms.rotor import rotor_inertia
from rbdkit.model import Model
from rbdkit.spatial import body, plucker
from rbdkit.spatial.compact import Subspace, fv, mv, plx
from rbdkit.spatial.cross import cross_motion


@dataclass(frozen=True)
class RneaResult:
    """Result of `rnea`, with its intermediates in body coordinates; row i belongs to body i.

    Attributes
    ----------
    tau : ndarray (nv,)
        Joint forces.
    v, a : ndarray (n, 6)
        Velocities, and accelerations with ``a[0] = -gravity``.
    f : ndarray (n, 6)
        Force that the parent exerts on body i through joint i, bearing reaction included; ``f[0]`` is the total
        force of the world on the tree.
    X : ndarray (n, 6, 6)
        Motion transforms from parent to body coordinates.
    S : list of ndarray
        Motion subspaces, (6, nv_i) each.
    """

    tau: NDArray
    v: NDArray
    a: NDArray
    f: NDArray
    X: NDArray
    S: list[NDArray]


def rnea(
    model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> RneaResult:
    """Return the joint forces that produce given joint accelerations (Featherstone 2008, Table 5.1).

    With loop joints these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, qdd : ndarray (nv,)
        Joint velocities and accelerations.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Notes
    -----
    Springs and dampers are not added: tau is the total force along the joints' freedoms. ``f`` also contains the
    reactions in the directions that a joint constrains.
    """
    parent, I, f_x = model.parent, model.I, external_forces(model, f_ext)
    X, S, v, a, f = room(model, plx, Subspace, mv, mv, fv)
    tau, X_0 = joint_room(model, "tau"), None if f_x is None else from_world(model)

    a[0] = [
        0.0,
        0.0,
        0.0,
        *-model.gravity,
    ]  # an upward acceleration of the base instead of gravity forces: text after Eq 5.11
    for i in model.outward:
        joint, p = model.joints[i], parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd, t)
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[p] + v_J  # Eq 5.18
        a[i] = X[i] @ a[p] + S[i] @ qdd[joint.v_slice] + c_J + cross_motion(v[i], v_J)  # Eq 5.19
        f[i] = body.force(I[i], a[i], v[i])  # Eq 5.9: I a + v x* I v
        if X_0 is not None:
            X_0[i] = X[i] @ X_0[p]
            f[i] -= plucker.force(X_0[i]) @ f_x[i]  # Eq 5.20
    for i in model.inward:
        joint, p = model.joints[i], parent[i]
        tau[joint.v_slice] += S[i].T @ f[i] + rotor_inertia(joint) * qdd[joint.v_slice]  # Eq 5.11, and the rotor
        f[p] += X[i].T @ f[i]  # Eq 5.20
    return RneaResult(tau, v, a, f, X, S)
