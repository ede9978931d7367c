"""Runge-Kutta methods on manifolds by compositions, after Crouch and Grossman."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State


class CrouchGrossman(OneStep):
    """Explicit methods that compose motions: along the velocity of each stage in turn, held constant.

    ``x_i = move(... move(move(x, h a_i1 v_1), h a_i2 v_2) ...)``: no tangent operator and no sum of displacements is
    needed, but the coefficients obey further order conditions. Subclasses give them: A (s, s) strictly lower
    triangular and b (s,). P. E. Crouch, R. Grossman, Journal of Nonlinear Science 3 (1993).
    """

    name: ClassVar[str]
    order: ClassVar[int]
    A: ClassVar[ArrayLike]
    b: ClassVar[ArrayLike]

    def step(self, system: System, state: State, h: float) -> State:
        x, v = self._moved(system, state, h, np.asarray(self.b), self.stages(system, state, h))
        return State(state.t + h, x, v)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        stages: list[Stage] = []
        for row in np.asarray(self.A):
            x, v = self._moved(system, state, h, row, stages)
            t = state.t + h * float(np.sum(row))
            stages.append(Stage(t, x, v, v, system.rate(t, x, v)))
        return stages

    @staticmethod
    def _moved(
        system: System, state: State, h: float, weights: NDArray, stages: list[Stage]
    ) -> tuple[NDArray, NDArray]:
        x, v = state.x, state.v
        for weight, stage in zip(weights, stages, strict=False):
            if weight != 0.0:
                # in the order of the stages: motions on a manifold do not commute
                x, v = system.move(x, h * weight * stage.v), v + h * weight * stage.v_rate
        return x, v
