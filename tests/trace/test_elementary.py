"""Sine and cosine of compiled code against mpmath."""

import mpmath
import numpy as np
import pytest

from rbdkit.trace.emit.elementary import sine_cosine, sine_cosine_graph
from rbdkit.trace.program import Program
from rbdkit.trace.run.backend import executable
from rbdkit.trace.tracing import trace


def compiled(x: np.ndarray) -> np.ndarray:
    program = Program("angles")
    with program.loop(0, program.count("n")) as i:
        angle = program.load("x", i)
        program.store("s", i, 0, angle.sin())
        program.store("c", i, 0, angle.cos())
    s, c = np.zeros_like(x), np.zeros_like(x)
    executable(program, "llvm").bind({"x": x, "s": s, "c": c}, {"n": len(x)})()
    return np.array([s, c])


def without_fused_operations(x: np.ndarray) -> np.ndarray:
    f = trace(lambda x: sine_cosine(x, fused=False), ())
    return np.array([f(float(angle)) for angle in x], dtype=float).T


def error_in_ulp(found: np.ndarray, x: np.ndarray) -> float:
    with mpmath.workdps(50):
        exact = [[f(mpmath.mpf(float(angle))) for angle in x] for f in (mpmath.sin, mpmath.cos)]
        return max(
            float(abs(mpmath.mpf(float(a)) - b) / np.spacing(abs(float(b))))
            for row, exact_row in zip(found, exact, strict=True)
            for a, b in zip(row, exact_row, strict=True)
        )


def angles(largest: float, n: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    near_quarter_turns = np.pi / 2 * rng.integers(-1000, 1000, n // 4) + rng.normal(size=n // 4) * 1e-9
    return np.concatenate([rng.uniform(-largest, largest, n // 4), near_quarter_turns, rng.normal(size=n // 2)])


def test_compiled_code_is_good_to_the_last_digit_up_to_a_thousand_million_radians():
    x = angles(1e9, 800)
    assert error_in_ulp(compiled(x), x) < 1.6


def test_the_form_for_processors_without_fused_operations_is_as_good_up_to_a_hundred_thousand_radians():
    x = angles(1e5, 400)
    assert error_in_ulp(without_fused_operations(x), x) < 1.6


@pytest.mark.parametrize("f", [compiled, without_fused_operations])
def test_small_angles_and_signs(f):
    x = np.array([0.0, 1e-300, -1e-300, 1e-8, -1e-8, 0.5, -0.5])
    s, c = f(x)
    assert np.array_equal(s, np.sin(x)) and np.array_equal(c, np.cos(x))


@pytest.mark.parametrize("fused", [False, True])
def test_nothing_is_selected_which_could_become_a_branch(fused):
    graph, *results = sine_cosine_graph(fused)
    assert "select" not in {graph.nodes[k][0] for k in graph.live(results)}


@pytest.mark.parametrize("f", [compiled, without_fused_operations])
def test_angles_that_numbers_do_not_tell_are_loud(f):
    """Quarter turns beyond 2**53 cannot be counted: what comes then is huge or no number, never like a sine."""
    x = np.random.default_rng(3).choice([-1.0, 1.0], 4000) * 10.0 ** np.linspace(20.0, 300.0, 4000)
    with np.errstate(all="ignore"):
        s, c = f(x)
        assert not (s * s + c * c < 1e3).any()
