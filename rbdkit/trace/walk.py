"""Interpreter of programs on scalars; with symbols among them, the program becomes part of another recording.

A `Program` is data: loops, switches and blocks of recorded arithmetic. To run it, code is usually made of it. Here it
is walked through statement by statement instead, on arrays that are lists of scalars: floats give floats, and symbols
record the whole algorithm into their own graph. So a program that was written once, with loops over tables of a model,
becomes straight-line code inside a traced function, and can be differentiated like everything else.

Whole numbers are all known here, so loops and switches are simply executed. What cannot be known is whether to leave a
loop or program early where that depends on the value of a symbol; this is refused, except in bodies that do no harm
when they run although their condition is false (`Loop.spare`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from rbdkit.trace.emit.python import truncate
from rbdkit.trace.graph import Scalar, Symbol
from rbdkit.trace.program import Block, Define, Index, Loop, Program, Put, Statement, Switch, Whole
from rbdkit.trace.scalar import cos, sin, sqrt
from rbdkit.trace.tracing import OPERATIONS

ON_SCALARS: dict[str, Callable[..., Scalar]] = {**OPERATIONS, "sqrt": sqrt, "sin": sin, "cos": cos}


def walked(
    program: Program,
    arrays: Mapping[str, list[Scalar]],
    tables: Mapping[str, Sequence[int]],
    counts: Mapping[str, int],
) -> None:
    """Run a program for one state on arrays of numbers and symbols.

    Parameters
    ----------
    arrays : arrays that it reads and writes, by name; results are left there.
    tables, counts : its whole numbers, all known.

    Raises
    ------
    TypeError
        If values of symbols decide which statements run.
    """
    with suppress(_LeaveProgram):
        _Walk(program, arrays, tables, counts).statements(program.body)


class _LeaveProgram(Exception):
    """Signal that the program ends."""


class _LeaveLoop(Exception):
    """Signal that the innermost loop ends."""


class _Walk:
    """State of the interpreter: arrays, tables and whole numbers."""

    def __init__(
        self,
        program: Program,
        arrays: Mapping[str, list[Scalar]],
        tables: Mapping[str, Sequence[int]],
        counts: Mapping[str, int],
    ) -> None:
        self.name, self.arrays = program.name, arrays
        self.tables: dict[str, Sequence[int]] = dict(tables)
        self.wholes: dict[str, int] = dict(counts)

    def statements(self, body: Sequence[Statement], spare: bool = False) -> None:
        for statement in body:
            if isinstance(statement, Block):
                self.block(statement, spare)
            elif isinstance(statement, Define):
                self.define(statement)
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                self.statements(statement.cases[self.whole(statement.on)])
            elif isinstance(statement, Put):
                # a copy, so that the caller's table stays as it is
                table = self.tables[statement.table] = list(self.tables[statement.table])
                table[self.whole(statement.index)] = self.whole(statement.value)

    def whole(self, x: Whole | str) -> int:
        return self.wholes[x.name] if isinstance(x, Index) else int(x)

    def define(self, statement: Define) -> None:
        first, second = statement.operands
        match statement.operation:
            case "entry":
                found = int(self.tables[str(first)][self.whole(second)])
            case "truncate":
                x = self.arrays[str(first)][self.whole(second)]
                if isinstance(x, Symbol):
                    raise TypeError(f"what {self.name} does depends on values that are not known yet")
                found = truncate(x)
            case "add":
                found = self.whole(first) + self.whole(second)
            case "sub":
                found = self.whole(first) - self.whole(second)
            case _:
                found = self.whole(first) * self.whole(second)
        self.wholes[statement.index.name] = found

    def loop(self, loop: Loop) -> None:
        for value in range(self.whole(loop.start), self.whole(loop.stop), loop.step):
            self.wholes[loop.index.name] = value
            try:
                self.statements(loop.body, loop.spare)
            except _LeaveLoop:
                return

    def block(self, block: Block, spare: bool) -> None:
        """Compute a block. spare : go on where its exit condition is a symbol (the rest does no harm)."""
        nodes, values = block.graph.nodes, dict[int, Scalar]()
        for k, known in block.steps():
            operation, *operands = nodes[k]
            if operation == "const":
                values[k] = operands[0]
            elif operation == "load":
                values[k] = self.arrays[operands[0]][self._place(operands[1], operands[2])]
            else:
                values[k] = ON_SCALARS[operation](*(values[x] for x in operands))
            for array, index, offset in known:
                self.arrays[array][self._place(index, offset)] = values[block.stores[array, index, offset]]
        if block.leave is None:
            return
        ends = values[block.leave]
        # statements cannot be chosen by a value that is not known; but where the rest does no harm, it is run anyway
        if isinstance(ends, Symbol):
            if not spare:
                raise TypeError(f"what {self.name} does depends on values that are not known yet")
        elif ends:
            raise _LeaveLoop if block.of_loop else _LeaveProgram

    def _place(self, index: Index | None, offset: int) -> int:
        return offset if index is None else self.whole(index) + offset
