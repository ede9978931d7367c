"""A motion in directors through given times, by compiled steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors import Directors, NonTwistingDirectors
from rbdkit.integrators.director_loops.program import Kind, step_code
from rbdkit.integrators.integrator import State
from rbdkit.integrators.newton import Solve
from rbdkit.trace import available

CHUNK = 512
"""Steps made at a time."""
FEW, MANY = 4, 12
"""Corrections in a step: so many are made, needed or not; a step that needs more is made again with many."""

Moment = Callable[[int, float], NDArray]
"""Moment (3,) along the directors, N m, in a step of that number at a time."""


class Method(Protocol):
    """A method for directors."""

    tolerance: float
    max_iterations: int

    def step(self, system: Directors, state: State, h: float) -> State:
        """The state at ``state.t + h``."""
        ...


def compiled_steps(
    kind: str, method: Method, system: Directors, times: NDArray, x: NDArray, v: NDArray, tau: Moment | None
) -> Iterator[tuple[NDArray, NDArray, int, Solve | None]]:
    """The states at times[1:] of a method for directors, each with the number of its step and how it was solved.

    A step that the program cannot make is left to ``method.step``, which makes it or says why not.

    Parameters
    ----------
    kind : of step, see `Kind`.
    x, v : (n,) initial state.
    tau : the moment, if one acts; it may depend on time only, and the body may not float.
    """
    few, many = min(FEW, method.max_iterations), min(MANY, method.max_iterations)
    loop, free = Loop(kind, system, times, x[:9], v[:9], tau, method.tolerance), _Fall(system, times, x, v)
    first, total, corrections = 0, len(times) - 1, few
    while first < total:
        steps = min(CHUNK, total - first)
        done = loop.advance(first, steps, corrections)
        for n in range(done):
            yield *free.joined(first + n + 1, *loop.state(n)), first + n + 1, loop.solve(n)
        first += done
        if done == 0 and corrections == many:
            state = State(times[first], *free.joined(first, *loop.end()))
            new = method.step(system, state, times[first + 1] - times[first])
            first += 1
            loop.go_on_from(new.x[:9], new.v[:9])
            yield new.x, new.v, first, new.solve
        corrections = few if done == steps and loop.needed <= few else many


class _Fall:
    """The centre of mass of a floating body on which only gravity acts; all methods find its parabola exactly."""

    def __init__(self, system: Directors, times: NDArray, x: NDArray, v: NDArray) -> None:
        t, g = (times - times[0])[:, None], system.body.gravity
        self.x, self.v = np.zeros((len(times), 0)), np.zeros((len(times), 0))
        if system.body.floats:
            self.x, self.v = x[9:] + t * v[9:] + 0.5 * t**2 * g, v[9:] + t * g

    def joined(self, k: int, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """The state after k steps, of that of the directors."""
        return np.concatenate([x, self.x[k]]), np.concatenate([v, self.v[k]])


class Loop:
    """The program on its arrays."""

    def __init__(
        self, method: str, system: Directors, times: NDArray, x: NDArray, v: NDArray, tau: Moment | None, tol: float
    ) -> None:
        E, weight = system.body.euler_inertia, system.body.weight
        a = system.a if isinstance(system, NonTwistingDirectors) else 0.0
        self.kind = Kind(method, system.twists, tau is not None, bool(weight.any()))
        self.code = step_code(self.kind, available()[0])
        self.times, self.tau, self.tolerance = times, tau, tol
        self.q_record, self.v_record = np.zeros((CHUNK, 9)), np.zeros((CHUNK, 9))
        self.residuals = np.zeros((0, 0))
        self.arrays = {
            "q": np.array(x, dtype=float),
            "v": np.array(v, dtype=float),
            "numbers": np.array([E[0, 0], E[0, 1], E[1, 1], E[2, 2], E[0, 2], E[1, 2], a, tol]),
            "weight": weight.ravel().copy(),
            "q_record": self.q_record.reshape(-1),
            "v_record": self.v_record.reshape(-1),
            **{name: np.zeros(16) for name in ("z", "zeros", "p", "scale", "done")},
        }

    def advance(self, first: int, steps: int, iterations: int) -> int:
        """Make steps from number `first` on, and say how many were made."""
        times = self.times[first : first + steps + 1]
        self.residuals = np.zeros((steps, iterations + 1))
        arrays = {**self.arrays, "h": np.diff(times), "residuals": self.residuals.reshape(-1)}
        if self.tau is not None:
            arrays["moments"] = self._moments(self.tau, first, times)
        self.code.bind(arrays, {"steps": steps, "iterations": iterations})()
        return int(self.arrays["done"][0])

    def _moments(self, tau: Moment, first: int, times: NDArray) -> NDArray:
        """Moments of each step, six numbers: in the middle of it, or at both of its ends."""
        rows = np.zeros((len(times) - 1, 2, 3))
        for n, (t0, t1) in enumerate(pairwise(times)):
            if self.kind.method == "lagrange_dalembert":
                rows[n] = tau(first + n, t0), tau(first + n, t1)
            else:
                rows[n, 0] = tau(first + n, 0.5 * (t0 + t1))
        return rows.reshape(-1)

    @property
    def needed(self) -> int:
        """Corrections that the hardest step of the last advance needed."""
        return int(np.max(np.argmax(self.residuals <= self.tolerance, axis=1)))

    def state(self, n: int) -> tuple[NDArray, NDArray]:
        """The state after step n of the last advance."""
        return self.q_record[n].copy(), self.v_record[n].copy()

    def end(self) -> tuple[NDArray, NDArray]:
        """The state after all steps that were made."""
        return self.arrays["q"].copy(), self.arrays["v"].copy()

    def go_on_from(self, x: NDArray, v: NDArray) -> None:
        """Put another state in the place of the last one."""
        self.arrays["q"][:], self.arrays["v"][:] = x, v

    def solve(self, n: int) -> Solve:
        """How step n of the last advance was solved; corrections after the residual was small enough do not count."""
        needed = int(np.argmax(self.residuals[n] <= self.tolerance))
        return Solve(needed, tuple(self.residuals[n, : needed + 1].tolist()))
