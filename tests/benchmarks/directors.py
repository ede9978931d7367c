"""How fast the methods for directors step: their plain NumPy form against compiled steps, in one run on one machine.

    python tests/benchmarks/directors.py

Numbers in brackets are ratios to NumPy, of medians of interleaved bursts of a hundred steps, us a step. "compiled" is
what `simulate` runs, each state handed over by Python; "loop" is the program alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from timing import machine, race, row

from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.integrators import EnergyMomentum, LagrangeDAlembert, State, TangentEnergyMomentum
from rbdkit.integrators.director_loops.run import FEW, Loop
from rbdkit.library.gebhardt_romero import CASES

STEPS = 100


def contenders(method, formulation: type[Directors], number: int) -> dict:
    """Three ways to make the same steps, checked against each other."""
    case = CASES[number - 1]
    loaded = number > 1
    system = formulation(case.model, (lambda t, x, v: case.tau(t)) if loaded else None)
    times, tau = 0.001 * np.arange(STEPS + 1), (lambda k, t: case.tau(t)) if loaded else None
    x, v = system.state(case.q0, case.v0)
    loop = Loop(method.compiled, system, times, x, v, tau, method.tolerance)

    def on_arrays() -> NDArray:
        state = method.init(system, 0.0, x, v)
        for k, h in enumerate(np.diff(times)):
            state = method.step(system, State(times[k], state.x, state.v), h)
        return state.x

    def compiled() -> NDArray:
        *_, (end, _, _, _) = method.compiled_steps(system, times, x, v, tau)
        return end

    def alone() -> NDArray:
        loop.go_on_from(x, v)
        loop.advance(0, STEPS, FEW)
        return loop.end()[0]

    for other in (compiled, alone):
        if not np.abs(other() - on_arrays()).max() < 1e-11:
            raise SystemExit(f"{method.name}, case {number}: results differ; there is nothing to time")
    return {"NumPy": on_arrays, "compiled": compiled, "loop": alone}


def main() -> None:
    print(machine())
    for formulation in (Directors, NonTwistingDirectors):
        for number in (1, 3):
            print(f"\n{formulation.name}, case {number}, us a step")
            for method in (EnergyMomentum(), TangentEnergyMomentum(), LagrangeDAlembert()):
                print(row(method.name[:18], race(contenders(method, formulation, number), 10, 1e6 / STEPS)))


if __name__ == "__main__":
    main()
