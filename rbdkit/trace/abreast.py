"""Superword-level (SLP) vectorisation: equal parts of one mechanism are computed side by side in vector registers.

A robot with four equal legs repeats the same straight-line code four times. The caller of `side_by_side` gives an
`Image`: for a place in an array that belongs to one part, the corresponding place of the next part. From these loads
the correspondence is propagated upwards through the expression graph: two nodes correspond if they are the same
operation on corresponding operands. Following the correspondence from a node gives an orbit; if it closes after
exactly as many steps as there are parts, its nodes form a `Pack`, one node per lane.

The numbers of packs have to be neighbours in memory to be loaded as one vector. So places that correspond are moved
into the array `WOVEN` (interleaved, structure-of-arrays layout): read-only numbers are copied there once, at the start
of the program, and the program's own arrays live there altogether.

Every lane computes exactly what its node says, so a wrong `Image` cannot make a result wrong: it only leaves few packs.
The idea is that of Larsen and Amarasinghe, Exploiting superword level parallelism with multimedia instruction sets
(PLDI 2000), except that correspondence is given instead of being searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from rbdkit.trace.graph import COMMUTATIVE, Graph
from rbdkit.trace.program import Block, Define, Loop, Pack, Place, Program, Statement, Switch

WOVEN = "woven"
"""Name of the array that holds corresponding numbers of all parts in neighbouring places (interleaved layout)."""
FEWEST = 8
"""Smallest number of packs for which a block is vectorised; with fewer, moving numbers into vectors does not pay."""

Image = Callable[[str, int], int]
"""Function (array, place) that gives the corresponding place of the next part, or the same place if there is none."""


def lanes_for(parts: int) -> int:
    """Return the vector width for a number of equal parts; surplus lanes repeat what the first lane computes."""
    return 4 if parts <= 4 else -(-parts // 8) * 8


def side_by_side(program: Program, image: Image, parts: int, own: AbstractSet[str]) -> int:
    """Vectorise equal parts of a program in place; return the size of the array `WOVEN` that it then needs.

    Parameters
    ----------
    program : a straight-line program, with few loops.
    image : the place that corresponds to a place, in the next part.
    parts : number of equal parts.
    own : names of arrays that are private to the program, so that they may move into `WOVEN`.
    """
    weaver = _Weaver(program, image, parts, own)
    weaver.weave()
    for block in weaver.often:
        packs = _packs(block, weaver.image, parts)
        block.packs = packs if len(packs) >= FEWEST else []
    return weaver.size


class _Weaver:
    """Move corresponding numbers into neighbouring places of `WOVEN` and redirect loads and stores there.

    Read-only numbers are copied at the start of the program; the program's own arrays (`weavable`) are replaced.
    """

    def __init__(self, program: Program, image: Image, parts: int, own: AbstractSet[str]) -> None:
        self.program, self.given, self.parts, self.width = program, image, parts, lanes_for(parts)
        self.often, self.seldom = list(_blocks(program.body)), list(_seldom(program.body))
        self.written = {array for block in _all_blocks(program.body) for array, *_ in block.stores}
        # an array that is accessed at a computed index, or truncated to a whole number, has to stay where it is
        scattered = {array for block in self.often for array, index, _ in _places(block) if index is not None}
        self.weavable = own - scattered - _truncated(program.body)
        self.slots: dict[tuple[str, int], int] = {}
        self.size = 0

    def image(self, array: str, offset: int) -> int:
        """Return the corresponding place of the next part, also for places in `WOVEN`: there, the next lane."""
        if array != WOVEN:
            return self.given(array, offset)
        slot, lane = divmod(offset, self.width)
        return slot * self.width + (lane + 1) % self.parts

    def weave(self) -> None:
        first: dict[tuple[str, int], int] = {}  # what is read only: one place of each orbit, and its slot
        for block in [*self.often, *map(_asking, self.seldom)]:
            nodes = block.graph.nodes
            for k in block.graph.live(block.roots()):
                if nodes[k][0] == "load":
                    # in place: positions stay, and so do all users
                    nodes[k] = ("load", *self._woven(nodes[k][1:], first))
            block.stores = {self._woven(place, first): x for place, x in block.stores.items()}
        for loop in self.seldom:
            self._keep_in_step(loop)
        if first:
            self.program.body.insert(0, self._copied(list(first.items())))
        if self.size:
            self.program.arrays.append(WOVEN)

    def _woven(self, place: Place, first: dict[tuple[str, int], int]) -> Place:
        array, index, offset = place
        if index is not None or (array in self.written and array not in self.weavable):
            return place
        if (array, offset) not in self.slots:
            orbit = self._orbit(array, offset)
            if len(orbit) != self.parts:
                return place
            for lane, k in enumerate(orbit):
                self.slots[array, k] = self.size + lane
            if array not in self.written:
                first[array, orbit[0]] = self.size
            self.size += self.width
        return WOVEN, None, self.slots[array, offset]

    def _orbit(self, array: str, offset: int) -> list[int]:
        """Return all places that correspond to a place, one for each part, the lowest first."""
        orbit = [offset]
        while (following := self.given(array, orbit[-1])) != offset and len(orbit) <= self.parts:
            orbit.append(following)
        start = orbit.index(min(orbit))
        return orbit[start:] + orbit[:start]

    def _copied(self, first: Sequence[tuple[tuple[str, int], int]]) -> Block:
        """Return a block that copies read-only numbers into `WOVEN`, for the start of the program."""
        block = Block()
        for (array, offset), slot in first:
            orbit = self._orbit(array, offset)
            for lane in range(self.width):
                at = orbit[lane if lane < self.parts else 0]
                block.stores[WOVEN, None, slot + lane] = block.graph.load(array, None, at).position
        return block

    def _keep_in_step(self, loop: Loop) -> None:
        """Copy numbers from `WOVEN` to the plain arrays that a seldom executed loop uses, and back after its body.

        The body of such a loop stays scalar code on plain arrays: the copies cost nothing while it does not run.
        """
        asked = _asking(loop)
        inside = [block for block in _all_blocks(loop.body) if block is not asked]
        stored = {array for block in inside for array, *_ in block.stores}
        named = stored | {place[0] for block in inside for place in _places(block)}
        before, after = Block(), Block()
        for (array, offset), place in self.slots.items():
            if array in named and array in self.written:
                before.stores[array, None, offset] = before.graph.load(WOVEN, None, place).position
            if array in stored:
                value = after.graph.load(array, None, offset).position
                for lane in range(self.parts, self.width) if place % self.width == 0 else ():
                    after.stores[WOVEN, None, place + lane] = value
                after.stores[WOVEN, None, place] = value
        if before.stores:
            loop.body.insert(loop.body.index(asked) + 1, before)
        if after.stores:
            loop.body.append(after)


def _packs(block: Block, image: Image, parts: int) -> list[Pack]:
    """Return the packs of a block in order of computation (operands first)."""
    graph, live = block.graph, block.graph.live(block.roots())
    following = _following(graph, live, image)
    packed: dict[int, int] = {}  # nodes in packs, and their lanes
    found = []
    for position in live:
        operation, *operands = graph.nodes[position]
        if position in packed or operation == "const":
            continue
        orbit = [position]
        while (after := following[orbit[-1]]) != position and len(orbit) <= parts:
            orbit.append(after)
        if len(orbit) != parts or len({*orbit}) != parts or any(k in packed for k in orbit):
            continue
        if operation == "load":
            # the lowest place is lane 0, as in `WOVEN`
            lane = orbit.index(min(orbit, key=lambda k: graph.nodes[k][3]))
            orbit = orbit[lane:] + orbit[:lane]
            ways: list[tuple[int, ...]] = []
        else:
            # lanes as in the first packed operand, whose vector then needs no permutation
            lane = next((packed[x] for x in operands if x in packed), 0)
            orbit = orbit[-lane:] + orbit[:-lane] if lane else orbit
            ways = [_way(x, following, parts, lane) for x in operands]
        packed |= {k: lane for lane, k in enumerate(orbit)}
        found.append(Pack(tuple(orbit), tuple(ways)))
    return found


def _way(x: int, following: dict[int, int], parts: int, lane: int) -> tuple[int, ...]:
    """Return the operand nodes of all lanes, in order of lanes, from the operand x of the node in one lane."""
    way = [x]
    for _ in range(parts - 1):
        way.append(following[way[-1]])
    return tuple(way[-lane:] + way[:-lane]) if lane else tuple(way)


def _following(graph: Graph, live: Sequence[int], image: Image) -> dict[int, int]:
    """Return for each live node the corresponding node of the next part, or the node itself if there is none."""
    known = {graph.nodes[k]: k for k in live}
    following: dict[int, int] = {}
    for k in live:
        operation, *operands = graph.nodes[k]
        if operation == "const":
            following[k] = k
            continue
        if operation == "load":
            array, index, offset = operands
            key: tuple[object, ...] = "load", array, index, image(array, offset)
        else:
            others = [following[x] for x in operands]
            key = operation, *(sorted(others) if operation in COMMUTATIVE else others)
        following[k] = known.get(key, k)
    return following


def _asking(loop: Loop) -> Block:
    """Return the first block of a seldom executed loop: the one that computes its condition."""
    return next(part for part in loop.body if isinstance(part, Block))


def _truncated(body: Sequence[Statement]) -> set[str]:
    """Return the names of arrays with elements that are truncated to whole numbers."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, Define) and statement.operation == "truncate":
            found.add(str(statement.operands[0]))
        for inside in _bodies(statement):
            found |= _truncated(inside)
    return found


