"""WebAssembly backend: programs as binary modules, for browsers and other WebAssembly engines.

WebAssembly is a stack machine with local variables and structured control flow: no jumps, but nested blocks that a
branch leaves (or, of a loop, begins again). So a program maps to it statement by statement: a `Loop` is a block around
a loop, a `Switch` a jump table in nested blocks, a `Block` a sequence of pushes, one instruction and a pop into a local
variable for each node. There are neither sines nor a fused multiply-add: sines are expanded into arithmetic first
(`elementary`), with an argument reduction that is exact without fusing.

Whole numbers and addresses have 32 bits, floats 64. The engine checks all accesses to be inside its memory, so a wrong
index cannot harm the page, though it may hit another array.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from rbdkit.trace.emit import wasm_encoding as wasm
from rbdkit.trace.emit.elementary import without_trigonometry
from rbdkit.trace.graph import CONDITIONS
from rbdkit.trace.program import LARGEST_WHOLE, Block, Define, Index, Loop, Program, Put, Statement, Switch, Whole
from rbdkit.trace.tracing import Trace

ARITHMETIC = {
    "add": wasm.F64_ADD, "sub": wasm.F64_SUB, "mul": wasm.F64_MUL, "div": wasm.F64_DIV, "neg": wasm.F64_NEG,
    "sqrt": wasm.F64_SQRT, "copysign": wasm.F64_COPYSIGN, "less": wasm.F64_LT, "equal": wasm.F64_EQ,
    "and": wasm.I32_AND, "or": wasm.I32_OR, "not": wasm.I32_EQZ,
}  # fmt: skip
WHOLE = {"add": wasm.I32_ADD, "sub": wasm.I32_SUB, "mul": wasm.I32_MUL}
LEAVE = wasm.IF + wasm.RETURN + wasm.END
FRAME = 0
"""Local variable that holds the argument, the address of the frame."""


def wasm_bytes(*codes: Program | Trace) -> bytes:
    """Return a module with a function ``name(frame)`` for each program; a trace is converted by `Trace.program`.

    The module imports its memory as ``rbdkit.memory``. Numbers take 8 bytes there, whole numbers 4. The frame is the
    address of whole numbers: the addresses of the program's arrays and tables, then its counts, in its order.

    Multiplications and additions are rounded one by one, so sines and cosines are good up to a million radians.
    """
    programs = [code.program() if isinstance(code, Trace) else code for code in codes]
    for program in programs:
        if program.lanes.width > 1:
            raise ValueError(f"WebAssembly of {program.name!r} for {program.lanes.width} states at once is not made")
    names = [program.name for program in programs]
    if len(names) > len(set(names)):
        raise ValueError(f"programs of one module need different names, not {names}; give traces a name by `program`")
    return wasm.module([_Writer(program).function(program) for program in programs])


class _Writer:
    """Writer of one function. Local variables are reused when their values are not needed any more: engines compile
    large functions with few variables faster.

    Attributes
    ----------
    labels : number of open blocks, loops and conditionals. ends : for each open loop, the number of its outer block.
    """

    def __init__(self, program: Program) -> None:
        self.code = bytearray()
        self.types: list[bytes] = []
        self.free: defaultdict[bytes, list[int]] = defaultdict(list)
        self.locals: dict[str, int] = {}
        self.labels = 0
        self.ends: list[int] = []
        for slot, name in enumerate((*program.arrays, *program.tables, *program.counts)):
            self.locals[name] = self.take(wasm.I32)
            self.code += wasm.get(FRAME) + wasm.load_i32(4 * slot) + wasm.put(self.locals[name])

    def function(self, program: Program) -> wasm.Function:
        self.statements(program.body)
        return wasm.Function(program.name, self.types, bytes(self.code))

    def take(self, type_: bytes) -> int:
        """Return a free local variable of a type."""
        if self.free[type_]:
            return self.free[type_].pop()
        self.types.append(type_)
        # local 0 is the argument, so the first one taken here is number 1
        return len(self.types)

    def give_back(self, local: int) -> None:
        self.free[self.types[local - 1]].append(local)

    def whole(self, x: Whole | str) -> bytes:
        """Push a whole number, or the address of an array."""
        return wasm.i32(x) if isinstance(x, int) else wasm.get(self.locals[x.name if isinstance(x, Index) else x])

    def address(self, array: Whole | str, index: Whole | str, shift: int) -> bytes:
        """Push the address of an element of ``2**shift`` bytes."""
        return self.whole(array) + self.whole(index) + wasm.i32(shift) + wasm.I32_SHL + wasm.I32_ADD

    def statements(self, body: list[Statement]) -> None:
        defined = []
        for statement in body:
            if isinstance(statement, Define):
                defined.append(statement.index.name)
                self.define(statement)
            elif isinstance(statement, Put):
                self.code += self.address(statement.table, statement.index, 2)
                self.code += self.whole(statement.value) + wasm.store_i32(0)
            elif isinstance(statement, Block):
                self.block(statement)
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                self.switch(statement)
        for name in defined:
            self.give_back(self.locals.pop(name))

    def define(self, statement: Define) -> None:
        a, b = statement.operands
        if statement.operation == "entry":
            self.code += self.address(a, b, 2) + wasm.load_i32(0)
        elif statement.operation == "truncate":
            self.code += self.address(a, b, 3) + wasm.load_f64(0)
            for bound, function in ((LARGEST_WHOLE, wasm.F64_MIN), (-LARGEST_WHOLE, wasm.F64_MAX)):
                # min and max pass NaN on, and the conversion makes 0 of it
                self.code += wasm.f64(float(bound)) + function
            self.code += wasm.I32_TRUNC_SAT_F64
        else:
            self.code += self.whole(a) + self.whole(b) + WHOLE[statement.operation]
        local = self.locals[statement.index.name] = self.take(wasm.I32)
        self.code += wasm.put(local)

    def loop(self, loop: Loop) -> None:
        counter = self.locals[loop.index.name] = self.take(wasm.I32)
        self.code += self.whole(loop.start) + wasm.put(counter) + wasm.BLOCK + wasm.LOOP
        self.labels += 2
        # a branch to the outer block leaves the loop, one to the inner "loop" begins the next iteration
        self.ends.append(self.labels - 1)
        over = wasm.I32_GE if loop.step > 0 else wasm.I32_LE
        self.code += wasm.get(counter) + self.whole(loop.stop) + over + wasm.branch_if(1)
        self.statements(loop.body)
        self.code += wasm.get(counter) + wasm.i32(loop.step) + wasm.I32_ADD + wasm.put(counter) + wasm.branch(0)
        self.code += wasm.END + wasm.END
        self.labels -= 2
        self.ends.pop()
        self.give_back(self.locals.pop(loop.index.name))

    def switch(self, switch: Switch) -> None:
        """Write nested blocks, the innermost with a jump table: to leave the k-th leads to the k-th case."""
        depths = {case: k for k, case in enumerate(switch.cases)}
        last = len(depths) - 1
        table = [depths.get(case, last) for case in range(max(depths) + 1)]
        self.code += wasm.BLOCK * (len(depths) + 1)
        self.code += self.whole(switch.on) + wasm.branch_table(table, last) + wasm.END
        self.labels += len(depths)
        for k, body in enumerate(switch.cases.values()):
            self.statements(body)
            self.code += wasm.branch(last - k) + wasm.END
            self.labels -= 1

    def block(self, block: Block) -> None:
        _Values(self, _without_trigonometry(block)).write()


def _without_trigonometry(block: Block) -> Block:
    graph, moved = without_trigonometry(block.graph, block.roots())
    stores = {place: moved[position] for place, position in block.stores.items()}
    return Block(graph, stores, None if block.leave is None else moved[block.leave], block.of_loop)


class _Values:
    """Values of a block in local variables. uses : how often each is still needed; at zero its variable is free."""

    def __init__(self, writer: _Writer, block: Block) -> None:
        self.writer, self.block, self.nodes = writer, block, block.graph.nodes
        self.rows: dict[tuple[str, Index | None], int] = {}
        self.locals: dict[int, int] = {}
        self.uses = Counter(block.roots())
        for position in block.graph.live(block.roots()):
            self.uses.update(block.graph.operands(position))

    def write(self) -> None:
        writer, block = self.writer, self.block
        for position, places in block.steps():
            self.compute(position)
            for place in places:
                array, index, offset = place
                writer.code += self.row(array, index) + self.push(block.stores[place]) + wasm.store_f64(8 * offset)
        if block.leave is not None:
            writer.code += self.push(block.leave)
            # branches count the open blocks from the inside
            writer.code += wasm.branch_if(writer.labels - writer.ends[-1]) if block.of_loop else LEAVE
        for local in self.rows.values():
            writer.give_back(local)

    def compute(self, position: int) -> None:
        """Write the instructions for a node, whose operands have been computed; constants need none."""
        operation, *operands = self.nodes[position]
        if operation == "const":
            return
        if operation == "load":
            array, index, offset = operands
            code = self.row(array, index) + wasm.load_f64(8 * offset)
        elif operation == "select":
            condition, a, b = operands
            # WebAssembly's select takes the first value where the condition is not 0
            code = self.push(a) + self.push(b) + self.push(condition) + wasm.SELECT
        else:
            code = b"".join(map(self.push, operands)) + ARITHMETIC[operation]
        local = self.locals[position] = self.writer.take(wasm.I32 if operation in CONDITIONS else wasm.F64)
        self.writer.code += code + wasm.put(local)

    def push(self, position: int) -> bytes:
        """Return code that pushes a value; at its last use, its local variable becomes free."""
        operation, *operands = self.nodes[position]
        if operation == "const":
            return wasm.f64(operands[0])
        local = self.locals[position]
        self.uses[position] -= 1
        # the value is pushed by then, so that its variable can take the result of the same instruction
        if not self.uses[position]:
            self.writer.give_back(local)
        return wasm.get(local)

    def row(self, array: str, index: Index | None) -> bytes:
        """Return code that pushes the address of an element, computed once in each block."""
        if index is None:
            return self.writer.whole(array)
        if (array, index) not in self.rows:
            self.rows[array, index] = self.writer.take(wasm.I32)
            self.writer.code += self.writer.address(array, index, 3) + wasm.put(self.rows[array, index])
        return wasm.get(self.rows[array, index])
