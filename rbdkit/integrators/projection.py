"""Projection of each step's result back to the constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from numpy.typing import NDArray

from rbdkit.formulations import Projectable, System
from rbdkit.integrators.integrator import Integrator, OneStep, records
from rbdkit.integrators.state import Stage, State


class Projected(OneStep):
    """A method whose result is projected to the nearest state that obeys the constraints, positions and velocities.

    Nearest is meant in the kinetic-energy metric, so the correction does no work on the motion that the constraints
    allow. The order stays that of the method.

    Parameters
    ----------
    method : Integrator
        An integrator without constraints of its own, an explicit one say.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import RK4, Projected
    >>> model = rbd.library.planar_four_bar()
    >>> motion = rbd.simulate(model, duration=0.05, dt=0.005, formulation="so3xr3", integrator=Projected(RK4()))
    >>> bool(motion.report.constraint_error < 1e-9)
    True
    """

    requires: ClassVar[type] = Projectable
    conserves: ClassVar[tuple[str, ...]] = ("constraints",)

    def __init__(self, method: Integrator) -> None:
        self.method = method
        self.name = f"{method.name}_projected"
        self.order = method.order

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        return self.method.init(system, t, x, v)

    def step(self, system: Any, state: State, h: float) -> State:
        new = self.method.step(system, state, h)
        x, v = system.project(new.x, new.v, new.t)
        return replace(new, x=x, v=v)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        return self.method.stages(system, state, h)

    @property
    def record(self) -> Any:
        """Trace of `step`; None if the method is not recorded, or asks for more than any system has."""
        return super().record if records(self.method) and self.method.requires is System else None
