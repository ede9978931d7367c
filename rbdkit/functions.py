"""The functions on (model, q, v, ...) that `import rbdkit` offers: input checked, one state or stacks of states.

Each takes coordinates of shape (..., nq) and joint vectors of shape (..., nv) with the same leading axes (or ones that
broadcast) and returns results with these leading axes. t, the time of the states in s, matters to models with
prescribed joints only. The algorithms behind them can be read in `rbdkit.algorithms`; where `rbdkit.engine` has
compiled kernels for the model, these compute the same. ``backend="book"`` asks for the readable form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import algorithms
from rbdkit.algorithms import ExternalForces
from rbdkit.algorithms.jacobian import Reference
from rbdkit.algorithms.momentum import About
from rbdkit.engine import Kernels, kernels_for
from rbdkit.engine.steps.frames import REFERENCES
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.leading_axes import common_axes
from rbdkit.spatial.read_numbers import floats, shown, within

Backend = Literal["auto", "book"]

WELL_BELOW = 1e150
"""Results up to here are known to be finite at a glance: their squares are."""


def rnea(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Inverse dynamics: joint forces (..., nv) that produce the accelerations a; see `rbdkit.algorithms.rnea`.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing.

    Parameters
    ----------
    q : (..., nq). v, a : (..., nv), SI units and radians.
    f_ext : external forces, the same for all states; see `wrench`.
    backend : 'auto' takes compiled kernels where there are any, 'book' the readable form.
    """
    q, v, a = state = checked_state(with_inertia(model), q, v=v, a=a)
    if (kernels := chosen_kernels(model, backend)) is not None:
        return kernels.rnea(q, v, a, algorithms.external_forces(model, f_ext), t)
    return _each(lambda q, v, a: algorithms.rnea(model, q, v, a, f_ext, t).tau, *state)


