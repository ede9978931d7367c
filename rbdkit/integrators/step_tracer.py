"""Tracing of an integrator's step: a stand-in for the system, and vectors that record what is done to them.

`trace_step` calls ``method.step`` once. The system notes what it is asked for (`rate`, `move`, ...), the vectors note
the arithmetic that is done to them, element by element. What cannot be noted, such as a branch on a number, raises
`NotTraced` with the reason; such a method is stepped from Python.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from rbdkit.integrators.state import State
from rbdkit.integrators.traced_step import ARITHMETIC, H, Operation, TracedStep, V, X
from rbdkit.trace import Dependencies, Impure


class NotTraced(AttributeError):
    """A step does what cannot be recorded; the message says what. A method without `record` is one that has none."""


def trace_step(method: Any) -> TracedStep:
    """Record one step of a method.

    Parameters
    ----------
    method : an integrator, of which ``step(system, state, h)`` is called once. A step of a user's must not keep
        anything, print, or draw random numbers.

    Raises
    ------
    NotTraced
        If the step does such things, branches on numbers, takes single numbers of x or v, calls a function that does
        not work element by element, changes arrays in place, or keeps something for the next step.
    """
    try:
        if type(method).__module__.startswith("rbdkit."):
            return _traced(method)
        used = Dependencies({type(method).__name__: method}, objects=None)
        used.require_pure()
        with used.guard.untouched():
            return _traced(method)
    except Impure as fault:
        raise NotTraced(str(fault)) from fault


def _traced(method: Any) -> TracedStep:
    system = _System()
    state: Any = State(_Time(system, 0.0), _Coordinates(system, X), _Vector(system, V))  # type: ignore[arg-type]
    try:
        end = method.step(system, state, _Number(system, H))
    except NotTraced:
        raise
    except Exception as fault:  # with numbers it may work, and if not, that is where the user's traceback comes from
        raise NotTraced(f"its step cannot be recorded ({type(fault).__name__}: {fault})") from fault
    return system.traced(end)


class _System:
    """Stands in for a `System`. operations, kinds : as in `TracedStep`."""

    def __init__(self) -> None:
        self.operations: list[Operation] = [("x",), ("v",), ("h",)]
        self.kinds = ["coordinates", "vector", "number"]
        self._known: dict[Operation, int] = {}
        self._fractions: list[float] = []
        self._times: list[float] = []

    # --- what a step asks of it ---------------------------------------------------------------------------------------

    def rate(self, t: Any, x: Any, v: Any) -> _Vector:
        """Note an evaluation of vdot: each is a stage, even where the same was asked for before."""
        if not isinstance(t, _Time):
            raise NotTraced("its step asks for a rate at a time other than t + c h")
        self._fractions.append(t.fraction)
        operands = len(self._fractions) - 1, self._coordinates(x, "rate"), self._vector(v, "rate")
        return _Vector(self, self._append("vector", ("rate", *operands)))

    def move(self, x: Any, u: Any) -> _Coordinates:
        """Note x moved by u."""
        return _Coordinates(
            self, self.note("coordinates", "move", self._coordinates(x, "move"), self._vector(u, "move"))
        )

    def local_rate(self, u: Any, v: Any) -> _Vector:
        """Note du/dt."""
        operands = self._vector(u, "local_rate"), self._vector(v, "local_rate")
        return _Vector(self, self.note("vector", "local_rate", *operands))

    def project(self, x: Any, v: Any, t: Any) -> tuple[_Coordinates, _Vector]:
        """Note the nearest state that obeys the constraints; a step may end so."""
        if not (isinstance(t, _Time) and t.fraction == 1.0):
            raise NotTraced("its step projects a state that is not that of its end")
        place = self.note("coordinates", "project", self._coordinates(x, "project"), self._vector(v, "project"))
        return _Coordinates(self, place), _Vector(self, self.note("vector", "projected", place))

    def __getattr__(self, name: str) -> Any:
        raise NotTraced(f"its step asks the system for {name!r}")

    # --- notes --------------------------------------------------------------------------------------------------------

    def note(self, kind: str, name: str, *operands: int | float) -> int:
        """Return the position of an operation, which is noted once."""
        operation = (name, *operands)
        if operation not in self._known:
            self._known[operation] = self._append(kind, operation)
        return self._known[operation]

    def time(self, fraction: float) -> int:
        """Return the position of a time as a number."""
        if fraction not in self._times:
            self._times.append(fraction)
        return self.note("number", "time", self._times.index(fraction))

    def _append(self, kind: str, operation: Operation) -> int:
        self.operations.append(operation)
        self.kinds.append(kind)
        return len(self.operations) - 1

    def _coordinates(self, x: Any, what: str) -> int:
        if not isinstance(x, _Coordinates):
            raise NotTraced(f"its step hands {_named(x)} to {what} in place of coordinates")
        return x.position

    def _vector(self, v: Any, what: str) -> int:
        if not isinstance(v, _Vector):
            raise NotTraced(f"its step hands {_named(v)} to {what} in place of a vector like v")
        return v.position

    def traced(self, end: Any) -> TracedStep:
        """Return what was noted of a step that ends in a state.

        Raises
        ------
        NotTraced
            If that is no state at t + h, or there is more to it than t, x and v.
        """
        t, x, v = (getattr(end, name, None) for name in ("t", "x", "v"))
        if not (isinstance(t, _Time) and isinstance(x, _Coordinates) and isinstance(v, _Vector)):
            raise NotTraced("its step does not return a State made of what it was given")
        if abs(t.fraction - 1.0) > 1e-14:
            raise NotTraced(f"its step ends at t + {t.fraction:g} h")
        if getattr(end, "memory", None) is not None or getattr(end, "solve", None) is not None:
            raise NotTraced("its step keeps something for the next one")
        projections = [p for p, (name, *_) in enumerate(self.operations) if name == "project"]
        if projections and (projections != [x.position] or self.operations[v.position] != ("projected", x.position)):
            raise NotTraced("its step goes on after it has projected its result")
        stages = len(self._fractions)  # times that are no stages stand behind those that are
        operations = [(name, stages + int(i[0])) if name == "time" else (name, *i) for name, *i in self.operations]
        fractions = (*self._fractions, *self._times) or (0.0,)
        return TracedStep(tuple(operations), tuple(self.kinds), fractions, x.position, v.position)


class _Noted:
    """A value in a step. position : of the operation that gave it."""

    def __init__(self, system: _System, position: int) -> None:
        self.system, self.position = system, position

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function in (np.where, np.clip) and len(inputs) == 3 and not options:
            return _elementwise(self.system, function.__name__, inputs)
        if function is np.zeros_like and isinstance(self, _Vector) and not options:
            return _Vector(self.system, self.system.note("vector", "zeros"))
        raise NotTraced(f"its step calls numpy.{function.__name__} on {self}")

    def __str__(self) -> str:
        return _named(self)

    def __getattr__(self, name: str) -> Any:
        raise NotTraced(f"its step takes {name} of {self}")

    def __bool__(self) -> bool:
        raise NotTraced(f"its step branches on {self}")

    def __float__(self) -> float:
        raise NotTraced(f"its step asks for the value of {self}")

    def __iter__(self) -> Any:
        raise NotTraced(f"its step goes through single numbers of {self}")

    def __getitem__(self, key: Any) -> Any:
        raise NotTraced(f"its step takes single numbers of {self}")

    __setitem__ = __len__ = __index__ = __getitem__


class _Arithmetic(_Noted, NDArrayOperatorsMixin):
    """A value that can be computed with, element by element."""

    kind: ClassVar[str]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if options:
            raise NotTraced(f"its step changes {self} in place")
        if method != "__call__" or ufunc.__name__ not in ARITHMETIC:
            raise NotTraced(f"its step calls numpy.{ufunc.__name__} on {self}")
        return _elementwise(self.system, ufunc.__name__, inputs)


class _Vector(_Arithmetic):
    """A vector like v."""

    kind = "vector"

    def copy(self) -> _Vector:
        """Return the vector, which never changes."""
        return self


class _Number(_Arithmetic):
    """A number that is made of h and t."""

    kind = "number"


class _Coordinates(_Noted):
    """Coordinates like x: they can be moved, and nothing else."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        raise NotTraced("its step computes with coordinates otherwise than by system.move")

    def copy(self) -> _Coordinates:
        """Return the coordinates, which never change."""
        return self


