"""How much faster the compiled loops of free bodies step than their plain NumPy forms, in one run on one machine.

    python tests/benchmarks/free_bodies.py

Both take the same RK4 steps; results are compared before they are timed. Microseconds a step, medians of interleaved
bursts; in brackets the ratio to NumPy.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from timing import machine, race, row

from rbdkit.formulations import LocalVelocity, QuaternionBodies
from rbdkit.integrators import RK4
from rbdkit.library import tumbling_box, tumbling_box_state

STEPS = 200
TIMES = np.linspace(0.0, 0.1, STEPS + 1)


def compare(cls: type[LocalVelocity | QuaternionBodies]) -> None:
    system, method = cls(tumbling_box()), RK4()
    x, v = system.state(*tumbling_box_state())

    def plain() -> NDArray:
        state = method.init(system, 0.0, x, v)
        for before, after in pairwise(TIMES):
            state = method.step(system, state, after - before)
        return state.x

    def compiled() -> NDArray:
        run = system.compiled_run(RK4(), TIMES, x, v, 1, lambda done: None)
        assert run is not None
        return run.q[-1]

    error = np.max(np.abs(plain() - compiled()))
    if not error < 1e-10:
        raise SystemExit(f"{cls.name}: the two forms differ by {error:.1e}; there is nothing to time")
    print(row(cls.name, race({"NumPy": plain, "compiled": compiled}, 9, 1e6 / STEPS)))


if __name__ == "__main__":
    print(machine())
    for formulation in (LocalVelocity, QuaternionBodies):
        compare(formulation)
