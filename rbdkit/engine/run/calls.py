"""Bound calls: programs with arrays of their own, which wait for the next call.

To bind a program is to write the addresses of its arrays into its frame, which takes longer than a small algorithm. So
a bound call keeps its arrays, and users' numbers are copied in and out. `Job` is the key under which such calls are
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.signatures import INPUTS, outputs_of
from rbdkit.trace import Apart


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame of the model. link : number of the link that it is fixed to. pose : (12,), in that link."""

    link: int
    pose: NDArray


class Job(NamedTuple):
    """An algorithm with what its program depends on.

    external : whether there are external forces. link : link of the frame that it is about, if any; its pose is an
    input.
    states : whether force elements with states of their own take part. timed : whether force elements that depend on
    time do.
    """

    algorithm: str
    external: bool = False
    link: int | None = None
    states: bool = False
    timed: bool = False

    @property
    def task(self) -> Task:
        """The task of the program."""
        return Task(self.algorithm, self.external)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays that it reads and writes for each state."""
        given = INPUTS[self.algorithm] + ("t",) * self.timed + ("z",) * self.states + ("f_ext",) * self.external
        return given + outputs_of(self.algorithm, self.states)

    def counts(self, states: int) -> dict[str, int]:
        """Return the counts that the program is bound to."""
        return {"states": states} if self.link is None else {"states": states, "frame_link": self.link}


@dataclass(frozen=True)
class Call:
    """A program bound to arrays of its own, ready for one state at a time, or for a small stack.

    numbers : what must be finite, in one array: q and the joint vectors, and results where they may not be.
    memory : that of the inputs as memoryviews, which unlike arrays take nothing of another shape or type.
    """

    inputs: list[NDArray]
    outputs: list[NDArray]
    run: Callable[[], None]
    numbers: NDArray
    memory: list[Any]


@dataclass(frozen=True)
class StackCall:
    """A program for several lanes, ready for stacks of a fixed number of states at any address.

    shared : the inputs that are the same for all states.
    """

    states: int
    places: list[Apart]
    shared: list[NDArray]
    run: Callable[[], None]
