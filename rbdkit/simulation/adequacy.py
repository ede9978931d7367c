"""Whether a step is short enough: its local error, and the fastest motion that it must follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations import Force, Formulation, JointSystem, LinearSystem, System, joint_state
from rbdkit.integrators import Integrator
from rbdkit.simulation.linearized import Near, in_joints, linearized
from rbdkit.simulation.spectrum import Modes, followed, growth_in_a_step, modes_of
from rbdkit.spatial import se3

GROWTH = 1.02
"""Factor a step by which a mode that dies out in truth may grow before the step counts as too long."""


@dataclass(frozen=True)
class StepAdequacy:
    """What a few sampled states say about a step.

    Attributes
    ----------
    order : of the integrator.
    error : (nv,) estimated error of each joint velocity variable's displacement a step, rad or m, largest over the
        samples; infinite if no such step can be made from one of them.
    fastest_rate : largest \\|eigenvalue\\| of the linearised system that decays or oscillates, 1/s; of large systems
        the largest one that shows in a Krylov space.
    fastest : number of the joint velocity variable that dominates that mode; from nv on, of a state of force elements.
    stable : whether the integrator keeps every decaying mode from growing; taken for granted of methods of which it
        cannot be told, see `growth_in_a_step`.
    stable_step : longest step for which it does, s; infinite if the step is stable.

    Where a bound of all rates shows that the step is stable, the fastest one is found when it is first looked at.
    """

    order: int
    error: NDArray
    stable: bool
    stable_step: float
    _find: Callable[[], FastMode] = field(repr=False, compare=False)

    @cached_property
    def _mode(self) -> FastMode:
        with np.errstate(all="ignore"):
            return self._find()

    @property
    def fastest_rate(self) -> float:
        return self._mode.rate

    @property
    def fastest(self) -> int:
        return self._mode.which

    def __reduce__(self) -> tuple[Any, ...]:
        return StepAdequacy, (self.order, self.error, self.stable, self.stable_step, Found(self._mode))


class Sample(NamedTuple):
    """A system at a state (t, x, v).

    linear : a second description of the same motion at that state that is cheaper to linearise, if there is one.
    tau : the joint forces, if they are known beforehand as a function of time.
    end : x after the step to be judged, if the run has made it.
    """

    system: System
    t: float
    x: NDArray
    v: NDArray
    linear: tuple[System, NDArray, NDArray] | None = None
    tau: Force | None = None
    end: NDArray | None = None


class FastMode(NamedTuple):
    """A mode of rate \\|eigenvalue\\|, 1/s, which variable dominates it, and the longest stable step if shorter, s."""

    rate: float
    which: int
    stable_step: float


@dataclass(frozen=True)
class Found:
    """A mode that need not be looked for."""

    mode: FastMode

    def __call__(self) -> FastMode:
        return self.mode


FAULTS = (ArithmeticError, np.linalg.LinAlgError, RbdkitError)


class InCode(Protocol):
    """Takes steps by the code that a run was made with."""

    def __call__(self, sample: Sample, times: NDArray) -> NDArray | None:
        """x after steps from a sampled state through the times; None if a state is not finite."""
        ...


def assess(
    integrator: Integrator, samples: Iterable[Sample], h: float, in_code: InCode | None = None
) -> StepAdequacy | None:
    """Judge the step h at sampled states; None if there is no state that can be judged.

    in_code : takes such steps, if there is code for them.
    """
    found: list[tuple[NDArray, FastMode]] = []
    trees: list[tuple[NDArray, Near]] = []
    ends = []
    for given in samples:  # of forces held over steps a formulation knows those of the sample asked for last only
        sample = Sample(*given)
        ends.append((sample, *_ends(integrator, sample, h, in_code)))
    for (sample, *_), error in zip(ends, _local_errors(integrator.order, ends), strict=True):
        system, x, v = sample.linear or (sample.system, sample.x, sample.v)
        if in_joints(system):
            trees.append((error, Near(system, sample.t, x, v)))
        else:
            found += [(error, mode) for mode in _fast_mode(integrator, Near(system, sample.t, x, v), None, h)]
    states = [near for _, near in trees]
    linear = _linearized(states)
    known = [one for one in linear if one is not None]
    if states and not found and len(known) == len(states) and followed(integrator, known, h, GROWTH):
        worst_error = np.max([error for error, _ in trees], axis=0)
        return StepAdequacy(integrator.order, worst_error, True, np.inf, _Search(integrator, states, linear, h))
    for (error, near), one in zip(trees, linear, strict=True):
        found += [(error, mode) for mode in _fast_mode(integrator, near, one, h)]
    if not found:
        return None
    errors, modes = zip(*found, strict=True)
    stable_step = min(mode.stable_step for mode in modes)
    return StepAdequacy(
        integrator.order, np.max(errors, axis=0), bool(stable_step >= h), stable_step, Found(_worst(modes, h))
    )


@dataclass(frozen=True)
class _Search:
    """The fastest mode near some states with matrices that are known, when it is asked for."""

    integrator: Integrator
    states: Sequence[Near]
    linear: Sequence[LinearSystem | None]
    h: float

    def __call__(self) -> FastMode:
        near = zip(self.states, self.linear, strict=True)
        modes = [mode for state, one in near for mode in _fast_mode(self.integrator, state, one, self.h)]
        return _worst(modes, self.h) if modes else FastMode(np.nan, 0, np.inf)


def _worst(modes: Sequence[FastMode], h: float) -> FastMode:
    return max(modes, key=lambda mode: (mode.stable_step < h, mode.rate))


def _linearized(states: Sequence[Near]) -> list[LinearSystem | None]:
    """What `linearized` finds, state by state if a force cannot be had at one of them."""
    try:
        return linearized(states) if states else []
    except FAULTS:
        return [None] * len(states)


def _ends(
    integrator: Integrator, sample: Sample, h: float, in_code: InCode | None
) -> tuple[NDArray | None, NDArray | None]:
    """x after two half steps and after a whole one; None and None if they cannot be made."""
    try:
        whole = sample.end
        if whole is None:
            whole = _stepped(integrator, sample, np.array([sample.t, sample.t + h]), in_code)
        return _stepped(integrator, sample, np.array([sample.t, sample.t + 0.5 * h, sample.t + h]), in_code), whole
    except FAULTS:
        return None, None


def _local_errors(order: int, ends: Sequence[tuple[Sample, NDArray | None, NDArray | None]]) -> list[NDArray]:
    """Errors of one step by comparison with two half steps (Richardson), as displacements of the joints, positive;
    infinite where there is no such step. ends : of each sample what `_ends` gives."""
    factor = 2.0**order / (2.0**order - 1.0)
    systems = [sample.system for sample, *_ in ends]
    alike = len(ends) > 1 and all(isinstance(x, JointSystem) and x.model is systems[0].model for x in systems)  # type: ignore[attr-defined]
    if alike and all(halves is not None and np.isfinite(halves).all() for _, halves, _ in ends):
        halves, wholes = (np.array([end[k] for end in ends]) for k in (1, 2))
        if np.isfinite(wholes).all():
            try:
                apart = np.abs(_between(systems[0], halves, wholes))
                if np.isfinite(apart).all():
                    return list(factor * apart)
            except FAULTS:
                pass  # one by one, then
    return [_local_error(factor, *end) for end in ends]


def _local_error(factor: float, sample: Sample, halves: NDArray | None, whole: NDArray | None) -> NDArray:
    try:
        if halves is not None and whole is not None:
            apart = np.abs(_between(sample.system, halves, whole))
            if np.isfinite(apart).all():
                return factor * apart
    except FAULTS:
        pass
    return np.full(_variables(sample.system, sample.v), np.inf)


def _stepped(integrator: Integrator, sample: Sample, times: NDArray, in_code: InCode | None) -> NDArray:
    """x after steps through the times, by compiled code where there is some."""
    if in_code is not None:
        x = in_code(sample, times)
        if x is None:
            raise FloatingPointError("the state is not finite any more")
        return x
    system = sample.system
    state = integrator.init(system, times[0], sample.x, sample.v)
    for h in np.diff(times):
        state = integrator.step(system, state, float(h))
    return state.x


def _between(system: System, x0: NDArray, x1: NDArray) -> NDArray:
    """The displacement from x0 to x1 in joint velocity variables, (nv,); in those of a system that has no joints."""
    if isinstance(system, JointSystem):
        return system.model.displacement(x0, x1)
    if not isinstance(system, Formulation):
        return system.displacement(x0, x1)
    poses = system.poses(x0)
    return joint_state(system.model, poses, se3.log(se3.inverse(poses) @ system.poses(x1)))[1]


def _in_joints(system: System, x: NDArray, v: NDArray) -> NDArray:
    """Velocities as rates of the joints, (nv,); as they are if the system has none.

    Of a `JointSystem` the states of force elements stand behind them.
    """
    if isinstance(system, JointSystem) or not isinstance(system, Formulation):
        return v
    return joint_state(system.model, system.poses(x), system.velocities(x, v))[1]


def _variables(system: System, v: NDArray) -> int:
    return system.model.nv if isinstance(system, Formulation) else len(v)


def _fast_mode(integrator: Integrator, near: Near, linear: LinearSystem | None, h: float) -> list[FastMode]:
    """The fastest decaying or oscillating mode near a state; nothing of a state where nothing can be computed: a motion
    that runs away passes such. linear : what `linearized` finds there."""
    try:
        return [_fastest(integrator, near, modes_of(near, linear), h)]
    except FAULTS:
        return []


def _fastest(integrator: Integrator, near: Near, modes: Modes, h: float) -> FastMode:
    values = modes.rates
    # a slowly growing mode is an instability of the mechanism, not of the step
    waning = values.real <= 1e-3 * np.abs(values)
    if not np.any(waning) or np.max(np.abs(values)) == 0.0:
        return FastMode(0.0, 0, np.inf)
    k = int(np.argmax(np.where(waning, np.abs(values), -1.0)))
    rate, growth = float(np.abs(values[k])), growth_in_a_step(integrator, modes)
    parts = [_in_joints(near.system, near.x, part(modes.velocities[:, k])) for part in (np.real, np.imag)]
    which = int(np.argmax(np.hypot(*parts)))
    true_growth = max(0.0, float(values.real.max()))
    if growth is None or growth(h) <= GROWTH * np.exp(true_growth * h):
        return FastMode(rate, which, np.inf)
    good, bad = 0.0, h
    for _ in range(20):
        middle = 0.5 * (good + bad)
        allowed = 1.0 + (GROWTH - 1.0) * middle / h + np.expm1(true_growth * middle)
        good, bad = (middle, bad) if growth(middle) <= allowed else (good, middle)
    return FastMode(rate, which, good)
