"""LLVM backend: arithmetic, loads and stores of a block as instructions, on numbers or on vectors of lanes.

IR is in static single assignment form: each result has a register of its own, named here ``%t1``, ``%t2``, ..., and
LLVM assigns them to those of the processor. `Instructions` writes such lines, `Values` maps the nodes of a graph to
their registers, and `Memory` turns a place (array, index, offset) into addresses.

A number of the program is a ``double``, or, for several states at once, a vector with one element for each lane. Where
its elements come from depends on the layout (see `rbdkit.trace.program.Lanes`): one vector from neighbouring numbers
(woven arrays), one number broadcast to all lanes (shared arrays), or numbers gathered from an array of each lane
(apart; four neighbours at a time are loaded as a vector for each lane and transposed, which takes a quarter of the
loads). Wide loops work alike: an index that counts along with the loop's counter addresses neighbours, one that does
not count along is broadcast, and one that differs in any other way is gathered.

Only "contract" is allowed of LLVM's fast-math flags: a product and a sum may be rounded once. Everything that would
change a NaN, an infinity or the order of a sum stays forbidden, so results differ by this rounding alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache

from rbdkit.trace.emit.elementary import sine_cosine_graph
from rbdkit.trace.graph import Graph
from rbdkit.trace.program import Index, Lanes, Place

# "contract" lets a multiplication and an addition be rounded once; nothing else about the arithmetic may change.
ARITHMETIC = {
    "add": "fadd contract {T} {0}, {1}", "sub": "fsub contract {T} {0}, {1}", "mul": "fmul contract {T} {0}, {1}",
    "div": "fdiv contract {T} {0}, {1}", "neg": "fneg contract {T} {0}",
    "sqrt": "call {T} @llvm.sqrt.{suffix}({T} {0})",
    "fma": "call {T} @llvm.fma.{suffix}({T} {0}, {T} {1}, {T} {2})",
    "copysign": "call {T} @llvm.copysign.{suffix}({T} {0}, {T} {1})",
    "less": "fcmp olt {T} {0}, {1}", "equal": "fcmp oeq {T} {0}, {1}",
    "and": "and {truth} {0}, {1}", "or": "or {truth} {0}, {1}", "not": "xor {truth} {0}, {yes}",
    "select": "select {truth} {0}, {T} {1}, {T} {2}",
    "all": "call i1 @llvm.vector.reduce.and.v{width}i1({truth} {0})",
}  # fmt: skip
FUNCTIONS = {
    "sqrt": "{T} @llvm.sqrt.{suffix}({T})",
    "fma": "{T} @llvm.fma.{suffix}({T}, {T}, {T})",
    "copysign": "{T} @llvm.copysign.{suffix}({T}, {T})",
    "all": "i1 @llvm.vector.reduce.and.v{width}i1({truth})",
}
"""Declarations of the operations that are LLVM intrinsics."""
PREFETCH = "void @llvm.prefetch.p0(ptr, i32, i32, i32)"


@cache
def _written_for(width: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return the type names for a vector width, and `ARITHMETIC` with these types filled in."""
    types = {"T": "double", "suffix": "f64", "truth": "i1", "yes": "true", "width": str(width)}
    if width > 1:
        types |= {"T": f"<{width} x double>", "suffix": f"v{width}f64", "truth": f"<{width} x i1>"}
        types["yes"] = f"<{', '.join(['i1 true'] * width)}>"
    operands = "{0}", "{1}", "{2}"
    return types, {operation: text.format(*operands, **types) for operation, text in ARITHMETIC.items()}


class Instructions:
    """Lines of LLVM IR, on numbers or on vectors of them.

    Attributes
    ----------
    lanes : layout of the states that are computed at once.
    columns : in a wide loop, names of the indices that count along with its counter.
    spread : names of indices that differ between its iterations in another way.
    hoisted : names of loop-invariant values that were loaded before it, by place.
    declared : declarations of LLVM intrinsics that were called.
    """

    def __init__(self, fused: bool, lanes: Lanes) -> None:
        self.fused = fused
        self.columns: set[str] = set()
        self.spread: set[str] = set()
        self.hoisted: dict[Place, str] = {}
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.names = 0
        self.turn_to(lanes)

    def turn_to(self, lanes: Lanes) -> None:
        """Switch to another vector width for the instructions that follow."""
        self.lanes = lanes
        self.types, self.arithmetic = _written_for(lanes.width)

    def name(self) -> str:
        """Return a new register name."""
        self.names += 1
        return f"%t{self.names}"

    def do(self, instruction: str) -> str:
        """Write one instruction; return the name of its result."""
        name = self.name()
        self.lines.append(f" {name} = {instruction}")
        return name

    def apply(self, operation: str, *names: str) -> str:
        """Write an operation on values; return the name of its result."""
        if operation in FUNCTIONS:
            self.declared.add(FUNCTIONS[operation].format(**self.types))
        return self.do(self.arithmetic[operation].format(*names))

    def number(self, x: float) -> str:
        """Return the text of a constant, in all lanes, in hexadecimal (exact) notation."""
        digits = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        width = self.lanes.width
        return digits if width == 1 else f"<{', '.join([f'double {digits}'] * width)}>"

    def beside(self, *operands: str) -> bool:
        """Whether none of these whole numbers counts along with the counter of a wide loop."""
        return self.columns.isdisjoint(x[1:] for x in operands)

    def in_lane(self, operand: str, lane: int) -> str:
        """Return a whole number as it is in one of the iterations of a wide loop that are done at once."""
        if operand[1:] in self.spread:
            return f"{operand}.{lane}"
        return operand if self.beside(operand) or lane == 0 else self.do(f"add i64 {operand}, {lane}")

    def is_apart(self, name: str) -> bool:
        """Whether each lane has its own array of that name."""
        return self.lanes.width > 1 and name in self.lanes.apart


