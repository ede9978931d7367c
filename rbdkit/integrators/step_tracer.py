"""Tracing of an integrator's step: a stand-in for the system, and vectors that record what is done to them.

`trace_step` calls ``method.step`` once, with a stand-in for the system. It records the evaluations of the system
(`rate`, `move`, ...), the elementwise arithmetic on vectors, and equations to be solved (`newton.solve`) as a list of
operations on whole vectors, a `TracedStep`. That list knows neither the number of freedoms nor the system, so it is
made once for a method. Anything that cannot be recorded, such as a branch on a number, raises `NotTraced` with the
reason; such a method is stepped from Python.

An implicit method may do something else in its first step, where no ``state.solve`` exists. So it is traced twice, as
a first and as a later step, and both must agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from rbdkit.formulations import System
from rbdkit.integrators.state import State
from rbdkit.integrators.traced_step import (
    ARITHMETIC,
    DERIVED,
    OF_SYSTEM,
    REDUCTIONS,
    TIMED,
    H,
    Operation,
    TracedStep,
    V,
    X,
)
from rbdkit.trace import MOST_CORRECTIONS, Dependencies, Impure

REQUIRED = {"momenta": "inertia", "velocities": "inertia", "at_ends": "local_rate", "momentum": "generalized_force"}
"""Function of a system on numbers that stands behind an evaluation, where it has another name."""


class NotTraced(AttributeError):
    """A step cannot be recorded; the message says why. An AttributeError, so that ``hasattr(method, "record")`` is
    False."""


def trace_step(method: Any) -> TracedStep:
    """Record one step of a method.

    Parameters
    ----------
    method : an integrator with ``step(system, state, h)``. A user's step must be pure: it must not store anything,
        print, or draw random numbers.

    Raises
    ------
    NotTraced
        If the step is not pure, branches on numbers, takes single elements of x or v, calls a function that does not
        work element by element, changes arrays in place, or keeps something for the next step.
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
    """Trace a first step, and for an implicit method also a later one, which must do the same."""
    first, solves = _noted(method, None)
    if not solves:
        return first
    later, _ = _noted(method, _Solved())
    # compiled loops have one text for all steps
    if replace(later, follows=False) != first:
        raise NotTraced("its first step, which finds no state.solve, does something else than those that follow")
    return later


def _noted(method: Any, solve: _Solved | None) -> tuple[TracedStep, bool]:
    """Trace one step; return it, and whether its end state has a `solve`. solve : that of the step before, or None."""
    requires = getattr(method, "requires", System)
    system = _System(requires)
    try:
        memory = None
        if requires is not System and hasattr(method, "begin"):
            memory = tuple(system.carried(k) for k in range(_carried(method, requires))) or None
        before: Any = solve
        state = replace(system.state(), memory=memory, solve=before)
        end = method.step(system, state, _Number(system, H))
    except NotTraced:
        raise
    except Exception as fault:  # with numbers it may work, and if not, that is where the user's traceback comes from
        raise NotTraced(f"its step cannot be recorded ({type(fault).__name__}: {fault})") from fault
    return system.traced(end), getattr(end, "solve", None) is not None


def _carried(method: Any, requires: type) -> int:
    """Return the number of vectors that a method carries from step to step."""
    system = _System(requires)
    return len(method.begin(system, system.state(), _Number(system, H)))


