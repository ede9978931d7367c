"""Kernels as small programs: loops and switches around blocks of recorded arithmetic.

A `Program` is built by running Python code once. Arithmetic goes into the `Block` that is open; `loop` and `switch`
open nested lists of statements. Emitters (`rbdkit.trace.emit`) turn the finished program into code.

Rules of a block: what it writes at one index, it does not read at another, so that a store may move before loads of
other places; and a value lives in the block that made it and reaches others through memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rbdkit.trace.graph import Graph, Scalar, Symbol
from rbdkit.trace.lines import Line, is_checked, line_here
from rbdkit.trace.order import as_needed, nearly_as_recorded
from rbdkit.trace.scalar import equal

Place = tuple[str, "Index | None", int]
"""An element of an array of numbers: array, index (None for 0), and what is added to it."""


@dataclass(frozen=True, eq=False)
class Index:
    """A whole number that the program computes: a loop counter, an entry of a table, a sum or product."""

    program: Program
    name: str

    def __add__(self, other: Index | int) -> Index:
        return self if other == 0 else self.program.computed("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Index | int) -> Index:
        return self.program.computed("sub", self, other)

    def __mul__(self, other: Index | int) -> Index:
        return self if other == 1 else self.program.computed("mul", self, other)

    __rmul__ = __mul__


Whole = Index | int

LARGEST_WHOLE = 2**31 - 1
"""Of what numbers are truncated to; whole numbers have 32 bits in WebAssembly."""

WIDE = 8
"""So many iterations of a wide loop are done at once, unless it says another number."""


@dataclass
class Define:
    """``index = operation(operands)``; "entry" reads a table, "truncate" a number of an array."""

    index: Index
    operation: str
    operands: tuple[Index | int | str, ...]


@dataclass(frozen=True)
class Put:
    """``table[index] = value``."""

    table: str
    index: Whole
    value: Whole


@dataclass(frozen=True, eq=False)
class Pack:
    """Nodes that do the same to other numbers, one in each lane. operands : of each operand the nodes in all lanes."""

    nodes: tuple[int, ...]
    operands: tuple[tuple[int, ...], ...]


@dataclass
class Block:
    """Arithmetic without branches: a graph, what is stored, and whether something ends there.

    leave : the node that decides on it. of_loop : whether it is the loop around that ends; else the program does.
    as_needed : whether nodes are written where they are needed, and not in the order in which they were recorded, or
        nearly so. Of thousands for one state more fit into registers so.
    packs : nodes that emitters may compute side by side, see `rbdkit.trace.abreast`.
    """

    graph: Graph = field(default_factory=Graph)
    stores: dict[Place, int] = field(default_factory=dict)
    leave: int | None = None
    of_loop: bool = False
    as_needed: bool = False
    packs: list[Pack] = field(default_factory=list)

    def roots(self) -> list[int]:
        """The nodes whose values leave the block."""
        return [*self.stores.values(), *([] if self.leave is None else [self.leave])]

    def steps(self, in_registers: bool = False) -> Iterator[tuple[int, list[Place]]]:
        """The nodes that are needed, in order, each with the places that can be stored to once it is there.

        in_registers : whether it saves time if few values wait for others.

        A value is stored as soon as it is known and its place has been read: it need not wait in a register.
        """
        live = self.graph.live(self.roots())
        order = live
        if self.as_needed:
            order = as_needed(self.graph, live, self.roots())
        elif in_registers:
            order = nearly_as_recorded(self.graph, live)
        at = {position: k for k, position in enumerate(order)}
        nodes = self.graph.nodes
        read = {nodes[position][1:]: at[position] for position in order if nodes[position][0] == "load"}
        due: dict[int, list[Place]] = {}
        for place, position in self.stores.items():
            due.setdefault(order[max(at[position], read.get(place, 0))], []).append(place)
        for position in order:
            yield position, due.get(position, [])


@dataclass
class Loop:
    """``for index in range(start, stop, step)``.

    wide : its iterations do not depend on each other, and their number is a multiple of `at_once`: so many may be done
        at once. They read arrays anywhere, and write at index + something, or at places of their own that are computed
        from that or read there from tables.
    spare : it is a condition, and where that does not hold the body does no harm. seldom : its body seldom runs.
    """

    index: Index
    start: Whole
    stop: Whole
    step: int
    body: list[Statement]
    wide: bool = False
    at_once: int = WIDE
    spare: bool = False
    seldom: bool = False


@dataclass
class Switch:
    """The statements of the case that `on` is equal to; it is always one of them."""

    on: Index
    cases: dict[int, list[Statement]]


Statement = Define | Put | Block | Loop | Switch


@dataclass(frozen=True)
class Lanes:
    """How the arrays of a program that computes several states at once are spread over the lanes of wide registers.

    Loops and switches go the same way in all lanes. Arrays stand in memory in one of three ways. *Shared*: all lanes
    read the same numbers. *Apart*: each lane has an array of its own. *Woven*, all others: where a program for one
    state has a number, there stand `width` numbers, one for each lane.

    Parameters
    ----------
    width : number of states; 1 makes a program for one state, with plain arrays.
    shared, apart : names of such arrays. What is shared is not written to.
    """

    width: int = 1
    shared: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


ALONE = Lanes()
"""One state at a time."""


class Program:
    """A kernel under construction, and when complete.

    Its arguments are what it mentions, in the order in which it does.

    Parameters
    ----------
    name : of the function.
    lanes : how many states it computes at once.

    Attributes
    ----------
    arrays : names of its arguments that are arrays of numbers.
    tables : names of its arguments that are arrays of whole numbers.
    counts : names of its arguments that are whole numbers.
    body : the statements.
    of_users : whether a user's code writes to it, whose indices are proved before it runs.
    lines : of code that is checked, where its indices and what it writes to tables stand in the text; else None.
    numbered : what indices are numbers of, "link" say, for messages of such code. zeros : names of arrays that hold
    zeros until something is written there, and may be read before: of what it computes in, others may not.
    """

    def __init__(self, name: str, lanes: Lanes = ALONE) -> None:
        self.name = name
        self.lanes = lanes
        self.arrays: list[str] = []
        self.tables: list[str] = []
        self.counts: list[str] = []
        self.body: list[Statement] = []
        self.of_users = False
        self.lines: dict[Index | Put, Line | None] | None = {} if is_checked() else None
        self.numbered: dict[Index, str] = {}
        self.zeros: set[str] = set()
        self._open = [self.body]
        self._count_of: dict[str, Index] = {}
        self._sums: dict[Index, tuple[Index, int]] = {}
        self._known: list[dict[tuple[str, Index | int, Index | int], Index]] = [{}]
        self._loops: list[Loop] = []
        self._made = 0

    def interface(self) -> Program:
        """What a caller has to know: name, lanes and arguments, without the statements."""
        same = Program(self.name, self.lanes)
        same.arrays, same.tables, same.counts = self.arrays, self.tables, self.counts
        return same

    def count(self, name: str) -> Index:
        """The argument of that name."""
        _mention(self.counts, name)
        return self._count_of.setdefault(name, Index(self, name))

    def entry(self, table: str, index: Whole) -> Index:
        """An entry of a table."""
        _mention(self.tables, table)
        return self.define("entry", table, index)

    def put(self, table: str, index: Whole, value: Whole) -> None:
        """Write an entry of a table. It happens here: an `entry` asked for before is what stood there before.

        Raises
        ------
        ValueError
            If the program computes several states at once: they share all whole numbers.
        """
        if self.lanes.width > 1:
            raise ValueError(
                f"program {self.name!r} computes {self.lanes.width} states at once, which share table {table!r}: a "
                "program that writes whole numbers computes one state"
            )
        if any(loop.wide for loop in self._loops):
            raise ValueError(
                f"program {self.name!r}: a wide loop does several iterations at once, and writes no tables"
            )
        _mention(self.tables, table)
        put = Put(table, index, value)
        self._open[-1].append(put)
        if self.lines is not None:
            self.lines[put] = line_here()

    def truncated(self, array: str, index: Whole) -> Index:
        """A number of an array without its fraction; at most `LARGEST_WHOLE`, whatever its sign, and 0 for NaN.

        It is read here, after all that was stored before.

        Raises
        ------
        ValueError
            If the program computes several states at once.
        """
        if self.lanes.width > 1:
            raise ValueError(
                f"program {self.name!r} computes {self.lanes.width} states at once, which share all whole numbers: "
                f"those of array {array!r} may differ"
            )
        _mention(self.arrays, array)
        found = self._new_index()
        self._open[-1].append(Define(found, "truncate", (array, index)))
        return found

    def computed(self, operation: str, a: Index | int, b: Index | int) -> Index:
        """A sum, difference or product. Who asks for it twice gets the same: it names one place in a block."""
        for known in reversed(self._known):
            if (index := known.get((operation, a, b))) is not None:
                return index
        index = self._known[-1][operation, a, b] = self.define(operation, a, b)
        if operation == "add" and isinstance(a, Index) and isinstance(b, int) and b >= 0:
            self._sums[index] = a, b
        return index

    def define(self, operation: str, *operands: Index | int | str) -> Index:
        """A new index. It stands before the block that is open, which goes on."""
        index = self._new_index()
        here = self._open[-1]
        here.insert(len(here) - isinstance(here[-1] if here else None, Block), Define(index, operation, operands))
        return index

    def _new_index(self) -> Index:
        self._made += 1
        index = Index(self, f"n{self._made}")
        if self.lines is not None:
            self.lines[index] = line_here()
        return index

    def open_block(self, anew: bool = False) -> Block:
        """The block that takes arithmetic. anew : one in which nothing stands."""
        if anew:
            self._open[-1].append(Block())
        return self._block()

    def _block(self) -> Block:
        here = self._open[-1]
        if not here or not isinstance(here[-1], Block) or here[-1].leave is not None:
            here.append(Block())
        block = here[-1]
        assert isinstance(block, Block)
        return block

    def load(self, array: str, index: Whole, offset: int = 0) -> Scalar:
        """The number at ``index + offset``; if the block has written there, what it wrote."""
        place = self._place(array, index, offset)
        block = self._block()
        written = block.stores.get(place)
        if written is None:
            return block.graph.load(*place)
        operation, *operands = block.graph.nodes[written]
        return operands[0] if operation == "const" else Symbol(block.graph, written)

    def store(self, array: str, index: Whole, offset: int, value: Scalar) -> None:
        """Write a number to ``index + offset``."""
        place = self._place(array, index, offset)
        block = self._block()
        block.stores[place] = block.graph.number(block.graph.position(value))
        block.graph.note(place)

    def _place(self, array: str, index: Whole, offset: int) -> Place:
        _mention(self.arrays, array)
        if isinstance(index, int):
            return array, None, index + offset
        while index in self._sums:  # k + 1 and what stands 1 behind k are one place
            index, more = self._sums[index]
            offset += more
        return array, index, offset

    def leave_if(self, condition: Scalar) -> None:
        """End the program here, after the stores so far, if the condition holds; of several lanes, in all of them."""
        block = self._block()
        block.leave = block.graph.position(condition)

    def break_if(self, condition: Scalar) -> None:
        """End the innermost loop here, after the stores so far, if the condition holds, and go on after it.

        Of several lanes, if it holds in all of them: what a lane must not go on with, it has to keep from by `select`.
        """
        if not self._loops or self._loops[-1].wide:
            raise ValueError(f"program {self.name!r}: only inside a loop, and not a wide one, is there one to end")
        block = self._block()
        block.leave, block.of_loop = block.graph.position(condition), True

    @contextmanager
    def loop(
        self, start: Whole, stop: Whole, step: int = 1, wide: bool = False, at_once: int = WIDE, seldom: bool = False
    ) -> Iterator[Index]:
        """What is recorded inside is repeated; gives the counter. wide, at_once, seldom : as in `Loop`."""
        index = self._new_index()
        statement = Loop(index, start, stop, step, [], wide, at_once, seldom=seldom)
        self._open[-1].append(statement)
        self._loops.append(statement)
        with self._inside(statement.body):
            yield index
        self._loops.pop()

    @contextmanager
    def when(
        self, array: str, index: Whole, offset: int = 0, *, spare: bool = False, seldom: bool = False
    ) -> Iterator[None]:
        """What is recorded inside runs if the number at ``index + offset`` is not zero; of several lanes, if it is so
        in any of them.

        spare : it would do no harm if the number is zero. seldom : that is so most of the time.
        """
        with self.loop(0, 1, seldom=seldom):
            self._loops[-1].spare = spare
            self.break_if(equal(self.load(array, index, offset), 0.0))
            yield

    @contextmanager
    def when_less(self, a: Whole, b: Whole) -> Iterator[None]:
        """What is recorded inside runs if a < b."""
        with self.loop(a, b, LARGEST_WHOLE // 2):
            yield

    def switch(self, on: Index, cases: Sequence[int]) -> Iterator[int]:
        """For each case: what is recorded until the next one runs if `on` has that value. One case needs no switch."""
        if len(cases) == 1:
            yield cases[0]
            return
        statement = Switch(on, {case: [] for case in cases})
        self._open[-1].append(statement)
        for case, body in statement.cases.items():
            with self._inside(body):
                yield case

    @contextmanager
    def _inside(self, body: list[Statement]) -> Iterator[None]:
        """What is recorded goes into a list of statements that stands where the program is now."""
        self._open.append(body)
        self._known.append({})
        yield
        self._known.pop()
        self._open.pop()


def _mention(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
