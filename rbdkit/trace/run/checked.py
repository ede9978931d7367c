"""Checked execution: programs in Python with checks of bounds, of reads of unwritten elements, and of NaN.

It is the same Python code as that of `interpreted`, on lists that check each access. An error names the array and the
source line of the algorithm that the access was recorded from.
"""

from __future__ import annotations

import math
import struct
import sys
import warnings
from collections.abc import Mapping
from types import TracebackType
from typing import Any, ClassVar

from numpy.typing import NDArray

from rbdkit.errors import CheckError, SimulationError
from rbdkit.trace.emit.python import EXPRESSIONS, Made
from rbdkit.trace.graph import LEAVES
from rbdkit.trace.lines import Line
from rbdkit.trace.program import Program
from rbdkit.trace.run.interpreted import PythonCode

_PATTERN = 0x7FF8_0000_0072_6264
"""Bits of a NaN that no arithmetic produces."""
UNWRITTEN: float = struct.unpack("<d", struct.pack("<Q", _PATTERN))[0]
"""Content of work arrays of a program until something is written there."""


WORDS = {**EXPRESSIONS, "div": "{} / {}"}
"""Operations as they are written in a message."""


class _Fault(Exception):
    """An invalid access to an array."""

    def __init__(self, array: str, index: int, what: str, line: Line | None = None) -> None:
        super().__init__(what)
        self.array, self.index, self.line = array, index, line


class _BoundedList(list[Any]):
    """Elements of an array, with bounds checks (and without negative indices)."""

    def __init__(self, name: str, elements: list[Any], made: Mapping[int, Made]) -> None:
        super().__init__(elements)
        self.name, self.made = name, made

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self._inside(index, "read"))

    def __setitem__(self, index: Any, x: Any) -> None:
        super().__setitem__(self._inside(index, "written"), x)

    def _inside(self, index: int, done: str) -> int:
        if not 0 <= index < len(self):
            there = f"{self.name}[0] to {self.name}[{len(self) - 1}]" if len(self) else "none"
            raise _Fault(self.name, index, f"{self.name}[{index}] is {done}, and there is {there}")
        return index


class _CheckedList(_BoundedList):
    """Elements of an array with checks: none is read before it is written, and none becomes NaN or infinite."""

    def __getitem__(self, index: Any) -> Any:
        x = super().__getitem__(index)
        # NaN alone differs from itself
        if x != x:
            unwritten = struct.unpack("<Q", struct.pack("<d", x))[0] == _PATTERN
            what = "is read before anything was written there" if unwritten else "is read, and is nan"
            raise _Fault(self.name, index, f"{self.name}[{index}] {what}")
        return x

    def __setitem__(self, index: Any, x: Any) -> None:
        super().__setitem__(index, x)
        # NaN and infinite numbers alone: their difference from themselves is NaN
        if x - x != 0.0:
            # the generated function: the number of its line tells which node is stored here
            code = sys._getframe(1)
            made = self.made[code.f_lineno]
            line, operation = _origin(made, code.f_locals)
            if x != x or operation:  # where it is infinite from the beginning, that is meant
                raise _Fault(
                    self.name, index, f"{self.name}[{index}] becomes {x}, of {operation or 'what it is given'}", line
                )


class BoundedCode(PythonCode):
    """A program for one state whose indices are checked while it runs."""

    kind: ClassVar[type[_BoundedList]] = _BoundedList

    def lists(self, used: Mapping[str, NDArray]) -> dict[str, list[Any]]:
        return {name: self.kind(name, x.ravel().tolist(), self.made) for name, x in used.items()}

    def call(self, given: Mapping[str, Any]) -> None:
        """Run the function.

        Raises
        ------
        CheckError
            If it goes wrong.
        """
        try:
            super().call(given)
        except _Fault as fault:
            raise self._named(fault, fault.__traceback__) from fault

    def _named(self, fault: _Fault, traceback: TracebackType | None) -> CheckError:
        """Return the error for a fault: a traceback gives the line of generated code, and that its source line."""
        while traceback is not None and traceback.tb_frame.f_code is not self.function.__code__:
            traceback = traceback.tb_next
        assert traceback is not None
        values, made = traceback.tb_frame.f_locals, self.made[traceback.tb_lineno]
        line = fault.line or made.line
        around = {self.program.numbered[index]: values[index.name] for index in made.numbered}
        return CheckError(f"{fault}" + (f"\n{line}" if line else ""), fault.array, fault.index, around, line)


class CheckedCode(BoundedCode):
    """A program for one state whose indices and numbers are checked while it runs."""

    kind = _CheckedList

    def room(self, sizes: Mapping[str, int]) -> dict[str, NDArray]:
        own = super().room(sizes)
        for name, x in own.items():
            if x.dtype == float and name not in self.program.zeros:
                x.fill(UNWRITTEN)
        return own


def _origin(made: Made, values: Mapping[str, Any]) -> tuple[Line | None, str]:
    """Trace a non-finite number back to the operation that produced it; return its line, and the operation as text.

    The text is empty if no operation produced it: then it is one of the inputs.
    """
    graph, position = made.graph, made.node
    assert graph is not None and position is not None
    lines: Mapping[Any, Line | None] = graph.lines or {}

    def value(node: int) -> Any:
        name = made.variables[node]
        return values[name] if name in values else float(name)

    while True:
        operation, *operands = graph.nodes[position]
        if operation in LEAVES:
            return made.line, ""
        if operation == "select":
            # the side that was not chosen may be anything
            operands = [operands[1] if value(operands[0]) else operands[2]]
        worse = [node for node in operands if not math.isfinite(value(node))]
        if not worse:
            return lines.get(position), WORDS[operation].format(*map(value, operands))
        # further down, until an operation makes a number that is not finite of finite ones
        position = worse[0]


def instead(program: Program, fault: str) -> BoundedCode:
    """Return bounds-checked code for a program that is not proved to stay inside its arrays, with a warning.

    Raises
    ------
    SimulationError
        If the program computes several states at once, which such code does not.
    """
    if program.lanes.width > 1:
        raise SimulationError(f"program {program.name!r} does not run in lanes, where indices are not checked: {fault}")
    warnings.warn(
        f"program {program.name!r} is not known to stay inside of its arrays: {fault}. It runs in Python, with each "
        "index checked, a thousand times slower; backend='checked' names the line where one is wrong",
        RuntimeWarning,
        stacklevel=3,
    )
    return BoundedCode(program)
