"""The implicit midpoint rule."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators import newton
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.state import Stage, State

PATIENCE = 8
"""Number of corrections with a fixed Jacobian before Newton's method computes new ones."""
SMALLEST = 1e-14
"""Tolerance of the residual, relative to the largest velocity or to 1."""


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
    conserves: ClassVar[tuple[str, ...]] = ("energy of free rotation", "length of free angular momentum")
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1:  k1 = v + 1/2 h a1\na1 = f(t + 1/2 h, x * exp(1/2 h k1), k1)",
        "x <- x * exp(h k1)\nv <- 2 k1 - v",
    )

    def step(self, system: System, state: State, h: float) -> State:
        v_m, solved = self._mean(system, state, h)
        return State(state.t + h, system.move(state.x, h * v_m), 2.0 * v_m - state.v, solve=solved)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        v_m, _ = self._mean(system, state, h)
        return [Stage(state.t + 0.5 * h, system.move(state.x, 0.5 * h * v_m), v_m, v_m, 2.0 / h * (v_m - state.v))]

    @staticmethod
    def _mean(system: System, state: State, h: float) -> tuple[NDArray, Solve]:
        """Return the mean velocity v_m, and the history of the solve."""
        t_m = state.t + 0.5 * h

        def residual(v_m: NDArray) -> NDArray:
            return v_m - state.v - 0.5 * h * system.rate(t_m, system.move(state.x, 0.5 * h * v_m), v_m)

        # explicit Euler to the midpoint: off by O(h^2)
        guess = state.v + 0.5 * h * system.rate(state.t, state.x, state.v)
        tolerance = SMALLEST * newton.largest(state.v, least=1.0)
        what = f"the midpoint of the step from t = {state.t:.6g} s"
        return newton.solve(residual, guess, tolerance=tolerance, patience=PATIENCE, last=state.solve, what=what)
