"""The loop that collects the states of a run, and what can end it early."""

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
    """States that a run went through.

    Attributes
    ----------
    t, q, v : (n,), (n, nq), (n, nv), the states in the formulation's coordinates; the last row is the last state that
        could be computed.
    steps : number of steps that the integrator took.
    stopped : why the run ended before its time, or empty.
    ran_away : whether that was because the state was not finite any more. interrupted : or because the user wanted so.
    solves : how equations were solved, of the steps since the row before those that took most corrections, for rows 1,
        2, ...; empty for explicit methods.
    seconds : in which steps were made, without those in which code for them was compiled.
    fault : the exception that ended the run, with its traceback; None if none did.
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
        """Every n-th state, and the last one, of a run of which all are kept and that solved no equations."""
        rows = np.append(np.arange(0, len(self.t) - 1, every), len(self.t) - 1)
        return replace(self, t=self.t[rows], q=self.q[rows], v=self.v[rows])

    def within_reach(self) -> Recording:
        """The states before the first one with a coordinate of which no digit of an angle is left.

        Of a motion that ran away nothing is taken: its end is told already.
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


FARTHEST = 1e15
"""rad or m: doubles are 0.1 apart there."""

Sample = tuple[NDArray, NDArray, int, Solve | None]
"""A state (q, v), the number of steps so far, and how the last one was solved."""


def record(motion: Iterator[Sample], times: NDArray, q: NDArray, v: NDArray, every: int, watch: Progress) -> Recording:
    """Collect states until the end, an interruption, an error, or a state that is not finite.

    A law of the user's may raise anything, and what was computed until then is the motion of an hour, say.

    Parameters
    ----------
    motion : samples at times[1:], one after the other. q, v : the state at times[0].
    every : keep every n-th state, and the last one.

    Raises
    ------
    Exception
        What came up if not even the first step can be made.
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
    if kept[-1][0] != times[k]:
        kept.append((times[k], q, v))
    seconds = time.perf_counter() - begun - (compile_seconds() - compiled)
    t, q_all, v_all = zip(*kept, strict=True)
    arrays = np.array(t), np.array(q_all), np.array(v_all)
    return Recording(*arrays, steps, stopped, ran_away, tuple(solves), interrupted, seconds, fault)
