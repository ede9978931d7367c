"""What every integrator provides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from numpy.typing import NDArray

from rbdkit.formulations import System


@dataclass(frozen=True)
class Stage:
    """An evaluation inside a step: time, state, and the rates of displacement and velocity found there."""

    t: float
    x: NDArray
    v: NDArray
    u_rate: NDArray
    v_rate: NDArray


class Integrator(Protocol):
    """A one-step method on `System`s."""

    @property
    def name(self) -> str:
        """What `simulate` calls it."""
        ...

    @property
    def order(self) -> int:
        """Order of the global error."""
        ...

    @property
    def conserves(self) -> tuple[str, ...]:
        """What it keeps of a conservative system, in words."""
        ...

    def step(self, system: System, t: float, x: NDArray, v: NDArray, h: float) -> tuple[NDArray, NDArray]:
        """The state (x, v) at t + h."""
        ...

    def stages(self, system: System, t: float, x: NDArray, v: NDArray, h: float) -> list[Stage]:
        """The evaluations inside the step from t to t + h, in their order."""
        ...
