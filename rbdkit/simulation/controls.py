"""The argument u of `simulate`: controls of the model's actuators, made into joint forces.

An actuator is a force element that acts with a control of its own. Controls that stay the same take its place: a model
with other numbers. Controls that change add to the joint forces what the actuators' forces differ by, which is why
everything that a run can do with joint forces it can do with controls:

* a function of (t, q, v) becomes a function for joint forces, which compiles as such;
* a table, and what a sampled controller says, become a table of joint forces, unless limits or joint forces that are
  functions make the difference change within a step: then Python makes the steps (`HeldControls`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from reprlib import repr as shortened
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import SimulationError, StateError
from rbdkit.formulations import Force
from rbdkit.model import Model
from rbdkit.model.controls import check_u, drives, own_controls
from rbdkit.simulation.asking import Law, ask, require_function
from rbdkit.simulation.forces import Constant, Drive, Held, Torque, drive
from rbdkit.simulation.sampled import Sampled, Sampler, steps_in
from rbdkit.simulation.traced_forces import Traced, Untraced

Controls = ArrayLike | Mapping[str, float] | Law | Sampled | None
AtStates = Callable[[NDArray, NDArray, NDArray], NDArray]
"""A function of times (n,) and states (n, nq), (n, nv) that returns controls (n, nu)."""


class Commanded(NamedTuple):
    """Joint forces with controls in them.

    tau : joint forces as given, with what other controls add. what : the arguments that are in them, for messages.
    held : controls that are held over steps while the forces that they cause change, or None. at_states : the controls
        along a motion; None if they stay the same.
    """

    tau: Torque
    what: str = "u"
    held: Table | None = None
    at_states: AtStates | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Controls (steps, nu) held over steps. asked : the controller that fills it as the run goes on, or None."""

    rows: NDArray
    asked: Law | None = None
    every: int = 1
    times: NDArray = field(default_factory=lambda: np.zeros(0))

    def at_states(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        """Return the controls at times (n,): those of the step that begins there, at the end those of the last."""
        step = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.rows) - 1)
        return self.rows[step]


def with_constants(model: Model, u: Controls) -> tuple[Model, Controls]:
    """Return the model with controls that stay the same as its own, and None; or the model, and u that is no such."""
    if u is None or callable(u) or isinstance(u, Sampled) or (not isinstance(u, Mapping) and np.ndim(u) != 1):
        return model, u
    return model.with_controls(u), None


def commanded(model: Model, tau: Torque, u: Controls, times: NDArray) -> Commanded:
    """Return joint forces that have the controls u in them.

    Parameters
    ----------
    tau, u : as `simulate` takes them, u no constants. times : (steps + 1,) times of the steps, s.

    Raises
    ------
    ModelError, StateError, SimulationError
        If there are no actuators, a shape is wrong, a control is out of its range, or tau and u are of kinds that
        cannot be put together.
    """
    if u is None:
        return Commanded(tau, "tau")
    steps = len(times) - 1
    if not callable(u) and not isinstance(u, Sampled):
        values = check_u(model, u)
        if values.shape[:-1] == (steps + 1,):
            _require_plain(tau, "u is sampled at the step times")
            if not drives(model).fixed:
                raise SimulationError(
                    "u is sampled at the step times, and actuators that limit their effort need controls held over "
                    f"steps, ({steps}, {model.nu}), or a function of (t, q, v)"
                )
            return Commanded(_base(model, tau) + drives(model).added(values), at_states=_Between(times, values))
        if values.shape[:-1] != (steps,):
            raise SimulationError(
                f"u has shape {values.shape}; give ({model.nu},) for constants, ({steps}, {model.nu}) held over each "
                f"of the {steps} steps, ({steps + 1}, {model.nu}) sampled at the step times, or a function of (t, q, v)"
            )
        return _held(model, tau, Table(values.copy(), times=times))
    if isinstance(u, Sampled):
        require_function("the controller", u.controller)
        if callable(reset := getattr(u.controller, "reset", None)):
            reset()
        rows = np.zeros((steps, len(check_u(model, own_controls(model)))))  # which refuses a model without actuators
        return _held(model, tau, Table(rows, CheckedControls(model, u.controller), steps_in(u.period, times), times))
    check_u(model, own_controls(model))
    require_function("u", u)
    return _by_law(model, tau, u)


