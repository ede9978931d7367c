"""Systems with the joint-space inertia matrix: its factors keep the zeros that the tree's branches make (Featherstone
2008, section 6.5).
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.trace import Program, Whole


def factorise(tree: LoopTree) -> None:
    """H = L.T D L: reads the lower half of array "H", which it spoils, writes "L" and "D_inv" (Table 6.3).

    Rows of "H" are count "H_row" long, a multiple of `WIDE`. Whole rows are subtracted where parts would do.
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
    """The same of an "H" with rows of nv numbers, one by one: quicker where few of them are not zero by branches."""
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
    """H^-1 X in place of X, a matrix of nv rows that begins at `start` (Table 6.5).

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
    """Other rows of a matrix times elements of L from row k, which is so written once for all of them.

    Where it is one of them itself, the element is one that is never written, zero.
    """
    target, sources = k * columns + start, [i * columns + start for i in rows]
    with program.loop(0, columns, wide=True) as c:
        place = target + c
        x = program.load(array, place)
        for source, factor in zip(sources, factors, strict=True):
            x = x - program.load("L", factor) * program.load(array, source + c)
        program.store(array, place, 0, x)
