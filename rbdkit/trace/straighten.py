"""Partial evaluation: unroll and specialise a program for one model.

A program that is driven by tables (parents, joint types) serves all models. If counts and tables of one model are
known, the indices become constants, its loops are unrolled and its blocks merged. Then values go from one block to the
next in registers and not through memory, constants are folded, and terms with known zeros vanish; that is Featherstone
(2008), section 10.4, on a whole algorithm. Loops over bounds known only at run time, such as that over time, stay.

Two things limit it: the number of operations (`straightened` gives up at `most`), and loops that stay, around which
nothing may be assumed about the arrays that their bodies write (`_forget`), since these run any number of times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from math import inf
from typing import Any

from rbdkit.trace.graph import Graph, Scalar, Symbol
from rbdkit.trace.program import Block, Define, Index, Loop, Program, Put, Statement, Switch, Whole

# Measured: five seconds of a Stewart platform took 84 ms with depth-first order, 101 ms without; smaller blocks, and
# those for several states at once, became a tenth slower.
MANY = 9000
"""Size of a block in nodes from which on they are ordered depth first: the recorded order would spill most values."""

Address = tuple["Index | None", int]
"""A whole number of the new program as index + constant; the index is None if all of it is known."""


def straightened(
    program: Program,
    counts: Mapping[str, int],
    tables: Mapping[str, Sequence[int]],
    numbers: Mapping[tuple[str, int], float],
    own: AbstractSet[str],
    most: float = inf,
) -> Program | None:
    """Return a program unrolled and specialised for known counts and tables; None if it would become too long.

    Parameters
    ----------
    program : a program for one state that writes no tables.
    counts, tables : known whole numbers; the others stay arguments.
    numbers : known elements of arrays that are never written to, by (array, place).
    own : work arrays: zero before the program runs, and not read after it.
    most : largest number of operations.
    """
    writer = _Writer(program, counts, tables, numbers, most)
    try:
        writer.statements(program.body)
    except _TooLongError:
        return None
    _drop_unread(writer.program, own)
    for block in _blocks(writer.program.body):
        block.as_needed = len(block.graph.nodes) > MANY
    return writer.program


class _TooLongError(Exception):
    """The new program would have more operations than allowed."""


class _Writer:
    """Interpreter of the old program that records the new one."""

    def __init__(
        self,
        old: Program,
        counts: Mapping[str, int],
        tables: Mapping[str, Sequence[int]],
        numbers: Mapping[tuple[str, int], float],
        most: float,
    ) -> None:
        if old.lanes.width > 1:
            raise ValueError(f"program {old.name!r} computes {old.lanes.width} states at once; one is written out")
        self.old, self.counts, self.tables, self.numbers = old, counts, tables, numbers
        self.program = Program(old.name, old.lanes)
        self.values: dict[str, Address] = {}
        self.made: list[dict[tuple[Any, ...], Index]] = [{}]
        self.rolled, self.left = False, most
        self.constants: dict[tuple[str, int], float] = {}
        self.open: Block | None = None
        self.loaded: dict[str, set[Index | None]] = {}
        self.stored: dict[str, set[Index | None]] = {}

    # --- whole numbers ------------------------------------------------------------------------------------------------

    def address(self, x: Whole) -> Address:
        """Return a whole number of the old program as one of the new."""
        if isinstance(x, int):
            return None, x
        if x.name in self.old.counts:
            known = self.counts.get(x.name)
            return (self.program.count(x.name), 0) if known is None else (None, int(known))
        return self.values[x.name]

    def whole(self, address: Address) -> Whole:
        """Return an address as an operand: an int or an index."""
        index, offset = address
        if index is None:
            return offset
        return index if offset == 0 else self.computed("add", index, offset)

    def computed(self, operation: str, *operands: Index | int | str) -> Index:
        """Compute a whole number at run time, once in each scope."""
        key = operation, *(x.name if isinstance(x, Index) else x for x in operands)
        for scope in self.made:
            if key in scope:
                return scope[key]
        if operation == "entry":
            table, index = operands
            assert isinstance(table, str)
            assert not isinstance(index, str)
            found = self.program.entry(table, index)
        else:
            found = self.program.define(operation, *operands)
        self.made[-1][key] = found
        return found

    def define(self, statement: Define) -> None:
        first, second = statement.operands
        if statement.operation == "truncate":
            assert isinstance(first, str)
            assert not isinstance(second, str)
            self.values[statement.index.name] = self.program.truncated(first, self.whole(self.address(second))), 0
            return
        self.values[statement.index.name] = self._entry(first, second) if statement.operation == "entry" else (
            self._combined(statement.operation, first, second)
        )  # fmt: skip

    def _entry(self, table: Any, index: Any) -> Address:
        base, offset = self.address(index)
        if base is None and table in self.tables:
            return None, int(self.tables[table][offset])
        return self.computed("entry", table, self.whole((base, offset))), 0

    def _combined(self, operation: str, first: Any, second: Any) -> Address:
        (a, m), (b, n) = self.address(first), self.address(second)
        if operation == "add" and (a is None or b is None):
            # constants are kept apart from the index: as offsets of addresses they cost nothing
            return (b if a is None else a), m + n
        if operation == "sub" and b is None:
            return a, m - n
        if operation == "mul" and a is None:
            (a, m), (b, n) = (b, n), (a, m)
        if operation == "mul" and b is None:
            # (a + m) n = a n + m n
            return (None, m * n) if a is None or n == 0 else (a if n == 1 else self.computed("mul", a, n), m * n)
        return self.computed(operation, self.whole((a, m)), self.whole((b, n))), 0

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Define):
                self.define(statement)
            elif isinstance(statement, Put):
                raise ValueError(f"program {self.old.name!r} writes table {statement.table!r}")
            elif isinstance(statement, Block):
                self.block(statement)
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                self.switch(statement)

    def loop(self, loop: Loop) -> None:
        (a, start), (b, stop) = self.address(loop.start), self.address(loop.stop)
        if loop.spare and not self.rolled:
            # an "if" whose body does no harm: written without it, unless the condition is known to be false
            self.values[loop.index.name] = None, 0
            at = next(k for k, part in enumerate(loop.body) if isinstance(part, Block))
            asked = loop.body[at]
            assert isinstance(asked, Block)
            self.statements(loop.body[:at])
            if self.block(asked, ends=False) is not True:
                self.statements(loop.body[at + 1 :])
        elif a is None and b is None and not self.rolled and not _ends_itself(loop.body):
            for value in range(start, stop, loop.step):
                self.values[loop.index.name] = None, value
                self.statements(loop.body)
        else:
            # a loop that stays: nothing is known of what its body writes, neither inside (from the last iteration)
            # nor after it
            first, last, before = self.whole((a, start)), self.whole((b, stop)), self.rolled
            # what rarely runs stays short: nothing inside it is unrolled
            self.rolled = before or loop.seldom
            self._forget(loop.body)
            with (
                self.program.loop(first, last, loop.step, loop.wide, loop.at_once, loop.seldom) as index,
                self._scope(),
            ):
                self.values[loop.index.name] = index, 0
                self.statements(loop.body)
            self._forget(loop.body)
            self.rolled = before

    def switch(self, switch: Switch) -> None:
        on, value = self.address(switch.on)
        if on is None:
            self.statements(switch.cases[value])
            return
        index = self.whole((on, value))
        assert isinstance(index, Index)
        for case in self.program.switch(index, list(switch.cases)):
            with self._scope():
                self.statements(switch.cases[case])
        for body in switch.cases.values():
            self._forget(body)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """Forget whole numbers and constants at the end that were found inside: the statements may not have run."""
        self.made.append({})
        constants = dict(self.constants)
        yield
        self.constants = constants
        self.made.pop()

    def _forget(self, body: Sequence[Statement]) -> None:
        """Forget known numbers of the arrays that statements write to which may run any number of times."""
        written = {place[0] for block in _blocks(body) for place in block.stores}
        self.constants = {place: x for place, x in self.constants.items() if place[0] not in written}

    # --- numbers ------------------------------------------------------------------------------------------------------

    def block(self, block: Block, ends: bool = True) -> Any:
        """Record the arithmetic of a block; return its exit condition, or None if it has none.

        ends : whether to record the exit itself.
        """
        nodes, live = block.graph.nodes, block.graph.live(block.roots())
        places = {k: self._place(*nodes[k][1:]) for k in live if nodes[k][0] == "load"}
        targets = [(self._place(*place), position) for place, position in block.stores.items()]
        here = self._room_for(
            [place for place in places.values() if (place[0], place[2]) not in self.numbers or place[1] is not None],
            [place for place, _ in targets],
        )
        self.left -= len(live)
        if self.left < 0:
            raise _TooLongError
        values: dict[int, Any] = {}
        for k in live:
            operation, *operands = nodes[k]
            if operation == "const":
                values[k] = operands[0]
            elif operation == "load":
                values[k] = self._load(places[k])
            else:
                values[k] = _applied(here.graph, operation, [values[x] for x in operands])
        for (array, index, offset), position in targets:
            self._store(array, index, offset, values[position])
        if block.leave is None:
            return None
        condition = values[block.leave]
        if ends:
            if not isinstance(condition, Symbol):
                # an exit needs a node, also where it is known whether it is taken
                condition = here.graph.apply("less", 0.0, float(condition))
            (self.program.break_if if block.of_loop else self.program.leave_if)(condition)
        return condition

    def _place(self, array: str, index: Index | None, offset: int) -> tuple[str, Index | None, int]:
        base, more = (None, 0) if index is None else self.address(index)
        return array, base, offset + more

    def _load(self, place: tuple[str, Index | None, int]) -> Scalar:
        array, index, offset = place
        if index is None and (array, offset) in self.numbers:
            return self.numbers[array, offset]
        if index is None and (array, offset) in self.constants:
            return self.constants[array, offset]
        return self.program.load(array, offset) if index is None else self.program.load(array, index, offset)

    def _store(self, array: str, index: Index | None, offset: int, value: Scalar) -> None:
        if index is not None:
            self.program.store(array, index, offset, value)
            # at an index that is not known, any element may have changed
            self.constants = {place: x for place, x in self.constants.items() if place[0] != array}
            return
        self.program.store(array, offset, 0, value)
        if isinstance(value, Symbol):
            self.constants.pop((array, offset), None)
        else:
            self.constants[array, offset] = value

    def _room_for(
        self, loads: Sequence[tuple[str, Index | None, int]], stores: Sequence[tuple[str, Index | None, int]]
    ) -> Block:
        """Return the block to write to: the open one, unless an array would be written at one index and read or written
        at another (the aliasing rule of blocks, see `rbdkit.trace.program`)."""
        block = self.program.open_block()
        if block is not self.open:
            self.open, self.loaded, self.stored = block, {}, {}
        for places, known in ((loads, self.loaded), (stores, self.stored)):
            for array, index, _ in places:
                known.setdefault(array, set()).add(index)
        if any(len(self.stored[array] | self.loaded.get(array, set())) > 1 for array in self.stored):
            block = self.program.open_block(anew=True)
            self.open, self.loaded, self.stored = block, {}, {}
            for places, known in ((loads, self.loaded), (stores, self.stored)):
                for array, index, _ in places:
                    known.setdefault(array, set()).add(index)
        return block


def _ends_itself(body: Sequence[Statement]) -> bool:
    """Whether the body of a loop contains an exit from it (`Program.break_if`)."""
    for statement in body:
        if isinstance(statement, Block) and statement.leave is not None and statement.of_loop:
            return True
        if isinstance(statement, Switch) and any(map(_ends_itself, statement.cases.values())):
            return True
    return False


def _applied(graph: Graph, operation: str, x: list[Any]) -> Any:
    """Apply an operation to numbers and symbols; compute it if all operands are known (constant folding)."""
    known = not any(isinstance(part, Symbol) for part in x)
    match operation:
        case "add":
            return x[0] + x[1] if known else graph.add(x[0], x[1])
        case "sub":
            return x[0] - x[1] if known else graph.sub(x[0], x[1])
        case "mul":
            return x[0] * x[1] if known else graph.mul(x[0], x[1])
        case "neg":
            return -x[0] if known else graph.neg(x[0])
        case "div" if not known or x[1] != 0.0:
            return x[0] / x[1] if known else graph.div(x[0], x[1])
        case "less" if known:
            return x[0] < x[1]
        case "equal" if known:
            return x[0] == x[1]
        case "and":
            return graph.both(x[0], x[1])
        case "or":
            return graph.either(x[0], x[1])
        case "not":
            return graph.opposite(x[0])
        case "copysign" if known:
            return math.copysign(x[0], x[1])
        case "select" if isinstance(x[0], bool):
            return x[1] if x[0] else x[2]
    return graph.apply(operation, *x)


def _drop_unread(program: Program, own: AbstractSet[str]) -> None:
    """Remove dead stores: those to work arrays that are never read, and zeros where only zeros are ever stored.

    Repeated until nothing changes, since a removed store may have held the last use of a load.
    """
    blocks = list(_blocks(program.body))
    changed, scattered = set(), set()
    for block in blocks:
        for (array, index, offset), position in block.stores.items():
            if index is not None:
                # at a computed index, any element may be meant
                scattered.add(array)
            elif block.graph.nodes[position] != ("const", 0.0):
                changed.add((array, offset))
    for block in blocks:
        for array, index, offset in list(block.stores):
            if array in own and index is None and array not in scattered and (array, offset) not in changed:
                # nothing but zeros is ever stored there, and work arrays begin with zeros
                del block.stores[array, index, offset]
    while True:
        anywhere, read = _read(program.body, blocks)
        dropped = False
        for block in blocks:
            unread = [
                (array, index, offset) for array, index, offset in block.stores
                if array in own and array not in anywhere
                and (array not in read if index is not None else offset not in read.get(array, ()))
            ]  # fmt: skip
            for place in unread:
                del block.stores[place]
            dropped |= bool(unread)
        if not dropped:
            return


def _read(body: Sequence[Statement], blocks: Sequence[Block]) -> tuple[set[str], dict[str, set[int]]]:
    """Return the arrays that are read at computed indices, and for all arrays the places that are read."""
    anywhere = {x.operands[0] for x in _all(body) if isinstance(x, Define) and x.operation == "truncate"}
    read: dict[str, set[int]] = {}
    for block in blocks:
        for position in block.graph.live(block.roots()):
            node = block.graph.nodes[position]
            if node[0] == "load":
                if node[2] is not None:
                    anywhere.add(node[1])
                read.setdefault(node[1], set()).add(node[3])
    return anywhere, read  # type: ignore[return-value]


def _blocks(body: Sequence[Statement]) -> Iterator[Block]:
    return (statement for statement in _all(body) if isinstance(statement, Block))


def _all(body: Sequence[Statement]) -> Iterator[Statement]:
    """Yield all statements, nested ones included."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop):
            yield from _all(statement.body)
        elif isinstance(statement, Switch):
            for case in statement.cases.values():
                yield from _all(case)
