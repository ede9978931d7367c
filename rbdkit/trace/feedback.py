"""Traced controllers: functions of time and state that a program evaluates in every stage of a step.

A `Feedback` is a trace as a plain, hashable value, without its constants. So two controllers that differ in their
gains alone are equal, and share one compiled program that reads the constants from an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rbdkit.trace.graph import LEAVES, Scalar
from rbdkit.trace.lines import Line, recorded_again
from rbdkit.trace.program import Program, Whole
from rbdkit.trace.tracing import OPERATIONS, Trace, is_input


@dataclass(frozen=True)
class Feedback:
    """A traced function of t, q and v as a list of operations, equal to others that differ in constants alone.

    Attributes
    ----------
    steps : operations in order, each with the positions of its operands; leaves are ("load", argument, k), ("number",
        k) and ("const", value).
    results : position of each element of the result among the steps.
    numbers : constants that the function uses; they do not count in comparisons.
    lines : source line of each operation, in code that is checked.
    """

    steps: tuple[tuple[Any, ...], ...]
    results: tuple[int, ...]
    numbers: tuple[float, ...] = field(compare=False)
    lines: tuple[Line | None, ...] = ()

    @classmethod
    def of(cls, trace: Trace, given: Sequence[float] = ()) -> Feedback:
        """Convert the trace of a function with the arguments t, q and v.

        given : values of the argument "numbers" of the trace, which stay inputs whatever they are; constants of the
            trace are appended.
        """
        roots = trace.positions()
        steps: list[tuple[Any, ...]] = []
        numbers = list(given)
        place: dict[int, int] = {}
        live = trace.graph.live(roots)
        for position in live:
            operation, *operands = trace.graph.nodes[position]
            place[position] = len(steps)
            if operation == "load" and operands[0] == "numbers":
                steps.append(("number", operands[2]))
            elif operation == "load":
                steps.append(("load", operands[0], operands[2]))
            # a gain: read from an array, so that another one needs no compilation
            elif operation == "const" and is_input(operands[0]):
                steps.append(("number", len(numbers)))
                numbers.append(operands[0])
            elif operation in LEAVES:
                steps.append((operation, *operands))
            else:
                steps.append((operation, *(place[operand] for operand in operands)))
        lines = () if trace.graph.lines is None else tuple(trace.graph.lines.get(position) for position in live)
        return cls(tuple(steps), tuple(place[root] for root in roots), tuple(numbers), lines)

    def asks(self, *arguments: str) -> bool:
        """Whether the function depends on one of these arguments."""
        return any(step[0] == "load" and step[1] in arguments for step in self.steps)

    def record(
        self, program: Program, t: Scalar, q: tuple[str, Whole], v: tuple[str, Whole], numbers: str
    ) -> list[Scalar]:
        """Record the function in the open block of a program.

        Parameters
        ----------
        t : time, s. q, v : array and place where each begins. numbers : name of the array that holds the constants.

        Returns
        -------
        The elements of the result.
        """
        sources = {"q": q, "v": v}

        def load(argument: str, k: int) -> Scalar:
            return t if argument == "t" else program.load(*sources[argument], k)

        return self.compute(program, load, numbers)

    def compute(self, program: Program, load: Callable[[str, int], Scalar], numbers: str) -> list[Scalar]:
        """Record the function as `record` does, with other arguments. load : gives element k of an argument."""
        return self._replayed(load, lambda k: program.load(numbers, 0, k))

    def value(self, load: Callable[[str, int], float]) -> list[float]:
        """Evaluate the function on floats; return the elements of the result. load : gives element k of an argument."""
        return self._replayed(load, lambda k: self.numbers[k])

    def _replayed(self, load: Callable[[str, int], Any], number: Callable[[int], Any]) -> list[Any]:
        values: list[Any] = []
        with recorded_again(dict(enumerate(self.lines))) as comes_next:
            for k, (operation, *operands) in enumerate(self.steps):
                comes_next(k)
                if operation == "const":
                    values.append(operands[0])
                elif operation == "number":
                    values.append(number(operands[0]))
                elif operation == "load":
                    values.append(load(*operands))
                else:
                    values.append(OPERATIONS[operation](*(values[operand] for operand in operands)))
        return [values[position] for position in self.results]
