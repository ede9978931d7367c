"""Python execution: programs as generated Python functions, for platforms where nothing can be compiled.

It has the interface of `rbdkit.trace.run.native`: a program is bound to arrays, and the result runs it. Arrays are
copied to lists before each run, and those that the program writes to are copied back: arithmetic on Python floats is
several times faster than on elements of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.emit.python import compile_python, program_source
from rbdkit.trace.program import Block, Loop, Program, Put, Statement, Switch
from rbdkit.trace.run.lanes import Binder, Given


class PythonCode:
    """A program for one state as a Python function."""

    def __init__(self, program: Program) -> None:
        if program.lanes.width > 1:
            raise ValueError(f"Python code of {program.name!r} for {program.lanes.width} states at once is not made")
        self.program = program
        source, self.made = program_source(program)
        self.function = compile_python(source, program.name)
        self._written = set(_written(program.body))

    def bind(self, arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        """Return a function that runs the program on given arrays and counts."""
        program = self.program
        used = {name: np.asarray(arrays[name]) for name in (*program.arrays, *program.tables)}

        def run() -> None:
            lists = self.lists(used)
            self.call({**lists, **{name: counts[name] for name in program.counts}})
            for name in self._written:
                used[name].flat[:] = lists[name]

        return run

    def lists(self, used: Mapping[str, NDArray]) -> dict[str, list[Any]]:
        """Return arrays and tables as the function takes them."""
        # lists of Python floats: arithmetic on NumPy's scalars would be several times slower
        return {name: x.ravel().tolist() for name, x in used.items()}

    def call(self, given: Mapping[str, Any]) -> None:
        """Run the function."""
        self.function(**given)

    def room(self, sizes: Mapping[str, int]) -> dict[str, NDArray]:
        """Return new work arrays of given sizes."""
        types = dict.fromkeys(self.program.arrays, float) | dict.fromkeys(self.program.tables, np.int64)
        return {name: np.zeros(size, dtype=types[name]) for name, size in sizes.items() if name in types}

    def binder(self, fixed: Mapping[str, np.ndarray], room: Mapping[str, int], counts: Mapping[str, int]) -> Binder:
        """Return a `bind` for many calls that differ little; see `rbdkit.trace.run.native.NativeCode.binder`."""

        def bind(arrays: Mapping[str, Given], others: Mapping[str, int]) -> Callable[[], None]:
            return self.bind({**self.room(room), **fixed, **arrays}, {**counts, **others})

        return bind


def _written(body: list[Statement]) -> Iterator[str]:
    """Yield the names of the arrays and tables that statements write to."""
    for statement in body:
        match statement:
            case Block():
                yield from (array for array, _, _ in statement.stores)
            case Put():
                yield statement.table
            case Loop():
                yield from _written(statement.body)
            case Switch():
                for inner in statement.cases.values():
                    yield from _written(inner)
