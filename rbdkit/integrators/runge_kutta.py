"""Munthe-Kaas methods from any explicit Butcher tableau."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.errors import SimulationError
from rbdkit.integrators.munthe_kaas import MuntheKaas
from rbdkit.integrators.order_conditions import classical_order


class RungeKutta(MuntheKaas):
    """The Munthe-Kaas method of a tableau (Müller and Terze 2013, Eq 37). Its order is found from the tableau.

    Parameters
    ----------
    A : array_like (s, s)
        Strictly lower triangular; the times c are the sums of its rows.
    b : array_like (s,)
        Weights.
    name : str, optional
        Name in reports.

    Raises
    ------
    SimulationError
        If the shapes do not fit, the method is implicit, or the weights do not add up to 1.

    Examples
    --------
    >>> from rbdkit.integrators import RungeKutta
    >>> RungeKutta([[0, 0], [0.5, 0]], [0, 1], "midpoint")
    RungeKutta('midpoint': 2 stages, order 2)
    """

    def __init__(self, A: ArrayLike, b: ArrayLike, name: str = "runge_kutta") -> None:
        a, weights = np.array(A, dtype=float), np.array(b, dtype=float)
        if a.ndim != 2 or a.shape != (len(weights), len(weights)):
            raise SimulationError(
                f"tableau {name!r}: A has shape {a.shape} and b {weights.shape}; give (s, s) and (s,)"
            )
        if np.triu(a).any():
            raise SimulationError(
                f"tableau {name!r} is implicit: A has entries on or above its diagonal; Munthe-Kaas methods here are "
                "explicit"
            )
        self.A, self.b, self.name = a, weights, name
        self.order = classical_order(a, weights)
        if self.order == 0:
            raise SimulationError(f"tableau {name!r}: its weights b add up to {weights.sum():g}, not to 1")

    def __repr__(self) -> str:
        return f"RungeKutta({self.name!r}: {len(np.asarray(self.b))} stages, order {self.order})"
