"""Static bounds check: a proof that a program never reads or writes outside its arrays, by interval arithmetic.

Compiled code does not check indices. Programs that rbdkit writes are trusted; one that a user's code has written to is
proved first, for the sizes, tables and counts that it is bound to. The proof walks through the statements once and
keeps an interval for each whole number: a loop counter lies in its range, an entry of a table between the smallest and
the largest entries that can be meant, sums and products follow by interval arithmetic. Loops are not iterated, so the
proof takes the time of one pass. It is conservative: a program whose indices depend on numbers of a state is refused,
and runs as checked Python instead (`rbdkit.trace.run.checked`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.program import LARGEST_WHOLE, Block, Define, Index, Loop, Program, Put, Statement, Switch, Whole

T = TypeVar("T")
Interval = tuple[int, int]
"""Smallest and largest value that a whole number can have, both included."""
ANY: Interval = (-LARGEST_WHOLE, LARGEST_WHOLE)


class OutOfBoundsError(Exception):
    """A program may read or write outside of an array; the message says where."""


def require_bounds(
    program: Program, sizes: Mapping[str, int], tables: Mapping[str, NDArray], counts: Mapping[str, Interval]
) -> None:
    """Prove that a program reads and writes inside its arrays only.

    Parameters
    ----------
    program : a program for one state.
    sizes : number of elements of each array.
    tables : whole numbers of each table.
    counts : interval of each count.

    Raises
    ------
    OutOfBoundsError
        If an access may be out of bounds or cannot be excluded, as for an index that depends on numbers of a state.
    """
    _Proof(sizes, tables, counts).statements(program.body)


class _Proof:
    """Intervals of the whole numbers of a program while its statements are checked in order."""

    def __init__(self, sizes: Mapping[str, int], tables: Mapping[str, NDArray], counts: Mapping[str, Interval]) -> None:
        self.sizes, self.tables, self.counts = sizes, tables, counts
        self.known: dict[str, Interval] = dict(counts)

    def statements(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Block):
                self.block(statement)
            elif isinstance(statement, Define):
                self.known[statement.index.name] = self.defined(statement)
            elif isinstance(statement, Put):
                raise OutOfBoundsError(f"it writes table {statement.table!r}, whose numbers are then not known")
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                for case, inside in statement.cases.items():
                    low, high = self.of(statement.on)
                    # a case outside the interval never runs, and inside a case the number is that one
                    if low <= case <= high:
                        self.known[statement.on.name] = case, case
                        self.statements(inside)
                    self.known[statement.on.name] = low, high

    def of(self, x: Whole | str) -> Interval:
        if isinstance(x, int):
            return x, x
        name = x.name if isinstance(x, Index) else x
        if name not in self.known:
            raise OutOfBoundsError(
                f"it uses count {name!r}, of which nothing is known; there are {_named(self.counts)}"
            )
        return self.known[name]

    def loop(self, loop: Loop) -> None:
        start, stop = self.of(loop.start), self.of(loop.stop)
        if loop.step > 0:
            # the largest counter is below the end, and a multiple of the step away from the beginning
            low, high = start[0], min(stop[1] - 1, start[1] + (stop[1] - 1 - start[0]) // loop.step * loop.step)
        else:
            # counting downwards, the last counter is still above the end
            low, high = stop[0] + 1, start[1]
        if low > high:  # it never runs
            return
        self.known[loop.index.name] = low, high
        if isinstance(loop.start, Index) and loop.step > 0:  # inside, it is less than the end
            self.known[loop.start.name] = start[0], min(start[1], stop[1] - 1)
        self.statements(loop.body)
        if isinstance(loop.start, Index):
            self.known[loop.start.name] = start

    def defined(self, statement: Define) -> Interval:
        first, second = statement.operands
        if statement.operation == "entry":
            table = self._of_name(self.tables, "table", str(first))
            self.inside("table", str(first), self.of(second), table.size)
            low, high = self.of(second)
            # the entries that can be meant, and no others: the rest of the table may point anywhere
            numbers = table.ravel()[low : high + 1]
            return int(numbers.min()), int(numbers.max())
        if statement.operation == "truncate":
            self.inside("array", str(first), self.of(second), self._of_name(self.sizes, "array", str(first)))
            return ANY
        (a, b), (c, d) = self.of(first), self.of(second)
        match statement.operation:
            case "add":
                return a + c, b + d
            case "sub":
                return a - d, b - c
        # the signs decide which of the four is smallest and which largest
        products = a * c, a * d, b * c, b * d
        return min(products), max(products)

    def block(self, block: Block) -> None:
        # loads whose values nothing needs are checked, too: that makes the proof stricter, never wrong
        places = [node[1:] for node in block.graph.nodes if node[0] == "load"]
        for array, index, offset in [*places, *block.stores]:
            low, high = (0, 0) if index is None else self.of(index)
            self.inside("array", array, (low + offset, high + offset), self._of_name(self.sizes, "array", array))

    @staticmethod
    def _of_name(given: Mapping[str, T], kind: str, name: str) -> T:
        if name not in given:
            raise OutOfBoundsError(
                f"it uses {kind} {name!r}, and there is none of that name; there are {_named(given)}"
            )
        return given[name]

    @staticmethod
    def inside(kind: str, name: str, asked: Interval, size: int) -> None:
        low, high = asked
        if low >= 0 and high < size:
            return
        if low == high:
            place = f"{name}[{low}]"
        elif asked[0] <= -LARGEST_WHOLE or asked[1] >= LARGEST_WHOLE:
            place = f"{name}[...], at an index that numbers of a state decide"
        else:
            place = f"{name}[{low}] to {name}[{high}]"
        there = f"the {kind} has {size} number{'s' * (size != 1)}" + (
            f", {name}[0] to {name}[{size - 1}]" if size else ""
        )
        raise OutOfBoundsError(f"it reads or writes {place}, and {there}")


def _named(names: Mapping[str, object]) -> str:
    return ", ".join(map(repr, sorted(names))) or "none"


def sizes_of(arrays: Mapping[str, NDArray]) -> tuple[dict[str, int], dict[str, NDArray]]:
    """Return the sizes of the arrays of floats, and the arrays of whole numbers (tables), both by name."""
    whole = {name: x for name, x in arrays.items() if np.asarray(x).dtype.kind in "iu"}
    return {name: np.size(x) for name, x in arrays.items() if name not in whole}, whole


def fault_of(program: Program, arrays: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """Return why a program bound to these arrays and counts may leave them; empty if it is proved to stay inside.

    With several lanes, each has its share of an array; the offsets of the lanes themselves are trusted.
    """
    width, shared = program.lanes.width, program.lanes.shared
    known = {name: x for name, x in arrays.items() if isinstance(x, np.ndarray)}
    sizes, tables = sizes_of(known)
    sizes = {name: size if name in shared else size // width for name, size in sizes.items()}
    # an array that lanes have apart is known by addresses only; the runner has made it large enough
    sizes |= dict.fromkeys(arrays.keys() - known.keys(), LARGEST_WHOLE)
    try:
        require_bounds(program, sizes, tables, {name: (x, x) for name, x in counts.items()})
    except OutOfBoundsError as fault:
        return str(fault)
    return ""
