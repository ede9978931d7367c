"""What becomes of each line of the assignment-statement file."""

from collections import Counter

import numpy as np
import pytest

from rbdkit.costs import assignments
from rbdkit.trace import trace

S, I = np.array([0.0, 0.0, 1.0]), np.diag([1.5, 1.6, 1.7])


def raw(function, *shapes):
    return trace(function, *shapes, names=["v"], simplify=False)


@pytest.mark.source("F10.09", "F10.10")
def test_table_10_3():
    lines = assignments(raw(lambda v: S @ np.cross(v, I @ v), 3))
    assert len(lines) == 29
    assert Counter(line.fate for line in lines) == {"constant": 10, "copy": 7, "unused": 7, "kept": 5}
    kept = [str(line) for line in lines if line.fate == "kept"]
    assert kept[:2] == ["t1 = 1.5 * v[0]", "t7 = 1.6 * v[1]"]
    assert kept[2:] == ["t22 = v[0] * t10", "t23 = v[1] * t5", "t24 = t22 - t23"]
    by_name = {line.name: line for line in lines}
    assert (by_name["t10"].value, by_name["t5"].value, by_name["t29"].value) == ("t7", "t1", "t24")
    assert "1.7" in str(by_name["t14"]) and by_name["t14"].fate == "unused"  # I33 does not matter


@pytest.mark.source("F10.09")
@pytest.mark.parametrize("axis", [S, np.array([0.6, 0.0, 0.8])])
def test_lines_executed_as_written_give_the_value(axis):
    function = lambda v: axis @ np.cross(v, I @ v)  # noqa: E731
    v = np.array([0.4, -1.2, 0.7])
    scope = {"v": v}
    lines = assignments(raw(function, 3))
    for line in lines:
        scope[line.name] = eval(line.expression, scope)
    assert scope[lines[-1].name] == pytest.approx(function(v), rel=1e-15)
    for line in lines:  # and what stands for a line has its value
        assert eval(line.value, scope) == pytest.approx(scope[line.name], rel=1e-15)


def test_kept_lines_are_what_the_simplified_trace_computes():
    """Numbers too: 0.5 x is of no use when only its 0.5 is, to another line."""
    rng = np.random.default_rng(0)
    for seed in range(25):
        M = np.where(rng.uniform(size=(4, 4)) < 0.5, 0.0, rng.choice([1.0, -2.0, 0.5], (4, 4)))
        traced = raw(lambda v, M=M: (M @ v) * (v @ M) + M @ (M @ v), 4)
        kept = sum(line.fate == "kept" and " " in line.expression for line in assignments(traced))
        assert kept <= traced.operations().total, seed
        assert kept == traced.simplified().operations().total


def test_repeated_lines():
    lines = assignments(raw(lambda v: v[0] * v[1] + v[1] * v[0], 2))
    assert [line.fate for line in lines] == ["kept", "repeated", "kept"]
    assert lines[1].value == "t1"


def test_lines_of_functions_and_signs_can_be_executed():
    function = lambda v: -np.sin(v[0]) * np.sqrt(v[1]) - np.cos(-v[0])  # noqa: E731
    v = np.array([0.4, 1.2])
    scope = {"v": v, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt}
    for line in (lines := assignments(raw(function, 2))):
        scope[line.name] = eval(line.expression, scope)
    assert scope[lines[-1].name] == pytest.approx(function(v), rel=1e-15)
    assert sorted(line.expression for line in lines)[:2] == ["-t1", "-v[0]"]
