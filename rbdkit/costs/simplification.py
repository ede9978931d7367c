"""The fate of every recorded operation when a trace is simplified (Featherstone 2008, section 10.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rbdkit.trace import OPERATIONS, Graph, Symbol, Trace

Fate = Literal["kept", "constant", "copy", "repeated", "unused"]
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@dataclass(frozen=True)
class Assignment:
    """One line of the assignment-statement file.

    Attributes
    ----------
    name, expression : str
        Assigned variable, and expression.
    fate : Fate
        'kept'; 'constant', its value is a known number; 'copy' of one of its operands; 'repeated', computed before;
        'unused' by any output.
    value : str
        Replacement: a number, or the name of another line or input.
    """

    name: str
    expression: str
    fate: Fate
    value: str

    def __str__(self) -> str:
        return f"{self.name} = {self.expression}"


def assignments(raw: Trace) -> list[Assignment]:
    """Return the operations of a trace that was made with ``simplify=False``, one per line, each with its fate."""
    graph, names, values, lines = Graph(), _names(raw), {}, []
    first: dict[int, str] = {}  # who computed a node of the simplified graph first
    for position, (operation, *operands) in enumerate(raw.graph.nodes):
        if operation == "const":
            values[position] = operands[0]
        elif operation == "load":
            values[position] = graph.node(operation, *operands)
            first[values[position].position] = names[position]
        else:
            before = len(graph.nodes)
            value = OPERATIONS[operation](*(values[operand] for operand in operands))
            values[position] = value
            expression = _expression(operation, [names[operand] for operand in operands])
            made = [k for k in range(before, len(graph.nodes)) if graph.nodes[k][0] != "const"]  # others share numbers
            lines.append([position, expression, _fate(value, [values[o] for o in operands], made), value, made])
            if isinstance(value, Symbol):
                first.setdefault(value.position, names[position])
    live = set(graph.live([graph.position(values[position]) for position in raw.positions()]))
    return [_assignment(names, first, live, *line) for line in lines]


def _assignment(
    names: dict[int, str],
    first: dict[int, str],
    live: set[int],
    position: int,
    expression: str,
    fate: Fate,
    value: Any,
    made: list[int],  # a product with -2 makes two nodes, of which a sum may need one
) -> Assignment:
    if fate == "kept" and live.isdisjoint(made):
        fate = "unused"
    stands = first[value.position] if isinstance(value, Symbol) else f"{value:g}"
    return Assignment(names[position], expression, fate, stands)


def _fate(value: Any, operands: list[Any], made: list[int]) -> Fate:
    if not isinstance(value, Symbol):
        return "constant"
    if any(isinstance(operand, Symbol) and operand.position == value.position for operand in operands):
        return "copy"
    return "kept" if value.position in made else "repeated"


def _names(raw: Trace) -> dict[int, str]:
    scalars = {label for label, shape in zip(raw.names, raw.shapes, strict=True) if shape == ()}
    names, made = {}, 0
    for position, (operation, *operands) in enumerate(raw.graph.nodes):
        if operation == "const":
            names[position] = f"{operands[0]:g}"
        elif operation == "load":
            names[position] = operands[0] if operands[0] in scalars else f"{operands[0]}[{operands[2]}]"
        else:
            made += 1
            names[position] = f"t{made}"
    return names


def _expression(operation: str, operands: list[str]) -> str:
    if operation in SIGNS:
        return f"{operands[0]} {SIGNS[operation]} {operands[1]}"
    return f"-{operands[0]}" if operation == "neg" else f"{operation}({', '.join(operands)})"
