"""Derivatives of traced functions, as traces; the rules are in `chain_rule`.

The trace is copied into a new graph first, so the original stays as it is, and the derivatives share all that the
values compute. `jacobian` takes forward mode, a pass for each input, or reverse mode, a pass for each output, whichever
is fewer; `tangent` and `pullback` are the single passes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rbdkit.trace.chain_rule import adjoints, tangents
from rbdkit.trace.graph import Graph, Scalar
from rbdkit.trace.tracing import Trace, replay


def tangent(trace: Trace) -> Trace:
    """Return ``f'(x) dx``, the directional derivative, with an additional argument ``d_x`` for every argument x."""
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
    """Return the gradient of ``sum(weights * f(x))`` with respect to all arguments, flattened and concatenated.

    Its arguments are those of the trace, and "weights" of the result's shape. Reverse mode: it costs a small multiple
    of the function itself, independent of the number of arguments.
    """
    graph, outputs = _copy(trace)
    found = _adjoints_of(graph, outputs, [graph.load("weights", None, k) for k in range(len(outputs))])
    places = [position for name in trace.names for position in _arguments(graph, trace, name)]
    results = tuple(found.get(position, 0.0) for position in places)
    return Trace(graph, (*trace.names, "weights"), (*trace.shapes, trace.shape), results, (len(results),))


def gradient(trace: Trace, argument: str | None = None) -> Trace:
    """Return the gradient of a scalar function with respect to an argument, in the argument's shape (reverse mode).

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
    """Return the Jacobian with respect to an argument, of shape (*result, *argument).

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
    """Replay a trace in a new, simplified graph; return that graph and the positions of the outputs."""
    graph = Graph()
    return graph, [graph.position(x) for x in replay(trace, lambda leaf: graph.node(*leaf))]


def _adjoints_of(graph: Graph, outputs: Sequence[int], weights: Iterable[Scalar]) -> dict[int, Scalar]:
    """Return `adjoints` for outputs that may contain the same node several times: its weights add up."""
    total: dict[int, Scalar] = {}
    for position, weight in zip(outputs, weights, strict=True):
        total[position] = total.get(position, 0.0) + weight
    return adjoints(graph, total)


def _arguments(graph: Graph, trace: Trace, name: str) -> list[int]:
    """Return the positions of the elements of an argument."""
    return [graph.load(name, None, k).position for k in range(math.prod(_shape(trace, name)))]


def _shape(trace: Trace, name: str) -> tuple[int, ...]:
    return trace.shapes[trace.names.index(name)]


def _chosen(trace: Trace, argument: str | None) -> str:
    if argument is None and len(trace.names) == 1:
        return trace.names[0]
    if argument not in trace.names:
        raise TypeError(f"argument {argument!r} is not one of the traced function's: {', '.join(trace.names)}")
    return argument
