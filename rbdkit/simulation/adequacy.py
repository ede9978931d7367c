"""Step-size check of a finished run: the local error of a step, and stability of the fastest mode.

At a few sampled states (start, middle, fastest) one step is compared with two half steps, which gives the local error
by Richardson extrapolation; and the equations of motion are linearised, whose decaying or oscillating modes the
integrator must not amplify. Accuracy and stability are separate questions: a stiff damper makes a step unstable long
before the motion itself is inaccurate. A cheap bound of all eigenvalues decides most cases; the spectrum is computed
only if the bound does not suffice or the fastest mode is read (`_Search`).
"""

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
"""Growth per step of a decaying mode above which the step counts as too long."""


@dataclass(frozen=True)
class StepAdequacy:
    """Accuracy and stability of a step, judged at a few sampled states.

    Attributes
    ----------
    order : order of the integrator.
    error : (nv,) estimated error per step of the displacement along each joint velocity variable, rad or m, largest
        over the samples; infinite if no step can be made from one of them.
    fastest_rate : largest \\|eigenvalue\\| of the decaying and oscillating modes of the linearised system, 1/s; for
        large systems the largest one found in a Krylov space.
    fastest : index of the joint velocity variable that dominates that mode; from nv on, of a state of force elements.
    stable : whether the integrator amplifies no decaying mode; assumed for methods of which it cannot be computed, see
        `growth_in_a_step`.
    stable_step : longest stable step, s; infinite if the step is stable.

    If a bound of all rates shows that the step is stable, the fastest mode is computed at first access only.
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
        # with the mode that was found: a search holds systems, and so users' functions, which cannot all be pickled
        return StepAdequacy, (self.order, self.error, self.stable, self.stable_step, Found(self._mode))


class Sample(NamedTuple):
    """A system at a state (t, x, v).

    linear : (system, x, v), an equivalent system at that state that is cheaper to linearise, or None.
    tau : the joint forces, if they are a function of time alone.
    end : x after the step to be judged, if the run has made that step.
    """

    system: System
    t: float
    x: NDArray
    v: NDArray
    linear: tuple[System, NDArray, NDArray] | None = None
    tau: Force | None = None
    end: NDArray | None = None


class FastMode(NamedTuple):
    """The fastest mode: its \\|eigenvalue\\|, 1/s, the index of its dominant variable, and the longest stable step, s.

    The longest stable step is infinite if the judged step is stable.
    """

    rate: float
    which: int
    stable_step: float


@dataclass(frozen=True)
class Found:
    """A fastest mode that is already known, in the form of a search for one."""

    mode: FastMode

    def __call__(self) -> FastMode:
        return self.mode


FAULTS = (ArithmeticError, np.linalg.LinAlgError, RbdkitError)


class InCode(Protocol):
    """A callable that makes steps with the compiled code of a run."""

    def __call__(self, sample: Sample, times: NDArray) -> NDArray | None:
        """Return x after steps from a sampled state through the times; None if a state is not finite."""
        ...


def assess(
    integrator: Integrator, samples: Iterable[Sample], h: float, in_code: InCode | None = None
) -> StepAdequacy | None:
    """Judge the step h at sampled states; None if there is no state that can be judged.

    in_code : makes such steps by compiled code; None if there is none.
    """
    found: list[tuple[NDArray, FastMode]] = []
    trees: list[tuple[NDArray, Near]] = []
    ends = []
    for given in samples:  # steps at once: a formulation holds the forces of the sample that was drawn last only
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
    # mostly this bound is enough, and no spectrum is computed
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
    """A deferred search for the fastest mode near some states whose linearisations are known."""

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
    """Return what `linearized` finds; None for every state if forces fail at one of them."""
    try:
        return linearized(states) if states else []
    except FAULTS:
        return [None] * len(states)


def _ends(
    integrator: Integrator, sample: Sample, h: float, in_code: InCode | None
) -> tuple[NDArray | None, NDArray | None]:
    """Return x after two half steps and after a whole one; None and None if they cannot be made."""
    try:
        whole = sample.end
        if whole is None:
            whole = _stepped(integrator, sample, np.array([sample.t, sample.t + h]), in_code)
        return _stepped(integrator, sample, np.array([sample.t, sample.t + 0.5 * h, sample.t + h]), in_code), whole
    except FAULTS:
        return None, None


def _local_errors(order: int, ends: Sequence[tuple[Sample, NDArray | None, NDArray | None]]) -> list[NDArray]:
    """Return the absolute errors of one step in joint displacements, (nv,) per sample, by Richardson extrapolation.

    They are infinite where no step could be made. ends : each sample with the results of `_ends`.
    """
    # a step has the error e, two half steps e / 2^order together: their difference is e (1 - 1 / 2^order)
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
    """Return x after steps through the times, by compiled code if there is some."""
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
    """Return the displacement from x0 to x1 in joint velocity variables, (nv,), or in those of the system itself."""
    if isinstance(system, JointSystem):
        return system.model.displacement(x0, x1)
    if not isinstance(system, Formulation):
        return system.displacement(x0, x1)
    poses = system.poses(x0)
    return joint_state(system.model, poses, se3.log(se3.inverse(poses) @ system.poses(x1)))[1]


def _in_joints(system: System, x: NDArray, v: NDArray) -> NDArray:
    """Return velocities in joint variables, (nv,); unchanged if the system has no joints.

    For a `JointSystem` they are followed by the states of force elements.
    """
    if isinstance(system, JointSystem) or not isinstance(system, Formulation):
        return v
    return joint_state(system.model, system.poses(x), system.velocities(x, v))[1]


def _variables(system: System, v: NDArray) -> int:
    return system.model.nv if isinstance(system, Formulation) else len(v)


def _fast_mode(integrator: Integrator, near: Near, linear: LinearSystem | None, h: float) -> list[FastMode]:
    """Return the fastest decaying or oscillating mode near a state, in a list; empty if it cannot be computed.

    A motion that runs away passes through such states. linear : what `linearized` finds there.
    """
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
    # what grows in the system itself may grow in a step as well
    true_growth = max(0.0, float(values.real.max()))
    if growth is None or growth(h) <= GROWTH * np.exp(true_growth * h):
        return FastMode(rate, which, np.inf)
    good, bad = 0.0, h
    # the longest stable step by bisection, to a millionth of this one
    for _ in range(20):
        middle = 0.5 * (good + bad)
        # shorter steps are more in number, so that each may add less
        allowed = 1.0 + (GROWTH - 1.0) * middle / h + np.expm1(true_growth * middle)
        good, bad = (middle, bad) if growth(middle) <= allowed else (good, middle)
    return FastMode(rate, which, good)