class Values(dict[int, str]):
    """Register names of the values of a graph's nodes. known : those that are computed already."""

    def __init__(self, writer: Instructions, graph: Graph, known: dict[int, str] | None = None) -> None:
        super().__init__(known or {})
        self.writer = writer
        self.graph = graph
        self.turns: dict[int, tuple[str, str]] = {}

    def compute(self, position: int, memory: Memory) -> None:
        """Write the instructions for a node, whose operands have been computed."""
        if position in self:
            return
        operation, *operands = self.graph.nodes[position]
        if operation == "const":
            value = self.writer.number(operands[0])
        elif operation == "load":
            value = memory.load((operands[0], operands[1], operands[2]))
        elif operation in ("sin", "cos"):
            value = self.sine_cosine(operands[0], memory)[operation == "cos"]
        else:
            names = (self[operand] for operand in operands)
            value = self.writer.apply(operation, *names)
        self[position] = value

    def sine_cosine(self, angle: int, memory: Memory) -> tuple[str, str]:
        """Return the names of sine and cosine of a node's value, computed together once."""
        if angle not in self.turns:
            graph, s, c = sine_cosine_graph(self.writer.fused)
            values = Values(self.writer, graph, {0: self[angle]})
            for position in graph.live([s, c]):
                values.compute(position, memory)
            self.turns[angle] = values[s], values[c]
        return self.turns[angle]


FOUR = 4
"""Number of neighbours in memory that are loaded at once for each lane, where there are as many."""


