"""Heun's method."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class Heun(MuntheKaas):
    """Two evaluations a step, at its ends, order 2 on any manifold; the mean of the two slopes is taken.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import Heun
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=1.0, integrator=Heun())
    >>> motion.report.integrator, motion.report.order
    ('heun', 2)
    """

    name = "heun"
    order = 2
    A = ((0.0, 0.0), (1.0, 0.0))
    b = (0.5, 0.5)
