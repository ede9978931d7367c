"""The compiler's intermediate representation: loops and switches around blocks of recorded arithmetic.

A `Program` is built by running Python code once. Arithmetic goes into the open `Block`; `loop` and `switch` open nested
lists of statements. Emitters (`rbdkit.trace.emit`) turn the finished program into code.

There are two kinds of values. Floats are nodes of a block's graph; they live in that block and reach others through
arrays. Whole numbers (`Index`) are loop counters, entries of tables and what is computed from them; they address
arrays, and are the same in all lanes. Keeping the two apart keeps control flow free of the state of a mechanism, so
that several states can be computed in lanes.

Aliasing rule of a block: an array that it writes at one index is not read at another one, so a store may be moved
before loads of other places.
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
"""Largest absolute value of a number that was truncated; whole numbers have 32 bits in WebAssembly."""

WIDE = 8
"""Number of iterations of a wide loop that are done at once, by default."""


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
    """Equal operations on different numbers, one in each lane. operands : for each operand, its nodes in all lanes."""

    nodes: tuple[int, ...]
    operands: tuple[tuple[int, ...], ...]


@dataclass
class Block:
    """A basic block: arithmetic without branches, its stores, and a conditional exit at its end.

    leave : node of the exit condition, or None. of_loop : whether the exit leaves the innermost loop, not the program.
    as_needed : whether nodes are written depth first from the results, not about in the order in which they were
        recorded; with thousands of nodes, fewer values are spilled so.
    packs : nodes that emitters may compute side by side, see `rbdkit.trace.abreast`.
    """

    graph: Graph = field(default_factory=Graph)
    stores: dict[Place, int] = field(default_factory=dict)
    leave: int | None = None
    of_loop: bool = False
    as_needed: bool = False
    packs: list[Pack] = field(default_factory=list)

    def roots(self) -> list[int]:
        """Return the nodes whose values leave the block: stored ones and the exit condition."""
        return [*self.stores.values(), *([] if self.leave is None else [self.leave])]

    def steps(self, in_registers: bool = False) -> Iterator[tuple[int, list[Place]]]:
        """Yield the needed nodes in order of computation, each with the places that can be stored to after it.

        in_registers : whether to order them so that few values wait in registers.

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
            # not before the old value of the place was read
            due.setdefault(order[max(at[position], read.get(place, 0))], []).append(place)
        for position in order:
            yield position, due.get(position, [])


