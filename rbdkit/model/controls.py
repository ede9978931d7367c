"""The controls u of a model: their names and ranges, and the joints that its actuators drive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.forces.actuator import Actuator
from rbdkit.model.kept import kept
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import floats, number, shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model


@dataclass(frozen=True, eq=False)
class Drives:
    """The actuators of a model as arrays; entry k of those of the first line is about one joint of an actuator.

    Attributes
    ----------
    of, q, v, gear, rate, offset : actuator, places in q and v, gear, and coordinate of the joint as ``rate * q +
        offset`` of the variable there, which is that of another joint if it mimics one.
    gain, stiffness, damping, constant, own : numbers of each actuator; its own control.
    u_limits, effort_limits : (2, nu) smallest and largest, infinite where there are none.
    fixed : whether what controls add depends on them alone. nv : size of v.
    """

    of: NDArray
    q: NDArray
    v: NDArray
    gear: NDArray
    rate: NDArray
    offset: NDArray
    gain: NDArray
    stiffness: NDArray
    damping: NDArray
    constant: NDArray
    own: NDArray
    u_limits: NDArray
    effort_limits: NDArray
    fixed: bool
    nv: int

    def joint_forces(self, u: Any, q: NDArray, v: NDArray) -> NDArray:
        """Return the joint forces (..., nv) of all actuators, for numbers or symbols of equal leading axes."""
        return self._on_joints(self._effort(u, self._feedback(q, v)))

    def added(self, u: Any, q: NDArray | None = None, v: NDArray | None = None) -> NDArray:
        """Return the joint forces (..., nv) that controls add to those which the actuators have by themselves.

        q, v : the state, of equal leading axes; not needed by `fixed` actuators, where feedback cancels out.
        """
        feedback = self.constant if self.fixed else self._feedback(q, v)
        return self._on_joints(self._effort(u, feedback) - self._effort(self.own, feedback))

    def slopes(self, q: NDArray, v: NDArray) -> NDArray:
        """Return the derivative of the joint forces by the actuators' controls (nv, nu); 0 where limits cut them."""
        feedback, own = self._feedback(q, v), self.own
        inside = (own >= self.u_limits[0]) & (own <= self.u_limits[1])
        effort = self.gain * own + feedback
        inside &= (effort >= self.effort_limits[0]) & (effort <= self.effort_limits[1])
        found = np.zeros((self.nv, len(own)))
        np.add.at(found, (self.v, self.of), self.gear * self.rate * (self.gain * inside)[self.of])
        return found

    def _feedback(self, q: Any, v: Any) -> NDArray:
        """Return what effort each actuator has without its control, (..., nu)."""
        length = self._sums(self.gear * (self.rate * q[..., self.q] + self.offset))
        rate = self._sums(self.gear * self.rate * v[..., self.v])
        return self.constant - self.stiffness * length - self.damping * rate

    def _effort(self, u: Any, feedback: NDArray) -> Any:
        return _cut(self.gain * _cut(u, self.u_limits) + feedback, self.effort_limits)

    def _on_joints(self, effort: Any) -> NDArray:
        """Return joint forces (..., nv) of efforts (..., nu)."""
        forces = self.gear * self.rate * effort[..., self.of]
        tau = np.zeros((*effort.shape[:-1], self.nv), dtype=effort.dtype)
        for k, place in enumerate(self.v):
            tau[..., place] = tau[..., place] + forces[..., k]
        return tau

    def _sums(self, entries: NDArray) -> NDArray:
        """Return the sum over the joints of each actuator, (..., nu), of numbers (..., entries)."""
        if len(self.of) == len(self.own):
            return entries
        starts = np.flatnonzero(np.diff(self.of, prepend=-1))
        return np.stack([entries[..., a:b].sum(axis=-1) for a, b in pairwise([*starts, len(self.of)])], axis=-1)


def _cut(values: Any, limits: NDArray) -> Any:
    """Return values (..., n), numbers or symbols, cut to limits (2, n); those without limits are left as they are."""
    limited = limits[0] > -np.inf
    if not limited.any():
        return values
    cut = np.array(values, subok=True)
    cut[..., limited] = np.minimum(np.maximum(cut[..., limited], limits[0, limited]), limits[1, limited])
    return cut


class ActuatorForce(Protocol):
    """A force of a model whose element is an actuator."""

    @property
    def name(self) -> str: ...
    @property
    def element(self) -> Actuator: ...


def actuators(model: Model) -> tuple[ActuatorForce, ...]:
    """Return the force elements that are actuators."""
    return tuple(force for force in model.forces if isinstance(force.element, Actuator))  # type: ignore[misc]


