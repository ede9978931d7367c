"""Forward dynamics by the joint-space inertia matrix, and the choice between it and ABA."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.aba import aba
from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.passive_force import passive_force
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


def forward_dynamics_crba(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    factorization: Literal["dense", "ltl", "ltdl"] = "dense",
) -> NDArray:
    """Return qdd (nv,) from H qdd = tau - C (Featherstone 2008, section 6.1); also for models with mimic joints.

    Parameters
    ----------
    q, qd, tau, f_ext, t
        As for `forward_dynamics`; springs and dampers are not added to tau.
    factorization : {'dense', 'ltl', 'ltdl'}, optional
        Factorization of H: 'dense' is NumPy's Cholesky; 'ltl' and 'ltdl' skip the zeros due to branches, see
        `rbdkit.algorithms.sparse`, in plain Python.

    Raises
    ------
    ModelError
        If the model has loop joints, or H is not positive definite.
    """
    require_tree(model, "the readable forward dynamics by H and C")
    if model.nv == 0:
        return np.zeros(0)
    C = bias_force(model, q, qd, f_ext=f_ext, t=t)
    H = crba(model, q, t=t).H
    if not np.isfinite(H).all():
        return np.full(model.nv, np.nan)  # as ABA does for a diverged state
    if factorization != "dense":
        from rbdkit.algorithms.sparse import expanded_parent, factorize  # most calls never need it

        try:
            return factorize(H, expanded_parent(model), factorization).solve(tau - C)
        except ModelError as fault:
            raise ModelError(f"model {model.name!r}: {fault}") from None
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"the inertia matrix of model {model.name!r} is not positive definite; "
            "see model.validate() for the body that lacks inertia"
        ) from None
    return np.linalg.solve(L.T, np.linalg.solve(L, tau - C))


def forward_dynamics(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: NDArray | None = None,
) -> NDArray:
    """Return the joint accelerations under tau and all passive forces, as a simulation integrates them.

    Uses ABA, or H and C for models with mimic joints.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and applied joint forces.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    z : ndarray (nz,), optional
        States of force elements, if they have any.

    Returns
    -------
    (nv,) joint accelerations.
    """
    require_tree(model, "the readable forward dynamics")
    total = tau + passive_force(model, q, qd, t=t, z=z)
    if model.mimics:
        return forward_dynamics_crba(model, q, qd, total, f_ext=f_ext, t=t)
    return aba(model, q, qd, total, f_ext=f_ext, t=t).qdd
