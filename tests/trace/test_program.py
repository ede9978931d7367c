"""Programs do the same in every backend: loops, switches, tables, and leaving early."""

import numpy as np
import pytest

from rbdkit.trace import Lanes, blank, executable, select, width_of
from rbdkit.trace.program import Block, Program

BACKENDS = ("python", "llvm", "wasm")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_loops_count_up_and_down_and_nest(backend, n, run):
    program = Program("sums")
    with program.loop(0, program.count("n")) as i:
        with program.loop(program.count("n") - 1, i, -1) as j:
            place = i * program.count("n") + j
            program.store("x", place, 0, program.load("x", place) + 1.0)
        program.store("x", i * (program.count("n") + 1), 0, 7.0)
    x = np.zeros((n, n))
    run(program, backend, {"x": x}, n=n)
    assert np.array_equal(x, np.triu(np.ones((n, n)), 1) + 7.0 * np.eye(n))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cases", [(0, 1, 2), (5, 2, 9)])
def test_switch_takes_the_case_of_the_table(cases, backend, run):
    program = Program("cases")
    with program.loop(0, program.count("n")) as i:
        for case in program.switch(program.entry("kind", i), cases):
            program.store("x", i, 0, 10.0 * case)
    kinds = [cases[k] for k in (2, 0, 1, 1, 2)]
    x = np.full(5, -1.0)
    run(program, backend, {"x": x}, {"kind": kinds}, n=5)
    assert np.array_equal(x, 10.0 * np.array(kinds))