def drives(model: Model) -> Drives:
    """Return the actuators as arrays.

    Raises
    ------
    ModelError
        If one drives a joint that closes a loop: it has no variable of its own.
    """
    return kept(model, _drives)


def _drives(model: Model) -> Drives:
    own = actuators(model)
    joints = [(k, model.joint(_in_tree(model, force, name)), gear) for k, force in enumerate(own)
              for name, gear in zip(force.element.names, force.element.gears, strict=True)]  # fmt: skip
    mimics = [joint.mimic for _, joint, _ in joints]
    free = [(1.0, 0.0) if mimic is None else (mimic.multiplier, mimic.offset) for mimic in mimics]

    def numbers(name: str) -> NDArray:
        return np.array([getattr(force.element, name) for force in own], dtype=float)

    def limits(name: str) -> NDArray:
        pairs = [getattr(force.element, name) or (-np.inf, np.inf) for force in own]
        return np.array(pairs, dtype=float).reshape(-1, 2).T

    return Drives(
        np.array([k for k, _, _ in joints], dtype=int),
        np.array([joint.q_slice.start for _, joint, _ in joints], dtype=int),
        np.array([joint.v_slice.start for _, joint, _ in joints], dtype=int),
        np.array([float(gear) for _, _, gear in joints]),
        np.array([rate for rate, _ in free]),
        np.array([offset for _, offset in free]),
        numbers("gain"),
        numbers("stiffness"),
        numbers("damping"),
        numbers("offset"),
        numbers("u"),
        limits("u_range"),
        limits("effort"),
        not any(force.element.depends_on_motion for force in own),
        model.nv,
    )


def _in_tree(model: Model, force: ActuatorForce, joint: str) -> str:
    if model.loop(joint) is not None:
        raise ModelError(
            f"actuator {force.name!r}: joint {joint!r} closes a loop, so no control can be given for it; let the "
            "actuator drive joints of the tree, or let its own u act"
        )
    return joint


def own_controls(model: Model) -> NDArray:
    """Return the controls (nu,) that act where none are given: the actuators' own."""
    return np.array([force.element.u for force in actuators(model)])


def check_u(model: Model, u: ArrayLike | Mapping[str, float], what: str = "u") -> NDArray:
    """Return controls as an array (..., nu), checked; what a mapping from names leaves out is the actuators' own.

    Raises
    ------
    ModelError
        If the model has no actuators.
    StateError
        If an actuator is unknown, the shape is wrong, or a number is not finite or out of its actuator's range.
    """
    own = actuators(model)
    if not own:
        raise ModelError(
            f"model {model.name!r} has no actuators, so {what} has nothing to command; see Model.add_motor"
        )
    names = [force.name for force in own]
    if isinstance(u, Mapping):
        values = own_controls(model)
        for name, value in u.items():
            if name not in names:
                raise StateError(
                    f"{what}: {shown(name)} is no actuator of model {model.name!r}{did_you_mean(str(name), names)}"
                )
            values[names.index(name)] = number(value, f"{what}[{name!r}] must be a number, not {{}}".format, StateError)
    else:
        values = floats(u, lambda value: f"{what} {value} must be made of numbers", StateError)
    if values.ndim == 0 or values.shape[-1] != len(names):
        raise StateError(f"{what} has shape {values.shape}; model {model.name!r} needs (..., {len(names)}): {names}")
    for k, force in enumerate(own):
        column, limits = values[..., k], force.element.u_range
        if not np.isfinite(column).all():
            raise StateError(f"{what} of actuator {force.name!r} is not finite: {shown(column.tolist())}")
        if limits is not None and not ((column >= limits[0]) & (column <= limits[1])).all():
            worst = column.flat[int(np.argmax(np.maximum(limits[0] - column, column - limits[1])))]
            reach = f"{limits[0]:g} to {limits[1]:g}"
            raise StateError(f"{what} of actuator {force.name!r} is {worst:g}; its range is {reach}")
    return values


def with_controls(model: Model, u: ArrayLike | Mapping[str, float]) -> Model:
    """Return the model with other controls of its actuators; see `Model.with_controls`."""
    values = check_u(model, u)
    if values.ndim != 1:
        raise StateError(f"u has shape {values.shape}; a model has one control of each actuator, ({model.nu},)")
    names = [force.name for force in actuators(model)]
    return model.with_parameters({f"{name}.u": float(value) for name, value in zip(names, values, strict=True)})
