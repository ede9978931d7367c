"""The implicit midpoint rule."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.formulations import System
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State
from rbdkit.trace import Index, Moment, Newton, Part, Record, Recorded, maximum, newton_arrays, select

PATIENCE = 8
"""Corrections with an old Jacobian before Newton's method takes new ones."""
SMALLEST = 1e-14
"""Residual of a solution, as a share of the largest velocity or of 1."""


class ImplicitMidpoint(OneStep):
    """One implicit evaluation, half way: order 2, symmetric in time, stable for stiff springs.

    With the mean velocity ``v_m = v + h/2 rate(t + h/2, move(x, h/2 v_m), v_m)`` the state moves by h v_m, and
    ``v_new = 2 v_m - v``. Moving along a constant velocity, no tangent operator is needed on any manifold. Quadratic
    invariants of the velocities are kept: of a freely turning body, whose velocities do not depend on its pose, the
    kinetic energy and the length of the angular momentum, but not its direction.

    Examples
    --------
    A tumbling box keeps its energy to round-off, with steps of any length:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import ImplicitMidpoint
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> motion = rbd.simulate(rbd.library.tumbling_box(), q, v, duration=0.5, dt=0.01, integrator=ImplicitMidpoint())
    >>> bool(abs(motion.energy_error()).max() < 1e-10)
    True
    """

    name: ClassVar[str] = "implicit_midpoint"
    order: ClassVar[int] = 2
    shared = frozenset({"sides"})
    conserves: ClassVar[tuple[str, ...]] = ("energy of free rotation", "length of free angular momentum")
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1:  k1 = v + 1/2 h a1\na1 = f(t + 1/2 h, x * exp(1/2 h k1), k1)",
        "x <- x * exp(h k1)\nv <- 2 k1 - v",
    )

    def step(self, system: System, state: State, h: float) -> State:
        v_m, solved, jacobian = self._mean(system, state, h)
        return State(state.t + h, system.move(state.x, h * v_m), 2.0 * v_m - state.v, jacobian, solved)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        v_m, *_ = self._mean(system, state, h)
        return [Stage(state.t + 0.5 * h, system.move(state.x, 0.5 * h * v_m), v_m, v_m, 2.0 / h * (v_m - state.v))]

    @staticmethod
    def record(system: Recorded, n: Index) -> None:
        """The same step on the arrays of a program."""
        program, (first, size) = system.program, system.solved_together
        start, middle = Moment(program, n, 0), Moment(program, n, 1)
        x, v, u, x_middle, v_rate = (Part(name) for name in ("x", "v", "u", "x_middle", "v_rate"))

        def residual(z: Part, result: Part) -> None:
            for k in system.freedoms():
                u.store(program, k, 0.5 * middle.h * z.load(program, k))
            system.move(x, u, x_middle)
            system.rate(middle, x_middle, z, v_rate)
            for k in system.freedoms():
                mean = v.load(program, k) + 0.5 * middle.h * v_rate.load(program, k)
                result.store(program, k, z.load(program, k) - mean)

        system.rate(start, x, v, v_rate)
        program.store("tolerance", 0, 0, SMALLEST)
        for k in system.freedoms():
            own = v.load(program, k)
            program.store("guess", k, 0, own + 0.5 * start.h * v_rate.load(program, k))
            program.store("tolerance", 0, 0, maximum(program.load("tolerance", 0), SMALLEST * abs(own)))
        newton = Newton(program, first, size, residual, PATIENCE)
        newton.solve()
        for k in system.freedoms():
            v_m = program.load("unknowns", k)
            u.store(program, k, middle.h * v_m)
            v_new = select(newton.failed, np.inf, 2.0 * v_m - v.load(program, k))
            program.store("v_new", k, 0, v_new)
        system.move(x, u, Part("x_new"))

    @property
    def written_out(self) -> Record:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        room = {"x_middle": np.zeros(nx), "u": np.zeros(nv), "v_rate": np.zeros(nv)}
        return {"c": np.array([0.0, 0.5]), **room, **newton_arrays(nv)}

    def _mean(self, system: System, state: State, h: float) -> tuple[NDArray, Solve, NDArray | None]:
        """v_m, how it was found, and the Jacobian that served: that of an earlier step as long as it leads there."""
        t_m = state.t + 0.5 * h

        def residual(v_m: NDArray) -> NDArray:
            return v_m - state.v - 0.5 * h * system.rate(t_m, system.move(state.x, 0.5 * h * v_m), v_m)

        guess = state.v + 0.5 * h * system.rate(state.t, state.x, state.v)
        tolerance = SMALLEST * max(1.0, float(np.max(np.abs(state.v), initial=0.0)))
        jacobian = newton.differences(residual, guess) if state.memory is None else state.memory
        try:
            return *newton.solve(residual, guess, lambda _: jacobian, tolerance, PATIENCE), jacobian
        except (ConvergenceError, FloatingPointError):
            what = f"the midpoint of the step from t = {state.t:.6g} s"
            return *newton.solve(residual, guess, tolerance=tolerance, what=what), None
