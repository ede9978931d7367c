"""Momentum, energy, and the power balance of a model."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import Kernels, at_one_state
from rbdkit.functions.asking import (
    Backend,
    checked_state,
    chosen_kernels,
    each,
    on_bodies,
    with_inertia,
    with_states,
)
from rbdkit.model import Model
from rbdkit.trace import Symbols

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms import ExternalForces
    from rbdkit.algorithms.momentum import About
else:
    from rbdkit.functions.readable import algorithms


def momentum(
    model: Model, q: ArrayLike, v: ArrayLike, about: About = "world", *, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Return the spatial momentum of the whole system: angular and linear momentum.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    about : {'world', 'com'}, optional
        The point that angular momentum refers to: the world origin or the centre of mass.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., 6)
        In world axes, angular part first, kg m2/s and kg m/s.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; or if there is no such point.
    ModelError
        If the momentum refers to the centre of mass and nothing that moves has mass.

    Examples
    --------
    A puck of 2 kg slides along y with 3 m/s, one metre beside the origin:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("puck")
    >>> puck = model.add_body("puck", joint=rbd.Planar("z"), inertia=rbd.Inertia(2.0))
    >>> rbd.momentum(model, [0, 1, 0], [0, 0, 3]).tolist()
    [0.0, 0.0, 6.0, 0.0, 6.0, 0.0]
    """
    if type(about) is str and about in ("world", "com"):
        found = at_one_state(model, f"momentum_{about}", backend, q, v)
        if found is not None:
            return found
    q, v = checked_state(with_inertia(model), q, v=v)
    if (kernels := chosen_kernels(model, backend)) is not None and isinstance(about, str) and about in ("world", "com"):
        h = kernels.momentum(q, v, about, t)
        if type(h) is Symbols or np.isfinite(h).all():
            return h  # else nothing that moves has mass, and the readable form says so
    return algorithms.momentum(model, q, v, about, t=t)


def energy(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    t: float = 0.0,
    backend: Backend = "auto",
    z: ArrayLike | None = None,
) -> algorithms.Energy:
    """Return the kinetic and potential energy of a model.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.
    z : array_like (..., nz), optional
        States of force elements, required if the model has any; see `Model.initial_z`.

    Returns
    -------
    rbdkit.algorithms.Energy
        ``kinetic``, ``gravitational``, ``spring``, ``potential`` and ``total``, each (...), J. Gravitational energy is
        zero when every centre of mass is at the world origin.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If an inertia has numbers that are not finite or overflow, or states of force elements are not given.

    Examples
    --------
    A stone of 2 kg flies with 3 m/s, 5 m above the origin:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("stone", gravity=(0, 0, -10))
    >>> stone = model.add_body("stone", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    >>> energy = rbd.energy(model, [5.0], [3.0])
    >>> float(energy.kinetic), float(energy.potential), float(energy.total)
    (9.0, 100.0, 109.0)
    """
    if z is None and (found := at_one_state(model, "energy", backend, q, v)) is not None:
        return algorithms.Energy(*found)
    z, (q, v) = with_states(model, z, *checked_state(with_inertia(model), q, v=v))
    if (kernels := chosen_kernels(model, backend)) is not None:
        return algorithms.Energy(*np.moveaxis(kernels.energy(q, v, t, z), -1, 0))
    return algorithms.energy(model, q, v, t=t, z=z)


def power_balance(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
    backend: Backend = "auto",
) -> algorithms.PowerBalance:
    """Return the power balance: the rate of the energy, and the power of applied, external and dissipative forces.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    tau : array_like (..., nv)
        Applied joint forces without springs and dampers, N m and N.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    z : array_like (..., nz), optional
        States of force elements, required if the model has any; see `Model.initial_z`.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are no prescribed joints, and computes the rate of the energy from joint
        forces; 'book' computes it body by body.

    Returns
    -------
    rbdkit.algorithms.PowerBalance
        ``energy_rate``, ``applied``, ``external``, ``driven``, ``dissipated`` and their ``residual``, each (...), W.
        The residual is round-off if the accelerations belong to the forces.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If states of force elements are not given.

    Examples
    --------
    A force of 6 N pushes a cart of 2 kg that moves with 1 m/s; the damper takes a third of its power:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("cart")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), damping=2.0)
    >>> a = rbd.forward_dynamics(model, [0.0], [1.0], [6.0])
    >>> power = rbd.power_balance(model, [0.0], [1.0], a, [6.0])
    >>> float(power.applied), float(power.dissipated), float(power.energy_rate), float(power.residual)
    (6.0, 2.0, 4.0, 0.0)
    """
    z, state = with_states(model, z, *checked_state(with_inertia(model), q, v=v, a=a, tau=tau))
    kernels = chosen_kernels(model, backend)
    if kernels is not None and not _driven(model) and not _working(model):
        return _compiled_balance(kernels, model, state, on_bodies(model, f_ext), t, z)

    def balance(q: NDArray, v: NDArray, a: NDArray, tau: NDArray, *own: NDArray) -> NDArray:
        result = algorithms.power_balance(model, q, v, a, tau, f_ext=f_ext, t=t, z=own[0] if own else None)
        return np.stack([getattr(result, field.name) for field in fields(result)])

    return algorithms.PowerBalance(*np.moveaxis(each(balance, *state, *([] if z is None else [z])), -1, 0))


def _working(model: Model) -> tuple[str, ...]:
    """Return the names of the constraints that do work (rheonomic ones)."""
    if not model.constraints:
        return ()
    from rbdkit.model.constraint_rows import working  # with the tracer, which other models do not need

    return working(model)


def _driven(model: Model) -> bool:
    """Whether there are prescribed (rheonomic) joints, in the tree or in loops."""
    return any(joint.type.is_driven for joint in (*model.joints, *(loop.joint for loop in model.loops)))


def _compiled_balance(
    kernels: Kernels,
    model: Model,
    state: list[NDArray],
    f_ext: NDArray | None,
    t: float,
    z: NDArray | None,
) -> algorithms.PowerBalance:
    """Return the power balance by compiled kernels.

    The rate of the energy is the power of the inverse-dynamics forces minus that of springs and force elements and the
    losses in the latter.
    """
    q, v, a, tau = state

    def power(force: NDArray) -> NDArray:
        return (force[..., None, :] @ v[..., None])[..., 0, 0]

    own, _, lost = kernels.own_forces(q, v, t, z)
    dissipated, rate = algorithms.dissipation(model, v), power(kernels.rnea(q, v, a, None, t))
    if any(joint.stiffness.any() for joint in model.joints):
        from rbdkit.algorithms.passive_force import joint_passive_force

        own = own + each(lambda q, v: joint_passive_force(model, q, v), q, v)
        rate = rate - dissipated
    external = np.zeros(q.shape[:-1])
    if f_ext is not None:
        poses, velocities = kernels.forward_kinematics(q, v, t)
        assert velocities is not None
        from rbdkit.algorithms.kinematics import in_world

        external = np.einsum("...bk,...bk", f_ext, in_world(poses, velocities))
    nothing = np.zeros(q.shape[:-1])
    return algorithms.PowerBalance(rate - power(own) - lost, power(tau), external, nothing, dissipated + lost)
