"""How much faster the compiled linearly implicit steps of 'redmax' are than their plain NumPy form, in one run.

    python tests/benchmarks/redmax.py

Chains with a spring over every joint. Both forms take the same steps; results are compared before they are timed.
Milliseconds a step by the public call, medians of interleaved bursts; in brackets the ratio to NumPy.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from timing import machine, race, row

import rbdkit as rbd

SIZES = (50, 200)
FEW, MANY = 2, 100
"""Steps of a burst, plain and compiled."""
STEP = 1e-3


def chain(links: int) -> rbd.Model:
    """Rods of 10 g and 10 cm on hinges, each tied to the one before the last by a spring with a damper."""
    model, parent = rbd.Model(f"chain of {links}"), "world"
    rod = rbd.Inertia.box((0.1, 0.01, 0.01), mass=0.01).transformed(rbd.pose(position=(0.05, 0, 0)))
    for k in range(links):
        hinge, place = rbd.Revolute("y" if k % 2 else "z"), (0.1 if k else 0.0, 0, 0)
        parent = model.add_body(f"rod{k}", parent, hinge, placement=place, inertia=rod).name
        if k > 1:
            at = {"at_a": (0.05, 0.01, 0), "at_b": (0.05, 0.01, 0)}
            model.add_spring(f"spring{k}", f"rod{k - 2}", parent, stiffness=5.0, damping=0.01, **at)
    return model


def compare(links: int) -> None:
    run = partial(rbd.simulate, chain(links), dt=STEP, formulation="redmax", integrator="linearly_implicit_euler",
                  progress=False)  # fmt: skip
    plain, compiled = partial(run, duration=FEW * STEP, backend="book"), partial(run, duration=MANY * STEP)
    error = np.max(np.abs(plain().q[-1] - compiled().q[FEW]))
    if not error < 1e-10:
        raise SystemExit(f"the two forms differ by {error:.1e}; there is nothing to time")
    times = race({"NumPy": plain, "compiled": compiled}, 3, 1e3)
    print(row(f"{links} bodies", {"NumPy": times["NumPy"] / FEW, "compiled": times["compiled"] / MANY}))


if __name__ == "__main__":
    print(machine())
    warnings.simplefilter("ignore")  # of chains that whip
    for links in SIZES:
        compare(links)