def controls_in(tau: Any) -> AtStates | None:
    """Return the controls along a motion of joint forces that have controls in them; None of others."""
    found: AtStates | None = getattr(tau.function if isinstance(tau, Traced | Untraced) else tau, "controls", None)
    return found


def without_u(model: Model, options: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """Return a model and arguments of `simulate` without u: constants as its own controls, functions as part of tau.

    Raises
    ------
    ModelError, StateError, SimulationError
        As `commanded` does; and if u is a table or a sampled controller, which only a single run knows.
    """
    model, u = with_constants(model, options.get("u"))
    options = {name: value for name, value in options.items() if name != "u"}
    if u is None:
        return model, options
    if not callable(u):
        raise SimulationError(
            f"u = {shortened(u)} is a table or a sampled controller, which simulate takes; here give constants or a "
            "function of (t, q, v)"
        )
    return model, options | {"tau": commanded(model, options.get("tau"), u, np.zeros(2)).tau}


def _held(model: Model, tau: Torque, table: Table) -> Commanded:
    """Return controls that are held over steps, as joint forces that are if they can be."""
    plain = tau is None or not (callable(tau) or isinstance(tau, Sampled))
    fixed = drives(model).fixed
    if table.asked is None and plain and fixed:
        base = _base(model, tau)
        if base.ndim == 1 or len(base) == len(table.rows):
            return Commanded(base + drives(model).added(table.rows), at_states=table.at_states)
    if isinstance(tau, Sampled) or (plain and _base(model, tau).ndim > 1):
        raise SimulationError(
            "u is held over steps, and tau is a table or a sampled controller; give tau as a constant or a function of "
            "(t, q, v), or put both into one controller"
        )
    return Commanded(tau, "tau and u" if callable(tau) else "u", table, table.at_states)


def _by_law(model: Model, tau: Torque, u: Law) -> Commanded:
    """Return controls that are a function as part of the joint forces."""
    marks = [x for x in (tau, u) if isinstance(x, Traced | Untraced)]
    law: Any = u.function if isinstance(u, Traced | Untraced) else u
    given: Any = tau.function if isinstance(tau, Traced | Untraced) else tau
    if callable(given):
        require_function("tau", given)

        def both(t: float, q: NDArray, v: NDArray) -> Any:
            return given(t, q, v) + drives(model).added(controls_of(model, law(t, q, v), t), q, v)
    else:
        _require_plain(tau, "u is a function")
        base = _base(model, tau)

        def both(t: float, q: NDArray, v: NDArray) -> Any:
            return base + drives(model).added(controls_of(model, law(t, q, v), t), q, v)

    breaks = {*getattr(given, "breaks", ()), *getattr(law, "breaks", ())}
    if breaks:
        both.breaks = sorted(breaks)  # type: ignore[attr-defined]
    both.controls = _Asked(model, law)  # type: ignore[attr-defined]  # runs that are given it as tau tell them, too
    untraced = next((x for x in marks if isinstance(x, Untraced)), None)
    whole: Any = both
    if untraced is not None:
        whole = Untraced(both, untraced.why)
    elif marks and all(isinstance(x, Traced) for x in (tau, u) if callable(x)):
        whole = Traced(both)
    return Commanded(whole, "tau and u" if callable(given) else "u", at_states=both.controls)  # type: ignore[attr-defined]


def _require_plain(tau: Torque, what: str) -> None:
    if callable(tau) or isinstance(tau, Sampled) or np.ndim(tau) > 1:  # type: ignore[arg-type]
        kind = "controller of another kind" if isinstance(tau, Sampled) or callable(tau) else "table"
        raise SimulationError(
            f"{what}, and tau is a {kind}; give tau as a constant, both as functions, or both held over steps"
        )


def _base(model: Model, tau: Any) -> NDArray:
    """Return joint forces that are numbers as an array; zeros if there are none."""
    return np.zeros(model.nv) if tau is None else np.array(model.check_v(tau, "tau"))


def controls_of(model: Model, given: Any, t: Any) -> Any:
    """Return controls that a user's function returned as an array (nu,), of numbers or symbols.

    Raises
    ------
    StateError
        If they are not as many as the model has actuators, or not finite.
    """
    values = np.asarray(given)
    if values.shape != (model.nu,):
        raise StateError(f"u(t, q, v) returned {shortened(given)}; model {model.name!r} needs {model.nu} controls")
    if values.dtype == object:
        return values
    if not np.isfinite(values.astype(float)).all():
        name = model.u_names[int(np.argmin(np.isfinite(values.astype(float))))]
        raise StateError(f"u(t, q, v) returned {shortened(given)} at t = {t:.6g} s: not finite for actuator {name!r}")
    return values


@dataclass(frozen=True)
class CheckedControls:
    """A user's controller, its results checked."""

    model: Model
    function: Law

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        return np.array(controls_of(self.model, ask("u", self.function, t, q, v), t), dtype=float)


@dataclass(frozen=True)
class _Between:
    """Controls at the step times, with straight lines between them."""

    times: NDArray
    values: NDArray

    def __call__(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        return np.stack([np.interp(t, self.times, column) for column in self.values.T], axis=-1)


@dataclass(frozen=True)
class _Asked:
    """Controls along a motion, by asking their function again."""

    model: Model
    u: Law

    def __call__(self, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        return np.array([CheckedControls(self.model, self.u)(*state) for state in zip(t, q, v, strict=True)])


@dataclass(frozen=True)
class _WithControls:
    """Joint forces with what controls add. force : the joint forces. u : the controls, a function of (t, q, v)."""

    model: Model
    force: Force
    u: Force

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        v = v[: self.model.nv]
        return np.asarray(self.force(t, q, v) + drives(self.model).added(self.u(t, q, v), q, v))


@dataclass(frozen=True)
class _Row:
    """Controls of a table at a time."""

    table: Table

    def __call__(self, t: float, q: NDArray, v: NDArray) -> NDArray:
        return self.table.at_states(np.asarray(t), q, v)


@dataclass(frozen=True)
class HeldControls(Drive):
    """Joint forces with controls that are held over steps; the forces of the actuators change with the motion.

    own : the joint forces without them. model : with the actuators. table : the controls.
    """

    own: Drive = None  # type: ignore[assignment]
    model: Model = None  # type: ignore[assignment]
    table: Table = None  # type: ignore[assignment]

    @property
    def jumps(self) -> bool:
        return True

    def begin(self, k: int, t: float, q: NDArray, v: NDArray) -> None:
        if self.sampler is not None:
            self.sampler.begin(k, t, q, v[: self.model.nv])

    def during(self, k: int) -> Force:
        row = self.table.rows[min(k, len(self.table.rows) - 1)]
        return _WithControls(self.model, self.own.function, Constant(row))


class ControlSampler(Sampler):
    """A sampled controller of actuators whose forces depend on controls alone: it fills tables of both."""

    def __init__(self, model: Model, table: Table, base: NDArray) -> None:
        assert table.asked is not None
        super().__init__(table.asked, table.every, np.zeros((len(table.rows), model.nv)))
        self._model, self._table, self._base = model, table, base

    def begin(self, k: int, t: float, q: NDArray, v: NDArray) -> None:
        if k % self.every == 0 and k != self._begun:
            u = self.ask(t, q, v)
            self._table.rows[k : k + self.every] = u
            self.held[k : k + self.every] = self._base + drives(self._model).added(u)
        self._begun = k


def drive_with_controls(model: Model, given: Commanded, times: NDArray) -> Drive:
    """Return the applied joint forces of a run, as `drive` does, with controls that are held over steps."""
    own = replace(drive(model, given.tau, times), what=given.what)
    if (table := given.held) is None:
        return own
    if table.asked is not None and own.values is not None and drives(model).fixed:
        plain = ControlSampler(model, table, own.values)
        return Drive(Held(times, plain.held), plain.held, plain.held, sampler=plain, what=given.what)
    sampler = None if table.asked is None else Sampler(table.asked, table.every, table.rows)
    function = _WithControls(model, own.function, _Row(table))
    return HeldControls(function, law=own.law, sampler=sampler, what=given.what, own=own, model=model, table=table)
