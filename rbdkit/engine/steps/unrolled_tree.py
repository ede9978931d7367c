"""A tree unrolled link by link: straight-line code.

A pass over the links is a loop in Python, and whatever it records is in one block. Fields are dictionaries of symbols,
so values pass from link to link in registers; indices are constants; and known zeros and ones of the placements fold
away what they are multiplied by. That is the fastest code, but its length grows with the number of links, and it serves
one shape of model only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from rbdkit.engine.steps.nodes import ROW, Body, Link, Node, most_numbers
from rbdkit.engine.steps.sizes import ZEROS
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Program, Scalar, Whole


class UnrolledTree(Tree):
    """The links of one model, unrolled: straight-line code.

    Parameters
    ----------
    program : to record into. links : in order, without the world. fixed : known elements of "rows", by position; they
        become part of the code.
    """

    def __init__(self, program: Program, links: Sequence[Link], nq: int, nv: int, fixed: Mapping[int, float]) -> None:
        self.program = program
        program.zeros |= ZEROS
        self.fixed = fixed
        self.n: int = len(links)
        self.nq: int = nq
        self.nv: int = nv
        most = most_numbers(link.kind for link in links)
        bodies = [Body(number, 0) for number in range(len(links) + 1)]
        self.world = bodies[0]
        # all rows are 0: fields are kept in Python, and so in registers
        self._nodes = [
            Node(number, 0, number * ROW, number * most, link.kind, bodies[link.parent], link.q, link.v)
            for number, link in enumerate(links, start=1)
        ]
        self.kinds = tuple({link.kind: None for link in links})
        self._joined: dict[int, list[int]] = {number: [] for number in range(len(links) + 1)}
        for link in links:
            if link.kind.cluster == "top" and link.v not in self._joined[link.parent]:
                self._joined[link.parent].append(link.v)

    def outward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        return iter(self._nodes)

    def inward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        return reversed(self._nodes)

    def path(self, i: Node) -> Iterator[Node]:
        """Yield the links on the path from a link to the world, without either."""
        while (number := i.parent.number) != 0:
            assert isinstance(number, int)
            i = self._nodes[number - 1]
            yield i

    def each(self, count: Whole) -> Iterator[Whole]:
        assert isinstance(count, int)
        return iter(range(count))

    def field(self, kind: Any) -> UnrolledField:
        return UnrolledField()

    def rotations(self) -> UnrolledField:
        return UnrolledField()

    def of_freedoms(self, name: str, size: int) -> dict[int, list[Scalar]]:
        return {}

    def running(self, start: Mapping[str, Any]) -> SimpleNamespace:
        return SimpleNamespace(**start)

    def joined(self, i: Body) -> Iterator[int]:
        assert isinstance(i.number, int)
        return iter(self._joined[i.number])

    def parameter(self, i: Node, k: int, after: Whole = 0) -> Scalar:
        assert isinstance(i.parameters, int)
        assert isinstance(after, int)
        place = i.parameters + after + k
        # a known zero or one folds what it is multiplied by
        return self.fixed[place] if place in self.fixed else self.program.load("rows", place)


class UnrolledField(dict[int, Any]):
    """A value of every link, kept in Python."""

    def __getitem__(self, i: Body) -> Any:  # type: ignore[override]
        assert isinstance(i.number, int)
        return super().__getitem__(i.number)

    def __setitem__(self, i: Body, value: Any) -> None:  # type: ignore[override]
        assert isinstance(i.number, int)
        super().__setitem__(i.number, value)