@pytest.mark.parametrize("backend", BACKENDS)
def test_leaving_keeps_what_was_stored(backend, run):
    program = Program("until")
    with program.loop(0, 10) as i:
        program.store("done", 0, 0, program.load("done", 0) + 1.0)
        program.leave_if(program.load("x", i) > 2.5)
        program.store("y", i, 0, program.load("x", i))
    x, y, done = np.arange(10.0), np.full(10, -1.0), np.zeros(1)
    run(program, backend, {"x": x, "y": y, "done": done})
    assert done[0] == 4.0
    assert np.array_equal(y, [0.0, 1.0, 2.0] + 7 * [-1.0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_loop_that_ends_goes_on_after_it(backend, run):
    """Square roots by Newton's method, each with as many corrections as it needs, a switch around the decision."""
    program = Program("roots")
    with program.loop(0, program.count("n")) as i:
        program.store("y", i, 0, 1.0)
        with program.loop(0, program.count("most")):
            for case in program.switch(program.entry("kind", i), (0, 1)):
                limit = (1e-3, 1e-14)[case]
                with program.loop(0, 1):  # a loop inside is another one
                    program.store("steps", i, 0, program.load("steps", i) + 1.0)
                y, x = program.load("y", i), program.load("x", i)
                better = 0.5 * (y + x / y)
                program.store("y", i, 0, better)
                program.break_if(abs(better - y) < limit)
                program.store("went_on", i, 0, program.load("went_on", i) + 1.0)
        program.store("after", i, 0, program.load("y", i) * program.load("y", i))
    x, kinds = np.array([2.0, 2.0, 9.0, 1e6]), [0, 1, 1, 1]
    found = {name: np.zeros(4) for name in ("y", "steps", "went_on", "after")}
    run(program, backend, {"x": x, **found}, {"kind": kinds}, n=4, most=12)
    steps, y = [], []
    for square, kind in zip(x, kinds, strict=True):
        old, new, count = np.inf, 1.0, 0
        while count < 12 and not abs(new - old) < (1e-3, 1e-14)[kind]:
            old, new, count = new, 0.5 * (new + square / new), count + 1
        steps.append(count)
        y.append(new)
    assert found["steps"].tolist() == steps and len(set(steps)) == 4 and max(steps) == 12
    assert found["went_on"].tolist() == [*(k - 1.0 for k in steps[:3]), 12.0]
    np.testing.assert_allclose(found["y"], y, rtol=4e-16)
    np.testing.assert_allclose(found["after"], np.square(y), rtol=1e-15)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_not_wanted_is_passed_by(backend, run):
    program = Program("wanted")
    with program.loop(0, program.count("n")) as i, program.when("wanted", i):
        program.store("x", i, 0, program.load("x", i) + 1.0)
    x = np.arange(4.0)
    run(program, backend, {"x": x, "wanted": np.array([1.0, 0.0, -2.0, 0.0])}, n=4)
    assert x.tolist() == [1.0, 1.0, 3.0, 3.0]


def test_what_one_of_several_lanes_wants_is_done_in_all():
    width = width_of("llvm")
    program = Program("wanted", Lanes(width))
    with program.loop(0, 3) as i, program.when("wanted", i):
        program.store("x", i, 0, 1.0)
    arrays = {name: blank(3, width) for name in ("x", "wanted")}
    arrays["wanted"][0], arrays["wanted"][1, -1] = 1.0, 1.0
    executable(program, "llvm").bind(arrays, {})()
    assert arrays["x"].tolist() == [[1.0] * width, [1.0] * width, [0.0] * width]


def test_of_several_lanes_the_slowest_ends_the_loop():
    width = width_of("llvm")
    program = Program("halves", Lanes(width))
    with program.loop(0, 60):
        x, count = program.load("x", 0), program.load("count", 0)
        going = x > 1.0
        program.store("x", 0, 0, select(going, 0.5 * x, x))
        program.store("count", 0, 0, count + select(going, 1.0, 0.0))
        program.store("rounds", 0, 0, program.load("rounds", 0) + 1.0)
        program.break_if(select(going, 0.0, 1.0) > 0.5)
    arrays = {name: blank(1, width) for name in ("x", "count", "rounds")}
    arrays["x"][0] = 2.0 ** np.arange(1, width + 1)
    executable(program, "llvm").bind(arrays, {})()
    assert arrays["count"][0].tolist() == list(range(1, width + 1))
    assert set(arrays["rounds"][0].tolist()) == {width + 1.0}


def test_where_there_is_no_loop_none_can_end():
    program = Program("plain")
    with pytest.raises(ValueError, match="program 'plain': only inside a loop"):
        program.break_if(program.load("x", 0) > 0.0)
    with program.loop(0, 8, wide=True) as i, pytest.raises(ValueError, match="not a wide one"):
        program.break_if(program.load("x", i) > 0.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_operation(backend, run):
    program = Program("operations")
    a, b = program.load("x", 0), program.load("x", 1)
    results = [a + b, a - b, a * b, a / b, -a, (a * a).sqrt(), a.sin(), a.cos()]
    results += [program._block().graph.select(a < b, a, b), program._block().graph.select(a > b, 1.0, -2.5)]
    for k, value in enumerate(results):
        program.store("y", 0, k, value)
    y = np.zeros(len(results))
    run(program, backend, {"x": np.array([0.3, -1.7]), "y": y})
    expected = [-1.4, 2.0, -0.51, 0.3 / -1.7, -0.3, 0.3, np.sin(0.3), np.cos(0.3), -1.7, 1.0]
    assert y == pytest.approx(expected, rel=4e-16)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_value_becomes_nan_or_infinite_not_an_error(backend, run):
    program = Program("limits")
    x, zero = program.load("x", 0), program.load("x", 1)
    for k, value in enumerate([x / zero, -x / zero, zero / zero, (-x).sqrt(), (x / zero).sin(), (x / zero).cos()]):
        program.store("y", 0, k, value)
    y = np.zeros(6)
    run(program, backend, {"x": np.array([1.0, 0.0]), "y": y})
    assert np.array_equal(y, [np.inf, -np.inf, np.nan, np.nan, np.nan, np.nan], equal_nan=True)


def test_a_block_reads_back_what_it_wrote():
    program = Program("forward")
    program.store("x", 0, 3, 2.0)
    assert program.load("x", 0, 3) == 2.0
    value = program.load("x", 0, 4) * 3.0
    program.store("x", 0, 4, value)
    again = program.load("x", 0, 4)
    assert again.position == value.position


def test_a_store_waits_for_its_value_and_for_the_reading_of_its_place():
    program = Program("swap")
    a, b = program.load("x", 0, 0), program.load("x", 0, 1)
    program.store("x", 0, 0, b)
    program.store("x", 0, 1, a)
    (block,) = program.body
    assert isinstance(block, Block)
    steps = list(block.steps())
    assert [places for _, places in steps] == [[], [("x", None, 0), ("x", None, 1)]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_swap(backend, run):
    program = Program("swap")
    a, b = program.load("x", 0, 0), program.load("x", 0, 1)
    program.store("x", 0, 0, b)
    program.store("x", 0, 1, a)
    x = np.array([1.0, 2.0])
    run(program, backend, {"x": x})
    assert np.array_equal(x, [2.0, 1.0])


def test_values_do_not_cross_from_block_to_block():
    program = Program("scopes")
    outside = program.load("x", 0)
    with program.loop(0, 3), pytest.raises(ValueError, match="another graph"):
        program.load("x", 1) + outside


def test_arguments_are_what_the_program_mentions():
    program = Program("arguments")
    with program.loop(0, program.count("n")) as i:
        program.store("y", program.entry("order", i), 0, program.load("x", i))
    assert (program.arrays, program.tables, program.counts) == (["x", "y"], ["order"], ["n"])


def test_a_place_that_is_computed_twice_is_one_place():
    """Else a number that is read could be the one that stood there before, or the one that was written."""
    program = Program("twice")
    with program.loop(0, program.count("n")) as k:
        program.store("x", k * program.count("width") + 1, 0, 2.0)
        again = k * program.count("width") + 1
        assert program.load("x", again, 0) == program.load("x", k * program.count("width"), 1) == 2.0
        cases = []
        for case in program.switch(program.entry("kinds", k), [0, 1]):
            assert k * program.count("width") + 1 is again
            cases.append(k - 3)
            assert k - 3 is cases[-1]
            program.store("y", cases[-1], case, 1.0)
        assert cases[0] is not cases[1]  # of two cases one alone is computed
        assert k - 3 not in cases
    with program.loop(0, 2) as k:
        assert k * program.count("width") is not again


def test_what_is_read_from_a_table_twice_is_read_twice():
    """It may have been written in between."""
    program = Program("twice")
    first = program.entry("places", 0)
    program.put("places", 0, first + 1)
    assert program.entry("places", 0) is not first
