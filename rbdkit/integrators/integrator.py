"""What every integrator provides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.newton import Solve


@dataclass(frozen=True, eq=False)
class State:
    """Where a run stands. States never change: keep one to go back to it.

    Attributes
    ----------
    t, x, v : time and state of the system.
    memory : what the method carries to its next step besides, or None.
    solve : how the equations of the step that led here were solved; None for explicit methods.
    """

    t: float
    x: NDArray
    v: NDArray
    memory: Any = None
    solve: Solve | None = None


@dataclass(frozen=True, eq=False)
class Stage:
    """An evaluation inside a step: time, state, and the rates of displacement and velocity found there."""

    t: float
    x: NDArray
    v: NDArray
    u_rate: NDArray
    v_rate: NDArray


class Integrator(Protocol):
    """A method that steps a `System` from state to state."""

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

    @property
    def requires(self) -> type:
        """The class or protocol of the systems that it can step."""
        ...

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        """The state to begin with."""
        ...

    def step(self, system: System, state: State, h: float) -> State:
        """The state at ``state.t + h``."""
        ...

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        """The evaluations inside the step from t to t + h, in their order."""
        ...


class OneStep:
    """Base of methods that remember nothing from step to step and run on every system."""

    conserves: ClassVar[tuple[str, ...]] = ()
    requires: ClassVar[type] = System

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        return State(t, x, v)
