"""A system that moves, on the arrays of a program, and a method that steps it: what meets in a compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from rbdkit.trace.graph import Scalar
from rbdkit.trace.program import Index, Program, Whole


@dataclass(frozen=True)
class Part:
    """Numbers in an array of a program, from a place on."""

    array: str
    start: Whole = 0

    def load(self, program: Program, k: Whole) -> Scalar:
        """Number k."""
        return program.load(self.array, k + self.start)

    def store(self, program: Program, k: Whole, value: Scalar) -> None:
        """Write number k."""
        program.store(self.array, k + self.start, 0, value)


class Kept:
    """Numbers that a piece of straight-line code keeps to itself: like a `Part`, but nothing is written to memory."""

    def __init__(self) -> None:
        self._values: dict[Whole, Scalar] = {}

    def load(self, program: Program, k: Whole) -> Scalar:
        """Number k."""
        return self._values[k]

    def store(self, program: Program, k: Whole, value: Scalar) -> None:
        """Keep number k."""
        self._values[k] = value


@dataclass(frozen=True)
class Moment:
    """Stage s of step n: at the fraction "c" of s on the way from "times" of n to that of n + 1."""

    program: Program
    n: Index
    s: Whole

    @property
    def h(self) -> Scalar:
        """Length of the step, s."""
        return self.program.load("times", self.n, 1) - self.program.load("times", self.n, 0)

    @property
    def time(self) -> Scalar:
        """s"""
        return self.program.load("times", self.n, 0) + self.fraction * self.h

    @property
    def fraction(self) -> Scalar:
        """How much of the way it is."""
        return self.program.load("c", self.s)

    def scheduled(self, array: str, k: Whole) -> Scalar:
        """Number k of an array that has a row for each step: on a straight line from row n to the one that follows.

        Rows are "..._step" numbers apart, 0 if they are all the same; "..._next" is 0 if a row is held over the step.
        """
        program = self.program
        place = k + self.n * program.count(f"{array}_step")
        now, then = program.load(array, place), program.load(array, place + program.count(f"{array}_next"))
        return now + self.fraction * (then - now)


class StateArrays(Protocol):
    """Numbers x and v in the arrays of a program."""

    @property
    def program(self) -> Program:
        """The program that is being written."""
        ...

    @property
    def nx(self) -> Whole:
        """How many numbers an x has."""
        ...

    @property
    def nv(self) -> Whole:
        """How many numbers a v has."""
        ...

    @property
    def solved_together(self) -> tuple[Whole, Whole]:
        """Where the numbers of v begin that depend on each other in equations of a step, and how many they are."""
        ...

    def coordinates(self) -> Iterator[Whole]:
        """The numbers of x, 0 to nx - 1; of one of several systems in the same arrays, its own."""
        ...

    def freedoms(self) -> Iterator[Whole]:
        """The numbers of v, likewise."""
        ...


class Recorded(StateArrays, Protocol):
    """First-order equations ``x' = x . v``, ``v' = rate(t, x, v)`` that write themselves into a program.

    Functions of a system on arrays (`rbdkit.formulations.System`), but on parts of the program's arrays: each reads its
    arguments there and writes what it finds to `result`, which none of the arguments overlaps.
    """

    def move(self, x: Part, u: Part, result: Part) -> None:
        """x moved by the displacement u; beyond `LARGEST` where u is too large for that to mean anything."""
        ...

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        """du/dt where ``move(x0, u)`` moves with velocity v."""
        ...

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """vdot at a moment."""
        ...


Numbers = Part | Kept


class StraightLine(StateArrays, Protocol):
    """A `Recorded` without loops, which takes what is `Kept`, too."""

    def move(self, x: Numbers, u: Numbers, result: Numbers) -> None:
        """x moved by the displacement u."""
        ...

    def local_rate(self, u: Numbers, v: Numbers, result: Numbers) -> None:
        """du/dt where ``move(x0, u)`` moves with velocity v."""
        ...

    def rate(self, moment: Moment, x: Numbers, v: Numbers, result: Numbers) -> None:
        """vdot at a moment."""
        ...


Record = Callable[[Any, Index], None]
"""Writes one step of that number of a `Recorded`: reads its state in "x", "v", leaves the next in "x_new", "v_new"."""


class Recordable(Protocol):
    """A method of integration that writes its steps into a program.

    Of rbdkit's own alone, or made from a `step` (`rbdkit.integrators.OneStep`): nobody writes programs by hand.
    """

    @property
    def record(self) -> Record:
        """The same function for all methods that share a program."""
        ...

    @property
    def written_out(self) -> Record | None:
        """The same steps with the numbers of the method in the code, for a system that is `StraightLine`.

        Equal for methods that share a program. None if parts of a system that know nothing of each other cannot take
        their steps each by itself.
        """
        ...

    @property
    def requires(self) -> type:
        """The class or protocol of the systems that it can step; what it asks of a recorded one besides, has its
        name."""
        ...

    @property
    def shared(self) -> frozenset[str]:
        """Names of those of its `arrays` that no step writes to: the same for all motions in lanes."""
        ...

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """The numbers of the method, and room for what a step computes, by the names that `record` uses.

        Always among them: "c", the times of the stages as fractions of a step. A method that may be long on its way
        from one of the "times" to the next has "turns", which before each call of the program is set to the number of
        turns that it may take there; when it has taken them it leaves the program, and goes on in the next call. What
        it leaves in "account" becomes that of the `Run`. One whose steps need not end at the "times" has "landing",
        which is set to 1 where they must, because something changes there.
        """
        ...
