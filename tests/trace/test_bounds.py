"""Programs that stay inside their arrays, and others: what the proof says of each, and what happens when it runs."""

import numpy as np
import pytest

from rbdkit.trace import Program, compile_python, python_source
from rbdkit.trace.bounds import OutOfBoundsError, require_bounds
from rbdkit.trace.program import LARGEST_WHOLE

TABLE = np.array([3, 0, 2])


def plain(program):
    program.store("y", 0, 2, program.load("x", 0, 4))


def in_a_loop(program, last=5):
    with program.loop(0, last) as k:
        program.store("y", 0, 0, program.load("x", k))


def backwards(program, last=-1):
    with program.loop(4, last, -1) as k:
        program.store("y", 0, 0, program.load("x", k))


def in_rows(program, width=2):
    with program.loop(0, 2) as i, program.loop(0, 2) as j:
        program.store("y", 0, 0, program.load("x", i * width + j))


def triangle(program, extra=0):
    with program.loop(0, 3) as i, program.loop(i + 1, 3 + extra) as j:
        program.store("y", j, 0, program.load("x", i))


def by_table(program, extra=0):
    with program.loop(0, 3) as k:
        program.store("y", 0, 0, program.load("x", program.entry("table", k), 1 + extra))


def of_a_count(program, extra=0):
    with program.loop(0, program.count("n")) as k:
        program.store("y", 0, 0, program.load("x", k + extra))


def by_case(program, extra=0):
    with program.loop(0, 3) as k:
        on = program.entry("table", k)
        for case in program.switch(on, [0, 2, 3]):
            program.store("y", 0, 0, program.load("x", on, 4 - case + extra))


def when_less(program, extra=0):
    with program.loop(0, 5) as k, program.when_less(k, 3):
        program.store("y", k, extra, 1.0)


SHAPES = [
    (plain, [], []), (in_a_loop, [5], [6]), (backwards, [-1], [-2]), (in_rows, [2], [4]), (triangle, [0], [1]),
    (by_table, [0], [1]), (of_a_count, [0], [1]), (by_case, [0], [1]), (when_less, [0], [1]),
]  # fmt: skip


def proved(program, **counts):
    require_bounds(program, {"x": 5, "y": 3}, {"table": TABLE}, counts or {"n": (0, 5)})


def walked(program):
    """The same in Python, which looks at every index; a list would take -1."""

    class Checked(list):
        def __getitem__(self, k):
            assert 0 <= k < len(self)
            return super().__getitem__(k)

        def __setitem__(self, k, value):
            assert 0 <= k < len(self)
            super().__setitem__(k, value)

    given = {"x": Checked([1.0] * 5), "y": Checked([0.0] * 3), "table": Checked(TABLE.tolist()), "n": 5}
    run = compile_python(python_source(program), program.name)
    run(*(given[name] for name in (*program.arrays, *program.tables, *program.counts)))


@pytest.mark.parametrize(("write", "fits", "does_not"), SHAPES)
def test_what_fits_is_proved_and_what_does_not_is_refused(write, fits, does_not):
    """The Python form of the same program says so, too."""
    good, bad = Program("good"), Program("bad")
    write(good, *fits)
    proved(good)
    walked(good)
    if does_not:
        write(bad, *does_not)
        with pytest.raises(OutOfBoundsError, match=r"[xy]\[.*numbers"):
            proved(bad)
        with pytest.raises(AssertionError):
            walked(bad)


def test_what_cannot_be_known_is_refused():
    truncated, put, count, array = (Program(name) for name in ("truncated", "put", "count", "array"))
    truncated.store("y", truncated.truncated("x", 0), 0, 1.0)
    with pytest.raises(OutOfBoundsError, match="numbers of a state decide"):
        proved(truncated)
    put.put("table", 0, 1)
    with pytest.raises(OutOfBoundsError, match="'table'"):
        proved(put)
    count.store("y", count.count("m"), 0, 1.0)
    with pytest.raises(OutOfBoundsError, match=r"count 'm'.*'n'"):
        proved(count)
    array.store("z", 0, 0, 1.0)
    with pytest.raises(OutOfBoundsError, match=r"array 'z'.*'x', 'y'"):
        proved(array)
    with pytest.raises(OutOfBoundsError, match="of a state"):
        far = Program("far")
        far.store("y", far.count("n"), 0, 1.0)
        proved(far, n=(0, LARGEST_WHOLE))
