"""Jacobians of joint forces and accelerations by q, v and what drives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.derivatives.stacks import each, independent
from rbdkit.functions import Backend, checked_state, with_inertia
from rbdkit.model import Model


@dataclass(frozen=True)
class RneaDerivatives:
    """Of joint forces, rows, by q, v and a, columns: (..., nv, nv) each. dtau_da is the inertia matrix H."""

    dtau_dq: NDArray
    dtau_dv: NDArray
    dtau_da: NDArray


@dataclass(frozen=True)
class DynamicsDerivatives:
    """The accelerations a (..., nv), and their derivatives by q, v and tau: (..., nv, nv) each. da_dtau is H^-1."""

    a: NDArray
    da_dq: NDArray
    da_dv: NDArray
    da_dtau: NDArray


def rnea_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> RneaDerivatives:
    """How the joint forces of `rnea` change with q, v and a; see `rbdkit.derivatives` for what that means.

    Where joints close loops these are derivatives of the forces of the spanning tree, see `rnea`.

    Parameters
    ----------
    q : (..., nq). v, a : (..., nv), SI units and radians. f_ext, t, backend : as in `rnea`.
    """
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    if (kernels := independent(model, backend)) is not None:
        return RneaDerivatives(*kernels.rnea_jacobian(q, v, a, algorithms.external_forces(model, f_ext)))

    def book(q: NDArray, v: NDArray, a: NDArray) -> list[NDArray]:
        d = algorithms.rnea_derivatives(model, q, v, a, f_ext, t)
        return [d.dtau_dq, d.dtau_dv, d.dtau_da]

    return RneaDerivatives(*each(book, *state))


def aba_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> DynamicsDerivatives:
    """How the accelerations of `aba` change with q, v and tau; springs and dampers do not act."""
    return _dynamics_derivatives(model, q, v, tau, f_ext, t, backend, passive=False)


def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> DynamicsDerivatives:
    """How the accelerations of `forward_dynamics` change with q, v and tau, with the joints' springs and dampers."""
    return _dynamics_derivatives(model, q, v, tau, f_ext, t, backend, passive=True)


def _dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces,
    t: float,
    backend: Backend,
    passive: bool,
) -> DynamicsDerivatives:
    q, v, tau = state = checked_state(with_inertia(model), q, v=v, tau=tau)
    algorithms.require_tree(model)
    if (kernels := independent(model, backend)) is not None:
        blocks, qdd = kernels.aba_jacobian(q, v, tau, algorithms.external_forces(model, f_ext), passive)
        if np.isfinite(qdd).all():
            return DynamicsDerivatives(qdd, *blocks)  # else the readable form says what is wrong

    def book(q: NDArray, v: NDArray, tau: NDArray) -> list[NDArray]:
        d = algorithms.forward_dynamics_derivatives(model, q, v, tau, f_ext, t, passive)
        return [d.qdd, d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau]

    return DynamicsDerivatives(*each(book, *state))
