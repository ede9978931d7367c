"""The classical Runge-Kutta method."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class RK4(MuntheKaas):
    """Four evaluations a step, order 4 on any manifold. The choice for smooth motion of some seconds.

    Examples
    --------
    Half the step makes a sixteenth of the error:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import RK4, second_quotient
    >>> model = rbd.library.pendulum()
    >>> runs = [rbd.simulate(model, [1.0], duration=0.5, dt=0.01 / n, every=n, integrator=RK4()).q for n in (1, 2, 4)]
    >>> round(float(second_quotient(*runs)[-1]))
    16
    """

    name = "rk4"
    order = 4
    A = ((0.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0), (0.0, 0.5, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    b = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
