"""Closed loops in joint coordinates against Pinocchio's constraintDynamics, in one run.

    python tests/benchmarks/closed_loops.py

Four-bars in a row, closed by points in space, which both sides know as three rows each; one of the three says nothing
in the plane, for which Pinocchio takes a few proximal iterations. Accelerations are compared before they are timed.
Microseconds a state, medians of interleaved bursts; in brackets the ratio to Pinocchio: of the compiled code alone, of
the public call at one state, and of a stack of 4096 states on one core.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from peers import Pinocchio
from timing import machine, race, row

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.library import n_four_bar
from rbdkit.model import Model

STATES, CALLS = 4096, 64


class PinocchioLoops(Pinocchio):
    """With loop joints that hold points together."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.rows, self.found = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in model.loops:
            ends = (loop.predecessor, loop.joint.placement), (loop.successor, loop.successor_placement)
            placed = [part for body, placement in ends for part in (body, pin.SE3(placement))]
            held = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *placed, pin.ReferenceFrame.LOCAL)
            self.rows.append(held)
            self.found.append(held.createData())
        self.proximal = pin.ProximalSettings(1e-10, 1e-6, 10)  # accuracy, regularisation, iterations
        pin.initConstraintDynamics(self.model, self.data, self.rows, self.found)

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Of the tree under its constraints."""
        return pin.constraintDynamics(self.model, self.data, q, v, tau, self.rows, self.found, self.proximal)


def compare(loops: int) -> None:
    """Time both on so many loops."""
    model, q, v = n_four_bar(loops, angle=0.4, closing=rbd.Spherical())
    peer, kernels, tau = PinocchioLoops(model), Kernels(model, "llvm"), np.zeros(model.nv)
    expected, found = peer.accelerations(q, v, tau), rbd.forward_dynamics(model, q, v, tau)
    assert np.abs(found - expected).max() < 1e-6 * max(1.0, np.abs(expected).max()), (found, expected)
    out = np.zeros(model.nv)
    arrays = {"q": q, "v": v, "tau": tau, "qdd": out}
    code = kernels.bind(Task("forward_dynamics"), arrays, {"states": 1}, 1)
    stack = [np.tile(x, (STATES, 1)) for x in (q, v, tau)]
    times = race({
        "pin": lambda: [peer.accelerations(q, v, tau) for _ in range(CALLS)],
        "code": lambda: [code() for _ in range(CALLS)],
        "call": lambda: [rbd.forward_dynamics(model, q, v, tau) for _ in range(CALLS)],
    }, 60, 1e6 / CALLS)  # fmt: skip
    times |= race({"stack": lambda: kernels.forward_dynamics(*stack)}, 20, 1e6 / STATES)
    print(row(f"{loops} four-bars", times))


if __name__ == "__main__":
    print(machine())
    for loops in (1, 2, 4, 8):
        compare(loops)
