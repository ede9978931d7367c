"""Inverse dynamics of any model, with closed loops and constraints, for the actuated joints alone.

The joint forces tau of the spanning tree (RNEA) give the wanted motion with all loops cut. With the loops closed, any
other forces with the same ``G.T @ tau`` give the same motion, where the columns of G span the velocities that the
constraints allow (Featherstone 2008, Eqs 8.61 to 8.63). Of these, `inverse_dynamics` takes forces u on the actuated
variables alone, with the least ``sum(weights * u**2)``; it refuses where none fit, since then the actuators cannot
drive some motion that the constraints allow.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces, loops
from rbdkit.algorithms.loops.inverse_dynamics import actuated_variables, real_levers
from rbdkit.engine import Kernels
from rbdkit.engine.rows.own_constraints import compared_with
from rbdkit.errors import StateError
from rbdkit.functions import passive_force, rnea
from rbdkit.functions.asking import Backend, checked_state, chosen_kernels, each, with_inertia
from rbdkit.model import Model
from rbdkit.model.closing import gaps, length_of, widths
from rbdkit.model.closing.rank import arcs_of, independent_rows, row_limit
from rbdkit.model.constraint_rows import constraint_rows
from rbdkit.model.leading_axes import common_axes
from rbdkit.model.names import listed
from rbdkit.model.places import places
from rbdkit.model.requirements import require_bilateral
from rbdkit.spatial.read_numbers import floats, shown

OPEN = 1e-6
"""Largest residual of K a = k that given accelerations may have, relative to the size of its terms."""
MISSING = 1e-8
"""Largest residual of ``G.T @ tau`` that the actuators may leave, as forces at the model's length, relative to weight
and inertia of the whole model and to the joint forces of the tree."""


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    actuated: str | Iterable[str | int] | None = None,
    weights: ArrayLike | None = None,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
    z: ArrayLike | None = None,
) -> NDArray:
    """Joint forces that give a motion, with loops and constraints: the inverse of `forward_dynamics`.

    Forces of springs, dampers and force elements are taken into account. Where joints close loops, many joint forces
    give the same motion; the smallest that the actuators can give are returned.

    Parameters
    ----------
    model : Model
        A tree, or one with loops or constraints.
    q : array_like (..., nq)
        Coordinates that close the loops, rad and m; leading axes make a stack of states.
    v, a : array_like (..., nv)
        Joint velocities and accelerations that keep them closed, SI units and radians.
    actuated : str, iterable of str or int, optional
        Names of tree joints with actuators on all of their freedoms, or numbers of velocity variables; all if not
        given. All other joint forces are zero.
    weights : array_like (p,), optional
        Positive weights of the actuated variables, in the order of `actuated`: ``sum(weights * u**2)`` is minimised;
        ones if not given.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates, the same for all states; see `wrench`.
    t : float, optional
        Time of the states, s; for prescribed joints and time-dependent force elements.
    backend : {'auto', 'book', 'checked'}, optional
        'auto' takes compiled kernels where there are any, 'book' the readable algorithms.
    z : array_like (..., nz), optional
        States of force elements, needed where they have some; see `Model.initial_z`.

    Returns
    -------
    ndarray (..., nv)
        Joint forces tau, N m for angles and N for lengths.

    Raises
    ------
    StateError
        If the accelerations break a constraint (the message says which, and by how much); if the actuators cannot give
        this motion; or if a vector has the wrong shape, is not finite, or q is off its manifold.
    ModelError
        If a joint of `actuated` is not in the tree, or has no freedom of its own.

    See Also
    --------
    rnea : For the spanning tree alone, without springs.
    rbdkit.algorithms.loops.closed_loop_inverse_dynamics : The readable form, with all forces that change no motion.
    rbdkit.algorithms.loops.actuated_freedoms : Whether the actuators are enough to drive every motion.

    Notes
    -----
    Featherstone (2008), Eqs 8.61 to 8.63.

    Examples
    --------
    A parallelogram whose bars stand upright is turned by its crank, or by crank and rocker, which share the torque:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar(crank=0.3, coupler=0.5, base=0.5, rocker=0.3)
    >>> q, v = model.neutral(), rbd.project_velocity(model, model.neutral(), fix={"crank_joint": 1.0})
    >>> tau = rbd.inverse_dynamics(model, q, 0.0 * v, v, actuated="crank_joint")
    >>> np.allclose(rbd.forward_dynamics(model, q, 0.0 * v, tau), v)
    True
    >>> both = rbd.inverse_dynamics(model, q, 0.0 * v, v, actuated=["crank_joint", "rocker_joint"])
    >>> bool(np.isclose(both[0], 0.5 * tau[0])), bool(np.isclose(both[2], 0.5 * tau[0]))
    (True, True)
    """
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    require_bilateral(model, "inverse dynamics")
    kernels = chosen_kernels(model, backend)
    own = passive_force(model, q, v, t=t, z=z)
    constrained = bool(model.loops or model.constraints)
    if not constrained:
        tree = rnea(model, q, v, a, f_ext=f_ext, t=t, backend=backend)
    elif kernels is None:
        tree = each(lambda *one: algorithms.crba(model, one[0], t=t).H @ one[2] + algorithms.bias_force(
            model, one[0], one[1], f_ext=f_ext, t=t), *state)  # fmt: skip
    else:
        tree = kernels.rnea(q, v, a, algorithms.external_forces(model, f_ext), t)
    needed = np.asarray(tree - own)  # the passive forces already act, so the actuators need not give them
    if not constrained and actuated is None:
        return needed
    variables = list(actuated_variables(model, (actuated,) if isinstance(actuated, str) else actuated))
    root = np.sqrt(1.0 / _weights(weights, len(variables)))
    length = length_of(model)
    arc, mass = arcs_of(model, length), sum(body.inertia.mass for body in model.bodies if body.inertia)

    def shared(q: NDArray, v: NDArray, a: NDArray, needed: NDArray) -> NDArray:
        G = _motions(model, kernels, q, v, a, t)
        right, tau = G.T @ needed, np.zeros(model.nv)
        driven = real_levers(G[variables] / arc[variables, None]) * arc[variables, None]
        u = root * np.linalg.lstsq(driven.T * root, right, rcond=1e-12)[0]  # Eq 8.63, the smallest
        left = float(np.abs(driven.T @ u - right).max(initial=0.0))
        # joint forces that balance are round-off of what they hold: weight (at least at 1 m/s2) and inertia count
        fast, faster = (float(np.abs(x / arc).max(initial=0.0)) for x in (v, a))
        held = mass * (1.0 + float(np.linalg.norm(model.gravity)) + faster + fast**2 / length)
        if left > MISSING * (held + float(np.abs(arc * needed).max(initial=0.0))):
            names = listed([_joint_of(model, k) for k in variables]) if variables else "none"
            raise StateError(
                f"the actuated joints ({names}) of model {model.name!r} cannot give this motion: a force of "
                f"{left:.3g} N, torques taken at {length:.3g} m, is missing along a motion that they do not drive; see "
                "rbdkit.algorithms.loops.actuated_freedoms, or let another joint be actuated"
            )
        tau[variables] = u
        return tau

    q, v, a, needed = _alike(q, v, a, needed)
    return each(shared, q, v, a, needed)


def _motions(model: Model, kernels: Kernels | None, q: NDArray, v: NDArray, a: NDArray, t: float) -> NDArray:
    """Return columns (nv, n - r) that span the velocities which the constraints allow, orthonormal as arc lengths.

    Angles count as arcs at the model's length, so that rad and m compare.

    Raises
    ------
    StateError
        If the accelerations break a constraint.
    """
    if not (model.loops or model.constraints):
        return np.diag(arcs_of(model, length_of(model)))
    K, k, gap, labels = _rows(model, kernels, q, v, t)
    loops, length = (
        places(model, np.zeros((len(model.bodies), 4, 4)) + np.eye(4))[len(model.bodies) - 1 :],
        length_of(model),
    )
    squares = compared_with(model, loops, constraint_rows(model), length)[0]
    arc = 1.0 / np.sqrt(squares)
    missed = arc * np.abs(K @ a - k)
    size = 1.0 + float(np.max(arc * (np.abs(K) @ np.abs(a) + np.abs(k)), initial=0.0))
    if missed.max(initial=0.0) > OPEN * size:
        worst = int(np.argmax(missed))
        raise StateError(
            f"accelerations a break {labels[worst]!r} of model {model.name!r} by {missed[worst] / arc[worst]:.3g} "
            "rad/s2 or m/s2; give some that keep loops and constraints, those of forward_dynamics for example"
        )
    arcs = K * arcs_of(model, length)
    counting = independent_rows(arcs, squares, row_limit(gap)) > 0.0
    Vt = np.linalg.svd(arcs[counting])[2]
    return arcs_of(model, length)[:, None] * Vt[int(counting.sum()) :].T  # arcs back to velocity variables


def _rows(
    model: Model, kernels: Kernels | None, q: NDArray, v: NDArray, t: float
) -> tuple[NDArray, NDArray, float, tuple[str, ...]]:
    """Return K and k of all constraints, the largest closure error, and for each row the name of its constraint."""
    if kernels is not None and kernels.rows is not None:
        found = kernels.constraint_rows(q, v, t)
        return found.K, found.k, float(found.openness), kernels.rows.labels
    loop, held = loops.loop_constraint(model, q, v, t=t), algorithms.element_rows(model, q, v, t=t)
    own = constraint_rows(model)
    labels = [name for name, rows in zip(loop.names, loop.rows, strict=True) for _ in range(len(loop.k[rows]))]
    gap = float(widths(model, gaps(model, q, t)).max(initial=0.0)) if model.loops else 0.0
    if own is not None:
        labels += [row.constraint for row in own.rows]
        gap = max(gap, float(np.abs(held.gap).max(initial=0.0)) / length_of(model))
    return np.vstack([loop.K, held.K]), np.concatenate([loop.k, held.k]), gap, tuple(labels)


def _weights(given: ArrayLike | None, count: int) -> NDArray:
    if given is None:
        return np.ones(count)
    weights = floats(given, lambda value: f"weights {value} must be numbers")
    if weights.shape != (count,) or not np.all((weights > 0.0) & np.isfinite(weights)):
        raise StateError(f"weights {shown(given)} must be {count} positive numbers, one for each actuated variable")
    return weights


def _joint_of(model: Model, variable: int) -> str:
    return next(j.name for j in model.joints if j.v_slice.start <= variable < j.v_slice.stop)


def _alike(*arrays: NDArray) -> list[NDArray]:
    """Broadcast q, v, a and tau to their common leading axes."""
    lead = common_axes(dict(zip(("q", "v", "a", "tau"), arrays, strict=True)))
    return [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
