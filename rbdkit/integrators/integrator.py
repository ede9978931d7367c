"""What every integrator provides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeGuard

from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.newton import Solve
from rbdkit.trace import Recordable


@dataclass(frozen=True, eq=False)
class State:
    """Where a run stands. States never change: keep one to go back to it.

    Attributes
    ----------
    t, x, v
        Time and state of the system.
    memory : object
        What the method carries to its next step besides, or None.
    solve : Solve or None
        How the equations of the step that led here were solved; None for explicit methods.
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
    """A method that steps a system from state to state: any `System`, or what it says it requires."""

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

    def init(self, system: Any, t: float, x: NDArray, v: NDArray) -> State:
        """The state to begin with."""
        ...

    def step(self, system: Any, state: State, h: float) -> State:
        """The state at ``state.t + h``."""
        ...

    def stages(self, system: Any, state: State, h: float) -> list[Stage]:
        """The evaluations inside the step from t to t + h, in their order."""
        ...


class RecordedIntegrator(Integrator, Recordable, Protocol):
    """An integrator that writes its steps into programs, too."""


def records(method: object) -> TypeGuard[RecordedIntegrator]:
    """Whether a method writes the steps that it makes into programs, too.

    A class whose steps are its own, but which inherits the recorded ones, does not; nor does one made of a method that
    does not, whose `record` is None.

    Parameters
    ----------
    method : object
        An integrator.

    Returns
    -------
    bool

    Examples
    --------
    >>> from rbdkit.integrators import RK4, Adaptive, records
    >>> records(RK4())
    True
    """
    for cls in type(method).__mro__:
        if "record" in vars(cls):
            return getattr(method, "record", None) is not None
        if not vars(cls).keys().isdisjoint(("step", "stages", "samples")):
            return False
    return False


class OneStep:
    """Base of methods that remember nothing from step to step and run on every system."""

    conserves: ClassVar[tuple[str, ...]] = ()
    requires: ClassVar[type] = System
    shared: ClassVar[frozenset[str]] = frozenset()

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        return State(t, x, v)
