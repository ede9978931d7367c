"""The classical Runge-Kutta method."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class RK4(MuntheKaas):
    """Four evaluations a step, order 4 on any manifold. The choice for smooth motion of some seconds."""

    name = "rk4"
    order = 4
    A = ((0.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0), (0.0, 0.5, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    b = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