def aba(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Forward dynamics by the articulated-body algorithm: accelerations (..., nv); see `rbdkit.algorithms.aba`.

    Springs and dampers of the joints are not added; `forward_dynamics` does that.
    """
    q, v, tau = state = checked_state(with_inertia(model), q, v=v, tau=tau)
    if (kernels := chosen_kernels(model, backend)) is not None and not kernels.coupled:
        qdd = kernels.aba(q, v, tau, algorithms.external_forces(model, f_ext), t)
        if within(qdd, WELL_BELOW):
            return qdd  # else the readable form says what is wrong, with the joint's name
    return _solved(model, lambda q, v, tau: algorithms.aba(model, q, v, tau, f_ext, t).qdd, *state)


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Accelerations (..., nv) caused by tau and by the joints' springs and dampers: what `simulate` integrates."""
    q, v, tau = state = checked_state(with_inertia(model), q, v=v, tau=tau)
    algorithms.require_tree(model)
    if (kernels := chosen_kernels(model, backend)) is not None:
        qdd = kernels.forward_dynamics(q, v, tau, algorithms.external_forces(model, f_ext), t)
        if within(qdd, WELL_BELOW):
            return qdd  # else the readable form says what is wrong, with the joint's name
    return _solved(model, lambda q, v, tau: algorithms.forward_dynamics(model, q, v, tau, f_ext, t), *state)


class StateDerivative(NamedTuple):
    """Rates of a state: qdot (..., nq) of the coordinates as they are stored, vdot (..., nv) of the velocities."""

    qdot: NDArray
    vdot: NDArray


def state_derivative(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    backend: Backend = "auto",
) -> StateDerivative:
    """FD_x, the state equation: ``qdot = qdfn(q, v)`` and vdot of `forward_dynamics` (Featherstone 2008, Eq 3.9).

    Quaternions have four rates each. `StateEquation` is the same as a function of (t, x) for general integrators.

    Parameters
    ----------
    q : (..., nq), on its manifold. v, tau : (..., nv), SI units and radians; springs and dampers of joints act besides.
    f_ext, t, backend : as of `forward_dynamics`.

    Returns
    -------
    StateDerivative
        ``qdot, vdot = state_derivative(...)``.

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
    return StateDerivative(model.rate(q, v), forward_dynamics(model, q, v, tau, f_ext, t, backend))


class HybridMotion(NamedTuple):
    """Accelerations and forces of all joints, (..., nv) each: those that were given and those that were found."""

    a: NDArray
    tau: NDArray


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike,
    forward: Iterable[str | int],
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> HybridMotion:
    """Hybrid dynamics: accelerations where forces are given, forces where accelerations are.

    Springs and dampers of the joints are not added. See `rbdkit.algorithms.hybrid_aba`, and `hybrid_dynamics` there for
    models with mimic joints.

    Parameters
    ----------
    q : (..., nq). v : (..., nv), SI units and radians.
    tau, a : (..., nv) joint forces and accelerations. tau counts at the joints in `forward`, a at all others; what
        stands in the other entries does not matter, NaN is fine.
    forward : names (or numbers) of the joints that follow their forces; the others are driven.
    f_ext : external forces, the same for all states; see `wrench`.

    Returns
    -------
    HybridMotion
        ``a, tau = hybrid_dynamics(...)``, complete.

    Raises
    ------
    StateError, ModelError
        If the state has the wrong shape or is off its manifold, a joint is unknown or closes a loop, or one in
        `forward` moves something without inertia.
    """
    algorithms.require_tree(model, "hybrid dynamics")
    fd = algorithms.forward_joints(model, forward)
    driven = np.ones(model.nv, dtype=bool)
    driven[algorithms.split_variables(model, fd)[0]] = False
    tau, a = (_masked(model, x, where, name) for x, where, name in ((tau, ~driven, "tau"), (a, driven, "a")))
    q, v, tau, a = checked_state(with_inertia(model), q, v=v, tau=tau, a=a)
    algorithm = algorithms.hybrid_dynamics if model.mimics else algorithms.hybrid_aba

    def both(q: NDArray, v: NDArray, tau: NDArray, a: NDArray) -> NDArray:
        result = algorithm(model, q, v, tau, a, fd, f_ext, t)
        return np.stack([result.qdd, result.tau])

    return HybridMotion(*np.moveaxis(_solved(model, both, q, v, tau, a), -2, 0))


def crba(model: Model, q: ArrayLike, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Joint-space inertia matrix H (..., nv, nv); see `rbdkit.algorithms.crba`.

    Where joints close loops it is that of the spanning tree, whose variables are not independent then.
    """
    if (kernels := chosen_kernels(with_inertia(model), backend)) is not None:
        return kernels.crba(model.check_q(q), t)
    return _each(lambda q: algorithms.crba(model, q, t).H, *checked_state(model, q))


def bias_force(model: Model, q: ArrayLike, v: ArrayLike, f_ext: ExternalForces = None, t: float = 0.0) -> NDArray:
    """C(q, v) (..., nv): gravity, Coriolis, centrifugal and external forces, so that ``tau = H a + C``.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing.
    """
    q, v = state = checked_state(with_inertia(model), q, v=v)
    if (kernels := chosen_kernels(model, "auto")) is not None:
        return kernels.rnea(q, v, np.zeros_like(v), algorithms.external_forces(model, f_ext), t)
    return _each(lambda q, v: algorithms.bias_force(model, q, v, f_ext, t), *state)


def gravity_force(model: Model, q: ArrayLike, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Joint forces (..., nv) that hold the system still against gravity.

    Where joints close loops these are the forces of the spanning tree: what its joints need if the loop joints transmit
    nothing.
    """
    if (kernels := chosen_kernels(with_inertia(model), backend)) is not None and not kernels.driven:
        q = model.check_q(q)
        rest = np.zeros((*q.shape[:-1], model.nv))
        return kernels.rnea(q, rest, rest)
    return _each(lambda q: algorithms.gravity_force(model, q, t), *checked_state(model, q))


def passive_force(model: Model, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> NDArray:
    """Joint forces (..., nv) of the joints' own springs and dampers, and of force elements."""
    return _each(lambda q, v: algorithms.passive_force(model, q, v, t), *checked_state(model, q, v=v))


def forward_kinematics(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0, backend: Backend = "auto"
) -> algorithms.Kinematics:
    """Poses (..., bodies, 4, 4) and, with v, velocities (..., bodies, 6); see `rbdkit.algorithms.Kinematics`."""
    kernels = chosen_kernels(model, backend)
    q, v = (model.check_q(q), None) if v is None else checked_state(model, q, v=v)
    if kernels is not None:
        return algorithms.Kinematics(model, *kernels.forward_kinematics(q, v, t))
    return algorithms.forward_kinematics(model, q, v, t)


def jacobian(
    model: Model, q: ArrayLike, frame: str, reference: Reference = "body", t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Jacobian (..., 6, nv) of a body or frame, angular part first; reference 'body', 'world' or 'aligned'.

    Its columns belong to the joints of the spanning tree; where others close loops, v must fit these. Prescribed joints
    add their own velocity.
    """
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place = model.frame(frame)
        return kernels.jacobian(model.check_q(q), place.body, place.placement, reference, t)
    return _each(lambda q: algorithms.jacobian(model, q, frame, reference, t), *checked_state(model, q))


def bias_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    reference: Reference = "body",
    t: float = 0.0,
    backend: Backend = "auto",
) -> NDArray:
    """Jdot v (..., 6): the acceleration of a frame when vdot = 0; see `rbdkit.algorithms.bias_acceleration`.

    Where joints close loops, vdot = 0 is that of the joints of the spanning tree.
    """
    q, v = state = checked_state(model, q, v=v)
    if (
        (kernels := chosen_kernels(model, backend)) is not None
        and isinstance(reference, str)
        and reference in REFERENCES
    ):
        place = model.frame(frame)
        return kernels.bias_acceleration(q, v, place.body, place.placement, reference, t)
    return _each(lambda q, v: algorithms.bias_acceleration(model, q, v, frame, reference, t), *state)


def center_of_mass(model: Model, q: ArrayLike, t: float = 0.0, backend: Backend = "auto") -> NDArray:
    """Centre of mass (..., 3) of the moving bodies in world coordinates, m."""
    (q,) = checked_state(with_inertia(model), q)
    if (kernels := chosen_kernels(model, backend)) is not None:
        center = kernels.center_of_mass(q, t)
        if np.isfinite(center).all():
            return center  # else nothing that moves has mass, and the readable form says so
    return algorithms.center_of_mass(model, q, t)


def momentum(
    model: Model, q: ArrayLike, v: ArrayLike, about: About = "world", t: float = 0.0, backend: Backend = "auto"
) -> NDArray:
    """Spatial momentum (..., 6) in world axes, angular part first, about the world origin or the centre of mass."""
    q, v = checked_state(with_inertia(model), q, v=v)
    if (kernels := chosen_kernels(model, backend)) is not None and isinstance(about, str) and about in ("world", "com"):
        h = kernels.momentum(q, v, about, t)
        if np.isfinite(h).all():
            return h  # else nothing that moves has mass, and the readable form says so
    return algorithms.momentum(model, q, v, about, t)


def energy(model: Model, q: ArrayLike, v: ArrayLike, t: float = 0.0, backend: Backend = "auto") -> algorithms.Energy:
    """Kinetic, gravitational, spring, potential and total energy, each (...), J."""
    q, v = checked_state(with_inertia(model), q, v=v)
    if (kernels := chosen_kernels(model, backend)) is not None:
        return algorithms.Energy(*np.moveaxis(kernels.energy(q, v, t), -1, 0))
    return algorithms.energy(model, q, v, t)


def power_balance(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> algorithms.PowerBalance:
    """Rate of energy against the power of applied and external forces and of dampers, each (...), W."""

    def balance(q: NDArray, v: NDArray, a: NDArray, tau: NDArray) -> NDArray:
        result = algorithms.power_balance(model, q, v, a, tau, f_ext, t)
        return np.stack([getattr(result, field.name) for field in fields(result)])

    return algorithms.PowerBalance(
        *np.moveaxis(_each(balance, *checked_state(with_inertia(model), q, v=v, a=a, tau=tau)), -1, 0)
    )


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


def require_model(model: object) -> None:
    """Raise `ModelError` if what was given for a model is none."""
    if not isinstance(model, Model):
        raise ModelError(f"model {shown(model)} is not an rbdkit.Model")


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
    lead = checked[0].shape[:-1]
    if all(array.shape[:-1] == lead for array in checked):
        return checked
    lead = common_axes(dict(zip(("q", *vectors), checked, strict=True)))
    return [np.broadcast_to(array, (*lead, array.shape[-1])) for array in checked]


def _solved(model: Model, function: Callable[..., NDArray], *state: NDArray) -> NDArray:
    """The function at every state of the stack; where it overflows or is singular without a word, that is told."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = _each(function, *state)
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


def _each(function: Callable[..., NDArray], *arrays: NDArray) -> NDArray:
    """The function at every state of the stack."""
    lead = arrays[0].shape[:-1]
    if not lead:
        return function(*arrays)
    if 0 in lead:
        raise StateError(f"an empty stack of states, {lead}, has no result in the readable form; give at least one")
    rows = zip(*(array.reshape(-1, array.shape[-1]) for array in arrays), strict=True)
    results = np.array([function(*row) for row in rows])
    return results.reshape(*lead, *results.shape[1:])
