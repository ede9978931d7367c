"""In which order the nodes of a block are written."""

import numpy as np
import pytest

from rbdkit.trace import Program
from rbdkit.trace.graph import Graph, Symbol
from rbdkit.trace.order import nearly_as_recorded


def some_graph(seed: int, size: int) -> tuple[Graph, list[int]]:
    """Of operations on numbers that were recorded at any time before, and the nodes that its last ones need."""
    rng, program = np.random.default_rng(seed), Program("some")
    values = [program.load("x", 0, k) for k in range(8)]
    for _ in range(size):
        a, b = (values[k] for k in rng.integers(0, len(values), 2))
        values.append(a * b + 2.0 if rng.random() < 0.5 else a - b)
    last = [x for x in values[-4:] if isinstance(x, Symbol)]
    graph = last[0].graph
    return graph, graph.live([x.position for x in last])


def waiting_in_all(graph: Graph, order: list[int]) -> float:
    last = {x: at for at, k in enumerate(order) for x in graph.operands(k)}
    numbers = (graph.nodes[k][0] != "const" for k in order)
    return sum(last.get(k, at) - at for at, (k, number) in enumerate(zip(order, numbers, strict=True)) if number)


@pytest.mark.parametrize("seed", range(10))
def test_each_node_once_and_after_those_that_it_computes_with(seed):
    graph, live = some_graph(seed, 200)
    order = nearly_as_recorded(graph, live)
    assert sorted(order) == live
    at = {k: place for place, k in enumerate(order)}
    assert all(at[x] < at[k] for k in order for x in graph.operands(k))


@pytest.mark.parametrize("seed", range(10))
def test_fewer_numbers_wait_than_as_recorded(seed):
    graph, live = some_graph(seed, 200)
    assert waiting_in_all(graph, nearly_as_recorded(graph, live)) < waiting_in_all(graph, live)


def test_what_is_only_loaded_or_constant_is_written_too():
    program = Program("copies")
    x, y = program.load("x", 0), program.load("x", 1)
    assert isinstance(x, Symbol)
    product = x * x
    graph = x.graph
    roots = [graph.position(z) for z in (x, y, product, 2.0)]
    assert sorted(nearly_as_recorded(graph, graph.live(roots))) == sorted(roots)
