"""Applied joint forces and external forces as users give them, made into functions of (t, q, v)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces, external_forces
from rbdkit.errors import RbdkitError, SimulationError, StateError
from rbdkit.formulations import Force
from rbdkit.model import Model
from rbdkit.simulation.asking import Law, ask, require_function
from rbdkit.simulation.sampled import Sampled, Sampler, steps_in
from rbdkit.simulation.variables import variable_name
from rbdkit.trace import Feedback, evaluate

Torque = ArrayLike | Law | Sampled | None


@dataclass(frozen=True)
class Drive:
    """Applied joint forces.

    function : the forces as a function of (t, q, v); where held forces jump, it gives the value after the jump.
    values : (nv,), (steps, nv) or (steps + 1, nv) as given, or None if they are a function.
    held : (steps, nv), row k acting during step k, or None if the forces are not constant over steps.
    zero : whether there are no forces.
    law : the function that was given, or None. sampler : fills `held` as the run goes on, or None.
    what : the argument that a user gave, for messages: tau, u, or both.
    """

    function: Force
    values: NDArray | None = None
    held: NDArray | None = None
    zero: bool = False
    law: Law | None = None
    sampler: Sampler | None = None
    what: str = "tau"

    @property
    def jumps(self) -> bool:
        """Whether they jump from one step to the next."""
        return self.held is not None

    def begin(self, k: int, t: float, q: NDArray, v: NDArray) -> None:
        """Ask a sampled controller at the beginning of step k, if it is its turn."""
        if self.sampler is not None:
            self.sampler.begin(k, t, q, v[: self.held.shape[1]] if self.held is not None else v)

    def during(self, k: int) -> Force:
        """Return the joint forces during step k, without the jump at its end."""
        if self.held is None:
            return self.function
        return Constant(self.held[min(k, len(self.held) - 1)])

    def after(self, steps: int) -> Drive:
        """Return these forces for the steps after the given number of them."""
        if self.values is None or self.values.ndim == 1:
            return self
        held = None if self.held is None else self.held[steps:]
        return replace(self, values=self.values[steps:], held=held)

    def traced(self, tau: NDArray | Feedback) -> Drive:
        """Return these forces with a traced function evaluated by its compiled code at many states at once."""
        return replace(self, function=TracedForce(self.function, tau)) if isinstance(tau, Feedback) else self


def drive(model: Model, tau: Torque, times: NDArray) -> Drive:
    """Convert the argument tau of `simulate` into applied joint forces.

    Parameters
    ----------
    tau : None (zero); (nv,) constant; (steps, nv), row k held during step k; (steps + 1, nv), samples at the step times
        with linear interpolation; a function of (t, q, v) that returns (nv,); or a `Sampled` controller.
    times : (steps + 1,) times of the steps, s.

    Raises
    ------
    StateError, SimulationError
        If a shape is wrong or a number is not finite.
    """
    if tau is None:
        zero = np.zeros(model.nv)
        return Drive(Constant(zero), zero, zero=True)
    if isinstance(tau, Sampled):
        require_function("the controller", tau.controller)
        if callable(reset := getattr(tau.controller, "reset", None)):
            reset()
        held = np.zeros((len(times) - 1, model.nv))
        sampler = Sampler(_Checked(model, tau.controller), steps_in(tau.period, times), held)
        return Drive(Held(times, held), held, held, sampler=sampler)
    if callable(tau):
        require_function("tau", tau)
        return Drive(_Checked(model, tau), law=tau)
    values = model.check_v(tau, "tau").copy()
    steps = len(times) - 1
    if values.ndim == 1:
        return Drive(Constant(values), values)
    if values.shape == (steps, model.nv):
        return Drive(Held(times, values), values, held=values)
    if values.shape == (steps + 1, model.nv):
        return Drive(_Sampled(times, values), values)
    raise SimulationError(
        f"tau has shape {values.shape}; give ({model.nv},) for a constant, ({steps}, {model.nv}) held over each of the "
        f"{steps} steps, ({steps + 1}, {model.nv}) sampled at the step times, or a function of (t, q, v)"
    )


def external_drive(model: Model, f_ext: ExternalForces | Law) -> Force | None:
    """Convert the argument f_ext of `simulate` into a function of (t, q, v) that returns (bodies, 6), or None.

    Raises
    ------
    StateError, ModelError
        If forces that are no function have a wrong shape, are not finite, or act on an unknown body.
    """
    if callable(f_ext):
        require_function("f_ext", f_ext)
        return _External(model, f_ext)
    rows = _rows(model, f_ext, "f_ext")
    return None if rows is None else Constant(rows)


class AtOnce(ABC):
    """A force that can be evaluated at many states in one call."""

    @abstractmethod
    def at_states(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        """Return the values, row by row, at times (n,) and states (n, nq), (n, nv)."""


def at_states(force: Force, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
    """Return the values of any force, row by row, at times (n,) and states (n, nq), (n, nv)."""
    if isinstance(force, AtOnce):
        return force.at_states(t, q, v)
    return np.array([force(*state) for state in zip(t, q, v, strict=True)])


@dataclass(frozen=True)
class TracedForce(AtOnce):
    """A traced user function: called itself at one state, evaluated by its traced code at many states."""

    function: Force
    code: Feedback

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        return self.function(t, q, v)

    def at_states(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        return evaluate(self.code, t, q, v)


class Scheduled(AtOnce):
    """A force that does not depend on the state."""

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        return self.at(np.float64(t))

    def at_states(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        return self.at(t)

    @abstractmethod
    def at(self, t: NDArray | np.float64) -> NDArray:
        """Return the value at a time, or the values at times (n,), row by row."""


@dataclass(frozen=True)
class Constant(Scheduled):
    """A constant force. It and the classes below are objects, not closures, so that motions can be pickled."""

    value: NDArray

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        return self.value

    def at(self, t: NDArray | np.float64) -> NDArray:
        return np.broadcast_to(self.value, (*t.shape, *self.value.shape))


@dataclass(frozen=True)
class Held(Scheduled):
    """Forces that are held over each step; where two meet, those of the second."""

    times: NDArray
    values: NDArray

    def at(self, t: NDArray | np.float64) -> NDArray:
        return self.values[_step_at(self.times, t)]


@dataclass(frozen=True)
class _Sampled(Scheduled):
    """Forces at the step times, with straight lines between them."""

    times: NDArray
    values: NDArray

    def at(self, t: NDArray | np.float64) -> NDArray:
        k = _step_at(self.times, t)
        s = ((t - self.times[k]) / (self.times[k + 1] - self.times[k]))[..., None]
        return (1.0 - s) * self.values[k] + s * self.values[k + 1]


@dataclass(frozen=True)
class _External:
    """A user's function for the external forces, its results checked."""

    model: Model
    function: Law

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        rows = _rows(self.model, ask("f_ext", self.function, t, q, v), f"f_ext(t, q, v) at t = {t:.6g} s")
        return np.zeros((len(self.model.bodies), 6)) if rows is None else rows


