"""The explicit Euler method."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class ExplicitEuler(MuntheKaas):
    """One evaluation a step, order 1. Gains energy on oscillations whatever the step; for learning, not for use.

    Examples
    --------
    A pendulum that gains energy from nowhere:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import ExplicitEuler
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=1.0, dt=1e-4, integrator=ExplicitEuler())
    >>> bool(motion.energy_error()[-1] > 0.0)
    True
    """

    name = "explicit_euler"
    order = 1
    A = ((0.0,),)
    b = (1.0,)
