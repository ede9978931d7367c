"""Truncation error and step size: fixed against adaptive steps (Featherstone 2008, 10.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations import JointSystem, System
from rbdkit.integrators import RK4, Adaptive, Integrator
from rbdkit.model import Model
from rbdkit.model.element_states import require_no_states
from rbdkit.model.requirements import require_no_contacts, require_tree


@dataclass(frozen=True, eq=False)
class Run:
    """A motion and its computational cost.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s.
    q, v : ndarray (n, nq), (n, nv)
        States.
    steps : ndarray (n,)
        Number of steps up to each state.
    evaluations : int
        Number of evaluations of the forward dynamics in all.
    """

    t: NDArray
    q: NDArray
    v: NDArray
    steps: NDArray
    evaluations: int


class Counted:
    """A system that counts the evaluations of its rate, that is, of the forward dynamics."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.evaluations = 0

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Return vdot of the system, and count the call."""
        self.evaluations += 1
        return self._system.rate(t, x, v)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)


def adaptive_run(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    duration: float,
    rtol: float = 1e-6,
    method: Any = "rk45",
    points: int = 500,
) -> Run:
    """Simulate with adaptive steps, with the same relative and absolute tolerance.

    Parameters
    ----------
    method : object, optional
        Name of a method of `rbdkit.integrators.Adaptive`.
    points : int, optional
        Number of recorded states, evenly spaced in time.
    """
    require_tree(model, "a study of step sizes")
    require_no_states(model, "adaptive_run")
    require_no_contacts(model, "adaptive_run")
    system, times = Counted(JointSystem(model)), np.linspace(0.0, duration, points)
    q, v = model.check_q(q0, "q0"), model.check_v(v0, "v0")
    rows = [(q, v, 0), *Adaptive(method, rtol, rtol, max_step=np.inf).samples(system, times, q, v)]
    return _run(times, rows, system)


def fixed_run(
    model: Model, q0: ArrayLike, v0: ArrayLike, duration: float, steps: int, method: Integrator | None = None
) -> Run:
    """Simulate with the given number of equal steps, by RK4 if no method is given.

    If the step is far too long, the run ends where its state becomes infinite.
    """
    require_no_states(model, "fixed_run")
    require_no_contacts(model, "fixed_run")
    method = RK4() if method is None else method
    require_tree(model, "a study of step sizes")
    system, times = Counted(JointSystem(model)), np.linspace(0.0, duration, steps + 1)
    q, v = model.check_q(q0, "q0"), model.check_v(v0, "v0")
    state = method.init(system, 0.0, q, v)
    rows = [(q, v, 0)]
    for k in range(steps):
        try:
            state = method.step(system, state, times[k + 1] - times[k])
        except FloatingPointError:
            break
        rows.append((state.x, state.v, k + 1))
    return _run(times[: len(rows)], rows, system)


def step_lengths(run: Run) -> tuple[NDArray, NDArray]:
    """Return midpoint and length of the steps of a run, s, as resolved by the recorded times.

    If several steps lie between two recorded times, their mean length is given.
    """
    at = np.flatnonzero(np.diff(run.steps, prepend=-1) > 0)
    ends = run.t[at]
    return 0.5 * (ends[1:] + ends[:-1]), np.diff(ends) / np.diff(run.steps[at])


def _run(times: NDArray, rows: list[tuple[NDArray, NDArray, int]], system: Counted) -> Run:
    q, v, steps = zip(*rows, strict=True)
    return Run(times, np.array(q), np.array(v), np.array(steps), system.evaluations)
