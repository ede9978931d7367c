"""The functions on (model, q, v, ...) that `import rbdkit` offers: input checked, one state or stacks of states.

Each takes coordinates of shape (..., nq) and joint vectors of shape (..., nv) with the same leading axes (or ones that
broadcast) and returns results with these leading axes. t, the time of the states in s, matters to models with
prescribed joints only. The algorithms behind them can be read in `rbdkit.algorithms`; where `rbdkit.engine` has
compiled kernels for the model, these compute the same. ``backend="book"`` asks for the readable form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.algorithms.jacobian import Reference
from rbdkit.algorithms.kinematics import in_world
from rbdkit.algorithms.momentum import About
from rbdkit.algorithms.passive_force import joint_passive_force
from rbdkit.engine import Kernels, at_one_state, for_many_states, kernels_for
from rbdkit.engine.run.one_state import WELL_BELOW
from rbdkit.engine.steps.frames import REFERENCES
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.constraint_rows import working
from rbdkit.model.leading_axes import common_axes
from rbdkit.model.model import FARTHEST
from rbdkit.model.requirements import require_model
from rbdkit.results import handed, into
from rbdkit.spatial.read_numbers import floats, shown, within
from rbdkit.trace import Symbols, symbols

SINGULAR = 1e-12
"""Share of an inertia that is left when others move along: below, something moves that has none."""
Backend = Literal["auto", "book"]


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
    """Inverse dynamics: the joint forces that produce given accelerations, by the recursive Newton-Euler algorithm.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing. Springs and dampers of the joints are not subtracted.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit.

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
            return found[0]
        return handed(found[0], out, threads, *map(np.asarray, (q, v, a)))
    if f_ext is None and (many := _at_many_states(model, "rnea", backend, out, threads, q, v, a)) is not None:
        return many
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    place = into(out, threads, v.shape, *state)
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.rnea(q, v, a, algorithms.external_forces(model, f_ext), t, place)
    tau = each(lambda q, v, a: algorithms.rnea(model, q, v, a, f_ext=f_ext, t=t).tau, *state)
    return handed(tau, out, threads)


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
    """Forward dynamics: the accelerations that given joint forces cause, by the articulated-body algorithm.

    Springs and dampers of the joints are not added; `forward_dynamics` does that. Joints that follow others are
    eliminated together with these, and where they lie too far apart, as in the readable form, by way of `crba`.

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
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit.

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
            return found[0]
        return handed(found[0], out, threads, *map(np.asarray, (q, v, tau)))
    if f_ext is None and (many := _at_many_states(model, "aba", backend, out, threads, q, v, tau)) is not None:
        return many
    q, v, tau = state = checked_state(with_inertia(model), q, v=v, tau=tau)
    place = into(out, threads, v.shape, *state)
    if model.contact_rules:
        _require_apart(model, q, "aba", t)
    if (kernels := chosen_kernels(model, backend)) is not None:
        qdd = kernels.aba(q, v, tau, algorithms.external_forces(model, f_ext), t, place)
        if type(qdd) is Symbols or within(qdd, WELL_BELOW):
            return qdd  # else the readable form says what is wrong, with the joint's name

    def book(q: NDArray, v: NDArray, tau: NDArray) -> NDArray:
        if model.mimics:  # the table's joints move by themselves
            return algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext, t=t)
        return algorithms.aba(model, q, v, tau, f_ext=f_ext, t=t).qdd

    qdd = _solved(model, book, *state)
    return handed(qdd, out, threads)


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
    """Accelerations caused by joint forces and by springs, dampers and force elements: what `simulate` integrates.

    Parameters
    ----------
    model : Model
        A tree of bodies; or one with loops or constraints, whose joints then obey ``K vdot = k`` (Featherstone 2008,
        Eq 8.36). Whether these hold at the state is not asked.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces besides springs and dampers, N m and N.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    z : array_like (..., nz), optional
        States of force elements, needed where they have some; see `Model.initial_z`.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit.

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
        If a joint moves something without inertia, or states of force elements are not given.

    Examples
    --------
    A mass of 2 kg on a spring of 8 N/m, drawn out by 0.5 m; `aba` knows nothing of the spring:

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
            return found[0]
        return handed(found[0], out, threads, *map(np.asarray, (q, v, tau)))
    alone = f_ext is None and z is None
    if alone and (many := _at_many_states(model, "forward_dynamics", backend, out, threads, q, v, tau)) is not None:
        return many
    q, v, tau = state = checked_state(with_inertia(model), q, v=v, tau=tau)
    z, state = _with_states(model, z, *state)
    q, v, tau = state
    place = into(out, threads, v.shape, *state, *([] if z is None else [z]))
    kernels = chosen_kernels(model, backend)
    if model.contact_rules:
        _require_apart(model, q, "forward_dynamics", t)
    constrained = bool(model.loops or model.constraints)
    if kernels is not None and not (constrained and kernels.rows is None):
        qdd = kernels.forward_dynamics(q, v, tau, algorithms.external_forces(model, f_ext), t, z, place)
        if type(qdd) is Symbols or within(qdd, WELL_BELOW):
            return qdd  # else the readable form says what is wrong, with the joint's name

    def book(q: NDArray, v: NDArray, tau: NDArray, *own: NDArray) -> NDArray:
        states = own[0] if own else None
        if constrained:
            acting = tau + algorithms.passive_force(model, q, v, t=t, z=states)
            if model.constraints:
                return algorithms.held_forward_dynamics(model, q, v, acting, f_ext=f_ext, t=t)
            loops = algorithms.loops
            return loops.solve_directly(loops.loop_equation(model, q, v, acting, f_ext=f_ext, t=t)).qdd
        return algorithms.forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, z=states)

    return handed(_solved(model, book, *state, *([] if z is None else [z])), out, threads)


