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
