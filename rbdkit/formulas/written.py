"""Write a formula as lines of code: one assignment for each operation that the result needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rbdkit.formulas.formula import Formula


def assignments(
    formula: Formula,
    expressions: Mapping[str, str],
    number: Callable[[float], str],
    element: Callable[[str, int], str],
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the assignments (name, expression) of a formula, and the expressions of its results.

    Parameters
    ----------
    formula : Formula
        What is written.
    expressions : mapping of str to str
        Patterns of the operations of `rbdkit.trace.Graph`.
    number, element : callable
        Write a constant, and an entry of an argument.
    """
    graph, outputs = formula.trace.graph, formula.trace.positions()
    letter = next(x for x in "xyzwusrpm" if not any(re.fullmatch(rf"{x}\d+", own.name) for own in formula.arguments))
    lines: list[tuple[str, str]] = []
    texts: dict[int, str] = {}
    for position in graph.live(outputs):
        operation, *operands = graph.nodes[position]
        if operation == "const":
            texts[position] = number(operands[0])
        elif operation == "load":
            texts[position] = element(operands[0], operands[2])
        else:
            texts[position] = f"{letter}{len(lines)}"
            lines.append((texts[position], expressions[operation].format(*(texts[k] for k in operands))))
    return lines, [texts[k] for k in outputs]
