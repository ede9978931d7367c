"""Numbers of joints in the arrays of a program, accessed link by link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.sizes import SQUARES
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


class LookedAt(JointArray):
    """`JointArray` that sums the squares of all that is read from it or written to it.

    The sum shows that all numbers of a large stack are finite and not too large, without reading it once more.

    Parameters
    ----------
    sums : of squares so far, by array, in straight-line code, which stores them at its end; None for loops, which add
        them at once.
    """

    def __init__(self, program: Program, array: str, start: Whole, which: str, sums: dict[str, Scalar] | None) -> None:
        super().__init__(program, array, start, which)
        self.sums = sums

    def __getitem__(self, i: Node | Whole) -> Any:
        found = super().__getitem__(i)
        self._look_at(found if isinstance(i, Node) else [found])
        return found

    def __setitem__(self, i: Node | Whole, value: Any) -> None:
        self._look_at(value if isinstance(i, Node) else [value])
        super().__setitem__(i, value)

    def _look_at(self, numbers: Sequence[Scalar]) -> None:
        if self.sums is None:
            self.program.store(SQUARES, 0, 0, _add(self.program.load(SQUARES, 0), numbers))
        else:
            self.sums[self.array] = _add(self.sums.get(self.array, 0.0), numbers)


def _add(total: Scalar, numbers: Sequence[Scalar]) -> Scalar:
    for x in numbers:
        total = total + x * x
    return total
