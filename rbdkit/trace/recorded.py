"""Interfaces of the compiled loop over time: systems and integrators that record themselves into a program.

A system (`Recorded`) writes the equations of motion into a program, an integrator (`Recordable`) its steps, and
`rbdkit.trace.loop.over_time` joins them; none knows the others. Both work on views of the program's arrays (`Part`),
or on values that stay in registers (`Kept`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from rbdkit.trace.graph import Scalar
from rbdkit.trace.program import Index, Program, Whole


@dataclass(frozen=True)
class Part:
    """View of an array of a program, from a place on."""

    array: str
    start: Whole = 0

    def load(self, program: Program, k: Whole) -> Scalar:
        """Return number k."""
        return program.load(self.array, k + self.start)

    def store(self, program: Program, k: Whole, value: Scalar) -> None:
        """Store number k."""
        program.store(self.array, k + self.start, 0, value)


class Kept:
    """Numbers that straight-line code holds in registers: like a `Part`, but nothing is written to memory."""

    def __init__(self) -> None:
        self._values: dict[Whole, Scalar] = {}

    def load(self, program: Program, k: Whole) -> Scalar:
        """Return number k."""
        return self._values[k]

    def store(self, program: Program, k: Whole, value: Scalar) -> None:
        """Keep number k."""
        self._values[k] = value


@dataclass(frozen=True)
class Moment:
    """Time of stage s in step n: at the fraction c[s] of the way from times[n] to times[n + 1]."""

    program: Program
    n: Index
    s: Whole

    @property
    def h(self) -> Scalar:
        """Length of the step, s."""
        return self.program.load("times", self.n, 1) - self.program.load("times", self.n, 0)

    @property
    def time(self) -> Scalar:
        """Time, s."""
        return self.program.load("times", self.n, 0) + self.fraction * self.h

    @property
    def fraction(self) -> Scalar:
        """Fraction of the step, from 0 to 1."""
        return self.program.load("c", self.s)

    def scheduled(self, array: str, k: Whole) -> Scalar:
        """Return number k of an array with a row for each time, interpolated linearly between rows n and n + 1.

        Rows are "..._step" numbers apart (0 for a single row); "..._next" is 0 if a row is held over the step.
        """
        program = self.program
        place = k + self.n * program.count(f"{array}_step")
        now, then = program.load(array, place), program.load(array, place + program.count(f"{array}_next"))
        return now + self.fraction * (then - now)


class StateArrays(Protocol):
    """A state (x, v) in the arrays of a program."""

    @property
    def program(self) -> Program:
        """The program that is being written."""
        ...

    @property
    def nx(self) -> Whole:
        """Number of coordinates, the size of x."""
        ...

    @property
    def nv(self) -> Whole:
        """Number of velocities, the size of v."""
        ...

    @property
    def solved_together(self) -> tuple[Whole, Whole]:
        """First of the velocities that the equations of an implicit step couple, and their number."""
        ...

    def coordinates(self) -> Iterator[Whole]:
        """Yield the indices of x, 0 to nx - 1; with several systems in the same arrays, those of this one."""
        ...

    def freedoms(self) -> Iterator[Whole]:
        """Yield the indices of v, 0 to nv - 1; with several systems in the same arrays, those of this one."""
        ...


class Recorded(StateArrays, Protocol):
    """First-order equations ``x' = x . v``, ``v' = rate(t, x, v)`` that record themselves into a program.

    Its functions are those of `rbdkit.formulations.System`, but on views of the program's arrays: each reads its
    arguments there and stores what it finds in `result`, which overlaps none of the arguments.
    """

    def move(self, x: Part, u: Part, result: Part) -> None:
        """Store x moved by the displacement u; something beyond `LARGEST` if u is too large to have a meaning."""
        ...

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        """Store du/dt where ``move(x0, u)`` moves with velocity v (dexp^-1)."""
        ...

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """Store the accelerations vdot at a time and state."""
        ...


Numbers = Part | Kept


class StraightLine(StateArrays, Protocol):
    """A `Recorded` system without loops, whose numbers may stay in registers (`Kept`)."""

    def move(self, x: Numbers, u: Numbers, result: Numbers) -> None:
        """Store x moved by the displacement u."""
        ...

    def local_rate(self, u: Numbers, v: Numbers, result: Numbers) -> None:
        """Store du/dt where ``move(x0, u)`` moves with velocity v (dexp^-1)."""
        ...

    def rate(self, moment: Moment, x: Numbers, v: Numbers, result: Numbers) -> None:
        """Store the accelerations vdot at a time and state."""
        ...


Record = Callable[[Any, Index], None]
"""Function (system, n) that records step n: it reads the state in "x", "v" and leaves the next in "x_new", "v_new"."""


class Recordable(Protocol):
    """An integrator that records its steps into a program.

    Either one of rbdkit, or traced from a user's `step` (`rbdkit.integrators.OneStep`); users write no programs.
    """

    @property
    def record(self) -> Record:
        """Function that records a step; one and the same for all methods that share a program."""
        ...

    @property
    def written_out(self) -> Record | None:
        """Function that records a step with the method's numbers as constants, for a `StraightLine` system.

        Equal for methods that share a program. None if independent parts of a system cannot be stepped separately.
        """
        ...

    @property
    def requires(self) -> type:
        """Class or protocol of the systems that the method can step; a recorded system has functions of these names."""
        ...

    @property
    def shared(self) -> frozenset[str]:
        """Names of those of its `arrays` that no step writes to: the same for all motions in lanes."""
        ...

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the coefficients of the method and its work arrays, by the names that `record` uses.

        "c" is always among them: times of the stages as fractions of a step. A method that may take many internal steps
        from one of the "times" to the next has "turns": the number of internal steps that it may take before it leaves
        the program, set before each call; it goes on in the next one. What it stores in "account" becomes that of the
        `Run`. A method whose steps need not end at the "times" has "landing", which is 1 where they must, because
        forces change there.
        """
        ...
