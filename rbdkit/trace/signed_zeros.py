"""Signs of zeros in recorded functions of users: kept where a result depends on them, dropped where none does.

A function is recorded with all signs of IEEE 754 (a `signed` graph): ``x + 0`` is 0 for x = -0, ``0 * x`` has the sign
of x, ``-a - b`` is 0 where ``-(a + b)`` is -0. A sign of a zero shows in two places alone, where something is divided
by it and in ``copysign`` (with functions that need it, such as arctan2). What reaches neither is simplified as usual;
what does is written in a form to which no later simplification applies. Functions such as `numpy.fmod` see to the signs
of their results by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdkit.trace.graph import CONDITIONS, LEAVES, Condition, Graph, Scalar, Symbol
from rbdkit.trace.lines import recorded_again


def settled(graph: Graph, outputs: tuple[Scalar, ...], operations: dict[str, Callable[..., Any]]) -> tuple[Scalar, ...]:
    """Return outputs that keep a sign of a zero only where an output depends on it; the graph gets what they need.

    Parameters
    ----------
    graph, outputs : what was recorded with all signs. operations : function of each operation, see `replay`.
    """
    # from here on simplification is the usual one; what has to keep a sign is written in another form
    graph.signed = False
    if not graph.for_sign:
        return outputs
    positions = [graph.position(x) for x in outputs]
    live = graph.live(positions)
    needed = _needed(graph, live)
    changed: dict[int, Any] = {}
    with np.errstate(all="ignore"), recorded_again(graph.lines) as comes_next:
        for position in live:
            operation, *operands = graph.nodes[position]
            if position not in graph.for_sign and (operation in LEAVES or not any(k in changed for k in operands)):
                continue
            comes_next(position)
            given = [changed[k] if k in changed else _value(graph, k) for k in operands]
            if operation == "copysign" and position in graph.for_sign:
                found = graph.apply(operation, *given) if needed[position] else 0.0
            elif needed[position] and operation in ("add", "sub"):
                found = _with_sign(graph, operation, *given)
            else:
                found = operations[operation](*given)
            changed[position] = found
    return tuple(changed.get(k, x) for k, x in zip(positions, outputs, strict=True))


def _value(graph: Graph, position: int) -> Scalar:
    """Return a node as what it was recorded as: a number, a symbol or a condition."""
    operation, *operands = graph.nodes[position]
    if operation == "const":
        return float(operands[0])
    return (Condition if operation in CONDITIONS else Symbol)(graph, position)


def _needed(graph: Graph, live: list[int]) -> bytearray:
    """Return for each node whether the outputs depend on its sign where it is zero."""
    needed = bytearray(len(graph.nodes))
    # users come before their operands, so each node knows what is asked of it before it passes that on
    for position in reversed(live):
        operation, *operands = graph.nodes[position]
        if operation == "div":
            # x / 0 is infinite with the sign of that zero; a pivot that is 0 means a singular matrix whatever its sign
            needed[operands[1]] |= position not in graph.pivots
            needed[operands[0]] |= needed[position]
        elif operation == "copysign":
            # the sign of y shows in copysign(x, y), unless x = 0 and nobody looks at the sign of the result
            needed[operands[1]] |= needed[position] or not _is_zero(graph, operands[0])
        elif needed[position] and operation in ("add", "sub"):
            # a sum with a constant c is 0 at x = -c only, and then +0; so is +0 plus or minus any zero
            if not _is_never_minus_zero(graph, operands[0]) and not any(_is_not_zero(graph, k) for k in operands):
                needed[operands[0]] = needed[operands[1]] = 1
        elif needed[position] and operation in ("mul", "neg", "sqrt", "sin", "select"):
            for k in operands[operation == "select" :]:
                needed[k] = 1
    return needed


def _is_zero(graph: Graph, position: int) -> bool:
    return graph.nodes[position] == ("const", 0.0)


def _is_not_zero(graph: Graph, position: int) -> bool:
    return graph.nodes[position][0] == "const" and not _is_zero(graph, position)


def _with_sign(graph: Graph, operation: str, a: Scalar, b: Scalar) -> Scalar:
    """Record a + b or a - b with the sign of IEEE 754 where it is zero."""
    for x, zero in ((a, b), (b, a)):
        if not isinstance(zero, Symbol) and zero == 0.0 and isinstance(x, Symbol):
            if operation == "sub" and zero is b:
                return x
            if _is_never_minus_zero(graph, x.position) and operation == "add":
                return x
            # x + 0 and 0 - x are +0 for zeros x of both signs
            return graph.select(graph.apply("equal", x, 0.0), 0.0, x if operation == "add" else -x)
    if _is_negated(graph, a) and (operation == "sub" or _is_negated(graph, b)):
        a = graph.select(graph.apply("equal", a, 0.0), a, a)  # a itself, in which no sign is found to be taken out
    return a + b if operation == "add" else a - b


def _is_negated(graph: Graph, x: Scalar) -> bool:
    return isinstance(x, Symbol) and graph.nodes[x.position][0] == "neg"


def _is_never_minus_zero(graph: Graph, position: int) -> bool:
    """Whether a node is a square, or a sum or root of such."""
    operation, *operands = graph.nodes[position]
    if operation == "mul":
        return operands[0] == operands[1]
    return operation in ("add", "sqrt") and _is_never_minus_zero(graph, operands[0])
