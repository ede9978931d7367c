"""Hybrid dynamics in four steps: forces given at some joints, accelerations at the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.hybrid.hybrid_crba import hybrid_crba
from rbdkit.algorithms.hybrid.joint_sets import forward_joints, split_variables
from rbdkit.algorithms.hybrid.merged_parents import forward_parent
from rbdkit.algorithms.inverse_dynamics_delta import inverse_dynamics_delta
from rbdkit.algorithms.rnea import rnea
from rbdkit.algorithms.sparse.factors import factorize
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True)
class HybridResult:
    """Result of `hybrid_dynamics`.

    Attributes
    ----------
    qdd, tau : ndarray (nv,)
        Accelerations and forces of all joints, given and computed.
    fd
        Indices of the forward-dynamics joints.
    C_ : ndarray (nv,)
        C', inverse dynamics for the prescribed accelerations and zero acceleration of the joints in fd.
    H11 : ndarray (n1, n1)
        The part of H that belongs to the joints in fd.
    """

    qdd: NDArray
    tau: NDArray
    fd: frozenset[int]
    C_: NDArray
    H11: NDArray


def hybrid_dynamics(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    qdd: NDArray,
    forward: Iterable[str | int],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> HybridResult:
    """Return accelerations of forward-dynamics joints and forces of the others (Featherstone 2008, Eqs 9.2, 9.3).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    tau, qdd : ndarray (nv,)
        Joint forces and accelerations; tau is read at the joints in `forward`, qdd at the others.
    forward : iterable
        Names or indices of the joints whose forces are given.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a joint is unknown or a loop joint, or a forward-dynamics joint moves no inertia.
    """
    require_tree(model, "hybrid dynamics")
    first, second = split_variables(model, forward_joints(model, forward))
    qdd_2, qdd_1 = np.zeros(model.nv), np.zeros(model.nv)
    qdd_2[second] = qdd[second]
    C_ = rnea(model, q, qd, qdd_2, f_ext=f_ext, t=t).tau  # step 1, Eq 9.3
    result = hybrid_crba(model, q, forward, t=t)  # step 2
    qdd_1[first] = _solve(model, result.H11, result.fd, tau[first] - C_[first])  # step 3
    tau_found = C_ + inverse_dynamics_delta(model, q, qdd_1, t=t)  # step 4
    tau_found[first] = tau[first]  # H11 qdd1 + C1' up to round-off
    return HybridResult(qdd_1 + qdd_2, tau_found, result.fd, C_, result.H11)


def _solve(model: Model, H11: NDArray, fd: frozenset[int], rhs: NDArray) -> NDArray:
    """Return H11^-1 rhs, using the branch-induced sparsity of H11 along the merged tree."""
    try:
        return factorize(H11, forward_parent(model, fd)).solve(rhs)
    except ModelError as fault:
        raise ModelError(
            f"H11 of model {model.name!r}: {fault}; prescribe the motion of joints that move nothing with inertia"
        ) from None
