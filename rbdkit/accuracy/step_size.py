"""Truncation error and the length of the step: fixed steps against steps that adapt (Featherstone 2008, 10.1)."""

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
    """A motion with its price.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s.
    q, v : ndarray (n, nq), (n, nv)
        States.
    steps : ndarray (n,)
        Made so far.
    evaluations : int
        Of the dynamics in all.
    """

    t: NDArray
    q: NDArray
    v: NDArray
    steps: NDArray
    evaluations: int


class Counted:
    """A system that counts how often its rate was asked for: each time the whole forward dynamics."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.evaluations = 0

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Vdot of the system."""
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
    """Simulate with steps that keep the estimated error of each below a tolerance, rtol and atol alike.

    Parameters
    ----------
    method : object, optional
        A name that `rbdkit.integrators.Adaptive` knows.
    points : int, optional
        Recorded, evenly in time.
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
    """Simulate with so many equal steps, of RK4 if not said otherwise.

    A run whose step is far too long ends where its state stops being finite.
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
    """Middle and length, s, of the steps of a run, as well as the recorded times show them.

    Where several steps were made between two recorded times, their mean.
    """
    at = np.flatnonzero(np.diff(run.steps, prepend=-1) > 0)
    ends = run.t[at]
    return 0.5 * (ends[1:] + ends[:-1]), np.diff(ends) / np.diff(run.steps[at])


def _run(times: NDArray, rows: list[tuple[NDArray, NDArray, int]], system: Counted) -> Run:
    q, v, steps = zip(*rows, strict=True)
    return Run(times, np.array(q), np.array(v), np.array(steps), system.evaluations)
