"""Forward dynamics: accelerations from forces, and the rates of a whole state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import at_one_state
from rbdkit.functions.asking import (
    Backend,
    checked_state,
    chosen_kernels,
    on_bodies,
    require_apart,
    resisting,
    solved,
    with_states,
)
from rbdkit.functions.terms import bias_force, passive_force
from rbdkit.model import Model
from rbdkit.model.idle import require_inertia_behind
from rbdkit.results import handed, into
from rbdkit.spatial.read_numbers import within
from rbdkit.trace import Symbols

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms import ExternalForces
else:
    from rbdkit.functions.readable import algorithms

WELL_BELOW = 1e150
"""Bound on results up to which they are surely finite: their squares are."""


def aba(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Return the accelerations that given joint forces cause, by the articulated-body algorithm (forward dynamics).

    Springs and dampers of the joints are not included; `forward_dynamics` adds them. Mimic joints are eliminated
    together with their master joints; if these lie too far apart in the tree, and in the readable form, `crba` is used.

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
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.
    out : ndarray, optional
        Output buffer, a contiguous array of floats of the result's shape that shares no memory with an argument; new
        memory if not given. After an error its content is undefined.
    threads : int, optional
        Number of threads that share a large stack of states; the result does not depend on it, to the last bit. It may
        differ from that of single calls in the last digits, as large stacks have their own code: see "Stacks" in
        `rbdkit`.

    Returns
    -------
    ndarray (..., nv)
        Joint accelerations, rad/s2 and m/s2.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; or if a force is too large for what it
        moves.
    ModelError
        If joints close loops, or a joint moves something without inertia.

    See Also
    --------
    rbdkit.algorithms.aba : The algorithm to read, with all that it computes on the way.

    Notes
    -----
    Featherstone (2008), Table 7.1.

    Examples
    --------
    A ball on a long string that is let go when the string is level falls freely:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -1]))
    >>> rbd.aba(model, [np.pi / 2], [0.0], [0.0]).round(9).tolist()
    [-10.0]
    """
    if f_ext is None and (found := at_one_state(model, "aba", backend, q, v, tau)) is not None:
        if out is None and threads == 1:
            return found
        return handed(found, out, threads, *map(np.asarray, (q, v, tau)))
    q, v, tau = state = checked_state(resisting(model), q, v=v, tau=tau)
    place = into(out, threads, v.shape, *state)
    if model.contact_rules:
        require_apart(model, q, "aba", t)
    if (kernels := chosen_kernels(model, backend)) is not None:
        qdd = kernels.aba(q, v, tau, on_bodies(model, f_ext), t, place)
        if type(qdd) is Symbols or within(qdd, WELL_BELOW):
            return _resisted(model, q, qdd)  # else the readable form says what is wrong, with the joint's name
    qdd = solved(model, partial(_book_aba, model, f_ext, t), *state)
    return handed(_resisted(model, q, qdd), out, threads)


def _resisted(model: Model, q: NDArray, qdd: NDArray) -> NDArray:
    """Return the accelerations; raise ModelError if inertia that they were divided by is zero but for round-off."""
    if type(qdd) is not Symbols:
        require_inertia_behind(model, q, qdd)
    return qdd


