"""A Rosenbrock method (linearly implicit SDIRK) of order 2, for stiff springs and dampers."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

from numpy.typing import NDArray

from rbdkit.formulations import Stiff
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State

GAMMA = 1.0 - 1.0 / sqrt(2.0)
"""Diagonal coefficient that makes the method L-stable: infinitely stiff modes vanish within a step."""


class LinearlyImplicitSDIRK2(OneStep):
    """Two stages with the same matrix ``M + c h D - c^2 h^2 K``, order 2, L-stable: ROS2 of Verwer et al. (1999).

    Its order does not depend on the matrices, so K and D may leave out what is not stiff, as those of the notes do:
    Coriolis forces, gravity, tau and f_ext, and changes of directions. For bodies with joints, both increments obey
    the constraints at the start of the step, as accelerations do.

    Examples
    --------
    A spring whose oscillations are a hundred times faster than the steps dies out:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem
    >>> from rbdkit.integrators import LinearlyImplicitSDIRK2
    >>> system = JointSystem(rbd.library.pendulum().with_parameters({"hinge.stiffness": 1e8}))
    >>> method = LinearlyImplicitSDIRK2()
    >>> state = method.init(system, 0.0, np.array([0.001]), np.zeros(1))
    >>> for _ in range(50):
    ...     state = method.step(system, state, 0.01)
    >>> bool(abs(state.x[0]) < 1e-6)
    True
    """

    name: ClassVar[str] = "linearly_implicit_sdirk2"
    order: ClassVar[int] = 2
    requires: ClassVar[type] = Stiff
    formulas: ClassVar[tuple[str, ...]] = (
        "with c = 1 - 1/sqrt(2),  A = M + c h D - c^2 h^2 K\nA w1 = h M a1 + c h^2 K v\nu1 = h v + c h w1",
        "A w2 = h M a2 - 2 M w1 + c h K (h k2 - 2 u1)\nu2 = h k2 - 2 u1 + c h w2",
        "x <- x * exp(3/2 u1 + 1/2 u2)\nv <- v + 3/2 w1 + 1/2 w2",
    )

    def step(self, system: Stiff, state: State, h: float) -> State:
        x, v, first, second = state.x, state.v, *self._stages(system, state, h)
        u_1, w_1, u_2, w_2 = *first[:2], *second[:2]
        return State(state.t + h, system.move(x, 1.5 * u_1 + 0.5 * u_2), v + 1.5 * w_1 + 0.5 * w_2)

    def stages(self, system: Stiff, state: State, h: float) -> list[Stage]:
        (u_1, w_1, a_1, k_1), (_, _, a_2, k_2) = self._stages(system, state, h)
        there = system.move(state.x, u_1)
        return [Stage(state.t, state.x, state.v, k_1, a_1), Stage(state.t + h, there, state.v + w_1, k_2, a_2)]

    def _stages(self, system: Stiff, state: State, h: float) -> tuple[tuple[NDArray, ...], tuple[NDArray, ...]]:
        """Return for both stages: increments u of displacement and w of velocity, rates a of velocity, k of u."""
        t, x, v, s = state.t, state.x, state.v, GAMMA * h
        a_1, own = system.rate(t, x, v), system.stiffness(t, x, v)
        w_1 = own.increment(s, h * a_1, s * h * v)
        u_1 = h * v + s * w_1
        a_2, k_2 = system.rate(t + h, system.move(x, u_1), v + w_1), system.local_rate(u_1, v + w_1)
        # ROS2's second stage has -2 times the first increment, of displacements as of velocities
        onward = h * k_2 - 2.0 * u_1
        w_2 = own.increment(s, h * a_2 - 2.0 * w_1, s * onward)
        return (u_1, w_1, a_1, v), (onward + s * w_2, w_2, a_2, k_2)
