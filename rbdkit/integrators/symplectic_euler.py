"""The semi-implicit (symplectic) Euler method."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.integrator import Stage


class SymplecticEuler:
    """Velocity first, then position with the new velocity: one evaluation a step, order 1.

    What game engines use: the energy of oscillations wavers but does not grow.
    """

    name = "symplectic_euler"
    order = 1
    conserves: ClassVar[tuple[str, ...]] = ("energy of oscillations, on average",)

    def step(self, system: System, t: float, x: NDArray, v: NDArray, h: float) -> tuple[NDArray, NDArray]:
        v_new = v + h * system.rate(t, x, v)
        return system.move(x, h * v_new), v_new

    def stages(self, system: System, t: float, x: NDArray, v: NDArray, h: float) -> list[Stage]:
        v_rate = system.rate(t, x, v)
        return [Stage(t, x, v, v + h * v_rate, v_rate)]
