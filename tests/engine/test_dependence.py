"""Rows that say something of their own: programs choose those that the readable form chooses."""

import numpy as np
import pytest

from rbdkit.engine.rows.elimination import Elimination
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.model.closing.rank import PREFERENCE, taken_rows
from rbdkit.trace import Program

M = 7


@pytest.mark.parametrize("rank", [1, 3, 5, M])
def test_rows_that_say_most_are_taken_first(rank, run):
    """Of rows in a space of fewer dimensions; each row is the best one of some of these."""
    program = Program("choose")
    Elimination(LoopTree(program, []))._choose("answers", "row_size", 1e-8)
    rng, best = np.random.default_rng(rank), set()
    for _ in range(20):
        rows = rng.normal(size=(M, rank)) * rng.uniform(0.2, 2.0, (M, 1))
        Lambda, size = rows @ rows.T, rng.uniform(0.5, 2.0, M)
        says, _ = taken_rows(Lambda, size, 1e-8)
        later = 1.0 + PREFERENCE * np.arange(M)
        arrays = {
            "answers": np.triu(Lambda).ravel(),
            "row_taken": np.zeros(M),
            "row_number": np.arange(M, dtype=float),
            "row_bar": np.zeros(1),
            "row_size": size,
            "row_later": later,
            "pivot": np.zeros(4),
            "row_column": np.zeros(M),
            "factor": np.zeros(1),
        }
        run(program, "python", arrays, n_rows=M, K_row=M, n=0, nq=0, nv=0)
        assert np.count_nonzero(says) == rank
        np.testing.assert_array_equal(arrays["row_taken"] > 0.5, says > 0.0)
        best.add(int(np.argmax(np.diag(Lambda) / size / later)))
    assert len(best) > 3 and 0 in best
