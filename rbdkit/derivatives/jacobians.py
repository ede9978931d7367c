"""Jacobians of joint forces by q, v and a, and of accelerations by q, v and tau."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.algorithms.contact.apart import require_apart
from rbdkit.derivatives.followers import followers
from rbdkit.derivatives.held import held_dynamics_derivatives
from rbdkit.derivatives.places import place_of, placed
from rbdkit.derivatives.stacks import each, independent
from rbdkit.functions.accelerations import forward_dynamics
from rbdkit.functions.asking import Backend, checked_state, resisting, with_inertia
from rbdkit.model import Model


@dataclass(frozen=True)
class RneaDerivatives:
    """Derivatives of joint forces, rows, by coordinates, velocities and accelerations, columns.

    Attributes
    ----------
    dtau_dq, dtau_dv : ndarray (..., nv, nv)
        By displacements along ``model.integrate`` and by joint velocities.
    dtau_da : ndarray (..., nv, nv)
        By accelerations: the inertia matrix H.
    """

    dtau_dq: NDArray
    dtau_dv: NDArray
    dtau_da: NDArray


@dataclass(frozen=True)
class DynamicsDerivatives:
    """The accelerations, and their derivatives, rows, by coordinates, velocities and forces, columns.

    Attributes
    ----------
    a : ndarray (..., nv)
        The accelerations themselves.
    da_dq, da_dv : ndarray (..., nv, nv)
        By displacements along ``model.integrate`` and by joint velocities.
    da_dtau : ndarray (..., nv, nv)
        By joint forces: the inverse of the inertia matrix H; with loops or constraints, of what they leave of it.
    """

    a: NDArray
    da_dq: NDArray
    da_dv: NDArray
    da_dtau: NDArray


def rnea_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    out: RneaDerivatives | None = None,
    threads: int = 1,
) -> RneaDerivatives:
    """Return the derivatives of the joint forces of `rnea` by q, v and a, as defined in `rbdkit.derivatives`.

    With loops these are derivatives of the forces of the spanning tree, see `rnea`.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    f_ext, t, backend : optional
        As for `rnea`.
    out : rbdkit.derivatives.RneaDerivatives, optional
        The result of an earlier call for as many states, whose arrays are overwritten; new memory if not given. After
        an error its content is undefined.
    threads : int, optional
        As for `rnea`.

    Returns
    -------
    rbdkit.derivatives.RneaDerivatives
        ``dtau_dq``, ``dtau_dv`` and ``dtau_da``, each (..., nv, nv).

    Raises
    ------
    StateError, ModelError
        As `rnea` does.

    Notes
    -----
    The recursions of Singh, Russell and Wensing (2022).

    Examples
    --------
    A hanging pendulum pulls back like a spring of m g l = 10 N m/rad:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -1]))
    >>> d = rbd.rnea_derivatives(model, [0.0], [0.0], [0.0])
    >>> d.dtau_dq.tolist(), d.dtau_da.tolist()
    ([[10.0]], [[1.0]])
    """
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    place = place_of(out, RneaDerivatives, threads, v, *state)
    if (kernels := independent(model, backend)) is not None:
        blocks = kernels.rnea_jacobian(q, v, a, algorithms.external_forces(model, f_ext), place)
        return placed(RneaDerivatives, blocks, out)
    if (coupled := followers(model, backend)) is not None:
        forces = algorithms.external_forces(model, f_ext)
        return placed(RneaDerivatives, coupled.rnea_jacobian(q, v, a, forces), out)

    def book(q: NDArray, v: NDArray, a: NDArray) -> list[NDArray]:
        d = algorithms.rnea_derivatives(model, q, v, a, f_ext=f_ext, t=t)
        return [d.dtau_dq, d.dtau_dv, d.dtau_da]

    return placed(RneaDerivatives, each(book, *state), out)


def aba_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    out: DynamicsDerivatives | None = None,
    threads: int = 1,
) -> DynamicsDerivatives:
    """Return the derivatives of the accelerations of `aba` by q, v and tau, without springs and dampers.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces, N m and N.
    f_ext, t, backend : optional
        As for `aba`.
    out : rbdkit.derivatives.DynamicsDerivatives, optional
        The result of an earlier call for as many states, whose arrays are overwritten; new memory if not given. After
        an error its content is undefined.
    threads : int, optional
        As for `aba`.

    Returns
    -------
    rbdkit.derivatives.DynamicsDerivatives
        The accelerations ``a`` (..., nv), and ``da_dq``, ``da_dv`` and ``da_dtau``, each (..., nv, nv).

    Raises
    ------
    StateError, ModelError
        As `aba` does.

    See Also
    --------
    rbdkit.derivatives : What a derivative with respect to q means on a manifold.

    Notes
    -----
    They follow from those of inverse dynamics (Jain and Rodriguez 1993, Carpentier and Mansard 2018).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -1]))
    >>> d = rbd.aba_derivatives(model, [0.0], [0.0], [0.0])
    >>> d.da_dq.tolist(), d.da_dtau.tolist()
    ([[-10.0]], [[0.5]])
    """
    return _dynamics_derivatives(model, q, v, tau, f_ext, t, backend, out, threads, passive=False)


def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    out: DynamicsDerivatives | None = None,
    threads: int = 1,
) -> DynamicsDerivatives:
    """Return the derivatives of the accelerations of `forward_dynamics` by q, v and tau, with springs and dampers.

    With loops or constraints the forces of these follow the state; see the notes for what is held.

    Parameters
    ----------
    model : Model
        A tree of bodies; or one with loops or constraints, whose joints obey ``K(q) a = k(q, v)``.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces without springs and dampers, N m and N.
    f_ext, t, backend : optional
        As for `forward_dynamics`.
    out : rbdkit.derivatives.DynamicsDerivatives, optional
        The result of an earlier call for as many states, whose arrays are overwritten; new memory if not given. After
        an error its content is undefined.
    threads : int, optional
        As for `forward_dynamics`.

    Returns
    -------
    rbdkit.derivatives.DynamicsDerivatives
        The accelerations ``a`` (..., nv), and ``da_dq``, ``da_dv`` and ``da_dtau``, each (..., nv, nv).

    Raises
    ------
    StateError, ModelError
        As `forward_dynamics` does.

    See Also
    --------
    linearize : A and B in as many coordinates as there are freedoms, with feet that stand on the ground.

    Notes
    -----
    Each derivative is a partial one: of the function ``forward_dynamics(model, q, v, tau)`` by one argument, whose
    entries vary one by one, with the other two held. With loops or constraints this is what Pinocchio's
    `computeConstraintDynamicsDerivatives` gives, without its correction terms: displacements ``dq`` that open loops
    count like others, and along them the derivatives depend on how the rows of K are written. Motions have only those
    with ``K dq = 0`` and velocities that change with them, ``K dv = -dK v``; along such pairs ``da_dq dq + da_dv dv``
    is the change of the accelerations of the mechanism. ``da_dtau = G (G^T H G)^-1 G^T``, where G spans the motions
    that are allowed: symmetric, and of the rank of the freedoms. Where rows are redundant, directions that none of
    the others allow depend on which are left out as well.

    Trees have exact derivatives; loops and constraints add differences of sixth order of K and k, accurate to about
    1e-12 of the largest entry.

    Examples
    --------
    How stiff and how damped is a mass of 2 kg on a spring of 8 N/m with a damper of 1 N s/m?

    >>> import rbdkit as rbd
    >>> model = rbd.Model("oscillator")
    >>> rail = rbd.Prismatic("x")
    >>> cart = model.add_body("cart", joint=rail, inertia=rbd.Inertia(2.0), stiffness=8.0, damping=1.0)
    >>> d = rbd.forward_dynamics_derivatives(model, [0.1], [0.0], [0.0])
    >>> d.da_dq.tolist(), d.da_dv.tolist()
    ([[-4.0]], [[-0.5]])
    """
    return _dynamics_derivatives(model, q, v, tau, f_ext, t, backend, out, threads, passive=True)


def _dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces,
    t: float,
    backend: Backend,
    out: DynamicsDerivatives | None,
    threads: int,
    passive: bool,
) -> DynamicsDerivatives:
    q, v, tau = state = checked_state(resisting(model), q, v=v, tau=tau)
    if passive and (model.loops or model.constraints):
        return _held_derivatives(model, q, v, tau, f_ext, t, backend, out, threads)
    algorithms.require_tree(model, "the derivative of forward dynamics")
    place = place_of(out, DynamicsDerivatives, threads, v, *state)
    if model.contact_rules:
        require_apart(model, q, "the derivative of forward dynamics", t)
    if (kernels := independent(model, backend)) is not None:
        blocks, qdd = kernels.aba_jacobian(q, v, tau, algorithms.external_forces(model, f_ext), passive, t, place)
        if np.isfinite(qdd).all():
            return placed(DynamicsDerivatives, [qdd, *blocks], out)  # else the readable form says what is wrong
    if (coupled := followers(model, backend)) is not None:
        with suppress(np.linalg.LinAlgError):  # likewise
            found = coupled.dynamics_jacobian(q, v, tau, algorithms.external_forces(model, f_ext), passive, t)
            if np.isfinite(found[0]).all():
                return placed(DynamicsDerivatives, found, out)

    def book(q: NDArray, v: NDArray, tau: NDArray) -> list[NDArray]:
        d = algorithms.forward_dynamics_derivatives(model, q, v, tau, f_ext=f_ext, t=t, passive=passive)
        return [d.qdd, d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau]

    return placed(DynamicsDerivatives, each(book, *state), out)


def _held_derivatives(
    model: Model,
    q: NDArray,
    v: NDArray,
    tau: NDArray,
    f_ext: ExternalForces,
    t: float,
    backend: Backend,
    out: DynamicsDerivatives | None,
    threads: int,
) -> DynamicsDerivatives:
    """Evaluate `forward_dynamics_derivatives` of models with loops or constraints."""
    place_of(out, DynamicsDerivatives, threads, v, q, v, tau)  # which checks out; one state after the other fills it
    a = forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, backend=backend, threads=threads)
    tree = rnea_derivatives(model, q, v, a, f_ext=f_ext, t=t, backend=backend, threads=threads)
    nv = model.nv
    found = np.empty((*v.shape, 3 * nv))
    for at in np.ndindex(v.shape[:-1]):
        by_q, by_v, H = tree.dtau_dq[at], tree.dtau_dv[at], tree.dtau_da[at]
        blocks = held_dynamics_derivatives(
            model, q[at], v[at], tau[at], by_q, by_v, H, a[at], f_ext=f_ext, t=t, backend=backend
        )
        found[at] = np.concatenate(blocks, axis=1)
    return placed(DynamicsDerivatives, [a, *np.split(found, 3, axis=-1)], out)
