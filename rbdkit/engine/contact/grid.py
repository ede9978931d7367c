"""Shapes sorted into the cells of a grid, so that those near each other are found without a look at all pairs.

Cells are as wide as the farthest centres of two neighbours can be apart, so neighbours are in cells side by side. Cells
have no table of their own: a shape hangs in a chain of shapes whose cells have the same remainder, and keeps the
numbers of its cell. Pairs found are put in their order, which that of contacts depends on.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.vector3 import dot
from rbdkit.trace import LARGEST_WHOLE, Index, Program, Scalar, maximum, select, whole

WIDTH, WALK, BUCKET = range(3)
"""Places in "grid_state": how wide a cell is; the next shape of a chain, -1 after the last; and which chain it is."""
CELL = 3
"""From here on, the numbers of a cell."""
AROUND = np.array(list(product((-1.0, 0.0, 1.0), repeat=3)))
SPREAD = (1.0, 1031.0, 1048583.0)
"""What the numbers of a cell count in the sum whose remainder tells the chain."""
MANY = 16
"""Pairs for each shape of a kind, from which on a grid is worth it."""


def grid_arrays(pairs: NDArray, n_shapes: int, kinds: list[tuple[int, int, bool]]) -> tuple[dict[str, NDArray], list]:
    """Arrays by name, and of each kind the end of the rows that are looked through one by one.

    Parameters
    ----------
    pairs : (rows, 2) the shapes of each row. kinds : first row and end of each, and whether it has a half-space.
    """
    row_of = np.full((n_shapes, n_shapes), -1.0) if len(pairs) >= MANY * n_shapes else np.zeros((0, 0))
    ends, gridded = [], np.zeros(n_shapes)
    for first, end, flat in kinds:
        own = pairs[first:end]
        shapes = np.unique(own)
        once = len(np.unique(own, axis=0)) == len(own)
        if flat or not once or not row_of.size or len(own) < MANY * len(shapes):
            ends.append(end)
            continue
        row_of[own[:, 0], own[:, 1]] = np.arange(first, end)
        gridded[shapes] = 1.0
        ends.append(first)
    if not gridded.any():
        row_of, gridded = row_of[:0], gridded[:0]
    n = len(gridded)
    return {
        "pair_row": row_of.ravel() if n else np.zeros(1),
        "gridded": gridded if n else np.zeros(1),
        "grid_around": AROUND.ravel(),
        "grid_chains": np.array([2.0 * n + 1.0]),
    }, ends


def grid_room(n_shapes: int, n_pairs: int) -> dict[str, NDArray]:
    """What is computed in."""
    return {
        "grid_state": np.zeros(CELL + 3),
        "chain_first": np.zeros(2 * n_shapes + 1),
        "chain_next": np.zeros(n_shapes),
        "shape_cell": np.zeros(CELL * n_shapes),
        "shape_chain": np.zeros(n_shapes),
        "shape_numbers": np.arange(n_shapes, dtype=float),
        "near_rows": np.zeros(n_pairs),
    }


class Grid:
    """Finds pairs of shapes in "shapes_now" that are not farther apart than a number.

    names : of the kinds of pairs that may be found. Rows of each go from "first_NAME" to "end_NAME"; those up to
        "singly_NAME" are looked through one by one: all, or none. stride : numbers of a
    shape, of which the centre begins at 9 and its radius is the 13th.
    """

    def __init__(self, program: Program, names: list[tuple[int, str]], stride: int) -> None:
        self.program, self.names, self.stride = program, names, stride

    def record(self, reach: tuple[str, int]) -> None:
        """Add what is found to "near_pairs". reach : array and place of how far apart neighbours are."""
        program, n = self.program, self.program.count("n_gridded")
        program.store("grid_state", 0, WIDTH, 0.0)
        with program.loop(0, n) as i:
            radius = program.load("gridded", i) * self._of(i, 12)
            program.store("grid_state", 0, WIDTH, maximum(program.load("grid_state", 0, WIDTH), radius))
        with program.loop(0, n + n + 1) as chain:
            program.store("chain_first", chain, 0, -1.0)
        with program.loop(0, n) as i:
            self._enter(i, reach)
        with program.loop(0, n) as i, program.loop(0, len(AROUND)) as side:
            self._look(i, side, reach)
        for kind, name in self.names:
            with program.when_less(program.count(f"singly_{name}"), program.count(f"end_{name}")):
                self._in_order(kind, program.count(f"first_{name}"))

    def _of(self, shape: Index, k: int) -> Scalar:
        return self.program.load("shapes_now", shape * self.stride, k)

    def _chain(self, cell: list[Scalar]) -> Scalar:
        """The number of the chain of a cell; of what is no number, 0."""
        chains = self.program.load("grid_chains", 0)
        total = dot(list(SPREAD), cell)
        rest = total - chains * whole(total / chains)
        rest = select(rest < 0.0, rest + chains, rest)
        return select(rest >= 0.0, select(rest < chains, rest, 0.0), 0.0)

    def _enter(self, i: Index, reach: tuple[str, int]) -> None:
        program = self.program
        wide = 2.0 * program.load("grid_state", 0, WIDTH) + program.load(reach[0], 0, reach[1])
        cell = [whole(self._of(i, 9 + k) / wide) for k in range(CELL)]
        at = i * CELL
        for k, x in enumerate(cell):
            program.store("shape_cell", at, k, x)
        program.store("shape_chain", i, 0, self._chain(cell))
        chain = program.truncated("shape_chain", i)
        program.store("chain_next", i, 0, program.load("chain_first", chain))
        program.store("chain_first", chain, 0, program.load("shape_numbers", i))

    def _look(self, i: Index, side: Index, reach: tuple[str, int]) -> None:
        program = self.program
        at, beside = i * CELL, side * CELL
        with program.loop(0, 1):
            cell = [program.load("shape_cell", at, k) + program.load("grid_around", beside, k) for k in range(CELL)]
            for k, x in enumerate(cell):
                program.store("grid_state", 0, CELL + k, x)
            program.store("grid_state", 0, BUCKET, self._chain(cell))
        first = program.truncated("grid_state", BUCKET)
        program.store("grid_state", 0, WALK, program.load("chain_first", first))
        with program.loop(0, LARGEST_WHOLE // 2):
            program.break_if(program.load("grid_state", 0, WALK) < 0.0)
            j = program.truncated("grid_state", WALK)
            program.store("grid_state", 0, WALK, program.load("chain_next", j))
            self._take(i, j, reach)

    def _take(self, i: Index, j: Index, reach: tuple[str, int]) -> None:
        """A pair, if it is one, of which the second shape is in the cell, and near."""
        program = self.program
        row, there = i * program.count("n_gridded") + j, j * CELL
        with program.loop(0, 1):
            apart: Scalar = select(program.load("pair_row", row) < 0.0, 1.0, 0.0)
            for k in range(CELL):
                apart = apart + abs(program.load("shape_cell", there, k) - program.load("grid_state", 0, CELL + k))
            between = [self._of(i, 9 + k) - self._of(j, 9 + k) for k in range(3)]
            near = self._of(i, 12) + self._of(j, 12) + program.load(reach[0], 0, reach[1])
            far = select(dot(between, between) > near * near, 1.0, apart)
            program.break_if(far > 0.5)
            number = program.truncated("pair_row", row)
            for kind, name in self.names:
                first, end = (program.count(f"{which}_{name}") for which in ("first", "end"))
                with program.when_less(first - 1, number), program.when_less(number, end):
                    place = program.entry("near_ends", kind)
                    program.store("near_rows", place, 0, program.load("pair_row", row))
                    program.put("near_ends", kind, place + 1)

    def _in_order(self, kind: int, first: Index) -> None:
        """Rows found of a kind, which come almost in order, to "near_pairs"."""
        program = self.program
        all_but_first = program.loop(first + 1, program.entry("near_ends", kind))
        with all_but_first as end, program.loop(end - 1, first - 1, -1) as k:
            before, here = (program.load("near_rows", k, by) for by in (0, 1))
            program.break_if(before < here)
            before, here = (program.load("near_rows", k, by) for by in (0, 1))
            program.store("near_rows", k, 0, here)
            program.store("near_rows", k, 1, before)
        with program.loop(first, program.entry("near_ends", kind)) as k:
            program.put("near_pairs", k, program.truncated("near_rows", k))
