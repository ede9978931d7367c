"""Numbers of joints in the arrays of a program, given out link by link."""

from __future__ import annotations

from typing import Any, Protocol

from rbdkit.engine.steps.nodes import Node
from rbdkit.trace import Program, Scalar, Whole


class JointValues(Protocol):
    """Something that gives the numbers of a link's joint."""

    def __getitem__(self, i: Node, /) -> list[Scalar]:
        """One for each freedom."""
        ...


class AtRest:
    """No velocities, or no accelerations."""

    def __getitem__(self, i: Node) -> list[Scalar]:
        return [0.0] * i.motion.nv


class JointArray:
    """Numbers of joints in an array: ``x[i]`` is the list that belongs to link i, ``x[k]`` number k.

    Of a joint that follows another one they are made from the leader's, with "following", ratio and offset of a link.
    Coordinates of joints that move as time says stand in "driven_q".
    """

    def __init__(self, program: Program, array: str, start: Whole, which: str) -> None:
        self.program = program
        self.array = array
        self.start = start
        self.which = which

    def __getitem__(self, i: Node | Whole) -> Any:
        if isinstance(i, Node):
            array, place, size = self._part(i)
            own = [self.program.load(array, place, k) for k in range(size)]
            return self._following(i, own) if i.kind.follows else own
        return self.program.load(self.array, i + self.start)

    def __setitem__(self, i: Node | Whole, value: Any) -> None:
        if isinstance(i, Node):
            array, place, _ = self._part(i)
            for k, x in enumerate(value):
                self.program.store(array, place, k, x)
        else:
            self.program.store(self.array, i + self.start, 0, value)

    def _part(self, i: Node) -> tuple[str, Whole, int]:
        """In which array and where the numbers of a link begin, and how many they are."""
        if self.which == "v":
            return self.array, i.v + self.start, i.motion.nv
        if i.motion.driver is not None:
            return "driven_q", i.q, i.motion.nq
        return self.array, i.q + self.start, i.motion.nq

    def _following(self, i: Node, own: list[Scalar]) -> list[Scalar]:
        place = i.number * 2
        ratio = self.program.load("following", place)
        offset = self.program.load("following", place, 1) if self.which == "q" else 0.0
        return [ratio * x + offset for x in own]
