"""Exact derivatives of recorded arithmetic: forward along directions, or backward from results.

Derivatives are nodes of the same graph, so they share what the values have computed already, are simplified by the same
rules, and go through every emitter. `tangents` and `adjoints` work on any graph, also on the blocks of a program;
`jacobian`, `gradient`, `tangent` and `pullback` make a new `Trace` from a trace.

The derivative of `select` is that of the branch taken; at the point where the condition turns over, that of the side to
which it belongs. Comparisons and rounding have derivative zero. So \\|x\\| has the derivative 1 at 0, and that of a
square root is infinite there.

Griewank and Walther (2008), chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from rbdkit.engine.graph import LEAVES, Graph, Scalar, Symbol
from rbdkit.engine.trace import Trace, replay

CONDITIONS = {"less", "equal"}


def tangents(graph: Graph, outputs: Sequence[int], seeds: Mapping[int, Scalar]) -> list[Scalar]:
    """Directional derivatives of nodes: forward mode.

    Parameters
    ----------
    outputs : positions of the nodes.
    seeds : how fast nodes change, by position; leaves without a seed stay as they are.
    """
    rate: dict[int, Scalar] = dict(seeds)
    for position in graph.live(outputs):
        if position not in rate:
            rate[position] = _forward(graph, position, rate)
    return [rate[position] for position in outputs]


def _forward(graph: Graph, position: int, rate: Mapping[int, Scalar]) -> Scalar:
    """How fast a node changes when its operands do."""
    operation, *operands = graph.nodes[position]
    if operation in LEAVES or operation in CONDITIONS:
        return 0.0
    if operation == "select":
        condition, *branches = operands
        a, b = (rate[branch] for branch in branches)
        return a if a is b or (_zero(a) and _zero(b)) else graph.select(Symbol(graph, condition), a, b)
    total: Scalar = 0.0
    for operand, slope in partials(graph, position):
        if not _zero(rate[operand]):
            total = total + slope * rate[operand]
    return total


def adjoints(graph: Graph, weights: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """Derivatives of a weighted sum of nodes with respect to every node that it depends on: reverse mode.

    Parameters
    ----------
    weights : of the nodes, by position.
    """
    found: dict[int, Scalar] = {position: weight for position, weight in weights.items() if not _zero(weight)}
    for position in reversed(graph.live(list(weights))):
        operation, *operands = graph.nodes[position]
        bar = found.get(position, 0.0)
        if _zero(bar) or operation in LEAVES or operation in CONDITIONS:
            continue
        if operation == "select":
            condition, a, b = (Symbol(graph, operand) for operand in operands)
            pushed = [(a.position, _where(condition, bar, True)), (b.position, _where(condition, bar, False))]
        else:
            pushed = [(operand, _times(bar, slope)) for operand, slope in partials(graph, position)]
        for operand, change in pushed:
            found[operand] = _plus(found.get(operand, 0.0), change)
    return found


def partials(graph: Graph, position: int) -> list[tuple[int, Scalar]]:
    """Operands of an arithmetic node, and its derivative with respect to each."""
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
            slopes = 1.0 / x[1], -(y / x[1])
        case "neg":
            slopes = (-1.0,)
        case "sqrt":
            slopes = (0.5 / y,)
        case "sin":
            slopes = (graph.apply("cos", *x),)
        case "cos":
            slopes = (-graph.apply("sin", *x),)
        case _:
            raise ValueError(f"the derivative of operation {operation!r} is not known")
    return list(zip(operands, slopes, strict=True))


def _rounds(x: Scalar) -> bool:
    """Whether a sum with x has no room for a fraction (see `rbdkit.engine.scalar.whole`)."""
    return not isinstance(x, Symbol) and abs(x) >= 2.0**52


def _value(graph: Graph, position: int) -> Scalar:
    """A node as a symbol, or a number if it is one."""
    operation, *operands = graph.nodes[position]
    return operands[0] if operation == "const" else Symbol(graph, position)


def _zero(x: Scalar) -> bool:
    return not isinstance(x, Symbol) and x == 0.0


# A branch that is not taken may have an infinite slope, and zero times infinity is no number: so an adjoint that came
# through a `select` keeps its condition around everything that it is multiplied by.


def _where(condition: Symbol, x: Scalar, taken: bool) -> Scalar:
    """x where the condition is as said, else 0."""
    return condition.graph.select(condition, x, 0.0) if taken else condition.graph.select(condition, 0.0, x)


def _masked(x: Scalar) -> tuple[Symbol, Scalar, bool] | None:
    """Condition, value and side of what `_where` has made."""
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


# --- of traced functions ----------------------------------------------------------------------------------------------


def tangent(trace: Trace) -> Trace:
    """``f'(x) dx``: the derivative along a direction, one argument ``d_x`` more for every argument x."""
    graph, outputs = _copy(trace)
    names = tuple(f"d_{name}" for name in trace.names)
    seeds = {
        position: graph.load(f"d_{name}", None, k)
        for name in trace.names
        for k, position in enumerate(_arguments(graph, trace, name))
    }
    rates = tangents(graph, outputs, seeds)
    return Trace(graph, trace.names + names, trace.shapes * 2, tuple(rates), trace.shape)


