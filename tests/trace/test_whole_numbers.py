"""Programs that write whole numbers: lists that are found at run time, sorted, counted, walked through."""

import numpy as np
import pytest

from rbdkit.trace import Lanes, Program, executable

BACKENDS = ("python", "llvm", "wasm")


def room(n: int) -> np.ndarray:
    return np.zeros(n, dtype=np.int64)


def compaction() -> Program:
    """Where x is positive, to "chosen", and how many these are, to "count"; what they add up to, to "sum"."""
    program = Program("compaction")
    program.put("count", 0, 0)
    with program.loop(0, program.count("n")) as i:
        program.store("taken", 0, 0, 1.0)
        with program.loop(0, 1):
            program.break_if(program.load("x", i) <= 0.0)
            k = program.entry("count", 0)
            program.put("chosen", k, i)
            program.put("count", 0, k + 1)
    with program.loop(0, program.entry("count", 0)) as k:
        i = program.entry("chosen", k)
        program.store("sum", 0, 0, program.load("sum", 0) + program.load("x", i))
    return program


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_list_of_what_is_found_and_a_loop_over_it(backend, seed, run):
    x = np.random.default_rng(seed).normal(size=40) - 3.0 * (seed == 2)  # the last one finds next to nothing
    arrays, tables = {"x": x, "taken": np.zeros(1), "sum": np.zeros(1)}, {"chosen": room(40), "count": room(1)}
    run(compaction(), backend, arrays, tables, n=40)
    chosen = np.flatnonzero(x > 0.0)
    assert tables["count"][0] == len(chosen)
    assert tables["chosen"][: len(chosen)].tolist() == chosen.tolist()
    assert arrays["sum"][0] == sum(x[chosen])


def insertion_sort() -> Program:
    """Sorts "order" by the numbers that its entries stand for: an inner loop that is left where a place is found."""
    program = Program("sort")
    with program.loop(1, program.count("n")) as i:
        own = program.entry("order", i)
        program.put("place", 0, i)
        with program.loop(i - 1, -1, -1) as j:
            other = program.entry("order", j)
            program.break_if(program.load("x", other) <= program.load("x", own))
            program.put("order", j + 1, other)
            program.put("place", 0, j)
        program.put("order", program.entry("place", 0), own)
    return program


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_loop_that_is_left_keeps_the_whole_numbers_written_so_far(backend, run):
    x = np.random.default_rng(0).normal(size=50)
    order = np.arange(50)
    run(insertion_sort(), backend, {"x": x}, {"order": order, "place": room(1)}, n=50)
    assert order.tolist() == np.argsort(x).tolist()


def cells() -> Program:
    """Sorts points into cells of length 1 by counting: who is in cell c stands from first[c] to first[c + 1]."""
    program = Program("cells")
    n, m = program.count("n"), program.count("cells")
    with program.loop(0, m + 1) as c:
        program.put("first", c, 0)
    with program.loop(0, n) as i:
        after = program.truncated("x", i) + 1
        program.put("first", after, program.entry("first", after) + 1)
    with program.loop(0, m) as c:
        program.put("first", c + 1, program.entry("first", c) + program.entry("first", c + 1))
    with program.loop(0, m) as c:
        program.put("next", c, program.entry("first", c))
    with program.loop(0, n) as i:
        c = program.truncated("x", i)
        k = program.entry("next", c)
        program.put("inside", k, i)
        program.put("next", c, k + 1)
    return program


@pytest.mark.parametrize("backend", BACKENDS)
def test_places_computed_from_numbers(backend, run):
    x = np.random.default_rng(1).uniform(0.0, 7.0, size=60)
    first, inside = room(8), room(60)
    run(cells(), backend, {"x": x}, {"first": first, "next": room(7), "inside": inside}, n=60, cells=7)
    cell = np.floor(x).astype(int)
    assert first.tolist() == np.cumsum([0, *np.bincount(cell, minlength=7)]).tolist()
    assert inside.tolist() == np.argsort(cell, kind="stable").tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_without_its_fraction_whatever_it_is(backend, run):
    program = Program("truncated")
    with program.loop(0, program.count("n")) as i:
        program.store("y", i, 0, 0.25 * program.load("x", i))
        program.put("whole", i, program.truncated("y", i))  # after the store
    x = 4.0 * np.array([0.0, 0.9, -0.9, 2.5, -7.5, 1e9, 3e9, -1e300, np.inf, -np.inf, np.nan])
    whole = room(len(x))
    run(program, backend, {"x": x, "y": np.zeros(len(x))}, {"whole": whole}, n=len(x))
    largest = 2**31 - 1
    assert whole.tolist() == [0, 0, 0, 2, -7, 10**9, largest, -largest, largest, -largest, 0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_runs_where_one_whole_number_is_less(backend, run):
    program = Program("less")
    with program.loop(0, 4) as i, program.loop(0, 4) as j, program.when_less(i, j):
        place = i * 4 + j
        program.store("x", place, 0, program.load("x", place) + 1.0)
    x = np.zeros((4, 4))
    run(program, backend, {"x": x})
    assert np.array_equal(x, np.triu(np.ones((4, 4)), 1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_entry_is_what_stood_there_when_it_was_asked_for(backend, run):
    program = Program("entries")
    before = program.entry("t", 0)
    program.put("t", 0, before + 5)
    after = program.entry("t", 0)
    program.put("t", 1, before)
    program.put("t", 2, after)
    table = np.array([3, 0, 0])
    run(program, backend, {}, {"t": table})
    assert table.tolist() == [8, 3, 8]


def test_code_that_runs_again_goes_on_with_what_it_wrote():
    program = Program("again")
    program.put("t", 0, program.entry("t", 0) + 1)
    for backend in ("python", "llvm"):
        table = room(1)
        again = executable(program, backend).bind({"t": table}, {})
        again()
        again()
        assert table[0] == 2
        executable(program, backend).binder({}, {"t": 1}, {})({}, {})()  # in room of its own


def test_several_states_at_once_share_whole_numbers_and_write_none():
    program = Program("lanes", Lanes(4))
    with pytest.raises(ValueError, match="share table 't'"):
        program.put("t", 0, 1)
    with pytest.raises(ValueError, match="of array 'x' may differ"):
        program.truncated("x", 0)


def test_a_wide_loop_writes_no_tables():
    program = Program("wide")
    with program.loop(0, 8, wide=True) as i, pytest.raises(ValueError, match="writes no tables"):
        program.put("t", i, i)
