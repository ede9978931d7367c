"""What the implicit methods for bodies in directors have in common: Newton's method in a step, and compiled steps."""

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
"""Unknowns of a step: of three directors and a centre of mass, and multipliers."""


class StepEquations(Protocol):
    """The equations of a step for u = q_1 - q_0 and the multipliers, as shares of momentum and length.

    guess : (15,) or (16,) where Newton's method begins.
    """

    guess: NDArray

    def residual(self, z: NDArray) -> NDArray:
        """What should be zero."""
        ...

    def jacobian(self, z: NDArray) -> NDArray:
        """Its derivative."""
        ...


class DirectorMethod(OneStep):
    """Base of the methods; a subclass has `name`, `order`, `conserves` and `step`, and `record` if it is compiled.

    Parameters
    ----------
    tolerance : largest residual of a solved step, as a share of the momentum and of the unit length of directors.
    max_iterations : of Newton's method in a step.
    """

    name: ClassVar[str]
    requires: ClassVar[type] = Directors
    shared = frozenset({"sides"})
    times: ClassVar[tuple[float, ...]] = (0.5,)
    """When moments act, as parts of a step."""

    def __init__(self, tolerance: float = 1e-13, max_iterations: int = 20) -> None:
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def step(self, system: Directors, state: State, h: float) -> State:
        """The state at ``state.t + h``."""
        raise NotImplementedError

    def recorded(self, method: str) -> Record | None:
        """`record` of a subclass; None if there are more corrections than programs keep account of."""
        return DirectorSteps(method, self.max_iterations) if self.max_iterations <= MOST_CORRECTIONS else None

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What steps on the arrays of a program read and write; see `rbdkit.trace.Recordable`."""
        room = {name: np.zeros(MOST) for name in ("zeros", "p", "scale", "acting", "x_acting", "v_acting")}
        return {"c": np.array(self.times), **newton_arrays(MOST), **room, "tolerance": np.array([self.tolerance])}

    def solved(self, equations: StepEquations, state: State, h: float) -> tuple[NDArray, Solve]:
        """q_1 - q_0 (n,), and how it was found.

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