def _book_aba(model: Model, f_ext: ExternalForces, t: float, q: NDArray, v: NDArray, tau: NDArray) -> NDArray:
    """Evaluate `aba` at one state by the readable form (no closure, which every fast call would have to create)."""
    if model.mimics:  # the table's joints move by themselves
        return algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext, t=t)
    return algorithms.aba(model, q, v, tau, f_ext=f_ext, t=t).qdd


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    z: ArrayLike | None = None,
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Return the accelerations due to joint forces, springs, dampers and force elements, as `simulate` integrates them.

    Parameters
    ----------
    model : Model
        A tree of bodies; or one with loops or constraints, whose joints then obey ``K vdot = k`` (Featherstone 2008,
        Eq 8.36). Whether the state satisfies these is not checked.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces without springs and dampers, N m and N.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.
    z : array_like (..., nz), optional
        States of force elements, required if the model has any; see `Model.initial_z`.
    out : ndarray, optional
        Output buffer, a contiguous array of floats of the result's shape that shares no memory with an argument; new
        memory if not given. After an error its content is undefined.
    threads : int, optional
        Number of threads that share a large stack of states; the result does not depend on it, to the last bit. It may
        differ from that of single calls in the last digits, as large stacks have their own code: see "Stacks" in
        `rbdkit`.

    Returns
    -------
    ndarray (..., nv)
        Joint accelerations, rad/s2 and m/s2.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; if a force is too large for what it
        moves; or if prescribed joints move as loops or constraints do not allow.
    ModelError
        If a joint moves something without inertia, or states of force elements are not given.

    Examples
    --------
    A mass of 2 kg on a spring of 8 N/m, stretched by 0.5 m; `aba` does not include the spring:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("oscillator")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), stiffness=8.0)
    >>> rbd.forward_dynamics(model, [0.5], [0.0], [0.0]).tolist(), rbd.aba(model, [0.5], [0.0], [0.0]).tolist()
    ([-2.0], [0.0])

    Two carts on one rail, joined by a rod that closes a loop, move as one:

    >>> model = rbd.Model("train")
    >>> cars = [model.add_body(f"car{k}", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0)) for k in range(2)]
    >>> rod = model.add_loop("rod", *cars, rbd.Fixed())
    >>> rbd.forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [3.0, 1.0]).round(9).tolist()
    [2.0, 2.0]
    """
    if (
        f_ext is None
        and z is None
        and (found := at_one_state(model, "forward_dynamics", backend, q, v, tau)) is not None
    ):
        if out is None and threads == 1:
            return found
        return handed(found, out, threads, *map(np.asarray, (q, v, tau)))
    q, v, tau = state = checked_state(resisting(model), q, v=v, tau=tau)
    z, state = with_states(model, z, *state)
    q, v, tau = state
    place = into(out, threads, v.shape, *state, *([] if z is None else [z]))
    kernels = chosen_kernels(model, backend)
    if model.contact_rules:
        require_apart(model, q, "forward_dynamics", t)
    constrained = bool(model.loops or model.constraints)
    forces = partial(_without_constraints, model, q, v, tau, f_ext, t, z)
    if kernels is not None and not (constrained and kernels.rows is None):
        qdd = kernels.forward_dynamics(q, v, tau, on_bodies(model, f_ext), t, z, place)
        if type(qdd) is Symbols or within(qdd, WELL_BELOW):
            if constrained and type(qdd) is not Symbols:
                _require_followed(model, q, v, qdd, t, forces)
            return _resisted(model, q, qdd)  # else the readable form says what is wrong, with the joint's name
    book = partial(_book_forward_dynamics, model, f_ext, t)
    qdd = solved(model, book, *state, *([] if z is None else [z]))
    if constrained:
        _require_followed(model, q, v, qdd, t, forces)
    return handed(_resisted(model, q, qdd), out, threads)


def _require_followed(
    model: Model, q: NDArray, v: NDArray, qdd: NDArray, t: float, forces: Callable[[], NDArray]
) -> None:
    """Raise StateError where prescribed motions contradict loops or constraints."""
    from rbdkit.functions.contradictions import require_followed  # which trees never need

    require_followed(model, q, v, qdd, t, forces)


def _without_constraints(
    model: Model, q: NDArray, v: NDArray, tau: NDArray, f_ext: ExternalForces, t: float, z: NDArray | None
) -> NDArray:
    """Return the forces of joints, springs, gravity and inertia, without those of loops and constraints."""
    return tau + passive_force(model, q, v, t=t, z=z) - bias_force(model, q, v, f_ext=f_ext, t=t)


def _book_forward_dynamics(
    model: Model, f_ext: ExternalForces, t: float, q: NDArray, v: NDArray, tau: NDArray, z: NDArray | None = None
) -> NDArray:
    """Evaluate `forward_dynamics` at one state by the readable form."""
    if not (model.loops or model.constraints):
        return algorithms.forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, z=z)
    acting = tau + algorithms.passive_force(model, q, v, t=t, z=z)
    return algorithms.held_forward_dynamics(model, q, v, acting, f_ext=f_ext, t=t)


class StateDerivative(NamedTuple):
    """Time derivative of a state: of the coordinates as they are stored, and of the velocities.

    Attributes
    ----------
    qdot : ndarray (..., nq)
        rad/s, m/s, and 1/s of quaternions.
    vdot : ndarray (..., nv)
        rad/s2 and m/s2.
    """

    qdot: NDArray
    vdot: NDArray


def state_derivative(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> StateDerivative:
    """Return the rates of coordinates and velocities in one call: FD_x, the state equation (Featherstone 2008, Eq 3.9).

    Quaternions have four rates each. `StateEquation` is the same as a function of (t, x) for general integrators.

    Parameters
    ----------
    model : Model
        A tree of bodies, or one with loops or constraints, as for `forward_dynamics`.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces without springs and dampers, N m and N.
    f_ext, t, backend : optional
        As for `forward_dynamics`.

    Returns
    -------
    StateDerivative
        ``qdot, vdot = state_derivative(...)``, with ``qdot = qdfn(q, v)`` and vdot of `forward_dynamics`.

    Raises
    ------
    StateError, ModelError
        As `forward_dynamics` does.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model(gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> qdot, vdot = rbd.state_derivative(model, model.neutral(), [0, 0, 2, 1, 0, 0], [0.0] * 6)
    >>> qdot[1:].tolist(), vdot.tolist()
    ([0.0, 0.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, -2.0, -10.0])
    """
    q, v, tau = checked_state(model, q, v=v, tau=tau)
    return StateDerivative(model.rate(q, v), forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, backend=backend))
