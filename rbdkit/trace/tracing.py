"""Tracing: run a function on symbols and record what it computes (Featherstone 2008, section 10.4).

`trace` calls a function once, with symbols for its arguments; the `Trace` that it returns holds the graph of the
result. A function that branches on a symbol is refused, also if it catches the exception: with numbers it may take
another path than the recorded one.

A trace is data and can be run again on anything (`replay`): on numbers to evaluate it, on symbols of another graph to
simplify it, on elements of a program's arrays to make code of it. `with_numbers` turns its constants into inputs, so
that functions which differ in constants alone, such as gains, share one compiled program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.arrays import symbols
from rbdkit.trace.graph import Condition, Graph, Scalar, Symbol, no_words
from rbdkit.trace.lines import recorded_again
from rbdkit.trace.program import Program
from rbdkit.trace.scalar import copysign, divide, equal, opposite, select
from rbdkit.trace.signed_zeros import settled


@dataclass(frozen=True)
class Operations:
    """Operation counts: multiplications, additions (with subtractions), divisions, and others."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    neg: int = 0
    compare: int = 0

    @property
    def total(self) -> int:
        """Number of arithmetic operations: all but changes of sign and comparisons."""
        return self.mul + self.add + self.div + self.sqrt + self.trig

    def __add__(self, other: Operations) -> Operations:
        return Operations(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __str__(self) -> str:
        """Return the counts in the notation of Featherstone's book: ``6m + 3a``."""
        letters = {"mul": "m", "add": "a", "div": "d", "sqrt": "r", "trig": "t"}
        parts = [f"{getattr(self, name)}{letter}" for name, letter in letters.items() if getattr(self, name)]
        return " + ".join(parts) or "0"


COUNTED = {
    "sub": "add", "sin": "trig", "cos": "trig", "copysign": "neg",
    "less": "compare", "equal": "compare", "and": "compare", "or": "compare", "not": "compare", "select": "compare",
}  # fmt: skip


def count_operations(graph: Graph, outputs: Sequence[int]) -> Operations:
    """Count the operations of a graph that the outputs need."""
    names = Counter(graph.nodes[position][0] for position in graph.live(outputs))
    sorts: Counter[str] = Counter()
    for name, n in names.items():
        if name not in ("const", "load"):
            sorts[COUNTED.get(name, name)] += n
    return Operations(**sorts)


@dataclass(frozen=True, eq=False)
class Trace:
    """A traced function: the graph of what it computes from its arguments.

    Attributes
    ----------
    graph : the graph; its leaf ``("load", name, None, k)`` is element k of an argument.
    names, shapes : names and shapes of the arguments, in order.
    outputs : nodes or numbers of the flattened result.
    shape : shape of the result; () for a scalar.
    """

    graph: Graph
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    outputs: tuple[Scalar, ...]
    shape: tuple[int, ...]

    def operations(self) -> Operations:
        """Count the operations that the result needs; in a trace that was not simplified, all that were executed."""
        roots = self.positions() if self.graph.simplify else range(len(self.graph.nodes))
        return count_operations(self.graph, list(roots))

    def positions(self) -> list[int]:
        """Return the positions of the outputs in the graph."""
        return [self.graph.position(value) for value in self.outputs]

    def program(self, name: str = "traced") -> Program:
        """Return a program that reads arrays named like the arguments and writes the array "result"."""
        program = Program(name)
        for k, value in enumerate(replay(self, lambda leaf: program.load(leaf[1], 0, leaf[3]))):
            program.store("result", 0, k, value)
        return program

    def simplified(self) -> Trace:
        """Return the trace simplified by the four rules of section 10.4: dead code, copies, 0 and 1, constants."""
        graph = Graph()
        outputs = replay(self, lambda leaf: graph.node(*leaf))
        return Trace(graph, self.names, self.shapes, tuple(outputs), self.shape)

    def __call__(self, *arguments: Any) -> Any:
        """Evaluate the function, operation by operation, on numbers of any type with + - * /."""
        values = {name: np.asarray(x, dtype=object).ravel() for name, x in zip(self.names, arguments, strict=True)}
        result = replay(self, lambda leaf: values[leaf[1]][leaf[3]])
        return result[0] if self.shape == () else np.array(result, dtype=object).reshape(self.shape)


def replay(
    trace: Trace, leaf: Callable[[tuple], Any], operations: Mapping[str, Callable[..., Any]] | None = None
) -> list[Any]:
    """Run a trace again on other scalars: ``leaf(("load", name, None, k))`` gives the arguments' elements.

    operations : functions in place of some of `OPERATIONS`, for scalars that have a sine of their own.
    """
    known = OPERATIONS if operations is None else {**OPERATIONS, **operations}
    values: dict[int, Any] = {}
    # both sides of a choice are computed, and one may not be a number
    with np.errstate(all="ignore"), recorded_again(trace.graph.lines) as comes_next:
        for position in trace.graph.live(trace.positions()):
            operation, *operands = trace.graph.nodes[position]
            comes_next(position)
            if operation == "const":
                values[position] = operands[0]
            elif operation == "load":
                values[position] = leaf(trace.graph.nodes[position])
            else:
                values[position] = known[operation](*(values[operand] for operand in operands))
    return [values[position] for position in trace.positions()]


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divide,
    "neg": lambda a: -a,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "copysign": copysign,
    "less": lambda a, b: a < b,
    "equal": equal,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": opposite,
    "select": select,
}


