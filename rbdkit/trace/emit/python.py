"""Python backend: programs and traces as Python source, to run where nothing can be compiled, and to be read.

Each node becomes an assignment to a new variable, each loop a ``for`` over ``range``, each switch an ``if`` chain, each
array a list of floats. Operations that raise exceptions in Python give NaN or infinity instead (`NAMESPACE`), as IEEE
754 and the other backends have it. Checked code is the same source, run on lists that check each access
(`rbdkit.trace.run.checked`); therefore the writer keeps, for each line, the line of the algorithm that it comes from.
"""

from __future__ import annotations

import itertools
import linecache
import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any
from weakref import finalize

from rbdkit.trace.graph import Graph
from rbdkit.trace.lines import Line
from rbdkit.trace.program import LARGEST_WHOLE, Block, Define, Index, Loop, Place, Program, Put, Statement, Switch
from rbdkit.trace.scalar import divide
from rbdkit.trace.tracing import Trace

EXPRESSIONS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "divide({}, {})", "neg": "-{}",
    "sqrt": "sqrt({})", "sin": "sin({})", "cos": "cos({})",
    "copysign": "copysign({}, {})", "less": "{} < {}", "equal": "{} == {}", "and": "{} and {}", "or": "{} or {}",
    "not": "not {}", "select": "{1} if {0} else {2}",
}  # fmt: skip
WHOLE = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "entry": "{}[{}]", "truncate": "truncate({}[{}])"}


def truncate(x: float) -> int:
    """Return x without its fraction, limited as in `Program.truncated`."""
    return 0 if math.isnan(x) else int(max(-LARGEST_WHOLE, min(x, LARGEST_WHOLE)))


