"""Jacobian and impulse response of a floating system (Featherstone 2008, Example 9.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.equation import FloatingEquation
from rbdkit.algorithms.floating_base.floating_crba import floating_crba
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.algorithms.jacobian import jacobian
from rbdkit.model.numbering import WORLD
from rbdkit.spatial import plucker


def floating_jacobian(system: FloatingBase, q: NDArray, body: str, *, t: float = 0.0) -> NDArray:
    """Return J_i^fl = J_i - (I_0^c)^-1 F, (6, nv), in the coordinates of body i.

    J_i^fl includes the reaction of the free base. It maps qdd to the part of a_i that depends on it, and sudden changes
    of qd to those of v_i.

    Parameters
    ----------
    q : ndarray (nq,)
        Joint coordinates.
    body : str
        Name of a body or frame, or of the base.
    """
    inertia, name = floating_crba(system, q, t=t), WORLD if body == system.name else body
    base = -solve_base(inertia.I_0c, inertia.F, system.name)
    frame, i = system.tree.frame(name), system.tree.frame(name).body
    for j in system.tree.support(i):
        base = inertia.X[j] @ base
    return jacobian(system.tree, q, name, t=t) + plucker.from_pose(frame.placement) @ base


class ImpulseResponse(NamedTuple):
    """Velocity steps due to an impulse: v_0 (6,) of the base, qd (nv,) of joints, v (n, 6) of all bodies."""

    v_0: NDArray
    qd: NDArray
    v: NDArray


def impulse_response(
    system: FloatingBase, q: NDArray, impulse: NDArray, *, external: ExternalForces = None, t: float = 0.0
) -> ImpulseResponse:
    """Return the velocity steps due to impulses in the joints and on the bodies.

    Parameters
    ----------
    q : ndarray (nq,)
        Joint coordinates.
    impulse : ndarray (nv,)
        Impulses in the joints, N m s or N s.
    external : ExternalForces, optional
        Impulses on bodies, in base coordinates, see `FloatingBase.external_forces`.
    """
    tree, parent, inertia = system.tree, system.tree.parent, floating_crba(system, q, t=t)
    X_0, f, tau, v = [np.eye(6)] * len(tree.bodies), system.external_forces(external), np.zeros(tree.nv), []
    for i in tree.outward:
        X_0[i] = inertia.X[i] @ X_0[parent[i]]
        f[i] = plucker.force(X_0[i]) @ f[i]
    for i in tree.inward:
        tau[tree.joints[i].v_slice] += inertia.S[i].T @ f[i]
        f[parent[i]] += inertia.X[i].T @ f[i]
    # Eq 9.13 integrated over the impact: velocities stay finite, so only impulses remain in the bias terms
    at_blow = FloatingEquation(inertia.I_0c, inertia.F, inertia.H, p_0c=-f[0], C=-tau, system=system)
    d_v0, d_qd = at_blow.solve(impulse)
    v.append(d_v0)
    for i in tree.outward:
        v.append(inertia.X[i] @ v[parent[i]] + inertia.S[i] @ d_qd[tree.joints[i].v_slice])
    return ImpulseResponse(d_v0, d_qd, np.array(v))
