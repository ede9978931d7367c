"""Steps of a method of a user's own, proved to stay inside its arrays before they are compiled.

They are recorded once more, on a system of which only the layout is known, and the indices of what comes of that are
looked at: compiled code asks nothing on its way, and memory beside an array is that of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.trace.bounds import OutOfBoundsError, require_bounds, sizes_of
from rbdkit.trace.graph import Scalar
from rbdkit.trace.program import Program, Whole
from rbdkit.trace.recorded import Moment, Numbers, Part, Record, as_now

STEPS = 1_000_000
"""Of the motion that is imagined: an array with a number for each step must be "times"."""
SEEN = "what a system reads"
"""An array that stands for it."""


def require_steps_in_bounds(method: Any, arrays: Mapping[str, NDArray], nx: int, nv: int) -> None:
    """Prove that the steps of a method read and write nothing beside their arrays.

    Parameters
    ----------
    method : an integrator that records its steps. arrays : its own. nx, nv : lengths of the state.

    Raises
    ------
    SimulationError
        With the name of the array, the index and the length.
    """
    sizes, tables = sizes_of(arrays)
    given = frozenset(sizes.items()), frozenset((name, tuple(x.ravel().tolist())) for name, x in tables.items())
    written_out = getattr(method, "written_out", None)
    for record, straight in ((method.record, False), (written_out, True)):
        if record is not None and (fault := _fault(as_now(record), straight, *given, nx, nv)) is not None:
            name = getattr(method, "name", type(method).__name__)
            raise SimulationError(
                f"integrator {name!r} ({type(method).__name__}) cannot run compiled: {fault}; mend its record or its "
                "arrays, or leave record out: then it is stepped from Python"
            )


@lru_cache(maxsize=64)
def _fault(
    record: Record,
    straight: bool,
    sizes: frozenset[tuple[str, int]],
    tables: frozenset[tuple[str, tuple[int, ...]]],
    nx: int,
    nv: int,
) -> str | None:
    """What is wrong with the steps, if something is. straight : whether they are those of a system without loops."""
    known = dict(sizes)
    program = Program("steps")
    loop = {"times": STEPS + 1, "x": nx, "v": nv, "x_new": nx, "v_new": nv, SEEN: 1}
    loop |= dict.fromkeys(("last_time", "done", "going", "loop_sum"), 1)
    try:
        record((_StraightLayout if straight else _Layout)(program, nx, nv), program.count("step"))
    except _UnknownError as fault:
        return str(fault)
    counts = {"step": (0, STEPS - 1), "stages": (known.get("c", 0), known.get("c", 0))}
    try:
        require_bounds(program, known | loop, {name: np.array(x) for name, x in tables}, counts)
    except OutOfBoundsError as fault:
        return str(fault).replace(f", '{SEEN}'", "").replace(f"'{SEEN}', ", "")
    return None


class _UnknownError(Exception):
    """A method asks a system for something of which nothing is known here."""


class _Layout:
    """A system as far as its state reaches: it reads what a system reads, and writes what one writes."""

    def __init__(self, program: Program, nx: int, nv: int) -> None:
        self.program, self.nx, self.nv = program, nx, nv
        self.solved_together = 0, nv

    def __getattr__(self, name: str) -> Any:
        raise _UnknownError(f"its record asks the system for {name!r}, and what that reads and writes is not known")

    def coordinates(self) -> Iterator[Whole]:
        yield from self._up_to(self.nx)

    def freedoms(self) -> Iterator[Whole]:
        yield from self._up_to(self.nv)

    def move(self, x: Numbers, u: Numbers, result: Numbers) -> None:
        self._read(x, self.nx)
        self._read(u, self.nv)
        self._write(result, self.nx)

    def local_rate(self, u: Numbers, v: Numbers, result: Numbers) -> None:
        self._read(u, self.nv)
        self._read(v, self.nv)
        self._write(result, self.nv)

    def rate(self, moment: Moment, x: Numbers, v: Numbers, result: Numbers) -> None:
        self.program.store(SEEN, 0, 0, moment.time)
        self._read(x, self.nx)
        self._read(v, self.nv)
        self._write(result, self.nv)

    def project(self, x: Part, v: Part, time: Callable[[], Scalar]) -> None:
        self.program.store(SEEN, 0, 0, time())
        for part, size in ((x, self.nx), (v, self.nv)):
            self._read(part, size)
            self._write(part, size)

    def _up_to(self, size: int) -> Iterator[Whole]:
        with self.program.loop(0, size) as k:
            yield k

    def _read(self, numbers: Numbers, size: int) -> None:
        for k in self._up_to(size):
            self.program.store(SEEN, 0, 0, numbers.load(self.program, k))

    def _write(self, numbers: Numbers, size: int) -> None:
        for k in self._up_to(size):
            numbers.store(self.program, k, self.program.load(SEEN, 0))


class _StraightLayout(_Layout):
    """The same without loops."""

    def _up_to(self, size: int) -> Iterator[Whole]:
        yield from range(size)