class _Time(_Noted, NDArrayOperatorsMixin):
    """The time t + c h. fraction : c."""

    def __init__(self, system: _System, fraction: float) -> None:
        self.system, self.fraction = system, fraction

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc in (np.add, np.subtract) and method == "__call__" and not options:
            (a, b), sign = inputs, (1.0 if ufunc is np.add else -1.0)
            time, other = (a, b) if isinstance(a, _Time) else (b, a)
            share = _share_of_h(other)
            if share is not None and (time is a or ufunc is np.add):
                return _Time(self.system, time.fraction + sign * share)
        numbers = [_Number(self.system, self.system.time(x.fraction)) if isinstance(x, _Time) else x for x in inputs]
        return getattr(ufunc, method)(*numbers, **options)


def _elementwise(system: _System, name: str, inputs: Any) -> _Number | _Vector:
    """Note arithmetic with numbers and vectors."""
    positions: list[int] = []
    kind: type[_Number | _Vector] = _Number
    for x in inputs:
        if isinstance(x, _Time):
            positions.append(system.time(x.fraction))
        elif isinstance(x, _Arithmetic):
            positions.append(x.position)
            kind = _Vector if isinstance(x, _Vector) else kind
        elif isinstance(x, bool | int | float | np.bool | np.integer | np.floating):
            positions.append(system.note("number", "const", float(x)))
        else:
            raise NotTraced(f"its step computes with {_named(x)} beside the state")
    return kind(system, system.note(kind.kind, name, *positions))


def _share_of_h(x: Any) -> float | None:
    """Return c where x is c h for some number c."""
    if isinstance(x, int | float) and x == 0.0:
        return 0.0
    if not isinstance(x, _Number):
        return None
    name, *operands = x.system.operations[x.position]
    inner = [_Number(x.system, int(p)) for p in operands] if name not in ("const", "time", "h") else []
    if name == "h":
        return 1.0
    if name in ("multiply", "divide") and (share := _share_of_h(inner[0])) is not None:
        factor = _constant(inner[1])
        return None if factor is None else share * factor if name == "multiply" else share / factor
    if name == "multiply" and (share := _share_of_h(inner[1])) is not None:
        factor = _constant(inner[0])
        return None if factor is None else factor * share
    if name in ("add", "subtract"):
        a, b = map(_share_of_h, inner)
        return None if a is None or b is None else a + b if name == "add" else a - b
    return None


def _constant(x: _Number) -> float | None:
    name, *operands = x.system.operations[x.position]
    return float(operands[0]) if name == "const" else None


def _named(x: Any) -> str:
    names = {_Vector: "a vector", _Number: "a number made of h and t", _Coordinates: "coordinates", _Time: "the time"}
    return names.get(type(x), f"an object of type {type(x).__name__}")
