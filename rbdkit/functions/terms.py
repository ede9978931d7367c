"""The terms of the equation of motion ``tau = H qdd + C``, and the forces of springs, dampers and force elements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import at_one_state
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
from rbdkit.results import handed, into

if TYPE_CHECKING:
    from rbdkit import algorithms
    from rbdkit.algorithms import ExternalForces
else:
    from rbdkit.functions.readable import algorithms


def rnea(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Return the joint forces that produce given accelerations, by the recursive Newton-Euler algorithm.

    With loops these are the forces of the spanning tree, as if the loop joints transmitted nothing. Springs, dampers
    and friction of the joints, and force elements, are not included; `inverse_dynamics` gives the motor forces of such
    models.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
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
        Joint forces tau, N m for angles and N for lengths.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If an inertia holds numbers that cannot be computed with.

    See Also
    --------
    inverse_dynamics : The forces of the motors, which overcome springs, dampers and friction too: feedforward.
    aba : The way back, from forces to accelerations.
    rbdkit.algorithms.rnea : The algorithm to read, with all that it computes on the way.

    Notes
    -----
    Featherstone (2008), Table 5.1.

    Examples
    --------
    A rod of 1 kg and 1 m has to be held by 4.905 N m when it is level, and by nothing when it hangs:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> rod = rbd.library.pendulum()
    >>> rbd.rnea(rod, [[np.pi / 2], [0.0]], [0.0], [0.0]).round(3).tolist()
    [[4.905], [0.0]]
    """
    if f_ext is None and (found := at_one_state(model, "rnea", backend, q, v, a)) is not None:
        if out is None and threads == 1:
            return found
        return handed(found, out, threads, *map(np.asarray, (q, v, a)))
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    place = into(out, threads, v.shape, *state)
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.rnea(q, v, a, on_bodies(model, f_ext), t, place)
    return handed(each(partial(_book_rnea, model, f_ext, t), *state), out, threads)


def _book_rnea(model: Model, f_ext: ExternalForces, t: float, q: NDArray, v: NDArray, a: NDArray) -> NDArray:
    """Evaluate `rnea` at one state by the readable form (no closure, which every fast call would have to create)."""
    return algorithms.rnea(model, q, v, a, f_ext=f_ext, t=t).tau


