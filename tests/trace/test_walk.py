"""Programs walked through on numbers and symbols do what their code does."""

import numpy as np
import pytest

from rbdkit.trace import Graph, Program, Symbol, equal, walked
from rbdkit.trace.run.interpreted import PythonCode


def program():
    """Sums along the ways of a table, with a switch, a condition and a loop that ends itself."""
    p = Program("sums")
    p.store("sum", 0, 0, 1.0)
    with p.loop(0, p.count("n")) as k:
        way = p.entry("ways", k)
        for case in p.switch(way, [0, 1]):
            x = p.load("x", k)
            p.store("sum", 0, 0, p.load("sum", 0) + (x * x if case else 2.0 * x))
    with p.loop(0, 10):
        p.break_if(p.load("turns", 0) > 3.5)
        p.store("turns", 0, 0, p.load("turns", 0) + 1.0)
    with p.when("flag", 0):
        p.store("sum", 0, 1, p.load("sum", 0) / 3.0)
    p.put("marks", 1, p.truncated("turns", 0) * 2)
    p.store("sum", p.entry("marks", 1), 0, 7.0)
    return p


def test_numbers():
    arrays = {"x": [1.0, 2.0, 3.0], "sum": [0.0] * 9, "turns": [0.0], "flag": [1.0]}
    code = {name: np.array(x) for name, x in arrays.items()} | {"ways": np.array([1, 0, 1]), "marks": np.zeros(2, int)}
    PythonCode(program()).bind(code, {"n": 3})()
    walked(program(), arrays, {"ways": [1, 0, 1], "marks": [0, 0]}, {"n": 3})
    assert arrays["sum"] == code["sum"].tolist() == [15.0, 5.0, 0, 0, 0, 0, 0, 0, 7.0]
    assert arrays["turns"] == [4.0]


def test_symbols_join_their_own_graph():
    graph = Graph()
    x = [graph.load("x", None, k) for k in range(3)]
    arrays = {"x": x, "sum": [0.0] * 9, "turns": [0.0], "flag": [1.0]}
    walked(program(), arrays, {"ways": [1, 0, 1], "marks": [0, 0]}, {"n": 3})
    found = arrays["sum"][1]
    assert isinstance(found, Symbol) and found.graph is graph
    expected = (1.0 + x[0] * x[0] + 2.0 * x[1] + x[2] * x[2]) / 3.0
    assert graph.position(found) == graph.position(expected)  # the very same node


def test_what_values_decide_is_refused_but_spares_nobody_harm():
    graph, unknown = Graph(), Program("unknown")
    with unknown.when("flag", 0):
        unknown.store("x", 0, 0, 1.0)
    with pytest.raises(TypeError, match="what unknown does depends on values that are not known yet"):
        walked(unknown, {"flag": [graph.load("f", None, 0)], "x": [0.0]}, {}, {})
    spare = Program("spare")
    with spare.when("flag", 0, spare=True):
        spare.store("x", 0, 0, spare.load("flag", 0) * 2.0)
    arrays = {"flag": [graph.load("f", None, 0)], "x": [0.0]}
    walked(spare, arrays, {}, {})
    assert isinstance(arrays["x"][0], Symbol)
    whole = Program("whole")
    whole.store("x", whole.truncated("x", 0), 0, 1.0)
    with pytest.raises(TypeError, match="whole does depends on values"):
        walked(whole, {"x": [graph.load("x", None, 0)]}, {}, {})


def test_the_program_may_end_on_the_way():
    p = Program("ends")
    p.store("x", 0, 0, 1.0)
    p.leave_if(equal(p.load("x", 0), 1.0))
    p.store("x", 0, 0, 2.0)
    arrays = {"x": [0.0]}
    walked(p, arrays, {}, {})
    assert arrays["x"] == [1.0]
