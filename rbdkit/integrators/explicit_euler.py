"""The explicit Euler method."""

from __future__ import annotations

from rbdkit.integrators.munthe_kaas import MuntheKaas


class ExplicitEuler(MuntheKaas):
    """One evaluation a step, order 1. Gains energy on oscillations whatever the step; for learning, not for use."""

    name = "explicit_euler"
    order = 1
    A = ((0.0,),)
    b = (1.0,)