@dataclass(frozen=True)
class _Checked:
    """A user's function for the joint forces, its results checked."""

    model: Model
    function: Law

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        given, nv = ask("tau", self.function, t, q, v), self.model.nv
        try:
            values = np.array(given, dtype=float)  # a copy: the function may return the same array again
        except (TypeError, ValueError, OverflowError):
            raise StateError(
                f"tau(t, q, v) returned {shortened(given)} at t = {t:.6g} s; give {nv} numbers, of shape ({nv},)"
            ) from None
        if values.shape != (nv,):
            raise StateError(
                f"tau(t, q, v) returned shape {values.shape} at t = {t:.6g} s; model {self.model.name!r} needs ({nv},)"
            )
        if not np.isfinite(values).all():
            k = int(np.argmin(np.isfinite(values)))
            joint = variable_name(self.model, k)
            raise StateError(f"tau(t, q, v) returned {values[k]} for joint {joint} at t = {t:.6g} s")
        return values


def _rows(model: Model, given: ExternalForces, what: str) -> NDArray | None:
    """Return external forces as a new array (bodies, 6), or None. what : their name in messages."""
    try:
        rows = external_forces(model, given)
    except (TypeError, OverflowError) as fault:
        wrong: Exception = fault
    except ValueError as fault:
        if isinstance(fault, RbdkitError):
            raise
        wrong = fault
    else:
        return None if rows is None else rows.copy()  # a function may return the same array again
    raise StateError(
        f"{what} = {shortened(given)} are no external forces ({wrong}); give {{body: (6,)}} or an array of shape "
        f"({len(model.bodies)}, 6), see rbdkit.wrench"
    ) from None


def _step_at(times: NDArray, t: NDArray | np.float64) -> NDArray:
    """Return the indices of the steps in which t lies; at the boundary of two steps the second."""
    return np.minimum(np.maximum(np.searchsorted(times, t, side="right") - 1, 0), len(times) - 2)
