"""Programs as text in LLVM's intermediate representation."""

from __future__ import annotations

import struct

from rbdkit.engine.emit.elementary import sine_cosine_graph
from rbdkit.engine.graph import Graph
from rbdkit.engine.program import Block, Define, Index, Loop, Program, Statement, Switch, Whole

# "contract" lets a multiplication and an addition be rounded once; nothing else about the arithmetic may change.
ARITHMETIC = {
    "add": "fadd contract double {}, {}", "sub": "fsub contract double {}, {}", "mul": "fmul contract double {}, {}",
    "div": "fdiv contract double {}, {}", "neg": "fneg contract double {}",
    "sqrt": "call double @llvm.sqrt.f64(double {})",
    "fma": "call double @llvm.fma.f64(double {}, double {}, double {})",
    "less": "fcmp olt double {}, {}", "equal": "fcmp oeq double {}, {}",
    "select": "select i1 {}, double {}, double {}",
}  # fmt: skip


def llvm_source(program: Program, fused: bool = True) -> str:
    """The program as a function ``void name(ptr frame)``.

    The frame holds 8-byte slots: the addresses of the arrays and tables, then the counts, in the order of the program.

    Parameters
    ----------
    fused : whether the processor multiplies and adds with one rounding.
    """
    writer = _Writer(fused)
    writer.arguments(program)
    writer.statements(program.body)
    body = "\n".join(writer.lines)
    return (
        "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fma.f64(double, double, double)\n"
        f"define void @{program.name}(ptr %frame) nounwind {{\nentry:\n{body}\n br label %end\nend:\n ret void\n}}\n"
    )


class _Writer:
    def __init__(self, fused: bool) -> None:
        self.fused = fused
        self.lines: list[str] = []
        self.names = 0
        self.label = "entry"

    def name(self) -> str:
        self.names += 1
        return f"%t{self.names}"

    def do(self, instruction: str) -> str:
        """One instruction; gives the name of its result."""
        name = self.name()
        self.lines.append(f" {name} = {instruction}")
        return name

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def arguments(self, program: Program) -> None:
        for slot, name in enumerate((*program.arrays, *program.tables, *program.counts)):
            address = self.do(f"getelementptr inbounds i64, ptr %frame, i64 {slot}")
            type_ = "i64" if name in program.counts else "ptr"
            self.lines.append(f" %{name} = load {type_}, ptr {address}, align 8")

    def statements(self, body: list[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Define):
                self.define(statement)
            elif isinstance(statement, Block):
                self.block(statement)
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif isinstance(statement, Switch):
                self.switch(statement)

    def define(self, statement: Define) -> None:
        a, b = (_whole(x) for x in statement.operands)
        target = f" %{statement.index.name} = "
        if statement.operation == "entry":
            address = self.do(f"getelementptr inbounds i64, ptr %{a}, i64 {b}")
            self.lines.append(f"{target}load i64, ptr {address}, align 8")
        else:
            self.lines.append(f"{target}{statement.operation} i64 {a}, {b}")

    def loop(self, loop: Loop) -> None:
        counter, before = loop.index.name, self.label
        head, inside, after = (f"{part}_{counter}" for part in ("loop", "body", "done"))
        self.lines.append(f" br label %{head}")
        latch = f"next_{counter}"
        self.start(head)
        self.lines.append(f" %{counter} = phi i64 [{_whole(loop.start)}, %{before}], [%{latch}_value, %{latch}]")
        going = self.do(f"icmp {'slt' if loop.step > 0 else 'sgt'} i64 %{counter}, {_whole(loop.stop)}")
        self.lines.append(f" br i1 {going}, label %{inside}, label %{after}")
        self.start(inside)
        self.statements(loop.body)
        self.lines.append(f" br label %{latch}")
        self.start(latch)
        self.lines.append(f" %{latch}_value = add i64 %{counter}, {loop.step}")
        self.lines.append(f" br label %{head}")
        self.start(after)

    def switch(self, switch: Switch) -> None:
        tag = self.name()[1:]
        *named, last = switch.cases
        targets = " ".join(f"i64 {case}, label %case{case}_{tag}" for case in named)
        self.lines.append(f" switch i64 %{switch.on.name}, label %case{last}_{tag} [{targets}]")
        for case, body in switch.cases.items():
            self.start(f"case{case}_{tag}")
            self.statements(body)
            self.lines.append(f" br label %after_{tag}")
        self.start(f"after_{tag}")

    def block(self, block: Block) -> None:
        values = _Values(self, block.graph)
        for position, places in block.steps():
            values.compute(position)
            for place in places:
                value = values[block.stores[place]]
                self.lines.append(f" store double {value}, ptr {values.address(*place)}, align 8")
        if block.leave is not None:
            label = f"on_{self.name()[1:]}"
            self.lines.append(f" br i1 {values[block.leave]}, label %end, label %{label}")
            self.start(label)


class _Values(dict[int, str]):
    """Names of the values of a graph's nodes. known : of values that are there already."""

    def __init__(self, writer: _Writer, graph: Graph, known: dict[int, str] | None = None) -> None:
        super().__init__(known or {})
        self.writer = writer
        self.graph = graph
        self.rows: dict[tuple[str, Index | None], str] = {}
        self.turns: dict[int, tuple[str, str]] = {}

    def compute(self, position: int) -> None:
        """Write the instructions for a node, whose operands have been computed."""
        if position in self:
            return
        operation, *operands = self.graph.nodes[position]
        if operation == "const":
            value = _number(operands[0])
        elif operation == "load":
            value = self.writer.do(f"load double, ptr {self.address(*operands)}, align 8")
        elif operation in ("sin", "cos"):
            value = self.sine_cosine(operands[0])[operation == "cos"]
        else:
            value = self.writer.do(ARITHMETIC[operation].format(*(self[operand] for operand in operands)))
        self[position] = value

    def sine_cosine(self, angle: int) -> tuple[str, str]:
        """Names of sine and cosine of a node's value, computed together."""
        if angle not in self.turns:
            graph, s, c = sine_cosine_graph(self.writer.fused)
            values = _Values(self.writer, graph, {0: self[angle]})
            for position in graph.live([s, c]):
                values.compute(position)
            self.turns[angle] = values[s], values[c]
        return self.turns[angle]

    def address(self, array: str, index: Index | None, offset: int) -> str:
        """Name of the address of a place."""
        row = self.rows.get((array, index))
        if row is None:
            row = (
                f"%{array}"
                if index is None
                else self.writer.do(f"getelementptr inbounds double, ptr %{array}, i64 %{index.name}")
            )
            self.rows[array, index] = row
        return row if offset == 0 else self.writer.do(f"getelementptr inbounds double, ptr {row}, i64 {offset}")


def _whole(x: Whole | str) -> str:
    return f"%{x.name}" if isinstance(x, Index) else str(x)


def _number(x: float) -> str:
    """A double as LLVM writes it without loss."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
