"""Kutta's method of order 3."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class RK3(MuntheKaas):
    """Three evaluations a step, order 3 on any manifold.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import RK3
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=1.0, integrator=RK3())
    >>> motion.report.integrator, motion.report.order
    ('rk3', 3)
    """

    name = "rk3"
    order = 3
    A = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (-1.0, 2.0, 0.0))
    b = (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)
