"""Base of the implicit methods for bodies in directors: Newton's method in each step, and compiled steps."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.formulations.directors import Directors
from rbdkit.integrators.director_steps import DirectorSteps
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve, solve
from rbdkit.integrators.state import State
from rbdkit.trace import MOST_CORRECTIONS, Record, newton_arrays

MOST = 19
"""Largest number of unknowns of a step: 9 of three directors, 3 of a centre of mass, 7 multipliers."""


class StepEquations(Protocol):
    """Equations of a step for u = q_1 - q_0 and the multipliers, scaled by momentum and length.

    guess : (15,) or (16,) initial guess of Newton's method.
    """

    guess: NDArray

    def residual(self, z: NDArray) -> NDArray:
        """Return the residual of unknowns z, of the same size."""
        ...

    def jacobian(self, z: NDArray) -> NDArray:
        """Return the derivative of the residual, a square matrix."""
        ...


class DirectorMethod(OneStep):
    """Base class; a subclass has `name`, `order`, `conserves` and `step`, and `record` if it is compiled.

    Parameters
    ----------
    tolerance : largest residual of a solved step, relative to the momentum and to the unit length of directors.
    max_iterations : largest number of Newton iterations in a step.
    """

    name: ClassVar[str]
    requires: ClassVar[type] = Directors
    shared = frozenset({"sides"})
    times: ClassVar[tuple[float, ...]] = (0.5,)
    """Times at which moments are evaluated, as fractions of a step."""

    def __init__(self, tolerance: float = 1e-13, max_iterations: int = 20) -> None:
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def step(self, system: Directors, state: State, h: float) -> State:
        """Return the state at ``state.t + h``."""
        raise NotImplementedError

    def recorded(self, method: str) -> Record | None:
        """Return the `record` of a subclass; None if there may be more iterations than a program can log."""
        return DirectorSteps(method, self.max_iterations) if self.max_iterations <= MOST_CORRECTIONS else None

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the arrays that recorded steps read and write; see `rbdkit.trace.Recordable`."""
        room = {name: np.zeros(MOST) for name in ("zeros", "p", "scale", "acting", "x_acting", "v_acting")}
        return {"c": np.array(self.times), **newton_arrays(MOST), **room, "tolerance": np.array([self.tolerance])}

    def solved(self, equations: StepEquations, state: State, h: float) -> tuple[NDArray, Solve]:
        """Solve the equations of a step; return q_1 - q_0 (n,) and the history of the solve.

        Raises
        ------
        ConvergenceError
            With the time and length of the step, the last residuals, and a step to try.
        """
        try:
            z, solved = solve(
                equations.residual, equations.guess, equations.jacobian, self.tolerance, self.max_iterations
            )
        except ConvergenceError as fault:
            d, d_rate = state.x[:9].reshape(3, 3), state.v[:9].reshape(3, 3)
            turn = 0.5 * h * float(np.linalg.norm(np.cross(d, d_rate).sum(axis=0)))
            shorter = h * min(0.5, 0.3 / max(turn, 1e-300))
            raise ConvergenceError(
                f"{self.name} at t = {state.t:.6g} s with a step of {h:.6g} s: {fault}. The body would turn "
                f"{turn:.3g} rad in the step; below 0.5 rad is safe: take dt = {shorter:.1g} s"
            ) from None
        return z[: len(state.x)], solved