PLAIN = (0.0, 1.0, -1.0)
"""Constants that become part of the code; all others are inputs, so that another gain needs no compilation."""


def is_input(constant: float) -> bool:
    """Whether a constant becomes an input of compiled code.

    0, 1 and -1 do not, as they save operations; nor do numbers from 2**51 on: `scalar.whole` rounds by adding them, and
    its derivative is recognised by their values.
    """
    return constant not in PLAIN and abs(constant) < 2.0**51


def with_numbers(trace: Trace) -> tuple[Trace, tuple[float, ...]]:
    """Return a trace whose constants are an additional argument "numbers" (see `is_input`), and their values."""
    graph, numbers, values = Graph(), list[float](), dict[int, Any]()
    with recorded_again(trace.graph.lines) as comes_next:
        for position in trace.graph.live(trace.positions()):
            operation, *operands = trace.graph.nodes[position]
            comes_next(position)
            if operation == "const" and is_input(operands[0]):
                values[position] = graph.load("numbers", None, len(numbers))
                numbers.append(operands[0])
            elif operation == "const":
                values[position] = operands[0]
            elif operation == "load":
                values[position] = graph.node(operation, *operands)
            else:
                values[position] = OPERATIONS[operation](*(values[operand] for operand in operands))
    outputs = tuple(values[position] for position in trace.positions())
    shapes = (*trace.shapes, (len(numbers),))
    return Trace(graph, (*trace.names, "numbers"), shapes, outputs, trace.shape), tuple(numbers)


def trace(
    function: Callable[..., Any],
    *shapes: int | tuple[int, ...],
    names: Sequence[str] = (),
    simplify: bool = True,
    exact: bool = False,
) -> Trace:
    """Run a function on symbols and record what it does.

    Parameters
    ----------
    function : takes scalars and arrays and returns a scalar, an array or a sequence. It may use arithmetic, ``<``,
        `select`, NumPy's functions of one number (see `rbdkit.trace.elementwise`), `numpy.where`, `numpy.clip`,
        `numpy.interp` and functions built on these (``@``, `numpy.cross`, `numpy.dot`, ...). Whatever is an argument
        stays variable; numbers inside the function are folded into the result.
    shapes : of the arguments: () for a scalar, n or (n,) for a vector, (n, m) for a matrix.
    names : of the arguments; x0, x1, ... if not given.
    simplify : False keeps every operation as executed.
    exact : whether zeros follow IEEE 754 and are no structure, see `Graph`.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.trace import trace
    >>> spin = trace(lambda v: np.cross(v, np.diag([1.5, 1.6, 1.7]) @ v)[2], 3)
    >>> str(spin.operations())
    '4m + 1a'
    """
    graph = Graph(simplify, exact, signed=simplify and exact)
    sizes = tuple((s,) if isinstance(s, int) else tuple(s) for s in shapes)
    labels = tuple(names) or tuple(f"x{k}" for k in range(len(sizes)))
    # conditions on plain numbers behave as Python's, on elements of arrays as NumPy's: see `of_conditions`
    graph.scalars = frozenset(label for label, shape in zip(labels, sizes, strict=True) if shape == ())
    arguments = [_symbols(graph, name, shape) for name, shape in zip(labels, sizes, strict=True)]
    graph.words = no_words
    try:
        with np.errstate(all="ignore"):  # NumPy asks the processor about what was recorded, too
            result = np.asarray(function(*arguments), dtype=object)
    finally:
        graph.words = None
    graph.require_not_refused()
    outputs = tuple(
        x.number() if isinstance(x, Condition) else x if isinstance(x, Symbol) else float(x) for x in result.ravel()
    )
    outputs = settled(graph, outputs, OPERATIONS)
    return Trace(graph, labels, sizes, outputs, result.shape)


def _symbols(graph: Graph, name: str, shape: tuple[int, ...]) -> Symbol | NDArray:
    if shape == ():
        return graph.load(name, None, 0)
    return symbols([graph.load(name, None, k) for k in range(int(np.prod(shape)))]).reshape(shape)
