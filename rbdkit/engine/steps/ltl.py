"""Linear systems with the joint-space inertia matrix, whose factors keep its branch-induced sparsity.

L^T D L, not L D L^T: eliminated from the leaves, H has no fill-in (Featherstone 2008, section 6.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.trace import Program, Whole


def factorise(tree: LoopTree) -> None:
    """Factorise H = L.T D L: reads the lower half of "H" and overwrites it, writes "L" and "D_inv" (Table 6.3).

    Rows of "H" are count "H_row" long, a multiple of `WIDE`. Whole rows are subtracted where parts would do, as SIMD
    registers do that faster.
    """
    program, nv, length = tree.program, tree.nv, tree.program.count("H_row")
    for k in tree.ordered(inward=True):
        for rows in tree.fours("supported", k):
            _subtract(program, "H", 0, length, k, rows, [i * nv + k for i in rows])
        row = k * length
        program.store("D_inv", k, 0, 1.0 / program.load("H", row + k))
        for i in tree.supporting(k, itself=False):
            program.store("L", k * nv + i, 0, program.load("H", row + i) * program.load("D_inv", k))


def factorise_sparse(tree: LoopTree) -> None:
    """Factorise an "H" with rows of nv numbers, element by element: faster where few of them are nonzero."""
    program, nv = tree.program, tree.nv
    for k in tree.ordered(inward=True):
        row = k * nv
        program.store("D_inv", k, 0, 1.0 / program.load("H", row + k))
        for i in tree.supporting(k, itself=False):
            factor, above = row + i, i * nv
            program.store("L", factor, 0, program.load("H", factor) * program.load("D_inv", k))
            for j in tree.supporting(i):
                target = above + j
                H_ij = program.load("H", target) - program.load("L", factor) * program.load("H", row + j)
                program.store("H", target, 0, H_ij)


def solve(tree: LoopTree, array: str, start: Whole, columns: Whole) -> None:
    """Replace X by H^-1 X, a matrix of nv rows that begins at `start` (Table 6.5).

    columns : their number, a multiple of `WIDE`.
    """
    program, nv = tree.program, tree.nv
    for k in tree.ordered(inward=True):  # L.T Y = X
        for rows in tree.fours("supported", k):
            _subtract(program, array, start, columns, k, rows, [i * nv + k for i in rows])
    for k in tree.ordered():  # D Z = Y, then L X = Z
        row = k * columns + start
        with program.loop(0, columns, wide=True) as c:
            place = row + c
            program.store(array, place, 0, program.load("D_inv", k) * program.load(array, place))
        for rows in tree.fours("supporting", k):
            _subtract(program, array, start, columns, k, rows, [k * nv + i for i in rows])


def _subtract(
    program: Program,
    array: str,
    start: Whole,
    columns: Whole,
    k: Whole,
    rows: Sequence[Whole],
    factors: Sequence[Whole],
) -> None:
    """Subtract multiples of other rows, by elements of L, from row k of a matrix, which is written once.

    Padding repeats row k itself; its element of L is never written, zero.
    """
    target, sources = k * columns + start, [i * columns + start for i in rows]
    with program.loop(0, columns, wide=True) as c:
        place = target + c
        x = program.load(array, place)
        for source, factor in zip(sources, factors, strict=True):
            x = x - program.load("L", factor) * program.load(array, source + c)
        program.store(array, place, 0, x)
