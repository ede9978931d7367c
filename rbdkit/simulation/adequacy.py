"""Whether a step is short enough: its local error, and the fastest motion that it must follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations import LinearSystem, System, linearize
from rbdkit.integrators import Integrator

GROWTH = 1.02
"""Factor a step by which a mode that dies out in truth may grow before the step counts as too long."""


@dataclass(frozen=True)
class StepAdequacy:
    """What a few sampled states say about a step.

    Attributes
    ----------
    order : of the integrator.
    error : (nv,) estimated error of each velocity variable's displacement a step, rad or m, largest over the samples;
        infinite if no such step can be made from one of them.
    fastest_rate : largest \\|eigenvalue\\| of the linearised system that decays or oscillates, 1/s.
    fastest : number of the velocity variable that dominates that mode.
    stable : whether the integrator keeps every decaying mode from growing.
    stable_step : longest step for which it does, s; infinite if the step is stable.
    """

    order: int
    error: NDArray
    fastest_rate: float
    fastest: int
    stable: bool
    stable_step: float


Sample = tuple[System, float, NDArray, NDArray]
"""A system and a state (t, x, v) of it."""


def assess(integrator: Integrator, samples: Iterable[Sample], h: float) -> StepAdequacy | None:
    """Judge the step h at sampled states; None if there is no state that can be judged."""
    errors, modes = [], []
    for system, t, x, v in samples:
        try:
            modes.append(_fast_mode(integrator, linearize(system, t, x, v), h))
        except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
            continue  # a motion that runs away passes states where nothing can be computed
        try:
            errors.append(np.abs(_local_error(integrator, system, t, x, v, h)))
        except (ArithmeticError, np.linalg.LinAlgError, RbdkitError):
            errors.append(np.full(len(v), np.inf))
    if not modes:
        return None
    rate, which, _ = max(modes, key=lambda mode: (mode[2] < h, mode[0]))
    stable_step = min(mode[2] for mode in modes)
    return StepAdequacy(integrator.order, np.max(errors, axis=0), rate, which, stable_step >= h, stable_step)


def _local_error(integrator: Integrator, system: System, t: float, x: NDArray, v: NDArray, h: float) -> NDArray:
    """Error of one step by comparison with two half steps (Richardson), as a displacement."""
    start = integrator.init(system, t, x, v)
    whole = integrator.step(system, start, h)
    halves = integrator.step(system, integrator.step(system, start, 0.5 * h), 0.5 * h)
    return system.displacement(halves.x, whole.x) * 2.0**integrator.order / (2.0**integrator.order - 1.0)


def _fast_mode(integrator: Integrator, linear: LinearSystem, h: float) -> tuple[float, int, float]:
    """Rate and dominating variable of the fastest decaying or oscillating mode, and the longest stable step up to h."""
    values, vectors = np.linalg.eig(linear.matrix)
    # a slowly growing mode is an instability of the mechanism, not of the step
    waning = values.real <= 1e-3 * np.abs(values)
    if not np.any(waning) or np.max(np.abs(values)) == 0.0:
        return 0.0, 0, np.inf
    k = int(np.argmax(np.where(waning, np.abs(values), -1.0)))
    n = len(linear.K)
    which = int(np.argmax(np.abs(vectors[n:, k])))
    true_growth = max(0.0, float(values.real.max()))
    if _growth(integrator, linear, h) <= GROWTH * np.exp(true_growth * h):
        return float(np.abs(values[k])), which, np.inf
    good, bad = 0.0, h
    for _ in range(20):
        middle = 0.5 * (good + bad)
        allowed = 1.0 + (GROWTH - 1.0) * middle / h + np.expm1(true_growth * middle)
        good, bad = (middle, bad) if _growth(integrator, linear, middle) <= allowed else (good, middle)
    return float(np.abs(values[k])), which, good


def _growth(integrator: Integrator, linear: LinearSystem, h: float) -> float:
    """Spectral radius of one step on the linear system: the integrator itself is asked, column by column."""
    n = len(linear.K)
    columns = []
    for e in np.eye(2 * n):
        end = integrator.step(linear, integrator.init(linear, 0.0, e[:n], e[n:]), h)
        columns.append(np.concatenate([end.x, end.v]))
    return float(np.max(np.abs(np.linalg.eigvals(np.array(columns).T))))
