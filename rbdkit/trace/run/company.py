"""Batch runner: runs compiled loops over time (`over_time`), a chunk at a time, several motions in lanes.

A call of compiled code cannot be interrupted. So a motion runs in chunks of about `CHUNK` seconds, between which
progress is reported and Ctrl-C is noticed. How many steps fit into a chunk is learned (`Pace`): it grows from
`FIRST_STEPS` by limited factors, since a code may become slower later, and is shared by motions with the same code.

Lanes: motions of the same times with equal programs are computed in one call, each in a lane of the vector registers.
Missing motions are filled with copies of the last one. A lane whose motion diverges stops while the others go on.
"""

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
"""Aimed duration of a call of compiled code, s: progress and interrupts are handled in between."""
# Large, since a call has its price: a run of 1,000 quick steps lost a tenth of its time while it was cut into five.
MOST_AT_ONCE = 16
"""Largest factor by which a chunk may be longer than the one before; the measured speed may not last."""
FIRST_STEPS = 64
"""Number of steps of the first chunk, few enough never to take long."""


class Pace:
    """Chunk size: the number of steps that take about `CHUNK`, learned, and shared by motions with the same code."""

    def __init__(self) -> None:
        self.at_once = FIRST_STEPS


@dataclass(frozen=True)
class Run:
    """Recorded result of a compiled simulation.

    Attributes
    ----------
    steps : number of steps taken.
    at : (n,) number of the step after which each state was recorded; 0 is the initial state.
    q, v : (n, nx), (n, nv) recorded states.
    ran_away : whether it ended because the next state would not be finite; the last recorded state is then the last
        finite one.
    interrupted : whether the user stopped it.
    lanes : number of motions that the code could compute at once.
    account : content of the method's array of that name; empty if it has none.
    solves : for methods whose steps solve equations, a row of `Newton` for each state but the first: the history of the
        hardest solve since the state before.
    unsolved : the row of the step that ended the run because no solution was found, or None.
    log : (m, size) entries that steps wrote themselves, each with the number of its step first; or None.
    seconds : run time of the code, s, for all lanes together; compilation is not included.
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
    """A motion to be computed: its program and arrays, without those that the batch runner adds."""

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
        """Read-only arrays that differ from motion to motion, such as model parameters."""
        ...

    @property
    def shared(self) -> frozenset[str]:
        """Names of those arrays of the method that are the same in all lanes."""
        ...

    def during(self, first: int, steps: int) -> dict[str, NDArray]:
        """Return arrays that are valid for a range of steps only, such as sampled forces."""
        ...

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """Bind the program, for a layout of lanes, to arrays and counts (its own are added).

        numbers : read-only arrays of all lanes; the motion's own if None.
        """
        ...


class Controller(Protocol):
    """Interface of a sampled controller: it is called between steps of a motion, and changes what acts from then on."""

    @property
    def every(self) -> int:
        """Steps from one question to the next."""
        ...

    def begin(self, k: int, arrays: dict[str, NDArray]) -> bool:
        """Write to the arrays what acts from step k on; return whether the motion goes on."""
        ...


@dataclass(frozen=True, eq=False)
class Prepared:
    """A `Runnable` motion with all of its data given in advance.

    Attributes
    ----------
    steps : number of steps to take.
    arrays, numbers : as in `Runnable`.
    tables, counts : whole numbers of the program, equal for motions that can share lanes.
    code : gives the compiled program for a layout of lanes.
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
        """Return no arrays: none of them changes during the motion."""
        return {}

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """Bind the program to all arrays and counts."""
        every = {**(self.numbers if numbers is None else numbers), **self.tables, **arrays}
        return self.code(lanes).bind(every, {**self.counts, **counts})


