"""Derivatives of inverse dynamics with respect to the parameters of a model.

Inertial parameters enter the forces linearly. Geometric ones (placements, the pitch of a screw) displace a whole
subtree rigidly, so they reuse what `rnea_derivatives` computes for a displacement along a joint axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.rnea_derivatives import Axes, RneaDerivatives, axes_of, rnea_derivatives
from rbdkit.joints.stage import Stage
from rbdkit.model import Body, Model
from rbdkit.spatial import plucker
from rbdkit.spatial.body import bar
from rbdkit.spatial.cross import cross_force, cross_motion
from rbdkit.spatial.so3 import skew

UNITS = np.eye(3)


def rnea_parameter_derivatives(
    model: Model, q: NDArray, qd: NDArray, qdd: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> dict[str, NDArray]:
    """Return the derivatives of the joint forces by each parameter, by its name in ``model.parameters``.

    With loop joints these are derivatives of the forces of the spanning tree, see `rnea`.

    Parameters
    ----------
    q, qd, qdd, f_ext, t
        As in `rnea`.

    Returns
    -------
    Arrays (nv, ...) with the parameter's shape after the first axis, with two exceptions: ``j.placement`` (nv, 6), with
    respect to a twist of the joint's frame in its own coordinates, ``placement @ se3.exp(twist)``; ``b.inertia`` (nv,
    3, 3) is symmetric, for symmetric changes. Parameters that tau does not depend on are left out.
    """
    d = rnea_derivatives(model, q, qd, qdd, f_ext=f_ext, t=t)
    found: dict[str, NDArray] = {}
    for body in model.bodies[1:]:
        joint = body.joint
        if body.inertia is not None:
            found |= _inertial(model, body, d)
        to_base = plucker.inverse(plucker.from_pose(joint.placement) @ d.X_0[body.parent])
        frame = axes_of(to_base, [Stage(tuple(range(6)))], d.v[body.parent], d.a[body.parent], *np.zeros((2, 6)))
        found[f"{joint.name}.placement"] = _displaced(model, body, d, frame)
        if joint.nv:
            scale = 1.0 if joint.mimic is None else joint.mimic.multiplier**2
            armature = np.zeros((model.nv, joint.nv))
            armature[joint.v_slice] = np.diag(scale * qdd[joint.v_slice])
            found[f"{joint.name}.armature"] = armature[:, 0] if joint.nv == 1 else armature
        for name in joint.type.numbers:
            found[f"{joint.name}.{name}"] = _by_number(model, body, d, name, q, qd, qdd)
    found["gravity"] = np.zeros((model.nv, 3))
    for i in model.outward:  # f = I (a - gravity) + ...
        found["gravity"][model.joints[i].v_slice] -= d.axes[i].J.T @ d.IC[i][:, 3:]
    return found


def _inertial(model: Model, body: Body, d: RneaDerivatives) -> dict[str, NDArray]:
    """Differentiate by mass, centre of mass and inertia about it; forces are linear in spatial inertia (Eq 2.63)."""
    i, inertia = body.index, body.inertia
    assert inertia is not None
    X, C, m = d.X_0[i], skew(inertia.com), inertia.mass

    def across(dI: NDArray) -> NDArray:
        v, a = X @ d.v[i], X @ d.a[i]
        df = X.T @ (dI @ a + cross_force(v, dI @ v))
        tau = np.zeros(model.nv)
        for j in model.support(i):
            tau[model.joints[j].v_slice] += d.axes[j].J.T @ df
        return tau

    by_mass = np.block([[C @ C.T, C], [C.T, np.eye(3)]])
    by_com = [np.block([[m * (C @ E.T + E @ C.T), m * E], [m * E.T, np.zeros((3, 3))]]) for E in map(skew, UNITS)]
    by_inertia = np.zeros((3, 3, 6, 6))
    for r in range(3):
        for s in range(3):
            by_inertia[r, s, r, s] += 0.5
            by_inertia[r, s, s, r] += 0.5
    return {
        f"{body.name}.mass": across(by_mass),
        f"{body.name}.com": np.stack([across(dI) for dI in by_com], axis=-1),
        f"{body.name}.inertia": np.moveaxis(np.array([[across(dI) for dI in row] for row in by_inertia]), -1, 0),
    }


def _displaced(model: Model, body: Body, d: RneaDerivatives, frame: Axes) -> NDArray:
    """Return derivatives by displacements of a body's subtree along axes that move along: (nv, number of axes)."""
    i = body.index
    result = np.zeros((model.nv, frame.J.shape[1]))
    answer = d.IC[i] @ frame.Psi_ddot + 2.0 * d.BC[i] @ frame.Psi_dot + bar(d.F[i] + d.F_x[i]) @ frame.J
    for j in model.support(i)[:-1]:
        result[model.joints[j].v_slice] += d.axes[j].J.T @ answer
    for k in model.subtree(i):
        answer = d.IC[k] @ frame.Psi_ddot + 2.0 * d.BC[k] @ frame.Psi_dot + bar(d.F_x[k]) @ frame.J
        result[model.joints[k].v_slice] += d.axes[k].J.T @ answer
    return result


def _by_number(
    model: Model, body: Body, d: RneaDerivatives, name: str, q: NDArray, qd: NDArray, qdd: NDArray
) -> NDArray:
    """Differentiate by a number of the joint type, such as a screw's pitch: it moves the body and changes S and c_J."""
    i, p, joint = body.index, body.parent, body.joint
    to_base = plucker.inverse(d.X_0[i])
    v, a = joint.velocities(qd), joint.velocities(qdd)
    twist, S, c_J = joint.type.by_number(name, joint.coordinates(q), v)
    frame = axes_of((to_base @ twist)[:, None], [Stage((0,))], d.v[p], d.a[p], np.zeros(1), np.zeros(1))
    result = _displaced(model, body, d, frame)[:, 0]
    change_v = to_base @ (S @ v)
    change_a = to_base @ (S @ a + c_J) + cross_motion(d.v[p] + d.v[i], change_v)
    for k in {*model.support(i), *model.subtree(i)}:
        carried = max(i, k)  # the subtree that both joints carry
        answer = d.IC[carried] @ change_a + 2.0 * d.BC[carried] @ change_v
        result[model.joints[k].v_slice] += d.axes[k].J.T @ answer
    scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
    result[joint.v_slice] += scale * ((to_base @ S).T @ d.F[i])
    return result
