"""Lanes that each have an array of their own: numbers are read by fours where neighbours are asked for."""

import numpy as np
import pytest

from rbdkit.trace import Apart, Lanes, Program, executable, llvm_source


def weighted(places: list[int], width: int, row: int) -> Program:
    """The sum of k-th powers of some numbers in a row, and these themselves turned round, for each of some states."""
    program = Program("weighted", Lanes(width, apart=frozenset({"x", "y"})))
    with program.loop(0, program.count("states")) as state:
        here, there = state * (row * width), state * width
        total = 0.0
        for k, place in enumerate(places, start=1):
            x = program.load("x", here, place)
            for _ in range(k - 1):
                x = x * program.load("x", here, place)
            total = total + x
        program.store("y", there, 0, total)
    return program


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize(
    "places",
    [[0], [2, 0, 1], [0, 1, 2, 3], [4, 3, 2, 1, 0], [*range(7)], [0, 1, 2, 3, 5, 6, 8, 9, 10, 11], [9, 0, 5]],
    ids=str,
)  # fmt: skip
def test_each_lane_reads_its_own_row(places, width):
    row, states = max(places) + 1, 3
    rng = np.random.default_rng(row)
    rows, y = rng.normal(size=(states * width, row)), np.zeros((states * width, 1))
    program = weighted(places, width, row)
    lanes = np.arange(width)
    given = {"x": Apart(width).point(rows, lanes, width), "y": Apart(width).point(y, lanes, width)}
    executable(program, "llvm").bind(given, {"states": states})()
    expected = sum(rows[:, place] ** k for k, place in enumerate(places, start=1))
    assert y[:, 0] == pytest.approx(expected, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    ("places", "by_fours", "alone"),
    [([0, 1, 2], 0, 3), ([0, 1, 2, 3], 1, 0), (list(range(7)), 2, 0), ([0, 1, 2, 3, 9], 1, 1), ([5, 7, 6, 8], 1, 0)],
    ids=str,
)
def test_neighbours_are_read_by_fours(places, by_fours, alone):
    """For each lane one read of four, and nothing of what was not asked for."""
    source = llvm_source(weighted(places, 4, 10))
    assert source.count("load <4 x double>") == 4 * by_fours
    assert source.count("load double") == 4 * alone
