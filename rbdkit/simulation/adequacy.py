"""Whether a step is short enough: its local error, and the fastest motion that it must follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations import Force, Formulation, JointSystem, System, joint_state
from rbdkit.integrators import Integrator
from rbdkit.simulation.spectrum import growth_in_a_step, modes_of
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
    fastest : number of the joint velocity variable that dominates that mode.
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
    errors, modes = [], []
    for given in samples:
        sample = Sample(*given)
        try:
            modes.append(_fast_mode(integrator, sample, h))
        except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
            continue  # a motion that runs away passes states where nothing can be computed
        try:
            errors.append(np.abs(_local_error(integrator, sample, h, in_code)))
        except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
            errors.append(np.full(_variables(sample.system, sample.v), np.inf))
    if not modes:
        return None
    rate, which, _ = max(modes, key=lambda mode: (mode[2] < h, mode[0]))
    stable_step = min(mode[2] for mode in modes)
    return StepAdequacy(integrator.order, np.max(errors, axis=0), rate, which, bool(stable_step >= h), stable_step)


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
    if isinstance(system, JointSystem) or not isinstance(system, Formulation):
        return system.displacement(x0, x1)
    poses = system.poses(x0)
    return joint_state(system.model, poses, se3.log(se3.inverse(poses) @ system.poses(x1)))[1]


def _in_joints(system: System, x: NDArray, v: NDArray) -> NDArray:
    """Velocities as rates of the joints, (nv,); as they are if the system has none."""
    if isinstance(system, JointSystem) or not isinstance(system, Formulation):
        return v
    return joint_state(system.model, system.poses(x), system.velocities(x, v))[1]


def _variables(system: System, v: NDArray) -> int:
    return system.model.nv if isinstance(system, Formulation) else len(v)


def _fast_mode(integrator: Integrator, sample: Sample, h: float) -> tuple[float, int, float]:
    """Rate and dominating variable of the fastest decaying or oscillating mode, and the longest stable step up to h."""
    system, x, v = sample.linear or (sample.system, sample.x, sample.v)
    modes = modes_of(system, sample.t, x, v)
    values = modes.rates
    # a slowly growing mode is an instability of the mechanism, not of the step
    waning = values.real <= 1e-3 * np.abs(values)
    if not np.any(waning) or np.max(np.abs(values)) == 0.0:
        return 0.0, 0, np.inf
    k = int(np.argmax(np.where(waning, np.abs(values), -1.0)))
    rate, growth = float(np.abs(values[k])), growth_in_a_step(integrator, modes)
    parts = [_in_joints(system, x, part(modes.velocities[:, k])) for part in (np.real, np.imag)]
    which = int(np.argmax(np.hypot(*parts)))
    true_growth = max(0.0, float(values.real.max()))
    if growth is None or growth(h) <= GROWTH * np.exp(true_growth * h):
        return rate, which, np.inf
    good, bad = 0.0, h
    for _ in range(20):
        middle = 0.5 * (good + bad)
        allowed = 1.0 + (GROWTH - 1.0) * middle / h + np.expm1(true_growth * middle)
        good, bad = (middle, bad) if growth(middle) <= allowed else (good, middle)
    return rate, which, good