def loop_arrays(times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
    """Return the arrays that `over_time` reads and writes, for a motion from a state through times (steps + 1,)."""
    return {
        "times": np.ascontiguousarray(times, dtype=float),
        "last_time": np.array([times[-1]], dtype=float),
        "x": np.array(x, dtype=float),
        "v": np.array(v, dtype=float),
        **loop_room(len(x), len(v)),
    }


def arrays_of(method: Recordable, nx: int, nv: int, taken: Iterable[str]) -> dict[str, NDArray]:
    """Return the arrays of a method (see `Recordable`). taken : names of the program's other arrays.

    Raises
    ------
    SimulationError
        If an array of the method has a name that is taken: both would be the same memory.
    """
    arrays: dict[str, NDArray] = getattr(method.record, "arrays", method.arrays)(nx, nv)
    if clash := sorted(arrays.keys() & {*taken}):
        raise SimulationError(
            f"{type(method).__name__}.arrays has {', '.join(map(repr, clash))}, which the system or the loop over time "
            "has already; give it another name in arrays and in record"
        )
    return arrays


def loop_room(nx: int, nv: int) -> dict[str, NDArray]:
    """Return the work arrays of `over_time`."""
    return {
        **{name: np.zeros(1) for name in ("done", "going", "loop_sum")},
        "x_new": np.zeros(nx),
        "v_new": np.zeros(nv),
    }


def run_motion(
    motion: Runnable,
    every: int = 1,
    progress: Callable[[float], object] | None = None,
    pace: Pace | None = None,
    asked: Controller | None = None,
) -> Run:
    """Run one motion, not in lanes.

    Parameters
    ----------
    every : number of steps between recorded states; the last one is always recorded.
    progress : called with the fraction done, about every `CHUNK` seconds.
    pace : chunk size of earlier motions with the same code; updated by this one.
    asked : asked before chunks, which then end where it has to be asked again.
    """
    company = Company([motion], every, pace=pace, asked=asked)
    interrupted = False
    try:
        while company.going and (asked is None or asked.begin(company.done, motion.arrays)):
            company.go_on()
            if progress is not None:
                progress(company.done / company.steps)
    except KeyboardInterrupt:
        interrupted = True
    (run,) = company.runs(interrupted)
    return run


class Company:
    """Batch of motions that take their steps together, one in each lane, and their records.

    Parameters
    ----------
    motions : motions with the same times and equal programs.
    every, pace : as in `run_motion`.
    width : number of lanes, at least the number of motions.
    asked : as in `run_motion`.

    Attributes
    ----------
    steps : number of steps to take.
    done : number of steps taken by the motions that did not diverge.
    """

    def __init__(
        self,
        motions: Sequence[Runnable],
        every: int,
        width: int = 1,
        pace: Pace | None = None,
        asked: Controller | None = None,
    ) -> None:
        first, m, rows = motions[0], len(motions), 3 + motions[0].steps // every
        self.steps, self.done = first.steps, 0
        self._motions, self._every, self._width, self._asked = motions, every, width, asked
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
        self._last: dict[int, dict[str, NDArray]] = {}  # last states of the motions that diverged

    @property
    def going(self) -> bool:
        """Whether there are steps left, and a motion that did not diverge."""
        return self.done < self.steps and bool(self._finite.any())

    def go_on(self) -> None:
        """Take steps for about `CHUNK` seconds."""
        left = self.steps - self.done
        if self._asked is not None:
            left = min(left, self._asked.every - self.done % self._asked.every)
        whole, m, chunk = left // self._every, len(self._motions), self._chunk
        records, stride = min(whole, chunk), self._every
        if self.done % self._every or not whole:  # within an interval of recording, or before the end in a last one
            records, stride = 1, min(self._every - self.done % self._every, left)
        whole_chunk = records == chunk  # the time of a shorter one says little about the speed
        begun = time.perf_counter()
        self._run(records, stride)
        self._take_log()
        taken = self._arrays["done"].ravel()[:m].astype(int)
        self._taken += np.where(self._finite, taken, 0)
        made = records * stride
        if "turns" in self._arrays and (self._arrays["turns"] <= 0.0).all():  # it left before the end
            made = int(taken[self._finite].max())
        for k in range(m):  # a lane that took fewer steps than the others has diverged
            if self._finite[k] and taken[k] < made:
                self._finite[k] = False
                self._last[k] = self._state(k)
        records = made // stride
        self._at[self._recorded : self._recorded + records] = self.done + stride * np.arange(1, records + 1)
        recorded, self.done = self.done + records * stride, self.done + made
        # a state in between, where something is asked, is written over
        if recorded % self._every == 0 or recorded == self.steps:
            self._recorded += records
        if whole_chunk:
            self._learn(chunk, time.perf_counter() - begun)

    @property
    def _chunk(self) -> int:
        """Number of states that are recorded in a chunk."""
        return max(1, self._pace.at_once // self._every)

    def _learn(self, chunk: int, taken_so_long: float) -> None:
        """Adapt the chunk size. chunk : recorded states of the last chunk. taken_so_long : its duration, s."""
        # from half to twice the aim nothing changes: timings scatter
        if taken_so_long < 0.5 * CHUNK:
            self._pace.at_once = self._every * chunk * max(2, min(int(0.5 * CHUNK / taken_so_long), MOST_AT_ONCE))
        elif taken_so_long > 2.0 * CHUNK:
            self._pace.at_once = max(FIRST_STEPS, int(self._every * chunk * CHUNK / taken_so_long))

    def _take_log(self) -> None:
        """Move the entries of "log" (their number is in "log_state") to the record, with step numbers of the motion.

        In the array, steps are counted from the first one of the chunk.
        """
        if "log" in self._arrays:
            taken = int(self._arrays["log_state"][0])
            entries = self._arrays["log"][:taken].copy()
            entries[:, 0] += self.done
            self._log.append(entries)
            self._arrays["log"][:taken], self._arrays["log_state"][0] = 0.0, 0.0

    def _state(self, k: int) -> dict[str, NDArray]:
        """Return the present state of motion k, and the method's "account" and "hardest" if it has them."""
        names = [name for name in ("x", "v", "account", "hardest") if name in self._arrays]
        return {name: self._arrays[name].reshape(-1, self._width)[:, k].copy() for name in names}

    def _run(self, records: int, every: int) -> None:
        run = self.bound(records, every)
        begun = time.perf_counter()
        run()
        self._seconds += time.perf_counter() - begun

    def bound(self, records: int, every: int) -> Callable[[], None]:
        """Bind the program to take the next ``records * every`` steps."""
        first = self._motions[0]
        if "turns" in self._arrays:
            self._arrays["turns"][:] = self._chunk * self._every
        counts = {"first": self.done, "records": records, "every": every}
        now = [x.during(self.done, records * every) for x in self._every_lane]
        places: dict[str, Given] = {**(_spread(now, self._lanes.shared) if self._width > 1 else now[0])}
        for name, x in self._records.items():
            m, rows, size = x.shape
            # surplus lanes repeat the last motion, and write the same numbers to its records once more
            lanes = np.minimum(np.arange(self._width), m - 1) * rows + self._recorded
            flat = x.reshape(m * rows, size)
            places[name] = Apart(self._width).point(flat, lanes) if self._width > 1 else flat[self._recorded :]
        return first.bind({**self._arrays, **places}, counts, self._lanes, self._numbers)

    def runs(self, interrupted: bool) -> list[Run]:
        """Return the results of all motions."""
        return [self._result(k, interrupted and self.going) for k in range(len(self._motions))]

    def _result(self, k: int, interrupted: bool) -> Run:
        steps, q, v = int(self._taken[k]), self._records["x_record"][k], self._records["v_record"][k]
        # the records up to the last step that this motion has taken
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
"""Names of arrays that are the same for all motions of a batch; methods name further ones."""


def _spread(lanes: Sequence[Mapping[str, NDArray]], shared: Set[str]) -> dict[str, NDArray]:
    """Interleave the arrays of all lanes, name by name; shared arrays and tables are taken from the first lane."""
    same = shared | {name for name, x in lanes[0].items() if x.dtype.kind == "i"}
    return {name: x if name in same else woven([arrays[name] for arrays in lanes]) for name, x in lanes[0].items()}
