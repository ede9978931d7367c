"""The fifth-order method of Dormand and Prince."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class RK5(MuntheKaas):
    """Six evaluations a step, order 5 on any manifold: the formula that adaptive solvers step with, at a fixed step.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import RK5
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=1.0, dt=0.01, integrator=RK5())
    >>> bool(abs(motion.energy_error()).max() < 1e-9)
    True
    """

    name = "rk5"
    order = 5
    A = (
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0),
        (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0),
        (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
    )
    b = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
