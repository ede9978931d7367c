"""Programs and traces as Python source: what runs where nothing can be compiled, and what people can read."""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from typing import Any

from rbdkit.trace.graph import Graph
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
    """x without its fraction, see `Program.truncated`."""
    return 0 if math.isnan(x) else int(max(-LARGEST_WHOLE, min(x, LARGEST_WHOLE)))


def _total(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function of the math module, with NaN in place of an exception where it is not defined."""

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


def python_source(code: Program | Trace, name: str = "") -> str:
    """Source of a Python function on lists of floats.

    Parameters
    ----------
    code : a program: the function takes its arrays, tables and counts, in that order, and writes into the arrays. Or a
        trace: the function takes its arguments, flattened, and returns a list, or a number if the traced function did.
    name : of the function; that of the program, or "traced".
    """
    if isinstance(code, Trace):
        return _trace_source(code, name or "traced")
    writer = _Writer()
    writer.statements(code.body, 1)
    arguments = ", ".join((*code.arrays, *code.tables, *code.counts))
    return "\n".join([f"def {name or code.name}({arguments}):", *writer.lines, "    return"]) + "\n"


def _trace_source(trace: Trace, name: str) -> str:
    writer = _Writer()
    scalars = {label for label, shape in zip(trace.names, trace.shapes, strict=True) if shape == ()}
    names: dict[int, str] = {}
    for position in trace.graph.live(trace.positions()):
        writer.assignment(trace.graph, position, names, "    ", scalars)
    results = [names[position] for position in trace.positions()]
    value = results[0] if trace.shape == () else f"[{', '.join(results)}]"
    return "\n".join([f"def {name}({', '.join(trace.names)}):", *writer.lines, f"    return {value}"]) + "\n"


def compile_python(source: str, name: str) -> Callable[..., Any]:
    """The function that some emitted source defines."""
    scope = dict(NAMESPACE)
    exec(compile(source, f"<rbdkit.engine {name}>", "exec"), scope)
    return scope[name]


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values = 0

    def statements(self, body: list[Statement], depth: int) -> None:
        indent, before = "    " * depth, len(self.lines)
        for statement in body:
            if isinstance(statement, Define):
                operands = [_whole(x) for x in statement.operands]
                self.lines.append(f"{indent}{statement.index.name} = {WHOLE[statement.operation].format(*operands)}")
            elif isinstance(statement, Put):
                self.lines.append(f"{indent}{statement.table}[{_whole(statement.index)}] = {_whole(statement.value)}")
            elif isinstance(statement, Block):
                self.block(statement, indent)
            elif isinstance(statement, Loop):
                bounds = ", ".join(_whole(x) for x in (statement.start, statement.stop, statement.step))
                self.lines.append(f"{indent}for {statement.index.name} in range({bounds}):")
                self.statements(statement.body, depth + 1)
            elif isinstance(statement, Switch):
                for k, (case, inner) in enumerate(statement.cases.items()):
                    self.lines.append(f"{indent}{'elif' if k else 'if'} {statement.on.name} == {case}:")
                    self.statements(inner, depth + 1)
        if len(self.lines) == before:
            self.lines.append(f"{indent}pass")

    def block(self, block: Block, indent: str) -> None:
        names: dict[int, str] = {}
        for position, places in block.steps():
            self.assignment(block.graph, position, names, indent)
            for place in places:
                self.lines.append(f"{indent}{_element(place)} = {names[block.stores[place]]}")
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
        self.lines.append(f"{indent}x{self.values} = {expression}")


def _whole(x: Index | int | str) -> str:
    return x.name if isinstance(x, Index) else str(x)


def _element(place: Place) -> str:
    array, index, offset = place
    if index is None:
        return f"{array}[{offset}]"
    return f"{array}[{index.name} + {offset}]" if offset else f"{array}[{index.name}]"
