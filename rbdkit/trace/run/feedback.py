"""Evaluation of traced functions of time and state for many states at once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.feedback import Feedback
from rbdkit.trace.program import Program
from rbdkit.trace.run.backend import Backend, Executable, available, executable
from rbdkit.trace.run.compile_time import compiling


def evaluate(function: Feedback, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
    """Return the results (states, m) at times (states,) and states (states, nq), (states, nv)."""
    results = np.zeros((len(t), len(function.results)))
    given = {name: np.ascontiguousarray(x, dtype=float) for name, x in (("t", t), ("q", q), ("v", v))}
    arrays = {**given, "numbers": np.array(function.numbers), "results": results}
    _code(function, q.shape[1], v.shape[1], available()[0]).bind(arrays, {"states": len(t)})()
    return results


@lru_cache(maxsize=64)
@compiling
def _code(function: Feedback, nq: int, nv: int, backend: Backend) -> Executable:
    program = Program("feedback")
    with program.loop(0, program.count("states")) as k:
        q, v, place = k * nq, k * nv, k * len(function.results)
        t = program.load("t", k)
        for r, x in enumerate(function.record(program, t, ("q", q), ("v", v), "numbers")):
            program.store("results", place, r, x)
    return executable(program, backend)
