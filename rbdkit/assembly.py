"""Loop closure: `assemble`, `assembly_modes` and `project_velocity`, the public functions with checked input.

Positions are found by damped Gauss-Newton iteration in `rbdkit.model.closing`. Velocities need one linear step: those
that keep the loops closed form an affine space, and the one nearest to the given v is taken, in a metric that is by
default the joint-space inertia matrix. Rows and columns are scaled to arc lengths first, so that one rank tolerance
serves angles (rad) and lengths (m).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms.loops import loop_constraint, with_elements
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.closing import CLOSED, Closest, Held, assembled, assembled_modes, by, gaps, length_of, widths
from rbdkit.model.closing.closest import DONE
from rbdkit.model.closing.massless import require_inertia
from rbdkit.model.names import listed
from rbdkit.model.requirements import besides_tree, require_bilateral, require_model
from rbdkit.spatial.read_numbers import floats, shown

Fix = str | Iterable[str] | Mapping[str, ArrayLike]
"""Names of joints to hold at their present values; or a mapping from names to the values to hold them at."""

RANK = 1e-9
"""Singular values of the loop Jacobian below this share of the largest one count as zero."""
FEW = 12
"""Initial guesses spent on each attempt to find out why loops cannot be closed: because of `fix`, or of limits."""


def assemble(model: Model, q: ArrayLike | None = None, fix: Fix = (), *, t: float = 0.0) -> NDArray:
    """Find coordinates that close all loops of a model and fulfil its constraints, near the given ones.

    Takes damped Gauss-Newton steps (Levenberg-Marquardt) on the manifold of the coordinates, to round-off. If they get
    stuck they start anew from points further away, which are the same in each call.

    Parameters
    ----------
    model : Model
        A tree's coordinates are returned as they are.
    q : array_like (..., nq), optional
        Initial guess; neutral coordinates if not given. The states of a stack (leading axes) are solved one by one.
    fix : str, iterable of str, or mapping of str to array_like, optional
        Names of joints that keep their coordinates, even beyond their limits; or a mapping from names to the
        coordinates that these joints are held at.
    t : float, optional
        Time, s; for prescribed joints.

    Returns
    -------
    ndarray (..., nq)
        Coordinates within the limits of all joints but those of `fix`.

    Raises
    ------
    StateError
        If the loops cannot be closed: which one stays open and by how much, in rad and m, and whether limits or `fix`
        are in the way. Or if q is not on its manifold.
    ModelError
        If a joint of `fix` is not in the model, or a constraint is a bound.

    See Also
    --------
    assembly_modes : All ways to close the loops.
    project_velocity : Velocities that keep the loops closed.

    Notes
    -----
    `rbdkit.model.closing.closest` has the equations.

    Examples
    --------
    The crank of a four-bar is put at 1 rad; coupler and rocker follow.

    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar()
    >>> q = rbd.assemble(model, fix={"crank_joint": 1.0})
    >>> q.round(4).tolist()
    [1.0, -0.9173, 0.7163]
    >>> rbd.assemble(rbd.library.planar_four_bar(crank=0.5, coupler=0.2), fix={"crank_joint": -2.0})
    Traceback (most recent call last):
    rbdkit.errors.StateError: no coordinates were found that close the loops of ...
    """
    require_model(model)
    require_bilateral(model, "assemble")
    start, kept = started(model, q, fix)
    if not besides_tree(model):
        return start
    found = np.empty(start.shape)
    for place in np.ndindex(*start.shape[:-1]):
        end = assembled(model, start[place], kept, t)
        if not end.is_closed:
            raise StateError(_why(model, start[place], kept, end, t))
        found[place] = end.q
    return found


def assembly_modes(
    model: Model, q: ArrayLike | None = None, fix: Fix = (), *, starts: int = 64, t: float = 0.0
) -> NDArray:
    """Find the assembly modes of a model: all poses that close its loops with some joints held.

    A crank's angle alone does not fix the rocker's (Featherstone 2008, Figure 8.2b): the same bars can be put together
    in two ways.

    Parameters
    ----------
    model : Model
        With loops.
    q : array_like (nq,), optional
        Coordinates; those of the joints in `fix` are kept, and modes are listed by their distance from the others.
    fix : str, iterable of str, or mapping of str to array_like
        Joints that are held, as for `assemble`; with them held, the mechanism must not be able to move.
    starts : int, optional
        Number of initial guesses, the same in each call. A mode that none of them leads to is not listed.
    t : float, optional
        Time, s; for prescribed joints.

    Returns
    -------
    ndarray (k, nq)
        One mode a row, the nearest to `q` first; no row if the loops cannot be closed.

    Raises
    ------
    StateError
        If the mechanism still moves, so that its modes are no single poses.
    ModelError
        If a joint of `fix` is not in the model, or `starts` is not a positive number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar()
    >>> rbd.assembly_modes(model, fix="crank_joint").round(4).tolist()
    [[0.0, 0.0, 0.0], [0.0, 1.33, -2.7966]]
    """
    require_model(model)
    require_bilateral(model, "assembly_modes")
    start, kept = started(model, q, fix)
    if start.ndim != 1:
        raise StateError(f"q has shape {start.shape}; the modes of one state, ({model.nq},), are searched for")
    if not (isinstance(starts, int | np.integer) and starts > 0):
        raise ModelError(f"starts = {starts!r} must be a positive whole number")
    if not besides_tree(model):
        return start[None]
    found = assembled_modes(model, start, kept, t, int(starts))
    left = [freedom(model, one, kept, t) for one in found]
    if left and min(left) > 0:
        raise StateError(
            f"with {listed(held_names(model, kept)) if kept.any() else 'no joint'} held, model {model.name!r} still "
            f"has {min(left)} freedom(s) to move with, so that its assembly modes are no single poses; name more "
            "joints in fix="
        )
    return np.array(found).reshape(-1, model.nq)


def project_velocity(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    fix: Fix = (),
    *,
    norm: Literal["energy", "plain"] | ArrayLike = "energy",
    t: float = 0.0,
) -> NDArray:
    """Project joint velocities onto those that keep all loops closed and obey all constraints.

    Parameters
    ----------
    model : Model
        A tree's velocities are returned as they are.
    q : array_like (nq,)
        Coordinates that close the loops and fulfil the constraints, see `assemble`.
    v : array_like (nv,), optional
        Joint velocities, rad/s and m/s; zero if not given.
    fix : str, iterable of str, or mapping of str to array_like, optional
        Names of joints that keep their velocities; or a mapping from names to the velocities that these joints get.
    norm : {'energy', 'plain'} or array_like (nv, nv), optional
        What is minimised of the change w: its kinetic energy ``w.T @ H @ w / 2``, as in an impact of the loop joints
        (massless links that the loops move cost nothing); the sum of squares ``w.T @ w``, rad/s beside m/s; or
        ``w.T @ norm @ w``.
    t : float, optional
        Time, s; for prescribed joints.

    Returns
    -------
    ndarray (nv,)
        The nearest joint velocities that keep the loops closed.

    Raises
    ------
    StateError
        If q leaves a loop open, or no velocities keep the loops closed while the joints of `fix` have theirs; the
        message says which loop is opened, and how fast.
    ModelError
        If a joint of `fix` is not in the model, or the norm is not positive definite.

    Examples
    --------
    A parallelogram: with the crank at 2 rad/s the rocker turns at 2 rad/s as well, and the coupler does not turn.

    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar(crank=0.3, coupler=0.5, base=0.5, rocker=0.3)
    >>> rbd.project_velocity(model, model.neutral(), fix={"crank_joint": 2.0}).round(9).tolist()
    [2.0, -2.0, 2.0]
    """
    require_model(model)
    require_bilateral(model, "project_velocity")
    at = _one(model.check_q(q), "q", model.nq)
    wanted = _one(np.zeros(model.nv) if v is None else model.check_v(v).copy(), "v", model.nv)
    kept = _hold(model, fix, wanted, "v_slice")
    wanted = model.check_v(wanted)
    W = _metric(model, norm, at, t)
    if not besides_tree(model):
        return wanted
    _require_positions(model, at, t)
    now = with_elements(loop_constraint(model, at, wanted, t=t), model, at, wanted, t=t)
    K, opening = now.per_row[:, None] * now.K[:, ~kept], now.per_row * now.delta_dot  # angles as arcs
    arcs, change = now.per_column[~kept], np.zeros(model.nv)
    W = arcs[:, None] * W[np.ix_(~kept, ~kept)] * arcs
    change[~kept] = arcs * _least_change(K * arcs, opening, W, not isinstance(norm, str))
    # The residual counts as zero relative to the fastest speed at hand; with all speeds zero it must be exactly zero.
    left, speeds = now.delta_dot + now.K @ change, np.abs([wanted, change]) / now.per_column
    fastest = max(float(speeds.max(initial=0.0)), float(np.abs(opening).max(initial=0.0)))
    if not np.abs(now.per_row * left).max(initial=0.0) <= CLOSED * fastest:
        worst = max(zip(now.names, now.rows, strict=True), key=lambda one: float(np.linalg.norm(left[one[1]])))
        held = f" while {listed(held_names(model, kept))} keep(s) what was given" if kept.any() else ""
        raise StateError(
            f"no velocities keep {_what(model)}{held}: {called(model, worst[0])} is opened by "
            f"{float(np.linalg.norm(left[worst[1]])):.3g} (rad/s, m/s)"
        )
    return wanted + change


def _require_positions(model: Model, q: NDArray, t: float) -> None:
    """Raise `StateError` if q leaves a loop open, or a constraint unfulfilled."""
    mend = f"`q = rbdkit.assemble(model, q{f', t={t:g}' if t else ''})`"
    open_by = gaps(model, q, t)
    sizes = widths(model, open_by)
    if not sizes.max(initial=0.0) <= CLOSED:
        l = int(np.argmax(sizes))
        raise StateError(
            f"q leaves loop joint {model.loops[l].joint.name!r} open by {by(*open_by[l])}. {mend} closes it"
        )
    held = Held(model, t, length_of(model))
    for size, row, gap in held.worst(held.at(q)[0]):
        if not size <= CLOSED:
            raise StateError(f"constraint {row.constraint!r} is off by {gap:.3g} {row.unit} at q. {mend} mends it")


def _what(model: Model) -> str:
    """Name the loops and constraints of a model, for error messages."""
    if not model.constraints:
        return f"the loops of model {model.name!r} closed"
    return f"all loops and constraints of model {model.name!r}"


def called(model: Model, name: str) -> str:
    """Name a loop joint or a constraint, for messages."""
    return f"{'loop joint' if any(loop.joint.name == name for loop in model.loops) else 'constraint'} {name!r}"


def started(model: Model, q: ArrayLike | None, fix: Fix) -> tuple[NDArray, NDArray]:
    """Return the initial coordinates (..., nq) and the mask (nv,) of the held velocity variables."""
    start = np.array(model.neutral() if q is None else model.check_q(q))
    kept = _hold(model, fix, start, "q_slice")
    return model.check_q(start), kept


def _hold(model: Model, fix: Fix, values: NDArray, part: Literal["q_slice", "v_slice"]) -> NDArray:
    """Return the mask (nv,) of held velocity variables; write the values in `fix` into `values` (..., nq or nv)."""
    kept = np.zeros(model.nv, dtype=bool)
    if not isinstance(fix, str | Iterable) or isinstance(fix, np.ndarray):
        raise ModelError(
            f"fix = {shown(fix)} must be names of joints, or a mapping from names to what they are to have"
        )
    for name in [fix] if isinstance(fix, str) else fix:
        joint = model.joint(name)
        if joint.mimic is not None:
            raise ModelError(f"joint {name!r} follows {joint.mimic.leader!r}; name that one in fix=")
        kept[joint.v_slice] = True
        if isinstance(fix, Mapping):
            own = floats(fix[name], lambda v: f"fix[{name!r}]: {v} is not a number", StateError)  # noqa: B023
            place = getattr(joint, part)
            size = place.stop - place.start
            if own.size != size:
                raise StateError(f"fix[{name!r}] = {shown(fix[name])} must hold {size} number(s) of joint {name!r}")
            values[..., place] = own.reshape(size)
    return kept


def _one(values: NDArray, name: str, size: int) -> NDArray:
    if values.shape != (size,):
        raise StateError(f"{name} has shape {values.shape}; one state, ({size},), is what this function takes")
    return values


def held_names(model: Model, kept: NDArray) -> list[str]:
    """Return the names of the joints that are held."""
    return [joint.name for joint in model.joints[1:] if joint.mimic is None and kept[joint.v_slice].any()]


def _why(model: Model, q: NDArray, kept: NDArray, end: Closest, t: float) -> str:
    """Explain why the loops cannot be closed: what stays open, and whether `fix` or limits are in the way.

    kept : mask (nv,) of the held velocity variables. end : the best that the search found.
    """
    sizes = np.linalg.norm(end.e.reshape(-1, 2, 3), axis=2)
    held = Held(model, t, length_of(model)).worst(end.held)
    found = [(size, f"constraint {row.constraint!r} is off by {gap:.3g} {row.unit}") for size, row, gap in held]
    for loop, size, own in zip(model.loops, widths(model, sizes), sizes, strict=True):
        found.append((float(size), f"loop joint {loop.joint.name!r} stays open by {by(*own)}"))
    found.sort(key=lambda one: one[0], reverse=True)
    stay = ", ".join([text for size, text in found if not size <= DONE][:3])
    what = "close the loops" + " and fulfil the constraints" * bool(model.constraints)
    text = f"no coordinates were found that {what} of model {model.name!r}: at best {stay}"
    # Search again without each restriction, to find out which of them is in the way.
    free, ways = np.zeros_like(kept), []
    if kept.any() and assembled(model, q, free, t, starts=FEW).is_closed:
        ways.append(f"if {listed(held_names(model, kept))} may move: name fewer joints in fix=, or other values")
    beyond = assembled(model, q, kept, t, limited=False, starts=FEW)
    if beyond.is_closed and (passed := _passed(model, beyond.q)):
        ways.append(f"beyond limits, {passed}: widen these, or place the bodies otherwise")
    if ways:
        return f"{text}. They close {'; or '.join(ways)}"
    return f"{text}. Check lengths and placements of its bodies and of the loop joint"


def _passed(model: Model, q: NDArray) -> str:
    """List the joint limits that coordinates violate, for a message."""
    found = []
    for joint in model.joints[1:]:
        own = joint.coordinates(q)
        lower, upper = np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)
        for x, low, high, unit in zip(own, lower, upper, joint.type.q_units, strict=True):
            if not low <= x <= high:
                found.append(f"joint {joint.name!r} at {x:.4g} {unit}, limits {low:.4g} to {high:.4g}")
    return ", ".join(found)


def freedom(model: Model, q: NDArray, kept: NDArray, t: float) -> int:
    """Count the independent velocities of the joints that are not held, with the loops closed."""
    K = np.concatenate([loop_constraint(model, q, np.zeros(model.nv), t=t).K, Held(model, t, 1.0).at(q)[1]])[:, ~kept]
    return K.shape[1] - int(np.sum((s := np.linalg.svd(K, compute_uv=False)) > RANK * s.max(initial=0.0)))


def _metric(model: Model, norm: str | ArrayLike, q: NDArray, t: float) -> NDArray:
    """Return the matrix (nv, nv) of a norm, symmetric and finite."""
    if isinstance(norm, str):
        if norm not in ("energy", "plain"):
            raise ModelError(f"norm {norm!r} must be 'energy', 'plain' or a matrix (nv, nv)")
        return algorithms.crba(model, q, t=t).H if norm == "energy" else np.eye(model.nv)
    W = floats(norm, lambda v: f"norm: {v} is not a matrix of numbers")
    if W.shape != (model.nv, model.nv):
        raise ModelError(f"norm of shape {W.shape} must be a symmetric matrix ({model.nv}, {model.nv})")
    if not np.isfinite(W).all() or not np.allclose(W, W.T, rtol=1e-9, atol=0.0):
        raise ModelError(f"norm {shown(W)} must be a symmetric matrix of finite numbers")
    return W


def _least_change(K: NDArray, opening: NDArray, W: NDArray, own: bool) -> NDArray:
    """Return the w (n,) with the least ``w.T @ W @ w`` among the least-squares solutions of ``K w = -opening``.

    The SVD of K gives a particular solution and a basis N of its null space; within N the minimum is a linear system.
    W may be singular, as with massless links, if it is positive definite on N.
    own : whether the caller of `project_velocity` gave the metric as a matrix.
    """
    U, s, V = np.linalg.svd(K)
    r = int(np.sum(s > RANK * s.max(initial=0.0)))
    w, N = -V[:r].T @ (U[:, :r].T @ opening / s[:r]), V[r:].T
    try:
        require_inertia(W, N)
        return np.asarray(w - N @ np.linalg.solve(N.T @ W @ N, N.T @ (W @ w)))
    except np.linalg.LinAlgError:
        what = (
            "the norm given"
            if own
            else "the kinetic energy, for a motion that is left moves nothing that has inertia: take norm='plain'"
        )
        raise ModelError(f"project_velocity: not positive definite is {what}") from None
