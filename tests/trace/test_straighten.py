"""Programs written out for known counts and tables: what they compute stays what it was."""

import numpy as np
import pytest

from rbdkit.trace import Block, Lanes, Program, executable, select, straightened
from rbdkit.trace.program import Loop

TABLE = [2, 0, 3, 1]
KNOWN = {"n": 4, "rows": 8}


def mixture() -> Program:
    """Loops over tables, a switch, wide loops, conditions, an iteration that ends itself, and a loop over steps."""
    program = Program("mixture")
    n = program.count("n")
    with program.loop(0, program.count("steps")) as step:
        with program.loop(0, n) as i:
            k = program.entry("order", i)
            for case in program.switch(k, range(4)):
                x = program.load("x", k)
                program.store("work", k, 0, (x * x, x + 1.0, -x, program.load("given", k) * x)[case])
        with program.loop(0, program.count("rows"), wide=True) as r:
            program.store("row", r, 0, 0.0)
        with program.loop(0, n) as i:
            place = i * 2
            program.store("row", place, 0, program.load("work", i) + program.load("row", place))
        with program.loop(0, n) as i, program.when("given", i, spare=True):
            program.store("sum", 0, 0, program.load("sum", 0) + program.load("given", i) * program.load("work", i))
        program.store("root", 0, 0, abs(program.load("sum", 0)) + 1.0)
        with program.loop(0, 20):
            program.break_if(abs(program.load("root", 0) * program.load("root", 0) - 2.0) <= 1e-12)
            root = program.load("root", 0)
            program.store("root", 0, 0, 0.5 * (root + 2.0 / root))
        program.store("large", 0, 0, select(program.load("sum", 0) > 3.0, 1.0, 0.0))
        with program.when("large", 0, seldom=True), program.loop(0, n) as i:
            program.store("work", i, 0, -program.load("work", i))
        with program.loop(0, n) as i:
            source = i * 2
            x = program.load("root", 0) * program.load("work", i) + program.load("row", source)
            program.store("x", i, 0, 0.3 * x)
            place = step * n + i
            program.store("record", place, 0, program.load("x", i))
        program.leave_if(program.load("sum", 0) > 50.0)
    return program


def straight(program: Program) -> Program:
    numbers = {("given", 1): 0.0, ("given", 2): 1.0}
    return straightened(program, KNOWN, {"order": TABLE}, numbers, {"work", "row", "root", "large"})


def outcome(program: Program, backend: str, steps: int, given: np.ndarray) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(steps)
    arrays = {"x": rng.normal(size=4), "given": given, "sum": np.zeros(1), "record": np.zeros(4 * steps),
              "order": np.array(TABLE), **{name: np.zeros(8) for name in ("work", "row", "root", "large")}}  # fmt: skip
    executable(program, backend).bind(arrays, KNOWN | {"steps": steps})()
    return {name: arrays[name] for name in ("x", "sum", "record")}


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("steps", [0, 1, 7])
@pytest.mark.parametrize("pull", [0.7, 400.0])  # the last one makes it run the rare part, and leave early
def test_it_computes_the_same(backend, steps, pull):
    given = np.array([pull, 0.0, 1.0, 0.25])
    expected, found = (outcome(program, backend, steps, given) for program in (mixture(), straight(mixture())))
    for name, x in expected.items():
        np.testing.assert_allclose(found[name], x, rtol=1e-13, atol=1e-13, err_msg=name)  # fused otherwise
    if steps:
        assert np.abs(expected["x"]).max() > 0.0


def loops(body) -> int:
    return sum(1 + loops(statement.body) for statement in body if isinstance(statement, Loop))


def test_what_is_known_leaves_no_loop_and_what_is_never_read_no_store():
    program = straight(mixture())
    assert loops(program.body) == 4  # over steps, Newton's iteration, the rare part and its loop
    assert "order" not in program.tables
    assert program.counts == ["steps"]
    (steps,) = (statement for statement in program.body if isinstance(statement, Loop))
    blocks = [statement for statement in steps.body if isinstance(statement, Block)]
    stored = {place for block in blocks for place in block.stores}
    assert [place for place in range(8) if ("row", None, place) in stored] == [0, 2, 4, 6]
    assert ("root", None, 0) in stored


def test_a_store_at_a_computed_place_stays_behind_what_was_read_there():
    program = Program("swap")
    with program.loop(0, program.count("n")) as i:
        program.store("x", i, 0, program.load("x", i) + 1.0)
    at = program.entry("where", 0)
    program.store("x", at, 0, 5.0)
    with program.loop(0, program.count("n")) as i:
        program.store("y", i, 0, program.load("x", i))
    for known in ({}, {"where": [1]}):
        written = straightened(program, {"n": 3}, known, {}, frozenset())
        arrays = {"x": np.zeros(3), "y": np.zeros(3), "where": np.array([1])}
        executable(written, "llvm").bind(arrays, {"n": 3})()
        assert arrays["y"].tolist() == [1.0, 5.0, 1.0]


