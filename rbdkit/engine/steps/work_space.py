"""Dead-store elimination: removes from a recorded program the values of links that are stored and never read.

The algorithms keep every intermediate for their readers. Stores that are never loaded cost time and room for nothing: a
third of all stores of the articulated-body algorithm. Fields go one whole field at a time, repeatedly, since a dropped
store may have been the only reader of another field.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rbdkit.trace import Block, Program, Statement

WORK = "work"


def without_unread(program: Program, fields: Sequence[int], stride: int) -> int:
    """Drop the fields of "work" that are never loaded; return the remaining numbers per link.

    Parameters
    ----------
    fields : sizes of the fields in their order, numbers per link.
    stride : distance of consecutive numbers of a link.
    """
    starts = [stride * sum(fields[:k]) for k in range(len(fields))]
    blocks = list(_blocks(program.body))
    kept: set[int] = set()
    before = None
    while kept != before:
        before = kept
        # the field that an offset lies in
        kept = {bisect_right(starts, offset) - 1 for block in blocks for offset in _loaded(block)}
        for block in blocks:
            for place in [*block.stores]:
                if place[0] == WORK and bisect_right(starts, place[2]) - 1 not in kept:
                    # what only this store needed is dead now, and `live` does not report its loads in the next turn
                    del block.stores[place]
    shift = [stride * sum(size for k, size in enumerate(fields[:m]) if k not in kept) for m in range(len(fields))]
    for block in blocks:
        _shift(block, starts, shift)
    return sum(fields[k] for k in kept)


def _blocks(body: Sequence[Statement]) -> Iterator[Block]:
    for statement in body:
        if isinstance(statement, Block):
            yield statement
        for part in [getattr(statement, "body", ()), *getattr(statement, "cases", {}).values()]:
            yield from _blocks(part)


def _loaded(block: Block) -> Iterator[int]:
    """Yield the offsets in "work" that a block loads for anything that it stores."""
    nodes = block.graph.nodes
    for position in block.graph.live(block.roots()):
        if nodes[position][:2] == ("load", WORK):
            yield nodes[position][3]


def _shift(block: Block, starts: Sequence[int], shift: Sequence[int]) -> None:
    """Close the gaps that dropped fields leave."""

    def moved(offset: int) -> int:
        return offset - shift[bisect_right(starts, offset) - 1]

    nodes = block.graph.nodes
    for position, node in enumerate(nodes):
        if node[:2] == ("load", WORK):
            nodes[position] = (*node[:3], moved(node[3]))
    # checked code finds source lines by place, so these move along
    lines, stores = block.graph.lines, {}
    for place, value in block.stores.items():
        array, index, offset = place
        new = array, index, moved(offset) if array == WORK else offset
        stores[new] = value, None if lines is None else lines.get(place)
    block.stores = {place: value for place, (value, _) in stores.items()}
    if lines is not None:
        lines.update({place: line for place, (_, line) in stores.items()})
