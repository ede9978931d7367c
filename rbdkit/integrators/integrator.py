"""Interface of integrators, and the base class whose `step` serves readable runs, compiled loops and stepping widgets.

A user writes one function, `step`, in NumPy on a `System`. Called with arrays, it steps from Python. Called once with
recording vectors (`rbdkit.integrators.step_tracer`), it becomes a `TracedStep`, from which compiled loops are made.
Called with a `_Watched` system, it yields its stages.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.state import Stage, State
from rbdkit.integrators.step_tracer import trace_step
from rbdkit.integrators.traced_step import TracedStep, memory_array
from rbdkit.trace import Recordable


class Integrator(Protocol):
    """A time integration method that steps any `System`, or those of the class that it `requires`."""

    @property
    def name(self) -> str:
        """Name of the method in `simulate`."""
        ...

    @property
    def order(self) -> int:
        """Order of the global error."""
        ...

    @property
    def conserves(self) -> tuple[str, ...]:
        """Names of the quantities of a conservative system that the method conserves."""
        ...

    @property
    def requires(self) -> type:
        """Class or protocol of the systems that the method can step."""
        ...

    def init(self, system: Any, t: float, x: NDArray, v: NDArray) -> State:
        """Return the initial state of a run."""
        ...

    def step(self, system: Any, state: State, h: float) -> State:
        """Return the state at ``state.t + h``."""
        ...

    def stages(self, system: Any, state: State, h: float) -> list[Stage]:
        """Return the evaluations inside the step from t to t + h, in their order."""
        ...


class RecordedIntegrator(Integrator, Recordable, Protocol):
    """An integrator with compiled steps."""


class OneStep:
    """Base class of one-step methods.

    A subclass has `name`, `order` and `step`. Compiled loops are made from `step` itself, see `record`. An implicit
    step calls `rbdkit.integrators.newton.solve`. A method that needs more of the system than `System` has, names a
    protocol with these functions in `requires`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import OneStep, State
    >>> class KickDrift(OneStep):
    ...     name, order = "kick_drift", 1
    ...     def step(self, system, state, h):
    ...         v = state.v + h * system.rate(state.t, state.x, state.v)
    ...         return State(state.t + h, system.move(state.x, h * v), v)
    >>> rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, integrator=KickDrift()).report.backend
    'compiled loop (LLVM)'

    The trapezoidal rule:

    >>> from rbdkit.integrators import newton
    >>> class Trapezoidal(OneStep):
    ...     name, order = "trapezoidal", 2
    ...     def step(self, system, state, h):
    ...         t, x, v = state.t, state.x, state.v
    ...         a, moved = system.rate(t, x, v), lambda w: system.move(x, h / 2 * (v + w))
    ...         gap = lambda w: w - v - h / 2 * (a + system.rate(t + h, moved(w), w))
    ...         w, how = newton.solve(gap, v + h * a)
    ...         return State(t + h, moved(w), w, solve=how)
    >>> rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, integrator=Trapezoidal()).report.backend
    'compiled loop (LLVM)'
    """

    conserves: ClassVar[tuple[str, ...]] = ()
    requires: ClassVar[type] = System
    step: Any
    """Function ``step(system, state, h)`` of a subclass, which returns the state at ``state.t + h``."""

    def init(self, system: System, t: float, x: NDArray, v: NDArray) -> State:
        return State(t, x, v)

    def begin(self, system: Any, state: State, h: float) -> tuple[NDArray, ...]:
        """Return the initial memory of a multi-step quantity: vectors like v for a first step of length h.

        A method that carries vectors from step to step overrides it, and keeps such a tuple in ``state.memory``.
        """
        return ()

    def starting(self, system: Any, times: NDArray, x: NDArray, v: NDArray) -> dict[str, NDArray]:
        """Return the initial memory of a compiled run by array names; see `rbdkit.formulations.system.Starting`."""
        state = self.init(system, float(times[0]), x, v)
        found = self.begin(system, state, float(times[1] - times[0]))
        return {memory_array(k): np.array(x) for k, x in enumerate(found)}

    def stages(self, system: Any, state: State, h: float) -> list[Stage]:
        watched = _Watched(system)
        self.step(watched, state, h)
        return watched.stages

    @property
    def record(self) -> Any:
        """Trace of `step`, from which compiled loops are made; see `rbdkit.trace.Recordable`.

        Raises
        ------
        NotTraced
            An AttributeError, if that cannot be recorded.
        """
        key = _key_of(self)
        return trace_step(self) if key is None else _step_of(_Known(key, self))

    @property
    def written_out(self) -> Any:
        """Trace of `step` for systems without loops; see `rbdkit.trace.Recordable`."""
        return self.record.written_out

    @property
    def shared(self) -> frozenset[str]:
        """Names of arrays that no step writes to; see `rbdkit.trace.Recordable`."""
        return getattr(self.record, "shared", frozenset())

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the work arrays of a step; see `rbdkit.trace.Recordable`."""
        return self.record.arrays(nx, nv)