def test_numbers_that_a_loop_changes_are_not_taken_for_constants():
    program = Program("count")
    program.store("total", 0, 0, 0.0)
    with program.loop(0, program.count("steps")):
        program.store("total", 0, 0, program.load("total", 0) + 1.0)
    program.store("found", 0, 0, program.load("total", 0))
    arrays = {"total": np.zeros(1), "found": np.zeros(1)}
    executable(straightened(program, {}, {}, {}, {"total"}), "llvm").bind(arrays, {"steps": 6})()
    assert arrays["found"][0] == 6.0


def test_programs_for_lanes_and_those_that_write_tables_are_refused():
    with pytest.raises(ValueError, match="2 states at once"):
        straightened(Program("two", Lanes(2)), {}, {}, {}, frozenset())
    program = Program("writes")
    program.put("chosen", 0, 1)
    with pytest.raises(ValueError, match="writes table 'chosen'"):
        straightened(program, {}, {}, {}, frozenset())


def test_what_grows_too_long_is_left_as_it_is():
    written = straightened(mixture(), KNOWN, {"order": TABLE}, {}, frozenset(), 10_000)
    assert written is not None
    assert straightened(mixture(), KNOWN, {"order": TABLE}, {}, frozenset(), 50) is None


def exchange(rng: np.random.Generator, size: int) -> Program:
    """Sums and products of numbers drawn at random, which then take the places of the numbers they were made of."""
    program = Program("exchange")
    values = [program.load("x", 0, k) for k in range(8)]
    for _ in range(size):
        a, b, c = (values[k] for k in rng.integers(max(0, len(values) - 40), len(values), 3))
        values.append(a * b + c if rng.uniform() < 0.6 else select(a < b, c, 0.5 * a))
    for k, value in enumerate(rng.permutation(len(values))[:8]):
        program.store("x", 0, k, values[value])
    program.store("y", 0, 0, program.load("x", 0, 3))
    return program


def block_of(program: Program) -> Block:
    (block,) = (statement for statement in program.body if isinstance(statement, Block))
    return block


@pytest.mark.parametrize("seed", range(20))
def test_nodes_written_where_they_are_needed_give_the_same(seed):
    """To the last bit, though what is stored stands where other nodes still read."""
    given = np.random.default_rng(seed).uniform(-1.0, 1.0, 8)
    results = []
    for as_needed in (False, True):
        program = exchange(np.random.default_rng(seed), 300)
        block_of(program).as_needed = as_needed
        arrays = {"x": given.copy(), "y": np.zeros(1)}
        executable(program, "llvm").bind(arrays, {})()
        results.append(arrays)
    np.testing.assert_array_equal(results[0]["x"], results[1]["x"])
    np.testing.assert_array_equal(results[0]["y"], results[1]["y"])


@pytest.mark.parametrize("seed", range(5))
def test_no_node_is_written_before_what_it_needs_and_fewer_wait(seed):
    def most_waiting(block: Block) -> int:
        steps = [position for position, _ in block.steps()]
        at = {position: k for k, position in enumerate(steps)}
        assert len(at) == len(steps) and set(at) == set(block.graph.live(block.roots()))
        last = dict.fromkeys(block.roots(), len(steps))
        for position in steps:
            for operand in block.graph.operands(position):
                assert at[operand] < at[position]
                last[operand] = max(last.get(operand, 0), at[position])
        kept = block.graph.nodes
        ends = np.sort([last[position] for position in steps if kept[position][0] != "const"])
        begins = np.sort([at[position] for position in steps if kept[position][0] != "const"])
        return int((np.searchsorted(begins, begins, "right") - np.searchsorted(ends, begins, "left")).max())

    def tree() -> Block:
        """Sums of products, all the products first, as a loop that is written out leaves them."""
        program = Program("tree")
        leaves = [program.load("x", 0, k) * program.load("x", 0, k + 1) for k in range(63)]
        order = np.random.default_rng(seed).permutation(63)
        while len(leaves) > 1:
            leaves = [a + b for a, b in zip(leaves[::2], leaves[1::2], strict=False)] + leaves[len(leaves) & ~1 :]
        program.store("y", 0, int(order[0]), leaves[0])
        return block_of(program)

    block = tree()
    as_recorded = most_waiting(block)
    block.as_needed = True
    assert most_waiting(block) < as_recorded / 3


def test_large_blocks_are_written_as_they_are_needed():
    small, large = (straightened(exchange(np.random.default_rng(0), size), {}, {}, {}, set()) for size in (100, 9000))
    assert [block_of(program).as_needed for program in (small, large)] == [False, True]
