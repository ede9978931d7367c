"""Write a formula as lines of code: one assignment for each operation that the result needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rbdkit.formulas.formula import Formula
from rbdkit.trace import Graph

SHIFT = 6755399441055744.0
"""1.5 * 2**52: adding it and taking it away again rounds to whole numbers, see `rbdkit.trace.scalar`."""


def roundings(graph: Graph, live: Sequence[int]) -> tuple[dict[int, int], list[int]]:
    """Return where numbers are rounded, with the position of each such number, and the live positions that remain.

    Tools that take ``(x + c) - c`` for x, as algebra does, or differentiate it, must be told that it is not.
    """
    whole: dict[int, int] = {}
    for position in live:
        operation, *operands = graph.nodes[position]
        if operation == "sub" and graph.nodes[operands[1]] == ("const", SHIFT):
            above, *added = graph.nodes[operands[0]]
            if above == "add" and operands[1] in added:
                whole[position] = added[1 - added.index(operands[1])]
    used = {k for position in live if position not in whole for k in graph.operands(position)}
    shifted = {graph.operands(position)[0] for position in whole} - used
    return whole, [position for position in live if position not in shifted]


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
    live = graph.live(outputs)
    whole, live = roundings(graph, live) if "round" in expressions else ({}, live)
    for position in live:
        operation, *operands = graph.nodes[position]
        if operation == "const":
            texts[position] = number(operands[0])
        elif operation == "load":
            texts[position] = element(operands[0], operands[2])
        elif position in whole:
            texts[position] = f"{letter}{len(lines)}"
            lines.append((texts[position], expressions["round"].format(texts[whole[position]])))
        else:
            texts[position] = f"{letter}{len(lines)}"
            lines.append((texts[position], expressions[operation].format(*(texts[k] for k in operands))))
    return lines, [texts[k] for k in outputs]
