"""Motions through given times: programs made by `over_time` run a chunk at a time, several motions in lanes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.trace.newton import HISTORY, has_failed
from rbdkit.trace.program import ALONE, Lanes
from rbdkit.trace.recorded import Recordable
from rbdkit.trace.run.backend import Executable
from rbdkit.trace.run.lanes import Apart, Given, woven

CHUNK = 0.05
"""Seconds of computing between two looks at the world outside."""
MOST_AT_ONCE = 16
"""So much longer a chunk is at most than the one before: what slowed that down, or did not yet, is soon seen."""
FIRST_STEPS = 64
"""So many steps never take as long; those after them as many as fit."""


class Pace:
    """So many steps take about `CHUNK`, as far as is known: of a motion, and of others by the same code after it."""

    def __init__(self) -> None:
        self.at_once = FIRST_STEPS


@dataclass(frozen=True)
class Run:
    """What a simulation recorded.

    Attributes
    ----------
    steps : steps taken.
    at : (n,) after how many steps each state was recorded; 0 is the initial state.
    q, v : (n, nx), (n, nv) the states.
    ran_away : whether it ended because the next state would not be finite; the last one recorded is then the last
        finite one.
    interrupted : whether the user stopped it.
    lanes : how many motions the code could compute at once.
    account : what the method left in its array of that name; empty if it has none.
    solves : of methods whose steps solve equations, a row of `Newton` for each state but the first: the hardest of the
        steps since the state before.
    unsolved : the row of the step that ended the run because there was no solution, or None.
    log : (m, size) entries that steps wrote down by themselves, each with the number of its step first; or None.
    seconds : in which the code ran, for all lanes together; what made it does not count.
    """

    steps: int
    at: NDArray
    q: NDArray
    v: NDArray
    ran_away: bool
    interrupted: bool
    lanes: int = 1
    account: NDArray = field(default_factory=lambda: np.zeros(0))
    solves: NDArray | None = None
    unsolved: NDArray | None = None
    log: NDArray | None = None
    seconds: float = 0.0


class Runnable(Protocol):
    """A motion to be computed: a program with all that it needs but for what the loop over time adds."""

    @property
    def steps(self) -> int:
        """Steps to take."""
        ...

    @property
    def arrays(self) -> dict[str, NDArray]:
        """`loop_arrays`, those of the method, and whatever else differs from motion to motion."""
        ...

    @property
    def numbers(self) -> Mapping[str, NDArray]:
        """What else it reads."""
        ...

    @property
    def shared(self) -> frozenset[str]:
        """Names of those arrays of the method that are the same in all lanes."""
        ...

    def during(self, first: int, steps: int) -> dict[str, NDArray]:
        """Arrays that hold for some steps only, from a first one on."""
        ...

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """The program for so many lanes on arrays, and on counts besides its own.

        numbers : of the motion in each lane; its own if not given.
        """
        ...


@dataclass(frozen=True, eq=False)
class Prepared:
    """A `Runnable` of which all is said beforehand, by a program of its own.

    Attributes
    ----------
    tables, counts : what the program reads besides, the same for motions that can share lanes.
    code : the program for so many lanes.
    shared : names of arrays of the method that are the same in all lanes.
    """

    steps: int
    arrays: dict[str, NDArray]
    numbers: Mapping[str, NDArray]
    tables: Mapping[str, NDArray]
    counts: Mapping[str, int]
    code: Callable[[Lanes], Executable]
    shared: frozenset[str] = frozenset()

    def during(self, first: int, steps: int) -> dict[str, NDArray]:
        """Nothing."""
        return {}

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """The program, bound."""
        every = {**(self.numbers if numbers is None else numbers), **self.tables, **arrays}
        return self.code(lanes).bind(every, {**self.counts, **counts})


def loop_arrays(times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
    """What `over_time` reads and writes, for a motion from a state through times (steps + 1,)."""
    return {
        "times": np.ascontiguousarray(times, dtype=float),
        "last_time": np.array([times[-1]], dtype=float),
        "x": np.array(x, dtype=float),
        "v": np.array(v, dtype=float),
        **loop_room(len(x), len(v)),
    }


def arrays_of(method: Recordable, nx: int, nv: int, taken: Iterable[str]) -> dict[str, NDArray]:
    """The arrays of a method, see `Recordable`, for a program that has others by the names that are taken.

    Raises
    ------
    SimulationError
        If the method gives one of its arrays such a name: both would be the same memory.
    """
    arrays: dict[str, NDArray] = getattr(method.record, "arrays", method.arrays)(nx, nv)
    if clash := sorted(arrays.keys() & {*taken}):
        raise SimulationError(
            f"{type(method).__name__}.arrays has {', '.join(map(repr, clash))}, which the system or the loop over time "
            "has already; give it another name in arrays and in record"
        )
    return arrays


def loop_room(nx: int, nv: int) -> dict[str, NDArray]:
    """Room for what `over_time` computes."""
    return {
        **{name: np.zeros(1) for name in ("done", "going", "loop_sum")},
        "x_new": np.zeros(nx),
        "v_new": np.zeros(nv),
    }


def run_motion(
    motion: Runnable, every: int = 1, progress: Callable[[float], object] | None = None, pace: Pace | None = None
) -> Run:
    """Run one motion by itself.

    Parameters
    ----------
    every : record every so many steps, and the last.
    progress : is told the fraction done, about every `CHUNK` seconds.
    pace : of the motions before it; it learns from this one.
    """
    company = Company([motion], every, pace=pace)
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
    motions : of the same times, with programs that are alike. every, pace : as in `run_motion`.
    width : number of lanes, not smaller than the number of motions.

    Attributes
    ----------
    steps : steps to take. done : steps taken by those that did not run away.
    """

    def __init__(self, motions: Sequence[Runnable], every: int, width: int = 1, pace: Pace | None = None) -> None:
        first, m, rows = motions[0], len(motions), 3 + motions[0].steps // every
        self.steps, self.done = first.steps, 0
        self._motions, self._every, self._width = motions, every, width
        self._arrays, self._numbers = first.arrays, None
        self._every_lane = [*motions, *[motions[-1]] * (width - m)]
        sizes = {"x_record": len(first.arrays["x"]), "v_record": len(first.arrays["v"])}
        self._solves = "hardest" in first.arrays
        if self._solves:
            sizes["solve_record"] = HISTORY
        self._records = {name: np.empty((m, rows, size)) for name, size in sizes.items()}
        self._lanes = ALONE
        if width > 1:
            shared = SHARED | first.shared
            self._arrays = _spread([x.arrays for x in self._every_lane], shared)
            self._numbers = _spread([x.numbers for x in self._every_lane], shared)
            self._lanes = Lanes(width, shared, frozenset(sizes))
        self._at = np.zeros(rows, dtype=int)
        for k, x in enumerate(motions):
            self._records["x_record"][k, 0], self._records["v_record"][k, 0] = x.arrays["x"], x.arrays["v"]
        self._recorded, self._pace = 1, Pace() if pace is None else pace
        self._taken, self._finite = np.zeros(m, dtype=int), np.ones(m, dtype=bool)
        self._log: list[NDArray] = []
        self._seconds = 0.0
        self._last: dict[int, dict[str, NDArray]] = {}  # where those that ran away are

    @property
    def going(self) -> bool:
        """Whether there are steps to take."""
        return self.done < self.steps and bool(self._finite.any())

    def go_on(self) -> None:
        """Take steps for about `CHUNK` seconds."""
        whole, m, chunk = (self.steps - self.done) // self._every, len(self._motions), self._chunk
        records, stride = min(whole, chunk), self._every
        if self.done % self._every or not whole:  # within an interval of recording, or before the end in a last one
            records, stride = 1, min(self._every - self.done % self._every, self.steps - self.done)
        whole_chunk = records == chunk  # less says little of the time that it takes
        begun = time.perf_counter()
        self._run(records, stride)
        self._take_log()
        taken = self._arrays["done"].ravel()[:m].astype(int)
        self._taken += np.where(self._finite, taken, 0)
        made = records * stride
        if "turns" in self._arrays and (self._arrays["turns"] <= 0.0).all():  # it left before the end
            made = int(taken[self._finite].max())
        for k in range(m):
            if self._finite[k] and taken[k] < made:
                self._finite[k] = False
                self._last[k] = self._state(k)
        records = made // stride
        self._at[self._recorded : self._recorded + records] = self.done + stride * np.arange(1, records + 1)
        self._recorded, self.done = self._recorded + records, self.done + made
        if whole_chunk:
            self._learn(chunk, time.perf_counter() - begun)

    @property
    def _chunk(self) -> int:
        """So many states are recorded in a chunk."""
        return max(1, self._pace.at_once // self._every)

    def _learn(self, chunk: int, taken_so_long: float) -> None:
        """How many steps are to be made at once from now on, if a chunk has taken so many seconds."""
        if taken_so_long < 0.5 * CHUNK:
            self._pace.at_once = self._every * chunk * max(2, min(int(0.5 * CHUNK / taken_so_long), MOST_AT_ONCE))
        elif taken_so_long > 2.0 * CHUNK:
            self._pace.at_once = max(FIRST_STEPS, int(self._every * chunk * CHUNK / taken_so_long))

    def _take_log(self) -> None:
        """Entries of "log", of which "log_state" says how many there are: their steps count from the chunk's first."""
        if "log" in self._arrays:
            taken = int(self._arrays["log_state"][0])
            entries = self._arrays["log"][:taken].copy()
            entries[:, 0] += self.done
            self._log.append(entries)
            self._arrays["log"][:taken], self._arrays["log_state"][0] = 0.0, 0.0

    def _state(self, k: int) -> dict[str, NDArray]:
        """Position and velocity of motion k, and what the method says of itself."""
        names = [name for name in ("x", "v", "account", "hardest") if name in self._arrays]
        return {name: self._arrays[name].reshape(-1, self._width)[:, k].copy() for name in names}

    def _run(self, records: int, every: int) -> None:
        run = self.bound(records, every)
        begun = time.perf_counter()
        run()
        self._seconds += time.perf_counter() - begun

    def bound(self, records: int, every: int) -> Callable[[], None]:
        """The program, bound to take the steps that come next."""
        first = self._motions[0]
        if "turns" in self._arrays:
            self._arrays["turns"][:] = self._chunk * self._every
        counts = {"first": self.done, "records": records, "every": every}
        now = [x.during(self.done, records * every) for x in self._every_lane]
        places: dict[str, Given] = {**(_spread(now, self._lanes.shared) if self._width > 1 else now[0])}
        for name, x in self._records.items():
            m, rows, size = x.shape
            lanes = np.minimum(np.arange(self._width), m - 1) * rows + self._recorded
            flat = x.reshape(m * rows, size)
            places[name] = Apart(self._width).point(flat, lanes) if self._width > 1 else flat[self._recorded :]
        return first.bind({**self._arrays, **places}, counts, self._lanes, self._numbers)

    def runs(self, interrupted: bool) -> list[Run]:
        """What became of the motions."""
        return [self._result(k, interrupted and self.going) for k in range(len(self._motions))]

    def _result(self, k: int, interrupted: bool) -> Run:
        steps, q, v = int(self._taken[k]), self._records["x_record"][k], self._records["v_record"][k]
        n = int(np.searchsorted(self._at[: self._recorded], steps, side="right"))
        at, last, unsolved = self._at[:n].copy(), self._last.get(k) or self._state(k), None
        solves = self._records["solve_record"][k, 1:n] if self._solves else None
        if at[-1] != steps:
            at, n = np.append(at, steps), n + 1
            q[n - 1], v[n - 1] = last["x"], last["v"]
        ran_away = k in self._last
        if ran_away and self._solves and has_failed(last["hardest"]):
            unsolved = last["hardest"]
        account, stopped = last.get("account", np.zeros(0)), interrupted and not ran_away
        log = np.concatenate(self._log) if self._log else None
        return Run(
            steps, at, q[:n], v[:n], ran_away, stopped, self._width, account, solves, unsolved, log, self._seconds
        )


SHARED = frozenset({"times", "c"})
"""What is the same for all motions of a company, besides what their method says."""


def _spread(lanes: Sequence[Mapping[str, NDArray]], shared: Set[str]) -> dict[str, NDArray]:
    """Arrays of the same names, one of each for every lane, as programs for several lanes take them."""
    same = shared | {name for name, x in lanes[0].items() if x.dtype.kind == "i"}
    return {name: x if name in same else woven([arrays[name] for arrays in lanes]) for name, x in lanes[0].items()}
