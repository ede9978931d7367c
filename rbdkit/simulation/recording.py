"""The loop that records the states of a run, and the ways in which a run ends early."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.integrators import Solve
from rbdkit.simulation.asking import sentence
from rbdkit.simulation.progress import Progress
from rbdkit.trace import compile_seconds


@dataclass(frozen=True)
class Recording:
    """Recorded states of a run, and how it ended.

    Attributes
    ----------
    t, q, v : (n,), (n, nq), (n, nv), the states in the formulation's coordinates; the last row is the last state that
        could be computed.
    steps : number of steps that the integrator took.
    stopped : why the run ended early, or empty.
    ran_away : whether it ended because the state became infinite. interrupted : whether the user interrupted it.
    solves : for each row but the first, the solve with most iterations since the row before; empty for explicit
        methods.
    seconds : wall time of the steps, s, without compilation.
    fault : the exception that ended the run, with its traceback, or None.
    """

    t: NDArray
    q: NDArray
    v: NDArray
    steps: int
    stopped: str = ""
    ran_away: bool = False
    solves: Sequence[Solve] = ()
    interrupted: bool = False
    seconds: float = 0.0
    fault: Exception | None = None

    def thinned(self, every: int) -> Recording:
        """Return every `every`-th state and the last one; for a run that recorded all and has no `solves`."""
        rows = np.append(np.arange(0, len(self.t) - 1, every), len(self.t) - 1)
        return replace(self, t=self.t[rows], q=self.q[rows], v=self.v[rows])

    def within_reach(self) -> Recording:
        """Cut the recording before the first state with a coordinate too large for an angle to have any digits left.

        A motion that ran away is returned as it is, as its end has been explained already.
        """
        q = self.q
        if self.ran_away or not (q.max(initial=0.0) > FARTHEST or q.min(initial=0.0) < -FARTHEST):
            return self
        beyond = np.any(np.abs(self.q) > FARTHEST, axis=1)
        n = int(np.argmax(beyond))
        stopped = (
            f"a coordinate passes {FARTHEST:g} (rad, m), where numbers tell no angle, after t = {self.t[n - 1]:.6g} s"
        )
        return replace(self, t=self.t[:n], q=self.q[:n], v=self.v[:n], stopped=stopped, solves=self.solves[: n - 1])

    def until(self, row: int, steps: int) -> Recording:
        """Return the recording up to a row, which was reached by the given number of steps."""
        t, q, v = (x[: row + 1] for x in (self.t, self.q, self.v))
        return Recording(t, q, v, steps, solves=tuple(self.solves[:row]), seconds=self.seconds)

    def joined(self, rest: Recording) -> Recording:
        """Return this recording with its rest, which begins with the last state of this one."""
        t, q, v = (np.concatenate([getattr(self, x)[:-1], getattr(rest, x)]) for x in "tqv")
        solves = (*self.solves, *rest.solves)
        steps, seconds = self.steps + rest.steps, self.seconds + rest.seconds
        return replace(rest, t=t, q=q, v=v, steps=steps, solves=solves, seconds=seconds)


FARTHEST = 1e15
"""Largest coordinate, rad or m: adjacent doubles are about 0.1 apart there."""

Sample = tuple[NDArray, NDArray, int, Solve | None]
"""A state (q, v), the number of steps so far, and how the last step was solved, or None."""


def record(motion: Iterator[Sample], times: NDArray, q: NDArray, v: NDArray, every: int, watch: Progress) -> Recording:
    """Record states until the end, an interruption, an error, or a state that is not finite.

    User functions may raise any exception; what was computed until then is kept, as it may be the work of an hour.

    Parameters
    ----------
    motion : iterator over samples at times[1:]. q, v : the state at times[0].
    every : record every `every`-th state, and the last one. watch : shows progress.

    Raises
    ------
    Exception
        Whatever the first step raises.
    """
    kept, last = [(times[0], q, v)], len(times) - 1
    solves: list[Solve] = []
    hardest: Solve | None = None
    k = steps = 0
    stopped, ran_away, interrupted = "", False, False
    fault: Exception | None = None
    begun, compiled = time.perf_counter(), compile_seconds()
    try:
        with np.errstate(all="ignore"):
            for q_new, v_new, steps_new, solve in motion:
                if not (np.isfinite(q_new).all() and np.isfinite(v_new).all()):
                    raise FloatingPointError("the state is not finite any more")
                k, steps, q, v = k + 1, steps_new, q_new, v_new
                if solve is not None and (hardest is None or solve.iterations >= hardest.iterations):
                    hardest = solve
                if k % every == 0 or k == last:
                    kept.append((times[k], q, v))
                    solves += [] if hardest is None else [hardest]
                    hardest = None
                watch.update(k / last)
    except KeyboardInterrupt:
        stopped, interrupted = f"interrupted at t = {times[k]:.6g} s", True
    except FloatingPointError as beyond:
        stopped, ran_away = f"{beyond} after t = {times[k]:.6g} s", True
    except Exception as raised:
        if k == 0:
            raise
        fault, stopped = raised, f"{sentence(raised)} (after t = {times[k]:.6g} s)"
    finally:
        watch.close()
    # a run that ended early: its last state is recorded, whatever `every` is
    if kept[-1][0] != times[k]:
        kept.append((times[k], q, v))
    # compilation in between is not time of the steps
    seconds = time.perf_counter() - begun - (compile_seconds() - compiled)
    t, q_all, v_all = zip(*kept, strict=True)
    arrays = np.array(t), np.array(q_all), np.array(v_all)
    return Recording(*arrays, steps, stopped, ran_away, tuple(solves), interrupted, seconds, fault)
