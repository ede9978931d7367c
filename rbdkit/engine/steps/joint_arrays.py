"""Numbers of joints in the arrays of a program, accessed link by link."""

from __future__ import annotations

from typing import Any, Protocol

from rbdkit.engine.steps.nodes import Node
from rbdkit.trace import Program, Scalar, Whole

CALLED_FROM_LINES = True
"""Messages of checked code name the lines that call this module, not lines in it."""


class JointValues(Protocol):
    """Anything that gives the numbers of a link's joint."""

    def __getitem__(self, i: Node, /) -> list[Scalar]:
        """Return one number for each freedom."""
        ...


class AtRest:
    """Zero velocities, or zero accelerations."""

    def __getitem__(self, i: Node) -> list[Scalar]:
        return [0.0] * i.motion.nv


class JointArray:
    """Numbers of joints in an array: ``x[i]`` is the list that belongs to link i, ``x[k]`` number k.

    Those of a mimic joint are computed from the master's, with the link's ratio and offset in "following". Coordinates
    of prescribed joints are in "driven_q".
    """

    def __init__(self, program: Program, array: str, start: Whole, which: str) -> None:
        self.program = program
        self.array = array
        self.start = start
        self.which = which

    def __getitem__(self, i: Node | Whole) -> Any:
        if isinstance(i, Node):
            array, place, offset, size = self._part(i)
            own = [self.program.load(array, place, offset + k) for k in range(size)]
            return self._following(i, own) if i.kind.follows else own
        return self.program.load(self.array, i + self.start)

    def __setitem__(self, i: Node | Whole, value: Any) -> None:
        if isinstance(i, Node):
            array, place, offset, _ = self._part(i)
            for k, x in enumerate(value, start=offset):
                self.program.store(array, place, k, x)
        else:
            self.program.store(self.array, i + self.start, 0, value)

    def _part(self, i: Node) -> tuple[str, Whole, int, int]:
        """Return array, index and offset where the numbers of a link begin, and how many there are."""
        if self.which == "v":
            return self.array, *self._within(i.v), i.motion.nv
        # coordinates of prescribed joints are no part of the state
        if i.motion.driver is not None:
            return "driven_q", i.q, 0, i.motion.nq
        return self.array, *self._within(i.q), i.motion.nq

    def _within(self, place: Whole) -> tuple[Whole, int]:
        """Return a place as index and offset; straight-line code has one index, so loads can be compared."""
        return (self.start, place) if isinstance(place, int) else (place + self.start, 0)

    def _following(self, i: Node, own: list[Scalar]) -> list[Scalar]:
        place = i.number * 2
        ratio = self.program.load("following", place)
        offset = self.program.load("following", place, 1) if self.which == "q" else 0.0
        return [ratio * x + offset for x in own]
