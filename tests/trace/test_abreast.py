"""Programs in which parts that are alike are computed side by side: they compute what they did one after the other."""

import numpy as np
import pytest

from rbdkit.trace import WOVEN, Program, cos, executable, select, side_by_side, sin, straightened
from rbdkit.trace.program import Block, Loop

OWN = {"work", "far", "sum", "large"}


def limbs(n: int, seldom_above: float) -> Program:
    """Each part has three numbers of its own, one that all share acts on it, and all add up to that; what seldom runs
    goes by numbers that the program computes."""
    program = Program("limbs")
    with program.loop(0, program.count("steps")):
        with program.loop(0, n) as i:
            here = i * 3
            x, y, z = (program.load("x", here, k) for k in range(3))
            m, shared = program.load("mass", i), program.load("shared", 0)
            program.store("work", here, 0, sin(x) * m + cos(x) * shared)
            program.store("work", here, 1, (y * y + 1.0) / m - shared * z)
            program.store("work", here, 2, select(x < y, z * m, m * y) + 0.25)
        program.store("sum", 0, 0, 0.0)
        with program.loop(0, n) as i:
            place = i * 3
            a, b = (program.load("work", place, k) for k in range(2))
            program.store("sum", 0, 0, program.load("sum", 0) + a * b)
        program.store("large", 0, 0, select(program.load("sum", 0) > seldom_above, 1.0, 0.0))
        with program.when("large", 0, seldom=True), program.loop(0, 3 * n) as k:
            program.store("work", k, 0, 0.5 * program.load("work", k))
        with program.loop(0, n) as i:
            here = i * 3
            for k in range(3):
                change = program.load("work", here, k) - 0.1 * program.load("sum", 0)
                program.store("far", here, k, change * program.load("mass", i))
            for k in range(3):
                program.store("x", here, k, program.load("x", here, k) + 0.01 * program.load("far", here, k))
        program.store("shared", 0, 0, program.load("shared", 0) - 0.001 * program.load("sum", 0))
    return program


def image(n):
    """The same number of the next part."""
    return lambda array, k: (k + {"x": 3, "work": 3, "far": 3, "mass": 1}[array]) % (
        n if array == "mass" else 3 * n
    ) if array in ("x", "work", "far", "mass") else k  # fmt: skip


def written(n, seldom_above=np.inf) -> Program:
    return straightened(limbs(n, seldom_above), {}, {}, {}, OWN)


def outcome(program: Program, n: int, woven: int, steps: int = 20) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    arrays = {"x": rng.normal(size=3 * n), "mass": rng.uniform(1.0, 2.0, n), "shared": np.array([0.3]),
              "work": np.zeros(3 * n), "far": np.zeros(3 * n), "sum": np.zeros(1), "large": np.zeros(1),
              WOVEN: np.zeros(woven)}  # fmt: skip
    executable(program, "llvm").bind(arrays, {"steps": steps})()
    return {name: arrays[name] for name in ("x", "shared")}


def packed(program: Program) -> list[int]:
    """How many packs there are in each block that has some."""

    def of(body):
        for part in body:
            if isinstance(part, Block) and part.packs:
                yield len(part.packs)
            elif isinstance(part, Loop):
                yield from of(part.body)

    return list(of(program.body))


@pytest.mark.parametrize("seldom_above", [np.inf, 1.0, -np.inf])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 11])
def test_the_same_is_computed(n, seldom_above):
    expected = outcome(written(n, seldom_above), n, 0)
    program = written(n, seldom_above)
    found = outcome(program, n, side_by_side(program, image(n), n, OWN))
    assert len(packed(program)) == 2 and sum(packed(program)) >= 30
    # the same operations; which products are rounded before they are added may differ
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=1e-13, abs=1e-14)


def test_the_branch_that_seldom_runs_matters():
    assert outcome(written(5, -np.inf), 5, 0)["x"] != pytest.approx(outcome(written(5), 5, 0)["x"], rel=1e-3)


def test_what_corresponds_to_nothing_stays_by_itself():
    program = written(6)
    assert side_by_side(program, lambda array, k: k, 6, OWN) == 0
    assert packed(program) == []


@pytest.mark.parametrize("shift", [1, 2, 4])
def test_wrong_words_about_places_cost_packs_alone(shift):
    """Places that are said to correspond and do not: no number changes."""
    expected, program = outcome(written(6), 6, 0), written(6)
    size = side_by_side(program, lambda array, k: (k + shift) % 18 if array in ("x", "work") else k, 18 // shift, OWN)
    found = outcome(program, 6, size)
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=1e-13, abs=1e-14)


def test_parts_that_differ_in_one_number_are_not_mixed_up():
    """A number that is known of one part alone leaves its code different, and the others' packs are gone: all is as it
    was."""
    known = {("mass", 2): 1.0}
    plain = straightened(limbs(6, np.inf), {}, {}, known, OWN)
    expected, program = outcome(plain, 6, 0), straightened(limbs(6, np.inf), {}, {}, known, OWN)
    found = outcome(program, 6, side_by_side(program, image(6), 6, OWN))
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=1e-13, abs=1e-14)