def pullback(trace: Trace) -> Trace:
    """The gradient of ``sum(weights * f(x))`` with respect to all arguments, flattened, one after the other.

    Its arguments are those of the trace, and "weights" of the result's shape. It costs a small multiple of the function
    itself, however many arguments there are.
    """
    graph, outputs = _copy(trace)
    found = _adjoints_of(graph, outputs, [graph.load("weights", None, k) for k in range(len(outputs))])
    places = [position for name in trace.names for position in _arguments(graph, trace, name)]
    results = tuple(found.get(position, 0.0) for position in places)
    return Trace(graph, (*trace.names, "weights"), (*trace.shapes, trace.shape), results, (len(results),))


def gradient(trace: Trace, argument: str | None = None) -> Trace:
    """Gradient of a function with one result with respect to an argument, of the argument's shape: reverse mode.

    argument : its name; may be left out if there is only one.
    """
    name = _chosen(trace, argument)
    if math.prod(trace.shape) != 1:
        raise TypeError(f"a gradient is of one number, not of a result of shape {trace.shape}; take the jacobian")
    graph, outputs = _copy(trace)
    found = _adjoints_of(graph, outputs, [1.0])
    results = tuple(found.get(position, 0.0) for position in _arguments(graph, trace, name))
    return Trace(graph, trace.names, trace.shapes, results, _shape(trace, name))


def jacobian(trace: Trace, argument: str | None = None) -> Trace:
    """Derivatives of every result with respect to every element of an argument: shape (*result, *argument).

    Forward mode if the argument has no more elements than the result, else reverse mode: both are exact.

    argument : its name; may be left out if there is only one.
    """
    name = _chosen(trace, argument)
    graph, outputs = _copy(trace)
    inputs = _arguments(graph, trace, name)
    rows: list[list[Scalar]]
    if len(inputs) <= len(outputs):
        columns = [tangents(graph, outputs, {position: 1.0}) for position in inputs]
        rows = [[column[k] for column in columns] for k in range(len(outputs))]
    else:
        found = [_adjoints_of(graph, [position], [1.0]) for position in outputs]
        rows = [[bars.get(position, 0.0) for position in inputs] for bars in found]
    shape = trace.shape + _shape(trace, name)
    return Trace(graph, trace.names, trace.shapes, tuple(x for row in rows for x in row), shape)


def _copy(trace: Trace) -> tuple[Graph, list[int]]:
    """A simplified graph of its own, and the outputs in it."""
    graph = Graph()
    return graph, [graph.position(x) for x in replay(trace, lambda leaf: graph.node(*leaf))]


def _adjoints_of(graph: Graph, outputs: Sequence[int], weights: Iterable[Scalar]) -> dict[int, Scalar]:
    """`adjoints` for outputs among which a node may be more than once."""
    total: dict[int, Scalar] = {}
    for position, weight in zip(outputs, weights, strict=True):
        total[position] = total.get(position, 0.0) + weight
    return adjoints(graph, total)


def _arguments(graph: Graph, trace: Trace, name: str) -> list[int]:
    """Positions of the elements of an argument."""
    return [graph.load(name, None, k).position for k in range(math.prod(_shape(trace, name)))]


def _shape(trace: Trace, name: str) -> tuple[int, ...]:
    return trace.shapes[trace.names.index(name)]


def _chosen(trace: Trace, argument: str | None) -> str:
    if argument is None and len(trace.names) == 1:
        return trace.names[0]
    if argument not in trace.names:
        raise TypeError(f"argument {argument!r} is not one of the traced function's: {', '.join(trace.names)}")
    return argument
