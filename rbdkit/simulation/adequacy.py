"""Whether a step is short enough: its local error, and the fastest motion that it must follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations import Force, Formulation, JointSystem, LinearSystem, System, joint_state
from rbdkit.integrators import Integrator
from rbdkit.simulation.linearized import Near, in_joints, linearized
from rbdkit.simulation.spectrum import Modes, growth_in_a_step, modes_of
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
    """

    order: int
    error: NDArray
    fastest_rate: float
    fastest: int
    stable: bool
    stable_step: float


class Sample(NamedTuple):
    """A system at a state (t, x, v).

    linear : a second description of the same motion at that state that is cheaper to linearise, if there is one.
    tau : the joint forces, if they are known beforehand as a function of time.
    """

    system: System
    t: float
    x: NDArray
    v: NDArray
    linear: tuple[System, NDArray, NDArray] | None = None
    tau: Force | None = None


class FastMode(NamedTuple):
    """A mode of rate \\|eigenvalue\\|, 1/s, which variable dominates it, and the longest stable step if shorter, s."""

    rate: float
    which: int
    stable_step: float


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
    for given in samples:  # of forces held over steps a formulation knows those of the sample asked for last only
        sample = Sample(*given)
        try:
            error = np.abs(_local_error(integrator, sample, h, in_code))
        except FAULTS:
            error = np.full(_variables(sample.system, sample.v), np.inf)
        system, x, v = sample.linear or (sample.system, sample.x, sample.v)
        if in_joints(system):
            trees.append((error, Near(system, sample.t, x, v)))
        else:
            found += [(error, mode) for mode in _fast_mode(integrator, Near(system, sample.t, x, v), None, h)]
    for (error, near), linear in zip(trees, _linearized([near for _, near in trees]), strict=True):
        found += [(error, mode) for mode in _fast_mode(integrator, near, linear, h)]
    if not found:
        return None
    errors, modes = zip(*found, strict=True)
    worst = max(modes, key=lambda mode: (mode.stable_step < h, mode.rate))
    stable_step = min(mode.stable_step for mode in modes)
    stable = bool(stable_step >= h)
    return StepAdequacy(integrator.order, np.max(errors, axis=0), worst.rate, worst.which, stable, stable_step)


def _linearized(states: Sequence[Near]) -> list[LinearSystem | None]:
    """What `linearized` finds, state by state if a force cannot be had at one of them."""
    try:
        return linearized(states) if states else []
    except FAULTS:
        return [None] * len(states)


def _local_error(integrator: Integrator, sample: Sample, h: float, in_code: InCode | None) -> NDArray:
    """Error of one step by comparison with two half steps (Richardson), as a displacement of the joints."""
    whole = _stepped(integrator, sample, np.array([sample.t, sample.t + h]), in_code)
    halves = _stepped(integrator, sample, np.array([sample.t, sample.t + 0.5 * h, sample.t + h]), in_code)
    apart = _between(sample.system, halves, whole)
    if not np.isfinite(apart).all():
        raise FloatingPointError("the state after a step is not finite")
    return apart * 2.0**integrator.order / (2.0**integrator.order - 1.0)


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
