"""A tree as loops over tables, in which isomorphic subtrees ("limbs") are computed at once in SIMD lanes.

A limb is a chain of links that ends in a tip. Where limbs have the same joints, from their tips up, their links go
through the passes of an algorithm together, one limb per lane: both legs for the price of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import ROW, Body, Kind, Node, most_numbers
from rbdkit.engine.steps.sizes import OF_LINK, RANK
from rbdkit.trace import Index, Program, Scalar, Whole


class LimbTree(LoopTree):
    """Links outside of limbs one by one; then ranks of links, one of each limb.

    The work space of the links of a rank is interleaved, number by number. The parent of a limb's first link in lanes
    is computed alone, but its work space is interleaved with those of the other limbs' parents.

    The program needs what `LoopTree` needs; array "limb_rows", the interleaved rows of the ranks; tables "row_of",
    where the work space of each link begins, "alone", numbers of the links outside of ranks, and "ranks"; counts
    "n_alone", "n_ranks".

    Parameters
    ----------
    program : to record into. kinds : in the order of the cases in the tables. limbs : number of lanes.
    """

    def __init__(self, program: Program, kinds: Sequence[Kind], limbs: int) -> None:
        super().__init__(program, kinds)
        self.stride = limbs
        self.n_alone, self.n_ranks = (program.count(name) for name in ("n_alone", "n_ranks"))

    def outward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        if not (turned or abreast):  # each by itself: work spaces are the same
            yield from super().outward()
            return
        # links alone come first, since limbs stand on them
        with self.program.loop(0, self.n_alone) as place:
            yield from self._nodes(self.program.entry("alone", place), turned)
        with self.program.loop(0, self.n_ranks) as rank:
            yield from self._side_by_side(rank, turned)

    def inward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        if not (turned or abreast):
            yield from super().inward()
            return
        with self.program.loop(self.n_ranks - 1, -1, -1) as rank:
            yield from self._side_by_side(rank, turned)
        with self.program.loop(self.n_alone - 1, -1, -1) as place:
            yield from self._nodes(self.program.entry("alone", place), turned)

    def _side_by_side(self, rank: Index, turned: bool) -> Iterator[Node]:
        """Yield the links of a rank, once for every kind that they may be."""
        program, limbs = self.program, self.stride
        first = rank * (RANK + OF_LINK * limbs)
        case, row, parent_row, *order = (program.entry("ranks", first + k) for k in range(RANK))
        x, y, z = order
        for k in program.switch(case, range(len(self.kinds))):
            kind = self.kinds[k]
            with program.loop(0, limbs, wide=True, at_once=limbs) as lane:
                links = first + RANK + lane
                number, parent, q, v = (program.entry("ranks", links + m * limbs) for m in range(OF_LINK))
                numbers: Whole = number * program.count("most_numbers") if most_numbers(self.kinds) else 0
                body = Body(parent, parent_row + lane)
                own = (self._seen(body, (x, y, z)), (x, y, z)) if turned and kind.cyclic else (body, None)
                parameters = rank * (ROW * limbs) + lane
                place = own[0], q, v
                yield Node(number, row + lane, parameters, numbers, kind, *place, order=own[1], side_by_side=True)

    def parameter(self, i: Node, k: int, after: Whole = 0) -> Scalar:
        if not i.side_by_side:
            return super().parameter(i, k, after)
        return self.program.load("limb_rows", i.parameters + after * self.stride, k * self.stride)

    def row_of(self, link: Whole) -> Index:
        return self.program.entry("row_of", link)
