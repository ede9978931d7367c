"""LLVM backend of SLP vectorisation: blocks with packs as vector instructions, everything else as scalar ones.

`rbdkit.trace.abreast` has found which nodes of a block form packs; this module writes them. A *unit* is what is
computed at a time, a pack or a single node. Units are ordered depth first from the results, the operand that needs most
registers first, since packs make the recorded order useless: all parts are computed together.

Values cross between the two kinds as seldom as possible, but they do: a number that scalar code needs is extracted from
its vector; operands of a pack that are no pack in the same lanes are permuted from one vector, broadcast, or inserted
one by one. Each such result is remembered and used again.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.trace.abreast import WOVEN, lanes_for
from rbdkit.trace.emit.llvm_block import Instructions, Memory, Values
from rbdkit.trace.graph import CONDITIONS
from rbdkit.trace.program import ALONE, Block, Lanes, Pack, Place

Unit = int | Pack
"""What is computed at a time: a node, or a pack of corresponding nodes."""


class Abreast:
    """Writer of one block with packs.

    If scalar code needs one number of a pack, it is extracted from the vector; operands of packs that are no packs
    themselves are inserted into a vector, or permuted from one. Surplus lanes hold what the first lane holds.
    """

    def __init__(self, writer: Instructions, block: Block) -> None:
        self.writer, self.block, self.graph = writer, block, block.graph
        self.parts = len(block.packs[0].nodes)
        self.wide, self.width = Lanes(lanes_for(self.parts)), lanes_for(self.parts)
        self.pack_of = {k: (pack, lane) for pack in block.packs for lane, k in enumerate(pack.nodes)}
        self.alone, self.memory = Values(writer, block.graph), Memory(writer)
        self.vectors: dict[tuple[int, ...], str] = {}
        self.turns: dict[tuple[int, ...], tuple[str, str]] = {}

    def write(self) -> str | None:
        """Write the block; return the name of its exit condition, or None."""
        order = list(self._order())
        due = self._due(order)
        for unit in order:
            if isinstance(unit, Pack):
                self._compute(unit)
            else:
                for operand in self.graph.operands(unit):
                    self.number(operand)
                self.alone.compute(unit, self.memory)
            for places in due.pop(unit, ()):
                self._store(places)
        assert not due, due
        return None if self.block.leave is None else self.number(self.block.leave)

    # --- order --------------------------------------------------------------------------------------------------------

    def unit(self, position: int) -> Unit:
        """Return the unit that computes a node: its pack, or the node itself."""
        found = self.pack_of.get(position)
        return position if found is None else found[0]

    def below(self, unit: Unit) -> list[Unit]:
        """Return the units that a unit needs as operands."""
        if isinstance(unit, Pack):
            return list(dict.fromkeys(self.unit(k) for way in unit.operands for k in way))
        return list(dict.fromkeys(map(self.unit, self.graph.operands(unit))))

    def _order(self) -> Iterator[Unit]:
        """Yield the units depth first; of several operands, the one that needs most registers first, see
        `rbdkit.trace.order.as_needed`."""
        roots = list(dict.fromkeys(map(self.unit, self.block.roots())))
        waiting: dict[Unit, int] = {}
        # this first walk counts the registers that each unit needs; the second one orders by these counts
        for unit in self._upward(roots, waiting):
            below = sorted((waiting[x] for x in self.below(unit)), reverse=True)
            waiting[unit] = max((n + k for k, n in enumerate(below)), default=1)
        return self._upward(roots, waiting)

    def _upward(self, roots: list[Unit], waiting: dict[Unit, int]) -> Iterator[Unit]:
        done: set[Unit] = set()
        todo = [(root, False) for root in reversed(roots)]
        while todo:
            unit, ready = todo.pop()
            if unit in done:
                continue
            if ready:
                done.add(unit)
                yield unit
            else:
                todo.append((unit, True))
                below = [x for x in self.below(unit) if x not in done]
                todo += [(x, False) for x in sorted(below, key=lambda x: waiting.get(x, 0))]

    def _due(self, units: list[Unit]) -> dict[Unit, list[list[Place]]]:
        """Return for each unit the places that can be stored to after it: their value is known, and they were read."""
        nodes, order = self.graph.nodes, {unit: k for k, unit in enumerate(units)}
        read: dict[Place, Unit] = {}
        for unit in order:
            for k in unit.nodes if isinstance(unit, Pack) else (unit,):
                if nodes[k][0] == "load":
                    read[nodes[k][1:]] = unit
        due: dict[Unit, list[list[Place]]] = {}
        for places in self._together():
            awaited = [self.unit(self.block.stores[place]) for place in places]
            awaited += [read[place] for place in places if place in read]
            due.setdefault(max(awaited, key=order.__getitem__), []).append(places)
        return due

    def _together(self) -> list[list[Place]]:
        """Return groups of places that are stored to at once: all lanes of a slot of `WOVEN`, others one by one."""
        slots: dict[int, list[Place]] = {}
        found: list[list[Place]] = []
        for place in self.block.stores:
            if place[0] == WOVEN:
                slots.setdefault(place[2] // self.width, []).append(place)
            else:
                found.append([place])
        for slot, places in slots.items():
            if len(places) == self.parts:
                found.append([(WOVEN, None, slot * self.width + lane) for lane in range(self.parts)])
            else:
                found += [[place] for place in places]
        return found

    # --- instructions -------------------------------------------------------------------------------------------------

    def number(self, position: int) -> str:
        """Return the name of the scalar value of a node, extracted from its vector if necessary."""
        if position not in self.alone:
            pack, lane = self.pack_of[position]
            vector = self.vectors[pack.nodes]
            self.alone[position] = self.writer.do(
                f"extractelement <{self.width} x {self._type(pack)}> {vector}, i64 {lane}"
            )
        return self.alone[position]

    def _type(self, pack: Pack) -> str:
        return "i1" if self.graph.nodes[pack.nodes[0]][0] in CONDITIONS else "double"

    def _compute(self, pack: Pack) -> None:
        writer, operation = self.writer, self.graph.nodes[pack.nodes[0]][0]
        if operation == "load":
            self.vectors[pack.nodes] = self._load(pack)
            return
        ways = [self.vector(way) for way in pack.operands]
        writer.turn_to(self.wide)
        if operation in ("sin", "cos"):
            if pack.operands[0] not in self.turns:
                one = Values(writer, self.graph, {0: ways[0]})
                self.turns[pack.operands[0]] = one.sine_cosine(0, self.memory)
            self.vectors[pack.nodes] = self.turns[pack.operands[0]][operation == "cos"]
        else:
            self.vectors[pack.nodes] = writer.apply(operation, *ways)
        writer.turn_to(ALONE)

    def _load(self, pack: Pack) -> str:
        places: list[Place] = [self.graph.nodes[k][1:] for k in pack.nodes]
        array, index, offset = places[0]
        if array == WOVEN:
            address = self.memory.address(array, index, offset, "double")
            return self.writer.do(f"load <{self.width} x double>, ptr {address}, align 8")
        return self._gathered([self.memory.load(place) for place in places], "double")

    def vector(self, way: tuple[int, ...]) -> str:
        """Return the name of a vector of the values of some nodes, one in each lane."""
        found = self.vectors.get(way)
        if found is None:
            kinds = {self.graph.nodes[k][0] in CONDITIONS for k in way}
            type_ = "i1" if kinds == {True} else "double"
            if self.graph.nodes[way[0]][0] == "const" and len(set(way)) == 1:
                self.writer.turn_to(self.wide)
                found = self.writer.number(self.graph.nodes[way[0]][1])
                self.writer.turn_to(ALONE)
            else:
                found = self._turned(way, type_) or self._gathered([self.number(k) for k in way], type_)
            self.vectors[way] = found
        return found

    def _turned(self, way: tuple[int, ...], type_: str) -> str | None:
        """Return the vector of a pack with permuted lanes; None if the nodes are not of one pack."""
        packs = {self.pack_of[k][0].nodes if k in self.pack_of else () for k in way}
        nodes = packs.pop()
        if packs or not nodes:
            return None
        # in surplus lanes, whatever the first lane has (see `lanes_for`)
        lanes = [self.pack_of[k][1] for k in way]
        mask = ", ".join(f"i32 {k}" for k in [*lanes, *lanes[:1] * (self.width - self.parts)])
        T = f"<{self.width} x {type_}>"
        return self.writer.do(f"shufflevector {T} {self.vectors[nodes]}, {T} poison, <{self.width} x i32> <{mask}>")

    def _gathered(self, names: list[str], type_: str) -> str:
        T, do = f"<{self.width} x {type_}>", self.writer.do
        if len(set(names)) == 1:
            first = do(f"insertelement {T} poison, {type_} {names[0]}, i64 0")
            return do(f"shufflevector {T} {first}, {T} poison, <{self.width} x i32> zeroinitializer")
        vector = "poison"
        for lane, name in enumerate([*names, *names[:1] * (self.width - self.parts)]):
            vector = do(f"insertelement {T} {vector}, {type_} {name}, i64 {lane}")
        return vector

    def _store(self, places: list[Place]) -> None:
        values = tuple(self.block.stores[place] for place in places)
        (array, index, offset), n = places[0], self.width
        if len(places) == 1:
            name = self.number(values[0])
            self.memory.store(places[0], name)
            # the number of the first lane: surplus lanes hold the same
            if array == WOVEN and offset % n == 0:
                for lane in range(self.parts, n):
                    self.memory.store((array, index, offset + lane), name)
            return
        address, name = self.memory.address(array, index, offset, "double"), self.vector(values)
        self.writer.lines.append(f" store <{n} x double> {name}, ptr {address}, align 8")