class Memory:
    """Loads and stores of a block; each address is computed once.

    asked : places that will be loaded, to find neighbours in arrays that lanes have apart.
    """

    def __init__(self, writer: Instructions, asked: Iterable[Place] = ()) -> None:
        self.writer = writer
        self.rows: dict[tuple[str, Index | None, str], str] = {}
        self.neighbours = _in_fours(place for place in asked if writer.is_apart(place[0]))
        self.turned: dict[Place, str] = {}

    def load(self, place: Place) -> str:
        """Load the value at a place; return its name."""
        array, index, offset = place
        do, T, lanes = self.writer.do, self.writer.types["T"], self.writer.lanes
        if self.writer.is_apart(array):
            return self.gathered(place)
        if self.is_spread(index):
            value = "poison"
            for lane in range(lanes.width):
                number = do(f"load double, ptr {self.address(array, index, offset, 'double', f'.{lane}')}, align 8")
                value = do(f"insertelement {T} {value}, double {number}, i64 {lane}")
            return value
        columns = self.writer.columns
        beside = bool(columns) and (index is None or index.name not in columns)
        if lanes.width > 1 and (array in lanes.shared or beside):
            return self.writer.hoisted.get(place) or self.broadcast(place)
        # "align 8": each number is aligned, but not necessarily the vector, as one row may begin anywhere
        return do(f"load {T}, ptr {self.address(array, index, offset, 'double' if columns else T)}, align 8")

    def broadcast(self, place: Place) -> str:
        """Load the number at a place into all lanes; return its name."""
        do, T = self.writer.do, self.writer.types["T"]
        number = do(f"load double, ptr {self.address(*place, 'double')}, align 8")
        first = do(f"insertelement {T} poison, double {number}, i64 0")
        return do(f"shufflevector {T} {first}, {T} poison, <{self.writer.lanes.width} x i32> zeroinitializer")

    def is_spread(self, index: Index | None) -> bool:
        """Whether an index differs arbitrarily between the iterations of a wide loop."""
        return index is not None and index.name in self.writer.spread

    def gathered(self, place: Place) -> str:
        """Gather the numbers of a place from the separate arrays of the lanes; return the name of the vector.

        Hardware prefetching cannot follow that many rows at once, so the next state's numbers are prefetched here.
        """
        if place in self.turned:
            return self.turned[place]
        if (first := self.neighbours.get(place)) is not None and self.writer.lanes.width % FOUR == 0:
            array, index, offset = first
            for k, value in enumerate(self.in_fours(first)):
                self.turned.setdefault((array, index, offset + k), value)
            return self.turned[place]
        do, value = self.writer.do, "poison"
        for lane in range(self.writer.lanes.width):
            number = do(f"load double, ptr {self.ahead(place, lane)}, align 8")
            value = do(f"insertelement {self.writer.types['T']} {value}, double {number}, i64 {lane}")
        return value

    def ahead(self, place: Place, lane: int) -> str:
        """Return the address of a place in the array of a lane, and prefetch the same place of its next state."""
        array, index, offset = place
        address = self.address(f"{array}.{lane}", index, offset, "double")
        ahead = self.writer.do(f"getelementptr i8, ptr {address}, i64 %{array}.ahead")
        self.writer.declared.add(PREFETCH)
        # to be read (0), kept in all caches (3), as data (1)
        self.writer.lines.append(f" call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")
        return address

    def in_fours(self, place: Place) -> list[str]:
        """Load a place and the three after it as one vector for each lane and transpose; return the four names."""
        do, T = self.writer.do, f"<{FOUR} x double>"
        columns: list[str] = []
        for group in range(0, self.writer.lanes.width, FOUR):
            a, b, c, d = (
                do(f"load {T}, ptr {self.ahead(place, lane)}, align 8") for lane in range(group, group + FOUR)
            )
            # a 4 x 4 transpose in two rounds: a0 b0 a2 b2, a1 b1 a3 b3 and the like, then a0 b0 c0 d0 to a3 b3 c3 d3
            low, high = ([self.mixed(x, y, mask) for x, y in ((a, b), (c, d))] for mask in ((0, 4, 2, 6), (1, 5, 3, 7)))
            parts = [self.mixed(x, y, mask) for mask in ((0, 1, 4, 5), (2, 3, 6, 7)) for x, y in (low, high)]
            columns = [self.mixed(x, y, range(group + FOUR), group) for x, y in zip(columns, parts)] or parts
        return columns

    def mixed(self, x: str, y: str, mask: Iterable[int], width: int = FOUR) -> str:
        """Shuffle elements of two vectors into one; the second may be shorter than the first."""
        if width > FOUR:
            fill = ", ".join(f"i32 {k if k < FOUR else 0}" for k in range(width))
            y = self.writer.do(
                f"shufflevector <{FOUR} x double> {y}, <{FOUR} x double> poison, <{width} x i32> <{fill}>"
            )
        T, order = f"<{width} x double>", [f"i32 {k}" for k in mask]
        return self.writer.do(f"shufflevector {T} {x}, {T} {y}, <{len(order)} x i32> <{', '.join(order)}>")

    def store(self, place: Place, value: str) -> None:
        """Store a value at a place."""
        array, index, offset = place
        T, lines, columns = self.writer.types["T"], self.writer.lines, self.writer.columns
        apart, spread = self.writer.is_apart(array), self.is_spread(index)
        if columns and not spread and (index is None or index.name not in columns):
            raise ValueError(f"array {array!r}: all iterations of a wide loop would write to one place")
        if not apart and not spread:
            element = "double" if columns else T
            lines.append(f" store {T} {value}, ptr {self.address(array, index, offset, element)}, align 8")
            return
        for lane in range(self.writer.lanes.width):
            number = self.writer.do(f"extractelement {T} {value}, i64 {lane}")
            own, at = (f"{array}.{lane}", "") if apart else (array, f".{lane}")
            address = self.address(own, index, offset, "double", at)
            lines.append(f" store double {number}, ptr {address}, align 8")

    def address(self, array: str, index: Index | None, offset: int, type_: str, lane: str = "") -> str:
        """Return the name of the address of a place. type_ : of the elements. lane : suffix of a spread index."""
        row = self.rows.get((array, index, lane))
        if row is None:
            row = (
                f"%{array}"
                if index is None
                else self.writer.do(f"getelementptr inbounds {type_}, ptr %{array}, i64 %{index.name}{lane}")
            )
            self.rows[array, index, lane] = row
        return row if offset == 0 else self.writer.do(f"getelementptr inbounds {type_}, ptr {row}, i64 {offset}")


def _in_fours(places: Iterable[Place]) -> dict[Place, Place]:
    """Return, for each place that lies in a run of four neighbours, the first place of that run."""
    runs: dict[tuple[str, Index | None], list[int]] = {}
    for array, index, offset in places:
        runs.setdefault((array, index), []).append(offset)
    found: dict[Place, Place] = {}
    for (array, index), offsets in runs.items():
        known = set(offsets)
        for offset in sorted(known):
            place = array, index, offset
            # the last ones of a row are read with those before them
            first = next(
                (k for k in (offset, offset - 1, offset - 2, offset - 3) if {*range(k, k + FOUR)} <= known), None
            )
            if first is not None and place not in found:
                for k in range(first, first + FOUR):
                    found.setdefault((array, index, k), (array, index, first))
    return found