def crba(
    model: Model,
    q: ArrayLike,
    *,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Return the joint-space inertia matrix H, by the composite-rigid-body algorithm.

    With loops it is that of the spanning tree, whose variables are then not independent.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
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
    ndarray (..., nv, nv)
        Symmetric; kg m2 between angles, kg m between an angle and a length, kg between lengths.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold.
    ModelError
        If an inertia holds numbers that cannot be computed with.

    See Also
    --------
    rbdkit.algorithms.crba : The algorithm to read, with all that it computes on the way.

    Notes
    -----
    Featherstone (2008), Table 6.2.

    Examples
    --------
    Two balls of 1 kg, one metre apart, on strings that hang straight down:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("two balls")
    >>> ball = rbd.Inertia(1.0, com=[0, 0, -1])
    >>> upper = model.add_body("upper", joint=rbd.Revolute("y"), inertia=ball)
    >>> lower = model.add_body("lower", "upper", rbd.Revolute("y"), placement=[0, 0, -1], inertia=ball)
    >>> rbd.crba(model, [0, 0]).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    if (found := at_one_state(model, "crba", backend, q)) is not None:
        return found if out is None and threads == 1 else handed(found, out, threads, np.asarray(q))
    kernels = chosen_kernels(with_inertia(model), backend)
    (q,) = checked_state(model, q)
    place = into(out, threads, (*q.shape[:-1], model.nv, model.nv), q)
    if kernels is not None:
        return kernels.crba(q, t, place)
    return handed(each(partial(_book_crba, model, t), q), out, threads)


def _book_crba(model: Model, t: float, q: NDArray) -> NDArray:
    """Evaluate `crba` at one state by the readable form."""
    return algorithms.crba(model, q, t=t).H


def bias_force(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Return C(q, v): gravity, Coriolis, centrifugal and external forces, so that ``tau = H a + C``.

    With loops these are the forces of the spanning tree, as if the loop joints transmitted nothing.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., nv)
        Joint forces that keep all accelerations zero, N m and N.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If an inertia holds numbers that cannot be computed with.

    Examples
    --------
    `rnea` is the inertia matrix times the accelerations, and the bias force:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model, q, v, a = rbd.library.double_pendulum(), [0.3, -0.5], [1.0, 2.0], [3.0, -1.0]
    >>> tau = rbd.crba(model, q) @ a + rbd.bias_force(model, q, v)
    >>> np.allclose(tau, rbd.rnea(model, q, v, a), rtol=1e-12)
    True
    """
    q, v = state = checked_state(with_inertia(model), q, v=v)
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.rnea(q, v, np.zeros_like(v), on_bodies(model, f_ext), t)
    return each(lambda q, v: algorithms.bias_force(model, q, v, f_ext=f_ext, t=t), *state)


def gravity_force(model: Model, q: ArrayLike, *, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Joint forces that hold the system still against gravity.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing.

    Parameters
    ----------
    model : Model
        What is held.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., nv)
        N m and N.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold.
    ModelError
        If an inertia holds numbers that cannot be computed with.

    Examples
    --------
    A lift of 80 kg that goes straight up:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("lift")
    >>> cabin = model.add_body("cabin", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(80.0))
    >>> rbd.gravity_force(model, [0.0]).round(9).tolist()
    [784.8]
    """
    if (kernels := chosen_kernels(with_inertia(model), backend)) is not None and not kernels.driven:
        q = model.check_q(q)
        rest = np.zeros((*q.shape[:-1], model.nv))
        return kernels.rnea(q, rest, rest)
    return each(lambda q: algorithms.gravity_force(model, q, t=t), *checked_state(model, q))


def passive_force(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    t: float = 0.0,
    z: ArrayLike | None = None,
    backend: Backend = "auto",
) -> NDArray:
    """Return the joint forces of the joints' springs, dampers and friction, and of force elements.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints and forces that depend on it.
    z : array_like (..., nz), optional
        States of force elements, required if the model has any; see `Model.initial_z`.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels for force elements, 'book' the readable form.

    Returns
    -------
    ndarray (..., nv)
        ``-damping * v - A.T @ (stiffness * u)``, N m and N, with the displacement u from the spring's rest and
        ``du/dt = A @ v``; A is the identity but for joints on curved manifolds. Forces of `Model.forces` and the dry
        friction of joints come on top.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If `model` is not a model, or states of force elements are not given.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("door")
    >>> door = model.add_body("door", joint=rbd.Revolute("z"), inertia=rbd.Inertia(20.0), stiffness=4.0, damping=0.5)
    >>> rbd.passive_force(model, [1.5], [2.0]).tolist()
    [-7.0]
    """
    z, state = with_states(model, z, *checked_state(model, q, v=v))
    if (kernels := chosen_kernels(model, backend)) is not None and model.acting:
        own = kernels.own_forces(state[0], state[1], t, z)[0]
        from rbdkit.algorithms.passive_force import joint_passive_force

        return own + each(lambda q, v: joint_passive_force(model, q, v), *state)

    def book(q: NDArray, v: NDArray, *own: NDArray) -> NDArray:
        return algorithms.passive_force(model, q, v, t=t, z=own[0] if own else None)

    return each(book, *state, *([] if z is None else [z]))


def element_state_rates(
    model: Model, q: ArrayLike, v: ArrayLike, z: ArrayLike, *, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Return the time derivatives of the states of force elements.

    Together with `forward_dynamics` at the same z they are the equations of motion of a model with such states.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    z : array_like (..., nz)
        States of force elements, in the order of `Model.z_names`.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' uses compiled kernels if there are any, 'book' the readable form, 'checked' kernels that check indices.

    Returns
    -------
    ndarray (..., nz)
        Units of the states per second.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If an inertia holds numbers that cannot be computed with.

    Examples
    --------
    The torque of a servo is on its way to 20 N m/rad (0.3 rad - 0.1 rad) = 4 N m:

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> servo = rbd.Servo("hinge", target=0.3, stiffness=20.0, damping=0.0, time_constant=0.1)
    >>> _ = model.add_force("servo", servo)
    >>> rbd.element_state_rates(model, [0.1], [0.0], [1.0]).round(9).tolist()
    [30.0]
    """
    own, (q, v) = with_states(model, z, *checked_state(with_inertia(model), q, v=v))
    if own is None:
        return np.zeros((*q.shape[:-1], 0))
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.own_state_rates(q, v, own, t)
    return each(lambda q, v, z: algorithms.element_state_rates(model, q, v, t=t, z=z), q, v, own)