class StateDerivative(NamedTuple):
    """Rates of a state: those of the coordinates as they are stored, and of the velocities.

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
    """FD_x, the state equation: rates of coordinates and velocities in one call (Featherstone 2008, Eq 3.9).

    Quaternions have four rates each. `StateEquation` is the same as a function of (t, x) for general integrators.

    Parameters
    ----------
    model : Model
        A tree of bodies, or one with loops or constraints, as of `forward_dynamics`.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau : array_like (..., nv)
        Joint forces, N m and N; springs and dampers of the joints act besides.
    f_ext, t, backend : optional
        As of `forward_dynamics`.

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


class HybridMotion(NamedTuple):
    """Accelerations and forces of all joints: those that were given and those that were found.

    Attributes
    ----------
    a : ndarray (..., nv)
        Accelerations, rad/s2 and m/s2.
    tau : ndarray (..., nv)
        Joint forces, N m and N.
    """

    a: NDArray
    tau: NDArray


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike,
    forward: Iterable[str | int],
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> HybridMotion:
    """Hybrid dynamics: accelerations where forces are given, forces where accelerations are.

    Springs and dampers of the joints are not added.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    tau, a : array_like (..., nv)
        Joint forces and accelerations. tau counts at the joints in `forward`, a at all others; what stands in the other
        entries does not matter, NaN is fine.
    forward : iterable of str or int
        Names (or numbers) of the joints that follow their forces; the others are driven.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    HybridMotion
        ``a, tau = hybrid_dynamics(...)``, complete.

    Raises
    ------
    StateError, ModelError
        If the state has the wrong shape or is off its manifold, a joint is unknown or closes a loop, or one in
        `forward` moves something without inertia.

    See Also
    --------
    rbdkit.algorithms.hybrid_aba : The algorithm to read.
    rbdkit.algorithms.hybrid_dynamics : The same for models with mimic joints.

    Notes
    -----
    Featherstone (2008), Tables 9.2 and 9.3.

    Examples
    --------
    A cart is pulled to the right with 3 m/s2 while the pendulum on it swings freely. How strong must the pull be?

    >>> import rbdkit as rbd
    >>> model = rbd.Model("crane")
    >>> cart = model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), joint_name="rail")
    >>> ball = rbd.Inertia(1.0, com=[0, 0, -1])
    >>> load = model.add_body("load", "cart", rbd.Revolute("y"), inertia=ball, joint_name="pin")
    >>> a, tau = rbd.hybrid_dynamics(model, [0, 0], [0, 0], tau=[0, 0], a=[3, 0], forward=["pin"])
    >>> a.tolist(), tau.tolist()
    ([3.0, 3.0], [6.0, 0.0])
    """
    algorithms.require_tree(model, "hybrid dynamics")
    fd = algorithms.forward_joints(model, forward)
    driven = np.ones(model.nv, dtype=bool)
    driven[algorithms.split_variables(model, fd)[0]] = False
    tau, a = (_masked(model, x, where, name) for x, where, name in ((tau, ~driven, "tau"), (a, driven, "a")))
    q, v, tau, a = checked_state(with_inertia(model), q, v=v, tau=tau, a=a)
    if model.contact_rules:
        _require_apart(model, q, "hybrid_dynamics", t)
    if (kernels := chosen_kernels(model, backend)) is not None:
        found = _hybrid(kernels, ~driven, q, v, tau, a, algorithms.external_forces(model, f_ext), t)
        if found is not None:
            return found
    algorithm = algorithms.hybrid_dynamics if model.mimics else algorithms.hybrid_aba

    def both(q: NDArray, v: NDArray, tau: NDArray, a: NDArray) -> NDArray:
        result = algorithm(model, q, v, tau, a, fd, f_ext=f_ext, t=t)
        return np.stack([result.qdd, result.tau])

    return HybridMotion(*np.moveaxis(_solved(model, both, q, v, tau, a), -2, 0))