class _System:
    """Stand-in for a `System` that records its evaluations.

    requires : protocol that the method requires of a system. operations, kinds : as in `TracedStep`. solving : whether
    the residual of equations is being traced.
    """

    def __init__(self, requires: type) -> None:
        self.requires = requires
        self.operations: list[Operation] = [("x",), ("v",), ("h",)]
        self.kinds = ["coordinates", "vector", "number"]
        self._known: dict[Operation, int] = {}
        self._fractions: list[float] = []
        self._times: list[float] = []
        self.solving = False
        self.newest = -1

    # --- what a step asks of it ---------------------------------------------------------------------------------------

    def project(self, x: Any, v: Any, t: Any) -> tuple[_Noted, ...]:
        """Record the projection to the constraints, which may only be the last operation of a step."""
        self._require("project")
        if not (isinstance(t, _Time) and t.fraction == 1.0):
            raise NotTraced("its step projects a state that is not that of its end")
        return self._evaluate("project", x, v)

    def stiffness(self, t: Any, x: Any, v: Any) -> _Stiffness:
        """Record the evaluation of the matrices of a linearly implicit step."""
        self._require("stiffness")
        self.newest = self._evaluate("stiffness", t, x, v).position
        return _Stiffness(self, self.newest)

    @property
    def M(self) -> _Mass:
        """Stand-in for a constant mass matrix."""
        self._require(REQUIRED["momentum"])
        return _Mass(self)

    def __getattr__(self, name: str) -> Any:
        if name not in OF_SYSTEM:
            raise NotTraced(f"its step asks the system for {name!r}")
        self._require(REQUIRED.get(name, name))

        def evaluate(*given: Any, **named: Any) -> Any:
            if named:
                given = signature(getattr(self.requires, name)).bind(self, *given, **named).args[1:]
            return self._evaluate(name, *given)

        return evaluate

    def _evaluate(self, name: str, *given: Any) -> Any:
        """Record an evaluation of the system, see `OF_SYSTEM`; each at a time counts, also with equal arguments."""
        wanted, results = OF_SYSTEM[name]
        if not sum(not kind.endswith("?") for kind in wanted) <= len(given) <= len(wanted):
            raise NotTraced(f"its step hands {len(given)} arguments to {name}")
        operands = [self._operand(kind.rstrip("?"), x, name) for kind, x in zip(wanted, given, strict=False)]
        # an evaluation at a time is a stage, with a place of its own in `fractions`: equal ones are not shared
        record = self.append if name in TIMED else self._note
        place = record(results[0], (name, *operands))
        first = self._noted(place)
        return first if len(results) == 1 else (first, self._noted(self.note(results[1], "second", place)))

    def _operand(self, kind: str, x: Any, what: str) -> int:
        """Return the position of an operand, or the number of a time."""
        if kind == "time":
            if not isinstance(x, _Time):
                raise NotTraced(f"its step asks for a {what} at a time other than t + c h")
            self._fractions.append(x.fraction)
            return len(self._fractions) - 1
        return self.number(x, what) if kind == "number" else self.position(kind, x, what)

    def _noted(self, position: int) -> _Noted:
        return CLASSES.get(self.kinds[position], _Noted)(self, position)

    def state(self) -> State:
        """Return the state that a step begins with."""
        x: Any = _Coordinates(self, X)
        v: Any = _Vector(self, V)
        t: Any = _Time(self, 0.0)
        return State(t, x, v)

    def carried(self, k: int) -> _Vector:
        """Return vector k of the memory that the step before has left."""
        return _Vector(self, self.note("vector", "memory", k))

    def _require(self, name: str) -> None:
        if not hasattr(self.requires, name):
            raise NotTraced(
                f"its step asks the system for {name!r}, which not every system has; say so by requires, a protocol of "
                "rbdkit.formulations that has it"
            )

    # --- notes --------------------------------------------------------------------------------------------------------

    def note(self, kind: str, name: str, *operands: int | float) -> int:
        """Return the position of an operation, recorded once (common subexpressions are shared)."""
        return self._note(kind, (name, *operands))

    def _note(self, kind: str, operation: Operation) -> int:
        if operation not in self._known:
            self._known[operation] = self.append(kind, operation)
        return self._known[operation]

    def time(self, fraction: float) -> int:
        """Return the position of a time as a number."""
        if fraction not in self._times:
            self._times.append(fraction)
        return self.note("number", "time", self._times.index(fraction))

    def append(self, kind: str, operation: Operation) -> int:
        """Record an operation, even if an equal one exists, and return its position."""
        self.operations.append(operation)
        self.kinds.append(kind)
        return len(self.operations) - 1

    def number(self, x: Any, what: str) -> int:
        """Return the position of a number."""
        if isinstance(x, _Number):
            return x.position
        if not isinstance(x, bool | int | float | np.bool | np.integer | np.floating):
            raise NotTraced(f"its step hands {_named(x)} to {what} in place of a number")
        return self.note("number", "const", float(x))

    def position(self, kind: str, x: Any, what: str) -> int:
        """Return the position of a value of a kind."""
        if not isinstance(x, _Noted) or isinstance(x, _Time) or self.kinds[x.position] != kind:
            wanted = "a vector like v" if kind == "vector" else kind
            raise NotTraced(f"its step hands {_named(x)} to {what} in place of {wanted}")
        return x.position

    def traced(self, end: Any) -> TracedStep:
        """Return the traced step that ends in a state.

        Raises
        ------
        NotTraced
            If that is no state at t + h, or holds something else than t, x, v, the solve and the method's memory.
        """
        t, x, v = (getattr(end, name, None) for name in ("t", "x", "v"))
        if not (isinstance(t, _Time) and isinstance(x, _Coordinates) and isinstance(v, _Vector)):
            raise NotTraced("its step does not return a State made of what it was given")
        # parts of h add up to the step but for round-off
        if abs(t.fraction - 1.0) > 1e-14:
            raise NotTraced(f"its step ends at t + {t.fraction:g} h")
        solve = getattr(end, "solve", None)
        kept = () if getattr(end, "memory", None) is None else end.memory
        carried = [p for p, (name, *_) in enumerate(self.operations) if name == "memory"]
        if not (solve is None or isinstance(solve, _Solved)) or not isinstance(kept, tuple):
            raise NotTraced("its step keeps something for the next one")
        if len(kept) != len(carried) or not all(isinstance(x, _Vector) for x in kept):
            raise NotTraced("its step keeps something for the next one that is not what its begin gives")
        memory = tuple(x.position for x in kept)
        projections = [p for p, (name, *_) in enumerate(self.operations) if name == "project"]
        if projections and (projections != [x.position] or self.operations[v.position] != ("second", x.position)):
            raise NotTraced("its step goes on after it has projected its result")
        end_at = x.position, v.position, memory, self._keeps(solve)
        # what can be told from the operations alone is checked on a first version, before times are put in order
        draft = TracedStep(tuple(self.operations), tuple(self.kinds), (), *end_at)
        if draft.leaks:
            raise NotTraced("its step uses what depends on the unknowns of equations elsewhere than in these")
        for p in (p for p in draft.solves if self.kinds[p] == "unknowns"):
            if others := {self.operations[i][0] for i in draft.bodies[p]}.difference(DERIVED):
                raise NotTraced(f"its step solves equations for multipliers that ask the system for {min(others)!r}")
        return replace(draft, **self._ordered(draft))

    def _keeps(self, solve: _Solved | None) -> bool:
        """Whether the step has one solve, which begins with the Jacobian of the step before."""
        solves = [p for p, (name, *_) in enumerate(self.operations) if name == "solve"]
        return solve is not None and [solve.position] == solves and solve.follows

    def _ordered(self, draft: TracedStep) -> dict[str, Any]:
        """Return operations and fractions in final order: fractions of stages, of other evaluations, of times used as
        numbers; last, if the step ends with a projection, that of the final evaluation: prescribed joints stay there.
        """
        timed = [p for p, (name, *_) in enumerate(self.operations) if name in TIMED]
        ordered = [*draft.rates, *(p for p in timed if p not in draft.rates)]
        place = {self.operations[p][1]: k for k, p in enumerate(ordered)}
        operations: list[Operation] = []
        for name, *operands in self.operations:
            if name in TIMED:
                operands[0] = place[operands[0]]
            elif name == "time":
                operands[0] += len(ordered)
            operations.append((name, *operands))
        fractions = [*(self._fractions[self.operations[p][1]] for p in ordered), *self._times]
        if timed and self.operations[draft.x_new][0] == "project":
            last = max(timed, key=lambda p: (draft.home.get(p, p), p))
            if fractions[-1] != (found := self._fractions[self.operations[last][1]]):
                fractions.append(found)
        return {"operations": tuple(operations), "fractions": tuple(fractions) or (0.0,)}


