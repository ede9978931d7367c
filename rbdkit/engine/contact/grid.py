"""Broad phase with a hashed uniform grid, which finds neighbours without a look at all pairs.

Cells are as wide as the centres of two neighbours can be apart (twice the largest bounding radius plus the reach), so
neighbours are in the same or in adjacent cells, 27 in all. Cells are hashed: shapes whose cells have the same hash are
linked in a chain, and each shape keeps its cell indices, so that a collision of hashes finds no false neighbour. The
pairs found are sorted, since the order of contacts depends on theirs, and results must not depend on the grid: motions
are the same to the bit.

The time of a search grows with the number of shapes, not with its square: with 400 falling balls a step takes less than
half of what it takes with a loop over all pairs. For few pairs per shape (`MANY`) that loop is faster, and kinds of
pairs with a half-space, which has no cell, always use it.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.vector3 import dot
from rbdkit.trace import LARGEST_WHOLE, Index, Program, Scalar, maximum, select, whole

WIDTH, WALK, BUCKET = range(3)
"""Places in "grid_state": cell width, m; the next shape of a chain, -1 after the last; and the index of the chain."""
CELL = 3
"""Place from which on the indices of a cell stand."""
AROUND = np.array(list(product((-1.0, 0.0, 1.0), repeat=3)))
SPREAD = (1.0, 1031.0, 1048583.0)
"""Weights of the three cell indices in the hash."""
MANY = 16
"""Pairs per shape of a kind, from which on a grid is faster than a loop over all pairs."""


def grid_arrays(pairs: NDArray, n_shapes: int, kinds: list[tuple[int, int, bool]]) -> tuple[dict[str, NDArray], list]:
    """Return the grid's arrays by name, and for each kind the end of the rows that are searched by a loop over pairs.

    Parameters
    ----------
    pairs : (rows, 2) the shapes of each row. kinds : first row, end, and whether a half-space is in it, for each kind.
    """
    # the row of each pair of shapes, -1 where they may not touch
    row_of = np.full((n_shapes, n_shapes), -1.0) if len(pairs) >= MANY * n_shapes else np.zeros((0, 0))
    ends, gridded = [], np.zeros(n_shapes)
    for first, end, flat in kinds:
        own = pairs[first:end]
        shapes = np.unique(own)
        # that table has room for one row of each pair
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
        # twice as many chains as shapes: most hold one shape or none
        "grid_chains": np.array([2.0 * n + 1.0]),
    }, ends


def grid_room(n_shapes: int, n_pairs: int) -> dict[str, NDArray]:
    """Allocate the work arrays."""
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
    """Finds pairs of shapes in "shapes_now" whose bounding balls are no farther apart than a given distance.

    names : kinds of pairs that it may find, with their numbers. The rows of each kind go from "first_NAME" to
        "end_NAME"; those before "singly_NAME" are searched by a loop over pairs: all of them, or none.
    stride : length of a shape's row, with the centre from 9 on and the bounding radius at 12.
    """

    def __init__(self, program: Program, names: list[tuple[int, str]], stride: int) -> None:
        self.program, self.names, self.stride = program, names, stride

    def record(self, reach: tuple[str, int]) -> None:
        """Add the pairs found to "near_pairs". reach : array and place of the largest distance of neighbours."""
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
        """Return the hash of a cell: the index of its chain; 0 for NaN."""
        chains = self.program.load("grid_chains", 0)
        total = dot(list(SPREAD), cell)
        # `whole` rounds to the nearest, so the remainder may be negative
        rest = total - chains * whole(total / chains)
        rest = select(rest < 0.0, rest + chains, rest)
        # neither NaN nor the round-off of huge indices may lead outside of the table
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
        # a linked list: the new shape becomes the first of its chain
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
        """Add the row of two shapes, if it exists, the second is in the cell, and their bounding balls are near."""
        program = self.program
        row, there = i * program.count("n_gridded") + j, j * CELL
        with program.loop(0, 1):
            apart: Scalar = select(program.load("pair_row", row) < 0.0, 1.0, 0.0)
            for k in range(CELL):
                # not zero for another cell with the same hash
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
        """Sort the rows found of a kind, which are almost in order (insertion sort), into "near_pairs"."""
        program = self.program
        # nearly sorted already, since the rows of a kind are found shape by shape
        all_but_first = program.loop(first + 1, program.entry("near_ends", kind))
        with all_but_first as end, program.loop(end - 1, first - 1, -1) as k:
            before, here = (program.load("near_rows", k, by) for by in (0, 1))
            program.break_if(before < here)
            # Loaded again: the comparison above ends at the break, and its values must not be carried across it.
            before, here = (program.load("near_rows", k, by) for by in (0, 1))
            program.store("near_rows", k, 0, here)
            program.store("near_rows", k, 1, before)
        with program.loop(first, program.entry("near_ends", kind)) as k:
            program.put("near_pairs", k, program.truncated("near_rows", k))
