"""Explicit Runge-Kutta methods on manifolds, after Munthe-Kaas."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State


class MuntheKaas(OneStep):
    """Base of explicit Runge-Kutta methods for the displacement u from the state at the start of the step.

    u lives in a vector space, so sums of stages have a meaning there; ``x = move(x0, u)`` stays on the manifold and the
    order is that of the tableau (Müller and Terze 2013, Eqs 36, 37; the system's `local_rate` is dexp^-1). Subclasses
    give the tableau: A (s, s) strictly lower triangular and b (s,); `RungeKutta` takes any.
    """

    name: str
    order: int
    A: ArrayLike
    b: ArrayLike

    def step(self, system: System, state: State, h: float) -> State:
        stages = self.stages(system, state, h)
        u = h * sum(b * stage.u_rate for b, stage in zip(np.asarray(self.b), stages, strict=True))
        dv = h * sum(b * stage.v_rate for b, stage in zip(np.asarray(self.b), stages, strict=True))
        return State(state.t + h, system.move(state.x, u), state.v + dv)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        t, x, v = state.t, state.x, state.v
        stages = [Stage(t, x, v, v, system.rate(t, x, v))]
        for row in np.asarray(self.A)[1:]:
            u, dv = np.zeros_like(v), np.zeros_like(v)
            for a, stage in zip(row, stages, strict=False):
                # zeros of a tableau would be operations of the traced step
                if a != 0.0:
                    u = u + h * a * stage.u_rate
                    dv = dv + h * a * stage.v_rate
            t_i, x_i, v_i = t + h * float(np.sum(row)), system.move(x, u), v + dv
            # u' = dexp^-1_u(v): sums of stages are formed in one vector space, that of displacements from the start (Eq
            # 36)
            stages.append(Stage(t_i, x_i, v_i, system.local_rate(u, v_i), system.rate(t_i, x_i, v_i)))
        return stages
