"""Whole trajectories: the loop over time runs in a program, a chunk at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.recipes import Task

Tableau = tuple[Sequence[Sequence[float]], Sequence[float]]
"""Of an explicit Runge-Kutta method: A (s, s), strictly lower triangular, and b (s,)."""

CHUNK = 0.05
"""Seconds of computing between two looks at the world outside."""


@dataclass(frozen=True)
class Run:
    """What a simulation recorded.

    Attributes
    ----------
    steps : steps taken.
    at : (n,) after how many steps each state was recorded; 0 is the initial state.
    q, v : (n, nq), (n, nv) the states.
    ran_away : whether it ended because the next state would not be finite; the last one recorded is then the last
        finite one.
    interrupted : whether the user stopped it.
    """

    steps: int
    at: NDArray
    q: NDArray
    v: NDArray
    ran_away: bool
    interrupted: bool


def simulate(
    kernels: Kernels,
    q: NDArray,
    v: NDArray,
    times: NDArray,
    method: Tableau | None,
    tau: NDArray,
    f_ext: NDArray | None = None,
    every: int = 1,
    progress: Callable[[float], object] | None = None,
) -> Run:
    """Step a model through given times, with the springs and dampers of its joints.

    Parameters
    ----------
    q, v : (nq,), (nv,) initial state.
    times : (steps + 1,) s.
    method : tableau of a Runge-Kutta method, which is applied on the manifold of q after Munthe-Kaas; None for the
        symplectic Euler method.
    tau : joint forces: (nv,) constant, (steps, nv) held over each step, or (steps + 1, nv) with straight lines between.
    f_ext : (bodies, 6) constant external forces in world coordinates.
    every : record every so many steps, and the last.
    progress : is told the fraction done, about every `CHUNK` seconds.
    """
    steps, nv = len(times) - 1, len(v)
    rows = 3 + steps // every
    at, q_all, v_all = np.zeros(rows, dtype=int), np.empty((rows, len(q))), np.empty((rows, nv))
    q_all[0], v_all[0] = q, v
    stepper = _Stepper(kernels, q, v, times, method, tau, f_ext)
    recorded, done, chunk, interrupted = 1, 0, 1, False
    try:
        while done < steps and stepper.finite:
            whole = (steps - done) // every
            records, stride = (min(whole, chunk), every) if whole else (1, steps - done)
            begun = time.perf_counter()
            taken = stepper.run(done, records, stride, q_all[recorded:], v_all[recorded:])
            new = taken // stride
            at[recorded : recorded + new] = done + stride * np.arange(1, new + 1)
            recorded, done = recorded + new, done + taken
            if progress is not None:
                progress(done / steps)
            if time.perf_counter() - begun < 0.5 * CHUNK:
                chunk *= 2
    except KeyboardInterrupt:
        interrupted = True
    if not stepper.finite and at[recorded - 1] != done:
        at[recorded], q_all[recorded], v_all[recorded] = done, stepper.arrays["q"], stepper.arrays["v"]
        recorded += 1
    return Run(done, at[:recorded], q_all[:recorded], v_all[:recorded], not stepper.finite, interrupted)


class _Stepper:
    """The state between chunks, in arrays that the program works on."""

    def __init__(
        self,
        kernels: Kernels,
        q: NDArray,
        v: NDArray,
        times: NDArray,
        method: Tableau | None,
        tau: NDArray,
        f_ext: NDArray | None,
    ) -> None:
        nq, nv, steps = len(q), len(v), len(times) - 1
        A, b = (np.zeros((1, 1)), np.ones(1)) if method is None else (np.array(x, dtype=float) for x in method)
        weights = np.vstack([A, b])
        rows, terms = np.nonzero(weights)
        self.kernels = kernels
        self.task = Task("symplectic_euler" if method is None else "runge_kutta", f_ext is not None)
        self.states = steps * len(b)
        self.finite = True
        self.arrays: dict[str, NDArray] = {
            "times": np.ascontiguousarray(times, dtype=float),
            "tau": np.ascontiguousarray(tau, dtype=float),
            "c": A.sum(axis=1),
            "weights": weights[rows, terms],
            "terms": terms.astype(np.int64),
            "first_term": np.searchsorted(rows, np.arange(len(weights) + 1)).astype(np.int64),
            "q": np.array(q, dtype=float),
            "v": np.array(v, dtype=float),
            "u_rates": np.zeros(len(b) * nv),
            "v_rates": np.zeros(len(b) * nv),
            "scratch": np.zeros(3),
            "done": np.zeros(1),
        }
        self.arrays |= {name: np.zeros(nq) for name in ("q_new", "q_stage")}
        self.arrays |= {name: np.zeros(nv) for name in ("v_new", "v_stage", "u")}
        if f_ext is not None:
            self.arrays["f_ext"] = kernels.on_links(f_ext)
        held = 0 if tau.ndim == 1 else nv
        self.counts = {"stages": len(b), "tau_step": held, "tau_next": held if len(tau) == steps + 1 else 0}

    def run(self, first: int, records: int, every: int, q_record: NDArray, v_record: NDArray) -> int:
        """Take steps, record states; gives the number of steps taken: fewer than asked for if a state is not finite."""
        arrays = {**self.arrays, "q_record": q_record, "v_record": v_record}
        counts = {**self.counts, "first": first, "records": records, "every": every}
        self.kernels.bind(self.task, arrays, counts, self.states)()
        taken = int(self.arrays["done"][0])
        self.finite = taken == records * every
        return taken