def _total(function: Callable[[float], float]) -> Callable[[float], float]:
    """Wrap a function of the math module: NaN in place of an exception where it is not defined."""

    def total(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan

    return total


NAMESPACE: dict[str, Any] = {
    "divide": divide, "truncate": truncate, "sqrt": _total(math.sqrt), "sin": _total(math.sin), "cos": _total(math.cos),
    "copysign": math.copysign, "inf": math.inf, "nan": math.nan,
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """Origin of a line of emitted source.

    line : source line in the readable algorithm, in code that is checked. numbered : enclosing indices with a meaning,
    see `Program.numbered`; the innermost last. graph, node : the node that is computed or stored; None for indices and
    tables. variables : names of the graph's nodes in the source.
    """

    line: Line | None
    numbered: tuple[Index, ...]
    graph: Graph | None
    node: int | None
    variables: dict[int, str]


def python_source(code: Program | Trace, name: str = "") -> str:
    """Return the source of a Python function on lists of floats.

    Parameters
    ----------
    code : a program: the function takes its arrays, tables and counts, in that order, and writes into the arrays. Or a
        trace: the function takes its arguments, flattened, and returns a list, or a number if the traced function did.
    name : of the function; that of the program, or "traced".

    Programs that were recorded while code is checked (`lines.checked`) name the lines of the readable text.
    """
    if isinstance(code, Trace):
        return _trace_source(code, name or "traced")
    return program_source(code, name)[0]


def program_source(program: Program, name: str = "") -> tuple[str, dict[int, Made]]:
    """Return the source of a program, and the origins of its lines by their numbers from 1."""
    writer = _Writer(program)
    writer.statements(program.body, 1)
    arguments = ", ".join((*program.arrays, *program.tables, *program.counts))
    source = "\n".join([f"def {name or program.name}({arguments}):", *writer.lines, "    return"]) + "\n"
    # lines count from 1, and the first is the "def"
    return source, {number + 2: made for number, made in writer.made.items()}


def _trace_source(trace: Trace, name: str) -> str:
    writer = _Writer(Program(name))
    scalars = {label for label, shape in zip(trace.names, trace.shapes, strict=True) if shape == ()}
    names: dict[int, str] = {}
    for position in trace.graph.live(trace.positions()):
        writer.assignment(trace.graph, position, names, "    ", scalars)
    results = [names[position] for position in trace.positions()]
    value = results[0] if trace.shape == () else f"[{', '.join(results)}]"
    return "\n".join([f"def {name}({', '.join(trace.names)}):", *writer.lines, f"    return {value}"]) + "\n"


_serial = itertools.count(1)


def compile_python(source: str, name: str) -> Callable[..., Any]:
    """Compile emitted source and return the function that it defines; tracebacks and debuggers show its lines."""
    scope, file = dict(NAMESPACE), f"<rbdkit {name} {next(_serial)}>"
    exec(compile(source, file, "exec"), scope)
    # None for the time of change: `linecache.checkcache` then leaves the entry alone
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    function: Callable[..., Any] = scope.pop(name)  # which does not hold itself: it goes when nobody else does
    finalize(function, linecache.cache.pop, file, None).atexit = False
    return function


class _Writer:
    def __init__(self, program: Program) -> None:
        self.lines: list[str] = []
        self.made: dict[int, Made] = {}
        self.values = 0
        self._program = program
        self._numbered: tuple[Index, ...] = ()

    def write(
        self,
        text: str,
        what: Any,
        graph: Graph | None = None,
        node: int | None = None,
        names: dict[int, str] | None = None,
    ) -> None:
        """Append a line and store its origin. what : its key among the recorded source lines."""
        lines: Mapping[Any, Line | None] | None = self._program.lines if graph is None else graph.lines
        line = None if lines is None else lines.get(what)
        self.made[len(self.lines)] = Made(line, self._numbered, graph, node, names or {})
        self.lines.append(text if line is None else f"{text}  # {line.short}")

    def statements(self, body: list[Statement], depth: int) -> None:
        indent, before, around = "    " * depth, len(self.lines), self._numbered
        for statement in body:
            if isinstance(statement, Define):
                operands = [_whole(x) for x in statement.operands]
                value = WHOLE[statement.operation].format(*operands)
                self.write(f"{indent}{statement.index.name} = {value}", statement.index)
                self.enter(statement.index)
            elif isinstance(statement, Put):
                place = f"{statement.table}[{_whole(statement.index)}]"
                self.write(f"{indent}{place} = {_whole(statement.value)}", statement)
            elif isinstance(statement, Block):
                self.block(statement, indent)
            elif isinstance(statement, Loop):
                bounds = ", ".join(_whole(x) for x in (statement.start, statement.stop, statement.step))
                self.lines.append(f"{indent}for {statement.index.name} in range({bounds}):")
                outside = self._numbered
                self.enter(statement.index)
                self.statements(statement.body, depth + 1)
                self._numbered = outside
            elif isinstance(statement, Switch):
                for k, (case, inner) in enumerate(statement.cases.items()):
                    self.lines.append(f"{indent}{'elif' if k else 'if'} {statement.on.name} == {case}:")
                    self.statements(inner, depth + 1)
        if len(self.lines) == before:
            self.lines.append(f"{indent}pass")
        self._numbered = around

    def enter(self, index: Index) -> None:
        """Note that an index with a meaning (`Program.numbered`) is defined from here on."""
        if index in self._program.numbered:
            self._numbered = (*self._numbered, index)

    def block(self, block: Block, indent: str) -> None:
        names: dict[int, str] = {}
        for position, places in block.steps():
            self.assignment(block.graph, position, names, indent)
            for place in places:
                node = block.stores[place]
                self.write(f"{indent}{_element(place)} = {names[node]}", place, block.graph, node, names)
        if block.leave is not None:
            self.lines.append(f"{indent}if {names[block.leave]}:")
            self.lines.append(f"{indent}    {'break' if block.of_loop else 'return'}")

    def assignment(
        self, graph: Graph, position: int, names: dict[int, str], indent: str, scalars: Set[str] = frozenset()
    ) -> None:
        """Assign the value of a node to a new variable, and remember its name; a constant is its own name."""
        operation, *operands = graph.nodes[position]
        if operation == "const":
            names[position] = repr(operands[0])
            return
        if operation == "load":
            expression = operands[0] if operands[0] in scalars else _element((operands[0], operands[1], operands[2]))
        else:
            expression = EXPRESSIONS[operation].format(*(names[operand] for operand in operands))
        self.values += 1
        names[position] = f"x{self.values}"
        self.write(f"{indent}x{self.values} = {expression}", position, graph, position, names)


def _whole(x: Index | int | str) -> str:
    return x.name if isinstance(x, Index) else str(x)


def _element(place: Place) -> str:
    array, index, offset = place
    if index is None:
        return f"{array}[{offset}]"
    return f"{array}[{index.name} + {offset}]" if offset else f"{array}[{index.name}]"
