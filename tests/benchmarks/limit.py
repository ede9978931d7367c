"""What this processor can do at most, measured with code from the engine's own runner, and how near an algorithm comes.

Two bounds. The *peak* counts operations, of which each fused multiplication and addition does two: only code that
consists of nothing else can reach it. The *issue limit* is the time that the instructions of an algorithm need if none
of them ever waits for another one, for memory or for its turn: as long as a micro-kernel with as many multiplications,
additions and fused ones in independent chains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.pack import pack
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.recordings import record
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.model import Model
from rbdkit.trace.emit.elementary import sine_cosine_graph
from rbdkit.trace.graph import Graph, Scalar
from rbdkit.trace.program import Block, Lanes, Loop, Program, Statement
from rbdkit.trace.run.lanes import blank
from rbdkit.trace.run.native import NativeCode, machine

DEPTH, TURNS = 64, 200
KINDS: dict[str, Callable[[Scalar, Scalar, Scalar], Scalar]] = {
    "fma": lambda x, one, zero: x * one + zero,
    "mul": lambda x, one, zero: x * one,
    "add": lambda x, one, zero: x + zero,
}


@dataclass(frozen=True)
class Cost:
    """Of an algorithm for one state: its floating-point instructions by kind."""

    fma: int = 0
    mul: int = 0
    add: int = 0

    @property
    def instructions(self) -> int:
        """All of them."""
        return self.fma + self.mul + self.add

    @property
    def operations(self) -> int:
        """Multiplications and additions, fused or not."""
        return self.instructions + self.fma

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.fma + other.fma, self.mul + other.mul, self.add + other.add)


def chains() -> int:
    """Independent chains: enough to hide how long an instruction takes, few enough for the registers."""
    return 20 if machine().lanes == 8 else 12


def micro_kernel(width: int = 1, mix: Cost | None = None) -> tuple[Callable[[], None], int]:
    """Instructions that work in registers and do not wait for each other, and how many they are.

    width : numbers in a register. mix : in which proportion; fused ones only if not given.
    """
    kinds = _kinds(mix or Cost(fma=1))
    program = Program("peak", Lanes(width))
    with program.loop(0, program.count("turns")):
        x = [program.load("x", 0, k) for k in range(len(kinds))]
        one, zero = program.load("x", 0, len(kinds)), program.load("x", 0, len(kinds) + 1)
        for _ in range(DEPTH):
            x = [KINDS[kind](value, one, zero) for kind, value in zip(kinds, x, strict=True)]
        for k, value in enumerate(x):
            program.store("x", 0, k, value)
    numbers = blank(len(kinds) + 2, width)
    numbers[:-1] = 1.0
    run = NativeCode(program).bind({"x": numbers if width > 1 else numbers.ravel()}, {"turns": TURNS})
    return run, len(kinds) * DEPTH * TURNS


def _kinds(mix: Cost) -> list[str]:
    """What each chain consists of, neighbours as different as can be."""
    n, given = chains(), {"fma": mix.fma, "mul": mix.mul, "add": mix.add}
    due, kinds = dict.fromkeys(given, 0.0), []
    for _ in range(n):
        due = {kind: due[kind] + count / mix.instructions for kind, count in given.items()}
        kinds.append(max(due, key=due.__getitem__))
        due[kinds[-1]] -= 1.0
    return kinds


def straight_line_cost(model: Model, algorithm: str) -> Cost:
    """The cost of the straight-line code of a model.

    A division counts as a multiplication; changes of sign and choices are not counted.
    """
    plan = layout(model)
    program = Program(algorithm)
    fixed = dict(fixed_numbers(plan, pack(model, plan)["rows"]))
    record(Task(algorithm), UnrolledTree(program, plan.links, plan.nq, plan.nv, fixed))
    return sum((_cost(block.graph, block.roots()) for block in _blocks(program.body)), Cost())


def _blocks(body: list[Statement]) -> Iterator[Block]:
    for statement in body:
        if isinstance(statement, Block):
            yield statement
        elif isinstance(statement, Loop):
            yield from _blocks(statement.body)


def _cost(graph: Graph, roots: list[int]) -> Cost:
    """Of a graph, with each sine and its cosine written out."""
    nodes = [graph.nodes[position] for position in graph.live(roots)]
    count = Counter(name for name, *_ in nodes)
    uses = Counter(x for name, *operands in nodes if name not in ("const", "load") for x in operands) + Counter(roots)
    fused: set[int] = set()
    for name, *operands in nodes:
        if name in ("add", "sub"):  # fused with one multiplication, if nothing else needs its result
            fused |= set([x for x in operands if graph.nodes[x][0] == "mul" and uses[x] == 1][:1])
    pairs = len(fused) if machine().fused else 0
    products, sums = count["mul"] + count["div"] + count["sqrt"], count["add"] + count["sub"]
    cost = Cost(count["fma"] + pairs, products - pairs, sums - pairs)
    turn, *results = sine_cosine_graph(machine().fused)
    angles = {operands[0] for name, *operands in nodes if name in ("sin", "cos")}
    return sum((_cost(turn, results) for _ in angles), cost)
