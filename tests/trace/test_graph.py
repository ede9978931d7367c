"""Symbols record what is done to them, and the rules leave out what need not be done."""

import numpy as np
import pytest

from rbdkit.trace import select, trace
from rbdkit.trace.graph import Graph, Symbol
from rbdkit.trace.scalar import equal, polynomial, whole


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def x(graph) -> Symbol:
    return graph.load("x", None, 0)


@pytest.fixture
def y(graph) -> Symbol:
    return graph.load("y", None, 0)


def same(a: object, b: object) -> bool:
    return isinstance(a, Symbol) and isinstance(b, Symbol) and (a.graph, a.position) == (b.graph, b.position)


@pytest.mark.source("F10.10")
def test_zeros_ones_and_signs_cost_nothing(graph, x, y):
    before = len(graph.nodes)
    assert same(x + 0.0, x) and same(0.0 + x, x) and same(x - 0.0, x)
    assert same(x * 1.0, x) and same(1.0 * x, x) and same(x / 1.0, x)
    assert x * 0.0 == 0.0 and 0.0 * x == 0.0 and 0.0 / x == 0.0
    assert same(+x, x)
    assert len(graph.nodes) == before
    assert same(0.0 - (-x), x)
    assert same(x + (-y), x - y)
    assert same(-x + y, y - x)
    assert same(-x - y, -(x + y))
    assert same((-x) * (-y), x * y)
    assert same((-x) * y, -(x * y)) and same(x * (-y), -(x * y))
    assert same(x * -2.0, -(x * 2.0))
    assert same(0.0 - x, -x)


def test_equal_expressions_are_one_node(graph, x, y):
    assert same(x * y + 1.0, 1.0 + y * x)
    assert not same(x - y, y - x)
    before = len(graph.nodes)
    (x * y + 1.0) * (x * y + 1.0)
    assert len(graph.nodes) == before + 1


def test_without_rules_every_operation_is_kept():
    graph = Graph(simplify=False)
    x = graph.load("x", None, 0)
    x * 0.0, x + 0.0, x + 0.0
    assert [node[0] for node in graph.nodes if node[0] not in ("const", "load")] == ["mul", "add", "add"]


def test_dead_code_is_not_live(graph, x, y):
    kept, dropped = x * y, x + y
    live = graph.live([kept.position])
    assert kept.position in live and dropped.position not in live
    assert live == sorted(live)


def test_both_zeros_are_one_constant(graph):
    assert graph.position(0.0) == graph.position(-0.0)


def test_a_value_of_another_graph_is_refused(x):
    other = Graph().load("x", None, 0)
    for operation in (lambda: x + other, lambda: x * other, lambda: x - other, lambda: x < other):
        with pytest.raises(ValueError, match="loaded again in the block"):
            operation()


def test_a_symbol_has_no_value_to_branch_on(x):
    with pytest.raises(TypeError, match=r"numpy\.where"):
        bool(x < 1.0)
    with pytest.raises(TypeError, match=r"numpy\.sin"):
        float(x)
    with pytest.raises(TypeError, match="unsupported operand"):
        x ** "2"
    assert "load" in repr(x)


def test_numpy_functions_and_operators_record():
    f = trace(lambda v, s: np.sin(v) @ np.cos(v) + np.sqrt(abs(s)) ** 3 / 2.0, 3, ())
    v, s = np.array([0.1, -0.7, 2.0]), -1.7
    assert f(v, s) == pytest.approx(np.sin(v) @ np.cos(v) + 1.7**1.5 / 2.0, rel=1e-15)


@pytest.mark.parametrize(
    "number",
    [True, np.bool_(True), np.int64(3), np.float32(2.0), np.float64(1.5)],
    ids=lambda number: type(number).__name__,
)
def test_numbers_of_every_type(number):
    recorded = trace(lambda x: number * x + x * number - number / (x + number), ())
    assert recorded(2.0) == 4.0 * float(number) - float(number) / (2.0 + float(number))


def test_what_knows_symbols_itself_is_asked():
    class Twice:
        def __rmul__(self, other):
            return 2.0 * other

    assert trace(lambda x: x * Twice(), ())(1.5) == 3.0


@pytest.mark.parametrize("x", [-1.5, 0.0, 0.25, 1.0])
def test_select_and_comparisons(x):
    def step(x):
        return select(x < 0.25, select(x > 0.0, 10.0, 20.0), select(equal(x, 1.0), 30.0, 40.0))

    assert trace(step, ())(x) == step(x) == {-1.5: 20.0, 0.0: 20.0, 0.25: 40.0, 1.0: 30.0}[x]


def test_whole_is_the_nearest_number_ties_to_even():
    for x in (0.4, 0.5, 0.6, 1.5, 2.5, -0.5, -1.5, 1e9 + 0.3, -(2.0**50) + 0.25):
        assert whole(x) == np.round(x)


def test_polynomial_is_horners():
    f = trace(lambda x: polynomial([1.0, -2.0, 3.0], x), ())
    assert f(2.0) == 9.0
    assert str(f.operations()) == "2m + 2a"