def _places(block: Block) -> Iterator[Place]:
    """Yield all places that a block loads from or stores to."""
    nodes = block.graph.nodes
    yield from (nodes[k][1:] for k in block.graph.live(block.roots()) if nodes[k][0] == "load")
    yield from block.stores


def _bodies(statement: Statement) -> list[list[Statement]]:
    if isinstance(statement, Loop):
        return [statement.body]
    return list(statement.cases.values()) if isinstance(statement, Switch) else []


def _blocks(body: Sequence[Statement]) -> Iterator[Block]:
    """Yield the blocks outside of seldom executed loops."""
    for statement in body:
        if isinstance(statement, Block):
            yield statement
        elif not (isinstance(statement, Loop) and statement.seldom):
            for inside in _bodies(statement):
                yield from _blocks(inside)


def _all_blocks(body: Sequence[Statement]) -> Iterator[Block]:
    for statement in body:
        if isinstance(statement, Block):
            yield statement
        for inside in _bodies(statement):
            yield from _all_blocks(inside)


def _seldom(body: Sequence[Statement]) -> Iterator[Loop]:
    """Yield the loops that are marked as seldom executed."""
    for statement in body:
        if isinstance(statement, Loop) and statement.seldom:
            yield statement
        else:
            for inside in _bodies(statement):
                yield from _seldom(inside)
