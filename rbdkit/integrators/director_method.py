"""Base of the implicit methods for bodies in directors: Newton's method in each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError
from rbdkit.formulations.directors import Directors
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.newton import Solve, solve
from rbdkit.integrators.state import State


class DirectorMethod(OneStep):
    """Base class; a subclass has `name`, `order`, `conserves` and `step`.

    The unknowns of a step are u = q_1 - q_0 and the multipliers, scaled by momentum and length.

    Parameters
    ----------
    tolerance : largest residual of a solved step, relative to the momentum and to the unit length of directors.
    max_iterations : largest number of Newton iterations in a step.
    """

    name: ClassVar[str]
    requires: ClassVar[type] = Directors

    def __init__(self, tolerance: float = 1e-13, max_iterations: int = 20) -> None:
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def solved(
        self,
        residual: Callable[[NDArray], NDArray],
        jacobian: Callable[[NDArray], NDArray],
        system: Directors,
        state: State,
        h: float,
    ) -> tuple[NDArray, Solve]:
        """Solve the equations of a step; return u (n,) and the history of the solve.

        Raises
        ------
        ConvergenceError
            With the time and length of the step, the last residuals, and a step to try.
        """
        guess = system.joined(h * state.v)
        try:
            z, solved = solve(residual, guess, jacobian, self.tolerance, self.max_iterations)
        except ConvergenceError as fault:
            d, d_rate = state.x[:9].reshape(3, 3), state.v[:9].reshape(3, 3)
            # sum of d_i x d_i' over orthonormal directors is twice the angular velocity
            turn = 0.5 * h * float(np.linalg.norm(np.cross(d, d_rate).sum(axis=0)))
            shorter = h * min(0.5, 0.3 / max(turn, 1e-300))
            raise ConvergenceError(
                f"{self.name} at t = {state.t:.6g} s with a step of {h:.6g} s: {fault}. The body would turn "
                f"{turn:.3g} rad in the step; below 0.5 rad is safe: take dt = {shorter:.1g} s"
            ) from None
        u, _ = system.separated(z)
        return u, solved