class _Stiffness:
    """Stand-in for `StiffMatrices`. position : position of the operation that evaluates them."""

    def __init__(self, system: _System, position: int) -> None:
        self.system, self.position = system, position

    def increment(self, s: Any, r: Any, u: Any) -> _Vector:
        """Record the solution w of ``(M + s D - s^2 K) w = M r + K u``."""
        system = self.system
        # programs have one set of arrays for the matrices, where the newest ones stand
        if self.position != system.newest:
            raise NotTraced("its step asks matrices of one state after it has asked for those of another")
        vectors = [system.position("vector", x, "increment") for x in (r, u)]
        operands = self.position, system.number(s, "increment"), *vectors
        return _Vector(system, system.append("vector", ("increment", *operands)))

    def __getattr__(self, name: str) -> Any:
        raise NotTraced(f"its step takes {name} of the matrices of a system")


class _Mass:
    """Stand-in for a constant mass matrix."""

    def __init__(self, system: _System) -> None:
        self.system = system

    def __matmul__(self, v: Any) -> Any:
        return self.system._evaluate("momentum", v)


@dataclass(frozen=True)
class _Solved:
    """Stand-in for a `Solve`. position : the "solve" operation of this step; None for that of the step before.

    follows : whether the solve began with the Jacobian of the step before.
    """

    position: int | None = None
    follows: bool = False


