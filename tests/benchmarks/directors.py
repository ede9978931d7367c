"""How fast the methods for directors step: their plain NumPy form against compiled steps, in one run on one machine.

    python tests/benchmarks/directors.py

Numbers in brackets are ratios to NumPy, of medians of interleaved bursts of a hundred steps, us a step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from timing import machine, race, row

from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.formulations.formulation import Acting
from rbdkit.integrators import EnergyMomentum, LagrangeDAlembert, State, TangentEnergyMomentum
from rbdkit.library.gebhardt_romero import CASES

STEPS = 100


def contenders(method, formulation: type[Directors], number: int) -> dict:
    """Two ways to make the same steps, checked against each other."""
    case = CASES[number - 1]
    loaded = number > 1
    times = 0.001 * np.arange(STEPS + 1)
    tau = case.samples(0.001)[: STEPS + 1] if loaded else None

    def sampled(t: float, x: NDArray, v: NDArray) -> NDArray:
        return np.array([np.interp(t, times, column) for column in tau.T])

    system = formulation(case.model, sampled if loaded else None)
    acts = Acting(tau, None) if loaded else None
    x, v = system.state(case.q0, case.v0)

    def on_arrays() -> NDArray:
        state = method.init(system, 0.0, x, v)
        for k, h in enumerate(np.diff(times)):
            state = method.step(system, State(times[k], state.x, state.v), h)
        return state.x

    def compiled() -> NDArray:
        return system.compiled_run(method, times, x, v, STEPS, lambda done: None, acts).q[-1]

    if not np.abs(compiled() - on_arrays()).max() < 1e-11:
        raise SystemExit(f"{method.name}, case {number}: results differ; there is nothing to time")
    return {"NumPy": on_arrays, "compiled": compiled}


def main() -> None:
    print(machine())
    for formulation in (Directors, NonTwistingDirectors):
        for number in (1, 3):
            print(f"\n{formulation.name}, case {number}, us a step")
            for method in (EnergyMomentum(), TangentEnergyMomentum(), LagrangeDAlembert()):
                print(row(method.name[:18], race(contenders(method, formulation, number), 10, 1e6 / STEPS)))


if __name__ == "__main__":
    main()