class FromStep(OneStep):
    """An integrator made of any object that has a `step` and an `order`.

    Parameters
    ----------
    given : object
        With ``step(system, state, h) -> State``. Its `name`, `conserves` and `requires` count where it has them.

    Examples
    --------
    What `rbdkit.simulate` does with such an object:

    >>> from rbdkit.integrators import FromStep, State
    >>> class Kick:
    ...     order = 1
    ...     def step(self, system, state, h):
    ...         v = state.v + h * system.rate(state.t, state.x, state.v)
    ...         return State(state.t + h, system.move(state.x, h * v), v)
    >>> FromStep(Kick()).name
    'Kick'
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self.name: str = getattr(given, "name", type(given).__name__)
        self.order: int = given.order
        self.conserves = tuple(getattr(given, "conserves", ()))  # type: ignore[misc]
        self.requires = getattr(given, "requires", System)  # type: ignore[misc]

    def step(self, system: Any, state: State, h: float) -> State:
        return self.given.step(system, state, h)

    def begin(self, system: Any, state: State, h: float) -> tuple[NDArray, ...]:
        return self.given.begin(system, state, h) if hasattr(self.given, "begin") else ()

    @property
    def record(self) -> Any:
        return trace_step(self.given)


class _Watched:
    """Wrapper of a system that logs evaluations of its rate as stages."""

    def __init__(self, system: Any) -> None:
        self._system = system
        self.stages: list[Stage] = []

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        """Evaluate vdot."""
        found = self._system.rate(t, x, v)
        self.stages.append(Stage(t, x, v, v, found))
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)


@dataclass(frozen=True)
class _Known:
    """A method, compared by its key: methods with equal keys take equal steps."""

    key: Hashable
    method: OneStep = field(compare=False)


def _key_of(method: OneStep) -> Hashable | None:
    """Return a key that identifies a method of rbdkit (class, numbers, inner methods); None for a user's method."""
    if not type(method).__module__.startswith("rbdkit."):
        return None
    own = {name: _key_of(x) if isinstance(x, OneStep) else x for name, x in vars(method).copy().items()}
    # numbers and names alone: anything else may change after it was traced
    plain = all(isinstance(x, int | float | str | tuple) for x in own.values())
    return (type(method), *own.items()) if plain else None


@lru_cache
def _step_of(known: _Known) -> TracedStep:
    return trace_step(known.method)


def records(method: object) -> TypeGuard[RecordedIntegrator]:
    """Whether a method writes its steps into programs, which is done by its `step` (see `OneStep`).

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
    return not why_not_recorded(method)


def why_not_recorded(method: object) -> str:
    """Return why a method does not write its steps into programs; empty if it does.

    Parameters
    ----------
    method : object
        An integrator.

    Returns
    -------
    str

    Examples
    --------
    >>> from rbdkit.integrators import OneStep, State, why_not_recorded
    >>> class Careful(OneStep):
    ...     name, order = "careful", 1
    ...     def step(self, system, state, h):
    ...         a = system.rate(state.t, state.x, state.v)
    ...         v = state.v + h * a if abs(a).max() < 1e3 else state.v
    ...         return State(state.t + h, system.move(state.x, h * v), v)
    >>> why_not_recorded(Careful())
    'its step takes max of a vector'
    """
    kinds = type(method).__mro__
    home = next((cls for cls in kinds if "record" in vars(cls)), None)
    if home is None or vars(home)["record"] is None:
        return "it has no record"
    if not home.__module__.startswith("rbdkit."):
        return f"record of {home.__name__} is written by hand, and steps are recorded from step alone; leave it out"
    if home is not OneStep:
        for cls in kinds[: kinds.index(home)]:
            if not vars(cls).keys().isdisjoint(("step", "stages", "samples")):
                return f"its steps are its own, but its record is that of {home.__name__}"
    try:
        return "it has no record" if method.record is None else ""  # type: ignore[attr-defined]
    except AttributeError as fault:  # `NotTraced` is one, and who has no record is asked for one in vain
        return str(fault)