def _hybrid(
    kernels: Kernels, free: NDArray, q: NDArray, v: NDArray, tau: NDArray, a: NDArray, f_ext: NDArray | None, t: float
) -> HybridMotion | None:
    """The same by compiled inertia matrices and inverse dynamics; None where the readable form has to look.

    free : (nv,) bool, the variables that follow their forces. (Featherstone 2008, section 9.2)
    """
    ones, given = np.flatnonzero(free), np.where(free, 0.0, a)
    H = kernels.crba(q, t)[..., ones[:, None], ones]
    with np.errstate(all="ignore"):
        try:
            L = np.linalg.cholesky(H)
        except np.linalg.LinAlgError:
            return None
        left = np.diagonal(L, axis1=-2, axis2=-1) ** 2
        if not (left > SINGULAR * np.diagonal(H, axis1=-2, axis2=-1)).all():
            return None
        push = (tau - kernels.rnea(q, v, given, f_ext, t))[..., ones]
        given[..., ones] = np.linalg.solve(H, push[..., None])[..., 0]
        forces = np.where(free, tau, kernels.rnea(q, v, given, f_ext, t))
    return HybridMotion(given, forces) if np.isfinite(given).all() and np.isfinite(forces).all() else None


def crba(
    model: Model,
    q: ArrayLike,
    *,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Joint-space inertia matrix H, by the composite-rigid-body algorithm.

    Where joints close loops it is that of the spanning tree, whose variables are not independent then.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit.

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
        return found[0] if out is None and threads == 1 else handed(found[0], out, threads, np.asarray(q))
    kernels = chosen_kernels(with_inertia(model), backend)
    (q,) = checked_state(model, q)
    place = into(out, threads, (*q.shape[:-1], model.nv, model.nv), q)
    if kernels is not None:
        return kernels.crba(q, t, place)
    return handed(each(lambda q: algorithms.crba(model, q, t=t).H, q), out, threads)


def bias_force(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """C(q, v): gravity, Coriolis, centrifugal and external forces, so that ``tau = H a + C``.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
        return kernels.rnea(q, v, np.zeros_like(v), algorithms.external_forces(model, f_ext), t)
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
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
    """Joint forces of the joints' own springs and dampers, and of force elements.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints and forces that depend on it.
    z : array_like (..., nz), optional
        States of force elements, needed where they have some; see `Model.initial_z`.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels for what force elements do, 'book' the readable form.

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
    z, state = _with_states(model, z, *checked_state(model, q, v=v))
    if (kernels := chosen_kernels(model, backend)) is not None and model.acting:
        own = kernels.own_forces(state[0], state[1], t, z)[0]
        return own + each(lambda q, v: joint_passive_force(model, q, v), *state)

    def book(q: NDArray, v: NDArray, *own: NDArray) -> NDArray:
        return algorithms.passive_force(model, q, v, t=t, z=own[0] if own else None)

    return each(book, *state, *([] if z is None else [z]))


def element_state_rates(
    model: Model, q: ArrayLike, v: ArrayLike, z: ArrayLike, *, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """How fast the states change that force elements have of their own.

    With `forward_dynamics` of the same z, these are the equations of motion of a model whose forces have states.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    z : array_like (..., nz)
        States of force elements, in the order of `Model.z_names`.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

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
    own, (q, v) = _with_states(model, z, *checked_state(with_inertia(model), q, v=v))
    if own is None:
        return np.zeros((*q.shape[:-1], 0))
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.own_state_rates(q, v, own, t)
    return each(lambda q, v, z: algorithms.element_state_rates(model, q, v, t=t, z=z), q, v, own)


def forward_kinematics(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, *, t: float = 0.0, backend: Backend = "auto"
) -> algorithms.Kinematics:
    """Poses of all bodies in the world and, with joint velocities, their spatial velocities.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv), optional
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    rbdkit.algorithms.Kinematics
        ``poses`` (..., bodies, 4, 4), ``velocities`` (..., bodies, 6) in body coordinates or None, and those of a body
        or frame by name, ``pose(frame)`` and ``velocity(frame)``.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If `model` is not a model.

    Examples
    --------
    Where is the tip of the lower rod, when both rods are level?

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> tip = model.add_frame("tip", "rod2", [0, 0, -1])
    >>> np.abs(rbd.forward_kinematics(model, [np.pi / 2, 0]).pose("tip")[:3, 3].round(9)).tolist()
    [2.0, 0.0, 0.0]
    """
    found = at_one_state(model, "poses", backend, q) if v is None else at_one_state(model, "kinematics", backend, q, v)
    if found is not None:
        return algorithms.Kinematics(model, found[0], None if v is None else found[1])
    kernels = chosen_kernels(model, backend)
    q, v = (model.check_q(q), None) if v is None else checked_state(model, q, v=v)
    if kernels is not None:
        return algorithms.Kinematics(model, *kernels.forward_kinematics(q, v, t))
    return algorithms.forward_kinematics(model, q, v, t=t)


def jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: Reference = "body",
    *,
    t: float = 0.0,
    backend: Backend = "auto",
    out: NDArray | None = None,
    threads: int = 1,
) -> NDArray:
    """Jacobian of a body or frame: its velocity is ``J v``.

    Its columns belong to the joints of the spanning tree; where others close loops, v must fit these. Prescribed joints
    add their own velocity.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    frame : str
        Name of a body or frame.
    reference : {'body', 'world', 'aligned'}, optional
        Coordinates of the velocity: 'body', the frame's own axes and the velocity of its origin; 'world', world axes
        and the velocity of the point that passes the world origin; 'aligned', world axes and the velocity of the
        frame's origin, what a camera in the world sees.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    out : ndarray, optional
        Where the result is written, an array of floats of its shape in one piece that no argument shares; new memory if
        not given. After an error it may hold anything.
    threads : int, optional
        So many threads compute a large stack, each a part of it; the result is the same to the last bit.

    Returns
    -------
    ndarray (..., 6, nv)
        The angular part in the first three rows.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold; or if there is no such reference.
    ModelError
        If there is no such body or frame.

    Notes
    -----
    Featherstone (2008), Eqs 2.18 and 4.6.

    Examples
    --------
    A hanging rod of 1 m that turns with 1 rad/s about y: its tip moves with 1 m/s against x.

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> J = rbd.jacobian(model, [0.0], "tip", "aligned")
    >>> J.shape, J[[1, 3], 0].tolist()
    ((6, 1), [1.0, -1.0])
    """
    if type(frame) is type(reference) is str and reference in REFERENCES:
        found = at_one_state(model, f"jacobian_{reference}", backend, q, frame=frame)
        if found is not None:
            return found[0] if out is None and threads == 1 else handed(found[0], out, threads, np.asarray(q))
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place, q = model.frame(frame), model.check_q(q)
        result = into(out, threads, (*q.shape[:-1], 6, model.nv), q)
        return kernels.jacobian(q, place.body, place.placement, reference, t, result)
    (q,) = checked_state(model, q)
    into(out, threads, (*q.shape[:-1], 6, model.nv), q)
    return handed(each(lambda q: algorithms.jacobian(model, q, frame, reference, t=t), q), out, threads)


def bias_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    reference: Reference = "body",
    *,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Jdot v: the acceleration of a body or frame that velocity alone causes, when vdot = 0; without gravity.

    Where joints close loops, vdot = 0 is that of the joints of the spanning tree.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    frame : str
        Name of a body or frame.
    reference : {'body', 'world', 'aligned'}, optional
        Coordinates as of `jacobian`. In 'aligned' the linear part is the acceleration of the frame's origin as a point,
        in the other two that of a spatial acceleration.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    ndarray (..., 6)
        Angular part first, rad/s2 and m/s2.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; or if there is no such reference.
    ModelError
        If there is no such body or frame.

    Notes
    -----
    Featherstone (2008), Eq 2.57 and section 2.11.

    Examples
    --------
    The tip of a rod of 1 m that turns with 3 rad/s is drawn to the pivot with 9 m/s2:

    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> rbd.bias_acceleration(model, [0.0], [3.0], "tip", "aligned").tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 9.0]
    """
    if type(frame) is type(reference) is str and reference in REFERENCES:
        found = at_one_state(model, f"bias_acceleration_{reference}", backend, q, v, frame=frame)
        if found is not None:
            return found[0]
    q, v = state = checked_state(model, q, v=v)
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place = model.frame(frame)
        return kernels.bias_acceleration(q, v, place.body, place.placement, reference, t)
    return each(lambda q, v: algorithms.bias_acceleration(model, q, v, frame, reference, t=t), *state)


def center_of_mass(model: Model, q: ArrayLike, *, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Centre of mass of the moving bodies; what is welded to the world does not count.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    ndarray (..., 3)
        In world coordinates, m.

    Raises
    ------
    StateError
        If q has the wrong shape, is not finite, or is off its manifold.
    ModelError
        If nothing that moves has mass.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.center_of_mass(rbd.library.double_pendulum(), [0.0, 0.0]).tolist()
    [0.0, 0.0, -1.0]
    """
    if (found := at_one_state(model, "center_of_mass", backend, q)) is not None:
        return found[0]
    (q,) = checked_state(with_inertia(model), q)
    if (kernels := chosen_kernels(model, backend)) is not None:
        center = kernels.center_of_mass(q, t)
        if type(center) is Symbols or np.isfinite(center).all():
            return center  # else nothing that moves has mass, and the readable form says so
    return algorithms.center_of_mass(model, q, t=t)


def momentum(
    model: Model, q: ArrayLike, v: ArrayLike, about: About = "world", *, t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Spatial momentum of the whole system: angular and linear momentum.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    about : {'world', 'com'}, optional
        The point that angular momentum refers to: the world origin or the centre of mass.
    t : float, optional
        Time of the states, s; for prescribed joints.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.

    Returns
    -------
    ndarray (..., 6)
        In world axes, angular part first, kg m2/s and kg m/s.

    Raises
    ------
    StateError
        If a vector has the wrong shape, is not finite, or q is off its manifold; or if there is no such point.
    ModelError
        If the centre of mass is asked for and nothing that moves has mass.

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
            return found[0]
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
    """Kinetic and potential energy.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v : array_like (..., nv)
        Joint velocities, rad/s and m/s.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable form.
    z : array_like (..., nz), optional
        States of force elements, needed where they have some; see `Model.initial_z`.

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
        If an inertia holds numbers that cannot be computed with, or states of force elements are not given.

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
        return algorithms.Energy(*found[0])
    z, (q, v) = _with_states(model, z, *checked_state(with_inertia(model), q, v=v))
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
    """Where the energy goes: its rate against the power of applied and external forces and of dampers.

    Parameters
    ----------
    model : Model
        What moves.
    q : array_like (..., nq)
        Coordinates, rad and m, on their manifold; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations, SI units and radians.
    tau : array_like (..., nv)
        Applied joint forces without springs and dampers, N m and N.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and force elements that ask for it.
    z : array_like (..., nz), optional
        States of force elements, needed where they have some; see `Model.initial_z`.
    backend : {'auto', 'book'}, optional
        'auto' takes compiled kernels where no joint moves as time says, and the rate of energy from joint forces;
        'book' takes that body by body.

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
        If some joints close loops and others move as time says: who of these does the work cannot be told;
        or if states of force elements are not given.

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
    z, state = _with_states(model, z, *checked_state(with_inertia(model), q, v=v, a=a, tau=tau))
    kernels = chosen_kernels(model, backend)
    if kernels is not None and not _driven(model) and not working(model):
        return _compiled_balance(kernels, model, state, algorithms.external_forces(model, f_ext), t, z)

    def balance(q: NDArray, v: NDArray, a: NDArray, tau: NDArray, *own: NDArray) -> NDArray:
        result = algorithms.power_balance(model, q, v, a, tau, f_ext=f_ext, t=t, z=own[0] if own else None)
        return np.stack([getattr(result, field.name) for field in fields(result)])

    return algorithms.PowerBalance(*np.moveaxis(each(balance, *state, *([] if z is None else [z])), -1, 0))


def _driven(model: Model) -> bool:
    """Whether joints move as time says."""
    return any(joint.type.is_driven for joint in (*model.joints, *(loop.joint for loop in model.loops)))


def _compiled_balance(
    kernels: Kernels,
    model: Model,
    state: list[NDArray],
    f_ext: NDArray | None,
    t: float,
    z: NDArray | None,
) -> algorithms.PowerBalance:
    """The rate of energy as the power of what moves the tree, and of what springs and elements do not give back."""
    q, v, a, tau = state

    def power(force: NDArray) -> NDArray:
        return (force[..., None, :] @ v[..., None])[..., 0, 0]

    own, _, lost = kernels.own_forces(q, v, t, z)
    dissipated, rate = algorithms.dissipation(model, v), power(kernels.rnea(q, v, a, None, t))
    if any(joint.stiffness.any() for joint in model.joints):
        own = own + each(lambda q, v: joint_passive_force(model, q, v), q, v)
        rate = rate - dissipated
    external = np.zeros(q.shape[:-1])
    if f_ext is not None:
        poses, velocities = kernels.forward_kinematics(q, v, t)
        assert velocities is not None
        external = np.einsum("...bk,...bk", f_ext, in_world(poses, velocities))
    nothing = np.zeros(q.shape[:-1])
    return algorithms.PowerBalance(rate - power(own) - lost, power(tau), external, nothing, dissipated + lost)


def _at_many_states(
    model: Model, algorithm: str, backend: Backend, out: NDArray | None, threads: int, q: Any, v: Any, w: Any
) -> NDArray | None:
    """What an algorithm writes for a large stack of states; None wherever anything needs a longer look."""
    if (kernels := for_many_states(model, algorithm, backend, q, v, w)) is None:
        return None
    return kernels.within(FARTHEST, algorithm, into(out, threads, v.shape, q, v, w), q, v, w)


def with_inertia(model: Model) -> Model:
    """The model, if all its inertias are made of finite numbers that do not overflow.

    Raises
    ------
    ModelError
        With the name of the body whose inertia is not.
    """
    if getattr(model, "senseless", None) is not None:
        body = model.body(str(model.senseless))
        raise ModelError(
            f"body {body.name!r} of model {model.name!r} cannot be computed with, see model.validate(): {body.inertia}"
        )
    return model


def _require_apart(model: Model, q: NDArray, what: str, t: float) -> None:
    from rbdkit.algorithms.contact.apart import require_apart  # which models without contacts never need

    require_apart(model, q, what, t)


def chosen_kernels(model: Model, backend: Backend) -> Kernels | None:
    """The compiled kernels of a model, unless there are none or the readable form was asked for."""
    if type(backend) is str and backend == "auto" and isinstance(model, Model):
        return kernels_for(model) if model.senseless is None else None  # they would multiply its numbers out
    if not isinstance(backend, str) or backend not in ("auto", "book"):
        raise StateError(f"backend {shown(backend)} must be 'auto' or 'book'")
    require_model(model)
    return None


def checked_state(model: Model, q: ArrayLike, **vectors: ArrayLike) -> list[NDArray]:
    """q and joint vectors, checked and broadcast to common leading axes."""
    try:
        checked = [model.check_q(q), *(model.check_v(values, name) for name, values in vectors.items())]
    except AttributeError:
        require_model(model)
        raise
    if any(type(array) is Symbols for array in checked):
        checked = [symbols(array) for array in checked]
    lead = checked[0].shape[:-1]
    if all(array.shape[:-1] == lead for array in checked):
        return checked
    lead = common_axes(dict(zip(("q", *vectors), checked, strict=True)))
    return [np.broadcast_to(array, (*lead, array.shape[-1]), subok=True) for array in checked]


def _with_states(model: Model, z: ArrayLike | None, *state: NDArray) -> tuple[NDArray | None, list[NDArray]]:
    """States of force elements, checked, with the leading axes of a checked state; None where there are none."""
    if z is None and not model.nz:
        return None, [*state]
    own = model.check_z(z)
    lead = common_axes({"q": state[0], "z": own})
    state = tuple(x if x.shape[:-1] == lead else np.broadcast_to(x, (*lead, x.shape[-1])) for x in state)
    return (np.broadcast_to(own, (*lead, own.shape[-1])) if model.nz else None), [*state]


def _solved(model: Model, function: Callable[..., NDArray], *state: NDArray) -> NDArray:
    """The function at every state of the stack; where it overflows or is singular without a word, that is told."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = each(function, *state)
    if not np.isfinite(values).all():
        k = int(np.argwhere(~np.isfinite(values))[0, -1])
        joint = next(j.name for j in model.joints if j.v_slice.start <= k < j.v_slice.stop)
        raise StateError(
            f"the equations of motion of model {model.name!r} have no finite solution here, first at joint {joint!r}: "
            "a force is too large for what it moves, or an inertia too small; see model.validate()"
        )
    return values


def _masked(model: Model, values: ArrayLike, read: NDArray, name: str) -> NDArray:
    """The values with zeros where they are not read, so that anything may stand there."""
    array = floats(values, lambda v: f"{name} is not an array of numbers: {v}", StateError)
    return np.where(read, array, 0.0) if array.shape[-1:] == read.shape else model.check_v(array, name)


def each(function: Callable[..., NDArray], *arrays: NDArray) -> NDArray:
    """The function at every state of the stack."""
    lead = arrays[0].shape[:-1]
    if any(type(array) is Symbols for array in arrays):
        raise TypeError(
            "only compiled algorithms can be recorded, and here is none: the model has no kernels, or \
backend='book' asks for the readable form"
        )
    if not lead:
        return function(*arrays)
    if 0 in lead:
        raise StateError(f"an empty stack of states, {lead}, has no result in the readable form; give at least one")
    rows = zip(*(array.reshape(-1, array.shape[-1]) for array in arrays), strict=True)
    results = np.array([function(*row) for row in rows])
    return results.reshape(*lead, *results.shape[1:])
