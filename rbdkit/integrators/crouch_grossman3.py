"""The method of Crouch and Grossman of order three."""

from __future__ import annotations

from rbdkit.integrators.crouch_grossman import CrouchGrossman


class CrouchGrossman3(CrouchGrossman):
    """Three evaluations a step, order 3; the coefficients are those of Crouch and Grossman's paper.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import CrouchGrossman3
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.2, dt=0.01, integrator=CrouchGrossman3())
    >>> motion.report.integrator, motion.report.order
    ('crouch_grossman3', 3)
    """

    name = "crouch_grossman3"
    order = 3
    A = ((0.0, 0.0, 0.0), (3 / 4, 0.0, 0.0), (119 / 216, 17 / 108, 0.0))
    b = (13 / 51, -2 / 3, 24 / 17)
