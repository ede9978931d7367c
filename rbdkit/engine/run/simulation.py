"""Whole trajectories: the loop over time runs in a program, a chunk at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.motion import Motion, Tableau
from rbdkit.trace import ALONE, Apart, Feedback, Given, Lanes, woven

CHUNK = 0.05
"""Seconds of computing between two looks at the world outside."""
FIRST_STEPS = 64
"""So many steps never take as long; then twice as many, and so on."""


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
    lanes : how many motions the code could compute at once.
    """

    steps: int
    at: NDArray
    q: NDArray
    v: NDArray
    ran_away: bool
    interrupted: bool
    lanes: int = 1


def simulate(
    kernels: Kernels,
    q: NDArray,
    v: NDArray,
    times: NDArray,
    method: Tableau | None,
    tau: NDArray | Feedback,
    f_ext: NDArray | Feedback | None = None,
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
    tau : joint forces: (nv,) constant, (steps, nv) held over each step, or (steps + 1, nv) with straight lines between;
        or what computes them from time and state.
    f_ext : (bodies, 6) constant external forces in world coordinates, or what computes those on the links (see
        `Kernels.on_links`), (links + 1) * 6 numbers.
    every : record every so many steps, and the last.
    progress : is told the fraction done, about every `CHUNK` seconds.
    """
    motion = Motion(kernels, q, v, times, method, tau, f_ext)
    company = Company([motion], every)
    interrupted = False
    try:
        while company.going:
            company.go_on()
            if progress is not None:
                progress(company.done / company.steps)
    except KeyboardInterrupt:
        interrupted = True
    (run,) = company.runs(interrupted)
    return run


class Company:
    """Motions that take their steps together, each in a lane, and what was recorded of them.

    Parameters
    ----------
    motions : of the same task, times and method, with kernels that are alike. every : as in `simulate`.
    width : number of lanes, not smaller than the number of motions.

    Attributes
    ----------
    steps : steps to take. done : steps taken by those that did not run away.
    """

    def __init__(self, motions: Sequence[Motion], every: int, width: int = 1) -> None:
        first, m, rows = motions[0], len(motions), 3 + motions[0].steps // every
        self.steps, self.done = first.steps, 0
        self._motions, self._every, self._width = motions, every, width
        self._arrays, self._numbers = first.arrays, None
        self._every_lane = [*motions, *[motions[-1]] * (width - m)]
        if width > 1:
            self._arrays = _spread([x.arrays for x in self._every_lane])
            self._numbers = _spread([x.kernels.numbers for x in self._every_lane])
        self._lanes = ALONE if width == 1 else Lanes(width, SHARED, frozenset({"q_record", "v_record"}))
        self._at = np.zeros(rows, dtype=int)
        self._q, self._v = np.empty((m, rows, len(first.arrays["q"]))), np.empty((m, rows, len(first.arrays["v"])))
        for k, x in enumerate(motions):
            self._q[k, 0], self._v[k, 0] = x.arrays["q"], x.arrays["v"]
        self._recorded, self._chunk = 1, max(1, FIRST_STEPS // every)
        self._taken, self._finite = np.zeros(m, dtype=int), np.ones(m, dtype=bool)
        self._last: dict[int, tuple[NDArray, NDArray]] = {}  # states of those that ran away

    @property
    def going(self) -> bool:
        """Whether there are steps to take."""
        return self.done < self.steps and bool(self._finite.any())

    def go_on(self) -> None:
        """Take steps for about `CHUNK` seconds."""
        whole, m = (self.steps - self.done) // self._every, len(self._motions)
        records, stride = (min(whole, self._chunk), self._every) if whole else (1, self.steps - self.done)
        begun = time.perf_counter()
        self._run(records, stride)
        taken = self._arrays["done"].ravel()[:m].astype(int)
        self._taken += np.where(self._finite, taken, 0)
        for k in range(m):
            if self._finite[k] and taken[k] < records * stride:
                self._finite[k] = False
                q, v = (self._arrays[name].reshape(-1, self._width)[:, k].copy() for name in ("q", "v"))
                self._last[k] = q, v
        self._at[self._recorded : self._recorded + records] = self.done + stride * np.arange(1, records + 1)
        self._recorded, self.done = self._recorded + records, self.done + records * stride
        if time.perf_counter() - begun < 0.5 * CHUNK:
            self._chunk *= 2

    def _run(self, records: int, every: int) -> None:
        first = self._motions[0]
        counts = {**first.counts, "first": self.done, "records": records, "every": every}
        driven = [x.driven(self.done, records * every) for x in self._every_lane]
        places: dict[str, Given] = {**(_spread(driven) if self._width > 1 else driven[0])}
        for name, x in (("q_record", self._q), ("v_record", self._v)):
            m, rows, size = x.shape
            lanes = np.minimum(np.arange(self._width), m - 1) * rows + self._recorded
            flat = x.reshape(m * rows, size)
            places[name] = Apart(self._width).point(flat, lanes) if self._width > 1 else flat[self._recorded :]
        first.kernels.bind(first.task, {**self._arrays, **places}, counts, None, self._lanes, self._numbers)()

    def runs(self, interrupted: bool) -> list[Run]:
        """What became of the motions."""
        return [self._result(k, interrupted and self.going) for k in range(len(self._motions))]

    def _result(self, k: int, interrupted: bool) -> Run:
        steps, q, v = int(self._taken[k]), self._q[k], self._v[k]
        n = int(np.searchsorted(self._at[: self._recorded], steps, side="right"))
        at = self._at[:n].copy()
        if k in self._last and at[-1] != steps:
            at, n = np.append(at, steps), n + 1
            q[n - 1], v[n - 1] = self._last[k]
        return Run(steps, at, q[:n], v[:n], k in self._last, interrupted and k not in self._last, self._width)


SHARED = frozenset({"times", "c", "weights"})
"""What is the same for all motions of a company."""


def _spread(lanes: Sequence[Mapping[str, NDArray]]) -> dict[str, NDArray]:
    """Arrays of the same names, one of each for every lane, as programs for several lanes take them."""
    whole = {name for name, x in lanes[0].items() if x.dtype.kind == "i"}
    return {
        name: x if name in SHARED | whole else woven([arrays[name] for arrays in lanes]) for name, x in lanes[0].items()
    }
