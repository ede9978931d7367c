"""Loops whose iterations are done several at a time give what single steps give, in every backend."""

import numpy as np
import pytest

from rbdkit.trace.emit import llvm_source
from rbdkit.trace.program import WIDE, Program
from rbdkit.trace.run.backend import executable


def scaled_rows(wide: bool) -> Program:
    """y[row + k] = a x[k] + y[row + k] - b[row], for k in a range that starts at `first`."""
    program = Program("scaled_rows")
    row = program.count("row")
    with program.loop(program.count("first"), program.count("stop"), wide=wide) as k:
        place = row + k
        x, y = program.load("x", k), program.load("y", place)
        b = program.load("b", row) + program.load("b", 0, 1)  # these do not go with k
        program.store("y", place, 0, program.load("a", 0) * x + y - b)
    return program


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_wide_and_narrow_agree(backend, steps):
    rng = np.random.default_rng(steps)
    length, results = WIDE * steps + 7, []
    x, y, b, a = rng.normal(size=length), rng.normal(size=length + 5), rng.normal(size=length), np.array([1.7])
    for wide in (False, True):
        own = y.copy()
        arrays = {"x": x, "y": own, "b": b, "a": a}
        executable(scaled_rows(wide), backend).bind(arrays, {"row": 5, "first": 2, "stop": 2 + WIDE * steps})()
        results.append(own)
    assert np.array_equal(*results)  # the same operations on the same numbers
    inside = slice(7, 7 + WIDE * steps)
    assert (
        np.abs(results[1][inside] - (1.7 * x[2 : 2 + WIDE * steps] + y[inside] - b[5] - b[1])).max(initial=0.0) < 1e-14
    )
    results[1][inside] = y[inside]
    assert np.array_equal(results[1], y)  # and nothing else is written


def test_wide_code_is_wide():
    assert f"<{WIDE} x double>" in llvm_source(scaled_rows(True))
    assert f"<{WIDE} x double>" not in llvm_source(scaled_rows(False))
    assert "extractelement" not in llvm_source(scaled_rows(True))  # what stands side by side is taken so
    assert "extractelement" in llvm_source(scattered(True))


def scattered(wide: bool, at_once: int = 4) -> Program:
    """y[to[k]] = a[origin[k]] x[3 k + 1] + x[m - k] + w[u], u = a[5 + k] without its fraction, k in n rows."""
    program = Program("scattered")
    with program.loop(0, program.count("n")) as row:
        first = row * at_once
        with program.loop(0, at_once, wide=wide, at_once=at_once) as lane:
            k = first + lane
            target, source = program.entry("to", k), program.entry("origin", k)
            u = program.truncated("a", k + 5)
            a, w = program.load("a", source), program.load("w", u)
            x = program.load("x", k * 3, 1), program.load("x", program.count("m") - k)
            program.store("y", target, 0, a * x[0] + x[1] + w)
            program.store("z", k + first, 0, program.load("a", source, 1))
    return program


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("at_once", [2, 4])
def test_places_all_over_arrays(backend, at_once):
    """Read from tables, computed from the counter, and truncated: each iteration has its own."""
    rng, n = np.random.default_rng(2), 3
    total, results = n * at_once, []
    to, source = rng.permutation(total), rng.integers(0, 5, total)
    x, w, a = rng.normal(size=3 * total + 2), rng.normal(size=4), np.concatenate([rng.normal(size=5), np.zeros(total)])
    a[5:] = rng.integers(0, 4, total) + 0.3
    for wide in (False, True):
        arrays = {"x": x, "y": np.zeros(total), "z": np.zeros(2 * total), "w": w, "a": a, "to": to, "origin": source}
        executable(scattered(wide, at_once), backend).bind(arrays, {"n": n, "m": total})()
        results.append((arrays["y"], arrays["z"]))
    for narrow, at in zip(*results, strict=True):
        assert np.array_equal(narrow, at)
    k = np.arange(total)
    expected = np.zeros(total)
    expected[to] = a[source] * x[3 * k + 1] + x[total - k] + w[a[5:].astype(int)]
    assert np.abs(results[1][0] - expected).max() < 1e-14  # fused or not
    assert np.array_equal(results[1][1][k + k // at_once * at_once], a[source + 1])


def test_code_of_such_loops_is_as_wide_as_asked():
    assert "<4 x double>" in llvm_source(scattered(True)) and "<2 x double>" in llvm_source(scattered(True, 2))
    assert "x double>" not in llvm_source(scattered(False))


def test_ways_that_part_are_refused():
    """Iterations that are done at once have one counter of a loop, one case of a switch, and places of their own."""
    for part in ("switch", "loop", "store"):
        program = Program("parted")
        with program.loop(0, 4, wide=True, at_once=4) as lane:
            entry = program.entry("table", lane)
            if part == "switch":
                for case in program.switch(entry, [0, 1]):
                    program.store("y", lane, 0, float(case))
            elif part == "loop":
                with program.loop(0, entry):
                    program.store("y", lane, 0, 1.0)
            else:
                program.store("y", 3, 0, program.load("x", lane))
        with pytest.raises(ValueError, match="wide loop"):
            llvm_source(program)


@pytest.mark.parametrize("backend", ["python", "llvm"])
def test_what_all_iterations_read_is_read_before(backend):
    """Unless it is written in the loop, or found there; and not where the loop does not run: that may be no place."""
    program = Program("read_before")
    with program.loop(0, program.count("rows")) as row, program.loop(0, program.count("columns"), wide=True) as k:
        fixed, own = program.load("a", row * 1000), program.load("a", program.entry("table", k))
        program.store("y", k, 0, program.load("y", k) + fixed * own)
    rows = 3
    for columns in (0, WIDE, 2 * WIDE):
        rng = np.random.default_rng(columns)
        a = rng.normal(size=1000 * (rows - 1) + 1 if columns else 1)
        y, table = rng.normal(size=2 * WIDE), np.arange(2 * WIDE) % len(a)
        found = y.copy()
        arrays = {"a": a, "y": found, "table": table}
        executable(program, backend).bind(arrays, {"rows": rows, "columns": columns})()
        y[:columns] += sum(a[1000 * row] for row in range(rows) if columns) * a[table[:columns]]
        assert np.abs(found - y).max() < 1e-13
    source = llvm_source(program)
    assert source.index("shufflevector") < source.index(f"load <{WIDE} x double>")


def test_what_is_written_in_a_wide_loop_is_read_anew():
    program = Program("read_anew")
    with program.loop(0, program.count("n"), wide=True) as k:
        with program.loop(0, 1):
            program.store("x", k, 0, program.load("x", k) + 1.0)
        program.store("y", k, 0, program.load("x", 3))
    for backend in ("python", "llvm"):
        x, y = np.zeros(WIDE), np.zeros(WIDE)
        executable(program, backend).bind({"x": x, "y": y}, {"n": WIDE})()
        assert y[3:].min() == 1.0 and y[-1] == 1.0