class _Noted:
    """A value in a traced step. position : position of the operation that gives it."""

    def __init__(self, system: _System, position: int) -> None:
        self.system, self.position = system, position

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function in (np.where, np.clip) and len(inputs) == 3 and not options:
            return _elementwise(self.system, function.__name__, inputs)
        if function is np.zeros_like and isinstance(self, _Vector) and not options:
            return _Vector(self.system, self.system.note("vector", "zeros"))
        if function.__name__ in REDUCTIONS and isinstance(self, _Vector) and inputs == (self,) and not options:
            return _Number(self.system, self.system.note("number", function.__name__, self.position))
        raise NotTraced(f"its step calls numpy.{function.__name__} on {self}")

    def __str__(self) -> str:
        return _named(self)

    def __format__(self, how: str) -> str:
        return _named(self)  # in messages of errors, which belong to steps on numbers

    def largest(self, least: float) -> _Number:
        """Record `rbdkit.integrators.newton.largest`."""
        return _Number(self.system, self.system.note("number", "largest", self.position, float(least)))

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


class _Solvable(_Noted):
    """A value that can be the unknown of equations."""

    def root_of(
        self,
        residual: Any,
        jacobian: Any,
        tolerance: Any,
        most: int,
        patience: int,
        last: Any,
        slope: Any,
        least: int,
        relief: float,
    ) -> tuple[Any, _Solved]:
        """Record `rbdkit.integrators.newton.solve` with this value as initial guess."""
        system, kind = self.system, self.system.kinds[self.position]
        if jacobian is not None and kind != "unknowns":
            raise NotTraced("its step solves equations with a Jacobian of its own")
        if patience + most > MOST_CORRECTIONS:
            raise NotTraced(
                f"its step allows {patience + most} corrections of a solution, more than {MOST_CORRECTIONS}"
            )
        if system.solving:
            raise NotTraced("its step solves equations inside of others")
        unknown = type(self)(system, system.append(kind, ("unknown",)))
        system.solving = True
        found = residual(unknown)
        system.solving = False
        if not isinstance(found, type(self)):
            raise NotTraced(f"the residual of its equations is {_named(found)}, not {self}")
        numbers = [system.number(x, "newton.solve") for x in (tolerance, 0.0 if slope is None else slope)]
        options = slope is not None, int(patience), int(most), int(least), float(relief)
        operands = self.position, unknown.position, found.position, *numbers
        position = system.append(kind, ("solve", *operands, *options))
        return type(self)(system, position), _Solved(position, isinstance(last, _Solved) and last.position is None)


class _Unknowns(_Solvable):
    """Displacement and multipliers, for which equations with derivatives of their own are solved."""


class _Arithmetic(_Noted, NDArrayOperatorsMixin):
    """A value with elementwise arithmetic."""

    kind: ClassVar[str]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if options:
            raise NotTraced(f"its step changes {self} in place")
        if method != "__call__" or ufunc.__name__ not in ARITHMETIC:
            raise NotTraced(f"its step calls numpy.{ufunc.__name__} on {self}")
        return _elementwise(self.system, ufunc.__name__, inputs)


class _Vector(_Arithmetic, _Solvable):
    """A vector like v."""

    kind = "vector"

    def copy(self) -> _Vector:
        """Return the vector, which never changes."""
        return self


class _Number(_Arithmetic):
    """A number computed from h and t, or by reduction of a vector."""

    kind = "number"


class _Coordinates(_Noted):
    """Coordinates like x, on a manifold: they can be moved, and nothing else."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        raise NotTraced("its step computes with coordinates otherwise than by system.move")

    def copy(self) -> _Coordinates:
        """Return the coordinates, which never change."""
        return self


class _Time(_Noted, NDArrayOperatorsMixin):
    """The time t + c h. fraction : the factor c."""

    def __init__(self, system: _System, fraction: float) -> None:
        self.system, self.fraction = system, fraction

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc in (np.add, np.subtract) and method == "__call__" and not options:
            (a, b), sign = inputs, (1.0 if ufunc is np.add else -1.0)
            time, other = (a, b) if isinstance(a, _Time) else (b, a)
            share = _share_of_h(other)
            # h - t is no time, unlike t - h
            if share is not None and (time is a or ufunc is np.add):
                return _Time(self.system, time.fraction + sign * share)
        numbers = [_Number(self.system, self.system.time(x.fraction)) if isinstance(x, _Time) else x for x in inputs]
        return getattr(ufunc, method)(*numbers, **options)


CLASSES: dict[str, type[_Noted]] = {
    "vector": _Vector, "coordinates": _Coordinates, "number": _Number, "unknowns": _Unknowns,
}  # fmt: skip
"""Stand-ins of values by their kind; of other kinds nothing is known."""


def _elementwise(system: _System, name: str, inputs: Any) -> _Number | _Vector:
    """Record elementwise arithmetic with numbers and vectors."""
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
    """Return the number c if x is c h, else None."""
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
    names = {_Vector: "a vector", _Number: "a number made of h and t", _Time: "the time"}
    if isinstance(x, _Noted) and type(x) not in names:
        return x.system.kinds[x.position]
    return names.get(type(x), f"an object of type {type(x).__name__}")
