"""LLVM backend: programs as text in LLVM's intermediate representation (IR).

The text is emitted in its final form: registers, vector types, loads and stores are chosen here, and LLVM runs no
optimisation passes, only instruction selection and register allocation. That keeps compilation short.

A program for several states (`Lanes`) uses a vector type for every float. A *wide* loop in a program for one state does
several iterations at once: indices that go along with its counter (`columns`) address neighbouring numbers; indices
that differ otherwise (`spread`) are computed for each iteration, and their numbers gathered one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.trace.emit.llvm_abreast import Abreast
from rbdkit.trace.emit.llvm_block import Instructions, Memory, Values
from rbdkit.trace.program import (
    ALONE,
    LARGEST_WHOLE,
    Block,
    Define,
    Index,
    Lanes,
    Loop,
    Place,
    Program,
    Put,
    Statement,
    Switch,
    Whole,
)


def llvm_source(program: Program, fused: bool = True) -> str:
    """Return the program as LLVM IR of a function ``void name(ptr frame)``.

    The frame holds 8-byte slots: the addresses of the arrays and tables, then the counts, in the order of the program.
    For an array that lanes have apart, it holds the address of a table: the address of each lane's array, and the
    distance in bytes to what the lane will read for its next state, for prefetching.

    fused : whether the processor has fused multiply-add.
    """
    writer = _Writer(fused, program.lanes)
    writer.arguments(program)
    writer.statements(program.body)
    body = "\n".join(writer.lines)
    return (
        "".join(f"declare {function}\n" for function in sorted(writer.declared))
        + f"define void @{program.name}(ptr %frame) nounwind {{\nentry:\n{body}\n br label %end\nend:\n ret void\n}}\n"
    )


class _Writer(Instructions):
    """Writer of a program's control flow. ends : labels after the program and after each open loop."""

    def __init__(self, fused: bool, lanes: Lanes) -> None:
        super().__init__(fused, lanes)
        self.label = "entry"
        self.ends = ["end"]

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def arguments(self, program: Program) -> None:
        for slot, name in enumerate((*program.arrays, *program.tables, *program.counts)):
            address = self.do(f"getelementptr inbounds i64, ptr %frame, i64 {slot}")
            type_ = "i64" if name in program.counts else "ptr"
            self.lines.append(f" %{name} = load {type_}, ptr {address}, align 8")
            if self.is_apart(name):
                self.table(name)

    def table(self, name: str) -> None:
        """Load the table of an array that lanes have apart: an address for each lane, and the prefetch distance."""
        width = self.lanes.width
        for entry in range(width + 1):
            address = self.do(f"getelementptr inbounds i64, ptr %{name}, i64 {entry}")
            target, type_ = (f"%{name}.{entry}", "ptr") if entry < width else (f"%{name}.ahead", "i64")
            self.lines.append(f" {target} = load {type_}, ptr {address}, align 8")

    def statements(self, body: list[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Define):
                self.define(statement)
            elif isinstance(statement, Put):
                address = self.do(f"getelementptr inbounds i64, ptr %{statement.table}, i64 {_whole(statement.index)}")
                self.lines.append(f" store i64 {_whole(statement.value)}, ptr {address}, align 8")
            elif isinstance(statement, Block):
                self.block(statement)
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                self.switch(statement)

    def define(self, statement: Define) -> None:
        name, operation = statement.index.name, statement.operation
        operands = [_whole(x) for x in statement.operands]
        if not self.differs(operation, *operands):
            self.whole_number(f"%{name}", operation, *operands)
            if not self.beside(*operands):
                self.columns.add(name)
            return
        for lane in range(self.lanes.width):
            self.whole_number(f"%{name}.{lane}", operation, *(self.in_lane(x, lane) for x in operands))
        self.spread.add(name)

    def differs(self, operation: str, a: str, b: str) -> bool:
        """Whether a whole number differs between the iterations of a wide loop by more than counting along."""
        if not self.spread.isdisjoint((a[1:], b[1:])):
            return True
        if self.beside(a, b):
            return False
        # by one per iteration goes a sum of which one operand does, and a difference whose first operand does
        next_one = {"add": self.beside(a) != self.beside(b), "sub": self.beside(b)}
        return not next_one.get(operation, False)

    def whole_number(self, target: str, operation: str, a: str, b: str) -> None:
        """Write the computation of a whole number."""
        if operation == "entry":
            address = self.do(f"getelementptr inbounds i64, ptr %{a}, i64 {b}")
            self.lines.append(f" {target} = load i64, ptr {address}, align 8")
        elif operation == "truncate":
            address = self.do(f"getelementptr inbounds double, ptr %{a}, i64 {b}")
            number = self.do(f"load double, ptr {address}, align 8")
            # a plain fptosi is undefined for NaN and for numbers that are too large; this one saturates
            whole = self.do(f"call i64 @llvm.fptosi.sat.i64.f64(double {number})")  # 0 for NaN
            for function, bound in (("smin", LARGEST_WHOLE), ("smax", -LARGEST_WHOLE)):
                self.declared.add(f"i64 @llvm.{function}.i64(i64, i64)")
                whole = self.do(f"call i64 @llvm.{function}.i64(i64 {whole}, i64 {bound})")
            self.declared.add("i64 @llvm.fptosi.sat.i64.f64(double)")
            # IR has no assignment: adding 0 gives the value its name
            self.lines.append(f" {target} = add i64 {whole}, 0")
        else:
            self.lines.append(f" {target} = {operation} i64 {a}, {b}")

    def loop(self, loop: Loop) -> None:
        counter = loop.index.name
        wide = loop.wide and self.lanes.width == 1
        self.require_same(loop.start, loop.stop)
        head, inside, after = (f"{part}_{counter}" for part in ("loop", "body", "done"))
        if wide:
            self.turn_to(Lanes(loop.at_once))
            self.hoist(loop, after)
        self.lines.append(f" br label %{head}")
        # a phi node names the basic blocks that control can come from: the one before the loop, and the latch
        latch, before = f"next_{counter}", self.label
        self.start(head)
        self.lines.append(f" %{counter} = phi i64 [{_whole(loop.start)}, %{before}], [%{latch}_value, %{latch}]")
        going = self.do(f"icmp {'slt' if loop.step > 0 else 'sgt'} i64 %{counter}, {_whole(loop.stop)}")
        self.lines.append(f" br i1 {going}, label %{inside}, label %{after}")
        self.start(inside)
        self.ends.append(after)
        if wide:
            self.columns = {counter}
        self.statements(loop.body)
        if wide:
            self.turn_to(ALONE)
            self.columns, self.spread, self.hoisted = set(), set(), {}
        self.ends.pop()
        self.lines.append(f" br label %{latch}")
        self.start(latch)
        self.lines.append(f" %{latch}_value = add i64 %{counter}, {loop.step * (loop.at_once if wide else 1)}")
        self.lines.append(f" br label %{head}")
        self.start(after)

    def hoist(self, loop: Loop, after: str) -> None:
        """Load loop-invariant numbers before a wide loop, if it runs at all.

        LLVM does not do so itself, as it cannot know that arrays of different names do not overlap.
        """
        known, written = {loop.index.name, *_made_in(loop.body)}, _written_in(loop.body)
        places: dict[Place, None] = {}
        for block in (x for x in loop.body if isinstance(x, Block)):
            for operation, *operands in (block.graph.nodes[k] for k in block.graph.live(block.roots())):
                if operation == "load" and operands[0] not in written:
                    array, index, offset = operands
                    if index is None or index.name not in known:
                        places[array, index, offset] = None
        if places:
            ready = f"ready_{loop.index.name}"
            # if the loop does not run, these places may not exist
            runs = self.do(f"icmp slt i64 {_whole(loop.start)}, {_whole(loop.stop)}")
            self.lines.append(f" br i1 {runs}, label %{ready}, label %{after}")
            self.start(ready)
            memory = Memory(self)
            self.hoisted = {place: memory.broadcast(place) for place in places}

    def switch(self, switch: Switch) -> None:
        self.require_same(switch.on)
        tag = self.name()[1:]
        # the number is always one of the cases, so the last one needs no comparison
        *named, last = switch.cases
        targets = " ".join(f"i64 {case}, label %case{case}_{tag}" for case in named)
        self.lines.append(f" switch i64 %{switch.on.name}, label %case{last}_{tag} [{targets}]")
        for case, body in switch.cases.items():
            self.start(f"case{case}_{tag}")
            self.statements(body)
            self.lines.append(f" br label %after_{tag}")
        self.start(f"after_{tag}")

    def require_same(self, *numbers: Whole) -> None:
        """Raise a ValueError if control flow would differ between the iterations of a wide loop that run at once."""
        for x in numbers:
            if isinstance(x, Index) and (x.name in self.columns or x.name in self.spread):
                raise ValueError(f"{x.name}: iterations of a wide loop, which are done at once, go the same way")

    def block(self, block: Block) -> None:
        leave = Abreast(self, block).write() if block.packs else self.one_by_one(block)
        if leave is not None:
            label = f"on_{self.name()[1:]}"
            if self.lanes.width > 1:
                # lanes share control flow: the exit is taken when all of them ask for it
                leave = self.apply("all", leave)
            end = self.ends[-1 if block.of_loop else 0]
            self.lines.append(f" br i1 {leave}, label %{end}, label %{label}")
            self.start(label)

    def one_by_one(self, block: Block) -> str | None:
        """Write the arithmetic of a block without packs; return the name of its exit condition, or None."""
        nodes = block.graph.nodes
        loads = (nodes[k][1:] for k in block.graph.live(block.roots()) if nodes[k][0] == "load")
        values, memory = Values(self, block.graph), Memory(self, loads)
        for position, places in block.steps(in_registers=True):
            values.compute(position, memory)
            for place in places:
                memory.store(place, values[block.stores[place]])
        return None if block.leave is None else values[block.leave]


def _whole(x: Whole | str) -> str:
    return f"%{x.name}" if isinstance(x, Index) else str(x)


def _made_in(body: list[Statement]) -> Iterator[str]:
    """Yield the names of the whole numbers that statements define."""
    for statement in body:
        if isinstance(statement, Define | Loop):
            yield statement.index.name
        for inside in _within(statement):
            yield from _made_in(inside)


def _written_in(body: list[Statement]) -> set[str]:
    """Return the names of the arrays that statements write to."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, Block):
            found |= {array for array, *_ in statement.stores}
        for inside in _within(statement):
            found |= _written_in(inside)
    return found


def _within(statement: Statement) -> list[list[Statement]]:
    """Return the nested bodies of a statement."""
    if isinstance(statement, Loop):
        return [statement.body]
    return list(statement.cases.values()) if isinstance(statement, Switch) else []