@dataclass
class Loop:
    """The statement ``for index in range(start, stop, step)``.

    wide : iterations are independent, and their number is a multiple of `at_once`, the number done at once in vector
        registers. They read arrays anywhere, and write at index + something, or at places of their own that are
        computed from that or read there from tables.
    spare : the loop stands for an ``if``, and its body may run where the condition is false (so it may be unrolled).
    seldom : the body rarely runs.
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
    """Statements by cases of a whole number `on`, which always equals one of the cases."""

    on: Index
    cases: dict[int, list[Statement]]


Statement = Define | Put | Block | Loop | Switch


@dataclass(frozen=True)
class Lanes:
    """Memory layout of a program that computes several states at once, one in each lane of wide registers.

    All lanes take the same way through loops and switches. An array has one of three layouts. *Shared*: all lanes
    read the same numbers, and none writes. *Apart*: each lane has an array of its own. *Woven* (interleaved), all
    others: each number of a program for one state becomes `width` neighbouring numbers, one for each lane.

    Parameters
    ----------
    width : number of states; 1 is a program for one state, with plain arrays.
    shared, apart : names of the arrays with these layouts.
    """

    width: int = 1
    shared: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


ALONE = Lanes()
"""Layout of programs for one state."""


class Program:
    """A kernel: built by recording, then turned into code.

    Its arguments are the arrays, tables and counts that it mentions, in the order of first mention.

    Parameters
    ----------
    name : name of the function.
    lanes : number of states that it computes at once, and their layout.

    Attributes
    ----------
    arrays : names of its arguments that are arrays of numbers.
    tables : names of its arguments that are arrays of whole numbers.
    counts : names of its arguments that are whole numbers.
    body : the statements.
    of_users : whether a user's code has recorded parts of it; its indices are proved before it runs (see `bounds`).
    lines : source lines of indices and of stores to tables, in code that is checked; else None.
    numbered : what an index counts, such as "link", for messages of checked code.
    zeros : names of work arrays that may be read before they are written, as they begin with zeros.
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
        """Return the program without its statements: name, lanes and arguments, all that a caller needs."""
        same = Program(self.name, self.lanes)
        same.arrays, same.tables, same.counts = self.arrays, self.tables, self.counts
        return same

    def count(self, name: str) -> Index:
        """Return the whole-number argument of that name."""
        _mention(self.counts, name)
        return self._count_of.setdefault(name, Index(self, name))

    def entry(self, table: str, index: Whole) -> Index:
        """Return an entry of a table as an index."""
        _mention(self.tables, table)
        return self.define("entry", table, index)

    def put(self, table: str, index: Whole, value: Whole) -> None:
        """Write an entry of a table, at this point of the program: an `entry` read before keeps the old value.

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
        """Return a number of an array, truncated to a whole one and limited to +-`LARGEST_WHOLE`; NaN becomes 0.

        It is read at this point of the program, after all earlier stores.

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
        """Return a sum, difference or product; the same operands give the same index, so places can be compared."""
        for known in reversed(self._known):
            if (index := known.get((operation, a, b))) is not None:
                return index
        index = self._known[-1][operation, a, b] = self.define(operation, a, b)
        # an offset costs nothing in an address; WebAssembly has unsigned ones only
        if operation == "add" and isinstance(a, Index) and isinstance(b, int) and b >= 0:
            self._sums[index] = a, b
        return index

    def define(self, operation: str, *operands: Index | int | str) -> Index:
        """Define a new index before the open block, which stays open."""
        index = self._new_index()
        here = self._open[-1]
        # an index never depends on the floats of the open block, so it may be computed before them
        here.insert(len(here) - isinstance(here[-1] if here else None, Block), Define(index, operation, operands))
        return index

    def _new_index(self) -> Index:
        self._made += 1
        index = Index(self, f"n{self._made}")
        if self.lines is not None:
            self.lines[index] = line_here()
        return index

    def open_block(self, anew: bool = False) -> Block:
        """Return the block that takes arithmetic. anew : begin an empty one."""
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
        """Return the number at ``index + offset`` of an array; if the block has stored there, the stored value."""
        place = self._place(array, index, offset)
        block = self._block()
        written = block.stores.get(place)
        if written is None:
            return block.graph.load(*place)
        operation, *operands = block.graph.nodes[written]
        return operands[0] if operation == "const" else Symbol(block.graph, written)

    def store(self, array: str, index: Whole, offset: int, value: Scalar) -> None:
        """Store a number at ``index + offset`` of an array."""
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
        """End the program here, after the stores so far, if the condition holds (in all of several lanes)."""
        block = self._block()
        block.leave = block.graph.position(condition)

    def break_if(self, condition: Scalar) -> None:
        """Leave the innermost loop here, after the stores so far, if the condition holds.

        With several lanes, it must hold in all of them: a lane that is finished has to protect its values by `select`.
        """
        if not self._loops or self._loops[-1].wide:
            raise ValueError(f"program {self.name!r}: only inside a loop, and not a wide one, is there one to end")
        block = self._block()
        block.leave, block.of_loop = block.graph.position(condition), True

    @contextmanager
    def loop(
        self, start: Whole, stop: Whole, step: int = 1, wide: bool = False, at_once: int = WIDE, seldom: bool = False
    ) -> Iterator[Index]:
        """Record a loop: everything recorded inside is its body. Yields the counter. Parameters as in `Loop`."""
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
        """Record an ``if``: its body runs if the number at ``index + offset`` is not zero, in any of several lanes.

        spare : the body may run although the number is zero. seldom : the number is zero most of the time.
        """
        # an ``if`` is a loop of one turn that is left at once where the condition does not hold: emitters and passes
        # need no third kind of control flow
        with self.loop(0, 1, seldom=seldom):
            self._loops[-1].spare = spare
            self.break_if(equal(self.load(array, index, offset), 0.0))
            yield

    @contextmanager
    def when_less(self, a: Whole, b: Whole) -> Iterator[None]:
        """Record an ``if`` on whole numbers: its body runs if a < b."""
        # the step is longer than any range of places, so there is one turn or none
        with self.loop(a, b, LARGEST_WHOLE // 2):
            yield

    def switch(self, on: Index, cases: Sequence[int]) -> Iterator[int]:
        """Record a switch: yields each case, whose body is everything recorded until the next one is taken.

        A single case needs no switch: its body is recorded in place.
        """
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
        """Record into a nested list of statements while the context is open; indices computed there end with it."""
        self._open.append(body)
        self._known.append({})
        yield
        self._known.pop()
        self._open.pop()


def _mention(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
