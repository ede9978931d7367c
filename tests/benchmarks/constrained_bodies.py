"""How much faster the compiled loop of SE(3)^n and (SO(3) x R3)^n steps than the plain NumPy form, in one run.

    python tests/benchmarks/constrained_bodies.py

Both take the same RK4 steps; results are compared before they are timed. Microseconds a step, medians of interleaved
bursts; in brackets the ratio to NumPy.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from timing import machine, race, row

import rbdkit as rbd
from rbdkit.formulations import SE3, ConstrainedBodies, SO3xR3
from rbdkit.integrators import RK4
from rbdkit.library import heavy_top, spherical_double_pendulum, three_bar_linkage
from rbdkit.library.mueller_terze import Start

STEPS = 100
TIMES = np.linspace(0.0, 0.05, STEPS + 1)


def chain(links: int) -> Start:
    """Boxes on ball joints, hanging, each with a spin of its own."""
    model = rbd.Model(f"chain of {links}")
    inertia = rbd.Inertia.box([0.1, 0.1, 0.4], mass=1.0).transformed(rbd.pose(position=[0.0, 0.0, -0.2]))
    for k in range(links):
        placement = [0.0, 0.0, -0.4 if k else 0.0]
        model.add_body(f"link{k}", f"link{k - 1}" if k else "world", rbd.Spherical(), placement, inertia)
    return Start(model, model.neutral(), np.random.default_rng(1).normal(size=model.nv))


def compare(start: Start, cls: type[ConstrainedBodies]) -> None:
    system, method = cls(start.model), RK4()
    x, v = system.state(start.q, start.v)

    def plain() -> NDArray:
        state = method.init(system, 0.0, x, v)
        for before, after in pairwise(TIMES):
            state = method.step(system, state, after - before)
        return state.x

    def compiled() -> NDArray:
        run = system.compiled_run(RK4(), TIMES, x, v, STEPS, lambda done: None)
        assert run is not None
        return run.q[-1]

    error = np.max(np.abs(plain() - compiled()))
    if not error < 1e-11:
        raise SystemExit(f"{start.model.name}: the two forms differ by {error:.1e}; there is nothing to time")
    print(row(f"{start.model.name}, {cls.name}", race({"NumPy": plain, "compiled": compiled}, 5, 1e6 / STEPS)))


if __name__ == "__main__":
    print(machine())
    for example in (heavy_top(), spherical_double_pendulum(), three_bar_linkage(), chain(10), chain(30)):
        for formulation in (SE3, SO3xR3):
            compare(example, formulation)
