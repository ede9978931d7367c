"""Gradients of weighted sums of joint forces or accelerations, by the state and every parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.algorithms.contact.apart import require_apart
from rbdkit.derivatives.stacks import each_named, independent
from rbdkit.engine import Kernels
from rbdkit.engine.links.own_forces import number_places, require_known_places
from rbdkit.functions import passive_force, rnea
from rbdkit.functions.asking import Backend, checked_state, resisting, with_inertia
from rbdkit.model import Model


@dataclass(frozen=True)
class Gradient:
    """Gradient of a weighted sum of joint forces or accelerations.

    Attributes
    ----------
    q, v : ndarray (..., nv)
        Derivatives by displacements along ``model.integrate`` and by joint velocities.
    a : ndarray (..., nv) or None
        Derivative of inverse dynamics by the accelerations; None for forward dynamics.
    tau : ndarray (..., nv) or None
        Derivative of forward dynamics by the joint forces; None for inverse dynamics.
    f_ext : ndarray (..., bodies, 6) or None
        Derivative by the external forces in world coordinates; None if none were given.
    parameters : dict of str to ndarray
        Derivatives by the parameters, by name, with the parameter's shape after the leading axes, see
        `rbdkit.derivatives`. Parameters without influence are left out.
    """

    q: NDArray
    v: NDArray
    a: NDArray | None
    tau: NDArray | None
    f_ext: NDArray | None
    parameters: dict[str, NDArray]


def rnea_gradient(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    weights: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> Gradient:
    """Gradient of ``weights @ rnea(model, q, v, a, f_ext)`` with respect to the state and every parameter.

    It costs little more than the forces themselves, however many parameters there are. Where joints close loops these
    are derivatives of the forces of the spanning tree, see `rnea`.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    weights : array_like (..., nv)
        Of the joint forces in the sum.
    f_ext, t, backend : optional
        As for `rnea`.

    Returns
    -------
    rbdkit.derivatives.Gradient
        By ``q``, ``v``, ``a``, ``f_ext``, and ``parameters`` by name.

    Raises
    ------
    StateError, ModelError
        As `rnea` does.

    See Also
    --------
    rbdkit.derivatives : What a derivative with respect to q, a placement or an inertia means.

    Examples
    --------
    How much more torque holds the level pendulum for each kilogram, and for each metre of string?

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -1]))
    >>> by = rbd.rnea_gradient(model, [np.pi / 2], [0.0], [0.0], weights=[1.0])
    >>> float(by.parameters["ball.mass"].round(9)), float(by.parameters["ball.com"][2].round(9))
    (10.0, -20.0)
    """
    q, v, a, w = state = checked_state(with_inertia(model), q, v=v, a=a, weights=weights)
    if (kernels := independent(model, backend)) is not None:
        forces = algorithms.external_forces(model, f_ext)
        g = kernels.rnea_gradient(q, v, a, w, forces)
        parameters = kernels.parameter_gradient(model, g.by_link) | {"gravity": g.by_gravity}
        parameters |= _by_joint(model, {"armature": w * a})
        parameters |= _by_own_numbers(model, parameters, q, v, a, w, forces, None)
        by_f_ext = None if forces is None else g.by_f_ext
        return Gradient(g.by_q, g.by_v, g.by_qdd, None, by_f_ext, _in_order(model, parameters))

    def book(q: NDArray, v: NDArray, a: NDArray, w: NDArray) -> dict[str, NDArray]:
        d = algorithms.rnea_derivatives(model, q, v, a, f_ext=f_ext, t=t)
        parameters = algorithms.rnea_parameter_derivatives(model, q, v, a, f_ext=f_ext, t=t)
        state = {"(q)": w @ d.dtau_dq, "(v)": w @ d.dtau_dv, "(last)": w @ d.dtau_da, "(f)": -_power_of(model, q, w, t)}
        return state | {name: np.tensordot(w, x, 1) for name, x in parameters.items()}

    found = each_named(book, *state)
    by_f_ext = found["(f)"] if f_ext is not None else None
    return Gradient(found["(q)"], found["(v)"], found["(last)"], None, by_f_ext, _in_order(model, found))


def aba_gradient(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    weights: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> Gradient:
    """Gradient of ``weights @ aba(model, q, v, tau, f_ext)`` with respect to the state and every parameter.

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
    weights : array_like (..., nv)
        Of the accelerations in the sum.
    f_ext, t, backend : optional
        As for `aba`.

    Returns
    -------
    rbdkit.derivatives.Gradient
        By ``q``, ``v``, ``tau``, ``f_ext``, and ``parameters`` by name.

    Raises
    ------
    StateError, ModelError
        As `aba` does.

    Examples
    --------
    A force of 8 N on 2 kg: each further newton brings 0.5 m/s2, each further kilogram takes 2 m/s2 away.

    >>> import rbdkit as rbd
    >>> model = rbd.Model("cart")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    >>> by = rbd.aba_gradient(model, [0.0], [0.0], [8.0], weights=[1.0])
    >>> by.tau.tolist(), float(by.parameters["cart.mass"])
    ([0.5], -2.0)
    """
    return _dynamics_gradient(model, q, v, tau, weights, f_ext, t, backend, passive=False)


def forward_dynamics_gradient(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    weights: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> Gradient:
    """Gradient of ``weights @ forward_dynamics(...)`` with respect to the state and every parameter.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces without springs and dampers, N m and N.
    weights : array_like (..., nv)
        Of the accelerations in the sum.
    f_ext, t, backend : optional
        As for `forward_dynamics`.

    Returns
    -------
    rbdkit.derivatives.Gradient
        By ``q``, ``v``, ``tau``, ``f_ext``, and ``parameters`` by name: stiffness, damping and rest of the springs too.

    Raises
    ------
    StateError, ModelError
        As `forward_dynamics` does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("oscillator")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), stiffness=8.0)
    >>> by = rbd.forward_dynamics_gradient(model, [0.5], [0.0], [0.0], weights=[1.0])
    >>> by.q.tolist(), float(by.parameters["cart_joint.stiffness"]), float(by.parameters["cart_joint.rest"])
    ([-4.0], -0.25, 4.0)
    """
    return _dynamics_gradient(model, q, v, tau, weights, f_ext, t, backend, passive=True)


def _dynamics_gradient(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    weights: ArrayLike,
    f_ext: ExternalForces,
    t: float,
    backend: Backend,
    passive: bool,
) -> Gradient:
    q, v, tau, w = state = checked_state(resisting(model), q, v=v, tau=tau, weights=weights)
    algorithms.require_tree(model, "the derivative of forward dynamics")
    if model.contact_rules:
        require_apart(model, q, "the derivative of forward dynamics", t)
    if (kernels := independent(model, backend)) is not None:
        forces = algorithms.external_forces(model, f_ext)
        a = (kernels.forward_dynamics if passive else kernels.aba)(q, v, tau, forces, t)
        if np.isfinite(a).all():
            by_tau = kernels.inverse_inertia_times(q, w)
            return _by_forces(model, kernels, q, v, a, by_tau, forces, t if passive else None)

    def book(q: NDArray, v: NDArray, tau: NDArray, w: NDArray) -> dict[str, NDArray]:
        d = algorithms.forward_dynamics_derivatives(model, q, v, tau, f_ext=f_ext, t=t, passive=passive)
        parameters = algorithms.forward_dynamics_parameter_derivatives(
            model, q, v, tau, f_ext=f_ext, t=t, passive=passive
        )
        force_weights = w @ d.dqdd_dtau
        state = {"(q)": w @ d.dqdd_dq, "(v)": w @ d.dqdd_dv, "(last)": force_weights}
        state["(f)"] = _power_of(model, q, force_weights, t)
        return state | {name: np.tensordot(w, x, 1) for name, x in parameters.items()}

    found = each_named(book, *state)
    by_f_ext = found["(f)"] if f_ext is not None else None
    return Gradient(found["(q)"], found["(v)"], None, found["(last)"], by_f_ext, _in_order(model, found))


def _by_forces(
    model: Model,
    kernels: Kernels,
    q: NDArray,
    v: NDArray,
    a: NDArray,
    force_weights: NDArray,
    forces: NDArray | None,
    passive: float | None,
) -> Gradient:
    """Return the gradient of forward dynamics from that of inverse dynamics, ID.

    ``w . da = (H^-1 w) . (dtau + d passive - d ID)``; force_weights is H^-1 w.
    passive : the time, s, if passive forces act, else None.
    """
    g = kernels.rnea_gradient(q, v, a, force_weights, forces)
    parameters = kernels.parameter_gradient(model, g.by_link) | {"gravity": g.by_gravity}
    parameters |= _by_joint(model, {"armature": force_weights * a})
    parameters |= _by_own_numbers(model, parameters, q, v, a, force_weights, forces, passive)
    parameters = {name: -x for name, x in parameters.items()}
    by_q, by_v = -g.by_q, -g.by_v
    if passive is not None:
        own_q, own_v, *of_springs = kernels.passive_gradient(q, v, force_weights)
        by_q, by_v = by_q + own_q, by_v + own_v
        parameters |= _by_joint(model, dict(zip(("damping", "stiffness", "rest"), of_springs, strict=True)))
        if kernels.own is not None:
            require_known_places(model, kernels.own)
            own = kernels.own_gradient(q, v, force_weights, passive)
            by_q, by_v = by_q + own.by_q, by_v + own.by_v
            for name, x in kernels.parameter_gradient(model, own.by_link).items():
                parameters[name] = parameters[name] + x
            parameters |= _by_element(model, own.by_numbers)
    by_f_ext = None if forces is None else -g.by_f_ext
    return Gradient(by_q, by_v, None, force_weights, by_f_ext, _in_order(model, parameters))


def _power_of(model: Model, q: NDArray, v: NDArray, t: float) -> NDArray:
    """Return the velocities of all bodies in world coordinates, (bodies, 6): the power of unit forces on them.

    v : (nv,) joint velocities.
    """
    return np.array([algorithms.jacobian(model, q, body.name, "world", t=t) @ v for body in model.bodies])


def _by_own_numbers(
    model: Model,
    known: dict[str, NDArray],
    q: NDArray,
    v: NDArray,
    a: NDArray,
    w: NDArray,
    forces: NDArray | None,
    passive: float | None,
) -> dict[str, NDArray]:
    """Return the derivatives of ``w . ID`` by numbers of user-defined joint types, which are not among `known`.

    They are central differences of order 6, exact to about 10 digits. passive : time, s, if passive forces are to be
    subtracted from ID, else None.
    """

    def needed(model: Model) -> NDArray:
        tau = rnea(model, q, v, a, f_ext=forces)
        return tau if passive is None else tau - passive_force(model, q, v, t=passive)

    found: dict[str, NDArray] = {}
    names = {f"{joint.name}.{name}": x for joint in model.joints for name, x in joint.type.numbers.items()}
    for name, value in names.items():
        if name not in known:
            h = 5e-3 * max(1.0, abs(value))
            total = np.zeros(np.shape(w)[:-1])
            for k, share in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
                there, back = (model.with_parameters({name: value + step}) for step in (k * h, -k * h))
                total = total + (share / h) * np.sum(w * (needed(there) - needed(back)), axis=-1)
            found[name] = total
    return found


def _by_joint(model: Model, vectors: dict[str, NDArray]) -> dict[str, NDArray]:
    """Split vectors (..., nv) by joint and name the parts as parameters; joints with one freedom get scalars."""
    found = {}
    for joint in model.joints:
        for name, x in vectors.items():
            if joint.nv:
                own = x[..., joint.v_slice]
                found[f"{joint.name}.{name}"] = own[..., 0] if joint.nv == 1 else own
    return found


def _by_element(model: Model, by_numbers: NDArray) -> dict[str, NDArray]:
    """Return derivatives (..., n) by numbers of force elements under the names of the parameters."""
    leading, parameters = by_numbers.shape[:-1], model.parameters
    return {
        name: by_numbers[..., place].reshape((*leading, *np.shape(parameters[name])))
        for name, place in number_places(model).items()
    }


def _in_order(model: Model, found: dict[str, NDArray]) -> dict[str, NDArray]:
    """Return results by name in the order of ``model.parameters``."""
    return {name: found[name] for name in model.parameters if name in found}
