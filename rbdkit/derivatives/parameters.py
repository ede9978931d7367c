"""Jacobians by the parameters of a model, and the regressor of its inertial ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.derivatives.gradients import forward_dynamics_gradient, rnea_gradient
from rbdkit.derivatives.stacks import each, independent
from rbdkit.functions import Backend, checked_state, with_inertia
from rbdkit.model import Model


def rnea_parameter_jacobian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> dict[str, NDArray]:
    """How the joint forces of `rnea` change with each parameter, by name: (..., nv, *shape of the parameter).

    Where joints close loops these are derivatives of the forces of the spanning tree, see `rnea`.
    """
    q, v, a = (x[..., None, :] for x in checked_state(with_inertia(model), q, v=v, a=a))
    return rnea_gradient(model, q, v, a, np.eye(model.nv), f_ext, t, backend).parameters


def forward_dynamics_parameter_jacobian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> dict[str, NDArray]:
    """How the accelerations of `forward_dynamics` change with each parameter, by name: (..., nv, *shape)."""
    q, v, tau = (x[..., None, :] for x in checked_state(with_inertia(model), q, v=v, tau=tau))
    return forward_dynamics_gradient(model, q, v, tau, np.eye(model.nv), f_ext, t, backend).parameters


def inertial_regressor(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Y (..., nv, bodies, 10) of ``rnea = Y pi``; see `rbdkit.algorithms.inertial_regressor`.

    Where joints close loops Y is that of the spanning tree, see `rnea`.

    pi are the ``ten_parameters`` of each body's inertia; rotors and external forces come on top.
    """
    state = checked_state(with_inertia(model), q, v=v, a=a)
    if (kernels := independent(model, backend)) is not None:
        rows = [x[..., None, :] for x in state]
        q, v, a, w = checked_state(with_inertia(model), rows[0], v=rows[1], a=rows[2], weights=np.eye(model.nv))
        return kernels.inertial_gradient(kernels.rnea_gradient(q, v, a, w).by_link)
    return each(lambda q, v, a: [algorithms.inertial_regressor(model, q, v, a, t)], *state)[0]
