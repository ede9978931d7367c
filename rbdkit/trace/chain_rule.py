"""Automatic differentiation of a graph: forward mode along directions, reverse mode from results.

In a graph operands stand before their users. Forward mode (`tangents`) goes through it in order and gives each node the
rate of change that follows from those of its operands; one pass serves one direction. Reverse mode (`adjoints`) goes
through it backwards and hands each operand its share of what the results change by; one pass serves one result, or one
weighted sum of results, for all arguments at once. Both use the same `partials` of each operation.

Derivatives are nodes of the same graph, so they share what the values have computed already, are simplified by the same
rules, and go through every emitter. Both functions work on any graph, also on the blocks of a program.

The derivative of `select` is that of the branch taken; at the point where the condition turns over, that of the side to
which it belongs. Comparisons and rounding have derivative zero. So \\|x\\| has the derivative 1 at 0, and that of a
square root is infinite there.

Griewank and Walther (2008), chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rbdkit.trace.graph import CONDITIONS, LEAVES, Graph, Scalar, Symbol
from rbdkit.trace.lines import recorded_again
from rbdkit.trace.scalar import divide


def tangents(graph: Graph, outputs: Sequence[int], seeds: Mapping[int, Scalar]) -> list[Scalar]:
    """Directional derivatives of nodes: forward mode.

    Parameters
    ----------
    outputs : positions of the nodes to differentiate.
    seeds : derivatives of nodes along the direction, by position; leaves without a seed have derivative zero.
    """
    rate: dict[int, Scalar] = dict(seeds)
    with recorded_again(graph.lines) as comes_next:
        # operands stand before their users, so their rates are known when they are needed
        for position in graph.live(outputs):
            if position not in rate:
                comes_next(position)
                rate[position] = _forward(graph, position, rate)
    return [rate[position] for position in outputs]


def _forward(graph: Graph, position: int, rate: Mapping[int, Scalar]) -> Scalar:
    """Return the directional derivative of a node from those of its operands (chain rule)."""
    operation, *operands = graph.nodes[position]
    if operation in LEAVES or operation in CONDITIONS:
        return 0.0
    if operation == "select":
        condition, *branches = operands
        a, b = (rate[branch] for branch in branches)
        # no choice is recorded between rates that are the same
        return a if a is b or (_zero(a) and _zero(b)) else graph.select(Symbol(graph, condition), a, b)
    total: Scalar = 0.0
    for operand, slope in partials(graph, position):
        # what does not change leaves no trace: most entries of a Jacobian are structural zeros
        if not _zero(rate[operand]):
            total = total + slope * rate[operand]
    return total


def slopes(outputs: Sequence[Scalar], changes: Iterable[tuple[Scalar, Scalar]]) -> list[Scalar]:
    """Return the rates at which outputs change. changes : leaves and their rates; a leaf that is a number has none."""
    graph = next((x.graph for x in outputs if isinstance(x, Symbol)), None)
    seeds = {leaf.position: rate for leaf, rate in changes if isinstance(leaf, Symbol)}
    places = [x.position for x in outputs if isinstance(x, Symbol)]
    found = iter([] if graph is None else tangents(graph, places, seeds))
    return [next(found) if isinstance(x, Symbol) else 0.0 for x in outputs]


def adjoints(graph: Graph, weights: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """Derivatives of a weighted sum of nodes with respect to every node that it depends on: reverse mode.

    Parameters
    ----------
    weights : weight of each node in the sum, by position.
    """
    found: dict[int, Scalar] = {position: weight for position, weight in weights.items() if not _zero(weight)}
    with recorded_again(graph.lines) as comes_next:
        # users come before their operands, so an adjoint has all its contributions when its turn comes
        for position in reversed(graph.live(list(weights))):
            operation, *operands = graph.nodes[position]
            bar = found.get(position, 0.0)
            if _zero(bar) or operation in LEAVES or operation in CONDITIONS:
                continue
            comes_next(position)
            if operation == "select":
                condition, a, b = (Symbol(graph, operand) for operand in operands)
                pushed = [(a.position, _where(condition, bar, True)), (b.position, _where(condition, bar, False))]
            else:
                pushed = [(operand, _times(bar, slope)) for operand, slope in partials(graph, position)]
            for operand, change in pushed:
                found[operand] = _plus(found.get(operand, 0.0), change)
    return found


def partials(graph: Graph, position: int) -> list[tuple[int, Scalar]]:
    """Return the operands of an arithmetic node, each with the partial derivative of the node with respect to it."""
    operation, *operands = graph.nodes[position]
    y = Symbol(graph, position)
    x = [_value(graph, operand) for operand in operands]
    slopes: Sequence[Scalar]
    match operation:
        case "add" if any(_rounds(other) for other in x):
            slopes = 0.0, 0.0
        case "add":
            slopes = 1.0, 1.0
        case "sub":
            slopes = 1.0, -1.0
        case "mul":
            slopes = x[1], x[0]
        case "div":
            # d(a/b)/db = -(a/b) / b: the quotient y is there already
            slopes = divide(1.0, x[1]), -divide(y, x[1])
        case "neg":
            slopes = (-1.0,)
        case "copysign":
            # copysign(x, y) = |x| sgn y: the slope is sgn x sgn y, and that with respect to y is zero
            slopes = graph.mul(graph.apply("copysign", 1.0, x[0]), graph.apply("copysign", 1.0, x[1])), 0.0
        case "sqrt":
            # by the root that is there already; infinite at 0, as it should be
            slopes = (0.5 / y,)
        case "sin":
            slopes = (graph.apply("cos", *x),)
        case "cos":
            slopes = (-graph.apply("sin", *x),)
        case _:
            raise ValueError(f"the derivative of operation {operation!r} is not known")
    return list(zip(operands, slopes, strict=True))


def _rounds(x: Scalar) -> bool:
    """Whether adding x rounds to a whole number (see `rbdkit.trace.scalar.whole`), which has derivative zero."""
    return not isinstance(x, Symbol) and abs(x) >= 2.0**52


def _value(graph: Graph, position: int) -> Scalar:
    """Return a node as a symbol, or as a number if it is a constant."""
    operation, *operands = graph.nodes[position]
    return operands[0] if operation == "const" else Symbol(graph, position)


def _zero(x: Scalar) -> bool:
    return not isinstance(x, Symbol) and x == 0.0


# A branch that is not taken may have an infinite slope, and zero times infinity is no number: so an adjoint that came
# through a `select` keeps its condition around everything that it is multiplied by.


def _where(condition: Symbol, x: Scalar, taken: bool) -> Scalar:
    """Return x where the condition is `taken` (true or false), else 0."""
    return condition.graph.select(condition, x, 0.0) if taken else condition.graph.select(condition, 0.0, x)


def _masked(x: Scalar) -> tuple[Symbol, Scalar, bool] | None:
    """Take apart what `_where` has made: (condition, value, taken); None if x is something else."""
    if isinstance(x, Symbol):
        operation, *operands = x.graph.nodes[x.position]
        if operation == "select":
            a, b = (_value(x.graph, operand) for operand in operands[1:])
            if _zero(a) or _zero(b):
                return Symbol(x.graph, operands[0]), a if _zero(b) else b, _zero(b)
    return None


def _times(x: Scalar, slope: Scalar) -> Scalar:
    if (masked := _masked(x)) is not None:
        condition, value, taken = masked
        return _where(condition, _times(value, slope), taken)
    return x * slope


def _plus(x: Scalar, y: Scalar) -> Scalar:
    a, b = _masked(x), _masked(y)
    if a is not None and b is not None and a[0].position == b[0].position and a[2] == b[2]:
        return _where(a[0], _plus(a[1], b[1]), a[2])
    return x + y
