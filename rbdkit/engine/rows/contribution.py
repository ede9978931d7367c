"""Interface between the constraints of a model and the programs that write their rows ``K vdot = k``.

Loop joints, users' constraints and anything else that constrains a tree contribute a block of rows, in two parts.
`Contribution` is made from a model: the number of rows, and the numbers and tables that belong to them. Its `code`
writes the rows into a program at each state. Numbers are inputs of that program, so models that differ in numbers alone
share it.

A row is a force that the constraint may exert: column r of K^T, nv numbers. The code gives it as wrenches on links
(`Rows.hold`), as generalized forces (`Rows.add`), or both. It also gives what `Rows.asks` names: k, the row's
acceleration that constraints demand at vdot = 0; the gap, its closure error; and the slip, its velocity violation, K v
less what time alone brings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Program, Scalar, Whole, maximum

if TYPE_CHECKING:
    from rbdkit.engine.rows.base_motion import BaseMotion
    from rbdkit.trace import Guard

Path = Sequence[tuple[int, float]]
"""Freedoms of links ("slots" of `rbdkit.engine.run.tables`), each with the factor of its motion in the row."""


class RowCode(Protocol):
    """Writes the rows of a contribution. Hashable; equal where the code is the same."""

    @property
    def driven(self) -> bool:
        """Whether it reads the motion of prescribed joints."""
        ...

    @property
    def timed(self) -> bool:
        """Whether it reads the time, in the array `ROW_TIME`."""
        ...

    def record(self, at: BaseMotion, rows: Rows) -> None:
        """Write all rows at a state.

        For a contribution named "x" the counts "x_row", "x_wrench" and "x_path" are where its rows, wrenches and paths
        begin among those of all; its own arrays, tables and counts have the names that it gave them.
        """
        ...


@dataclass(frozen=True, eq=False)
class Contribution:
    """A block of constraint rows for one model.

    Attributes
    ----------
    name : prefix of the names of its arrays, tables and counts.
    code : writes the rows.
    labels : for each row the constraint that it belongs to, for messages.
    free : (rows,) diagonal of K H^-1 K^T if bodies were free. size : (rows,) squared norms of the rows as wrenches.
        Both are scales of the redundancy decision, see `dependence`.
    touched : for each row the velocities that it acts on directly, by `Rows.add`; empty if there are none.
    paths : paths of the wrenches, see `between`. path_rows : for each path the rows whose wrenches act along it.
    wrenches : number of wrenches.
    numbers, tables, counts : arrays, tables and sizes that the program reads, by name. room : sizes of work arrays.
    uses : guards of what users' own functions among them depend on.
    plain : elements of these arrays that are built into straight-line code, as (array, place, value).
    """

    name: str
    code: RowCode
    labels: tuple[str, ...]
    free: NDArray
    size: NDArray
    touched: Sequence[Sequence[int]] = ()
    paths: Sequence[Path] = ()
    path_rows: Sequence[Sequence[int]] = ()
    wrenches: int = 0
    numbers: Mapping[str, NDArray] = field(default_factory=dict)
    tables: Mapping[str, NDArray] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    room: Mapping[str, int] = field(default_factory=dict)
    uses: tuple[Guard, ...] = ()
    plain: frozenset[tuple[str, int, float]] = frozenset()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.labels)


class RowsWritten(Protocol):
    """Interface to which codes write rows, see `Rows`."""

    asks: frozenset[str]

    def wrench(self, place: Whole, W: Sequence[Scalar]) -> None: ...

    def hold(self, path: Whole, row: Whole, wrench: Whole, n: int) -> None: ...

    def add(self, row: Whole, velocity: Whole, x: Scalar) -> None: ...

    def k(self, row: Whole, x: Scalar) -> None: ...

    def gap(self, row: Whole, x: Scalar) -> None: ...

    def slip(self, row: Whole, x: Scalar) -> None: ...

    def opened(self, squared: Scalar) -> None: ...


class Rows:
    """The rows of all contributions, in the arrays of a program.

    "K" holds K^T, row by row: "K_row" numbers for each velocity, of which the first "n_rows" are used. "row_k",
    "row_gap" and "row_slip" have a number for each row. All are zero before contributions write.

    Parameters
    ----------
    array : receives K^T. asks : those of "K", "k", "gap", "slip" and "opened" that are wanted.
    """

    def __init__(self, program: Program, asks: frozenset[str], coupled: bool, array: str = "K") -> None:
        self.program, self.asks, self.coupled, self.array = program, asks, coupled, array
        self.length = program.count("K_row")

    def wrench(self, place: Whole, W: Sequence[Scalar]) -> None:
        """Write wrench number `place`: moment and force in base coordinates, see `BaseMotion`."""
        for j, x in enumerate(W):
            self.program.store("wrenches", place * 6, j, x)

    def hold(self, path: Whole, row: Whole, wrench: Whole, n: int) -> None:
        """Add n consecutive wrenches to consecutive rows of K, projected on the freedoms of a path."""
        if "K" not in self.asks:
            return
        program = self.program
        with program.loop(program.entry("first_of_path", path), program.entry("first_of_path", path + 1)) as place:
            slot = program.entry("path_slots", place)
            a = program.entry("velocity_of_slot", slot) if self.coupled else slot
            motion, here, first = slot * 12, a * self.length + row, wrench * 6
            S = [program.load("columns", motion, j) for j in range(6)]
            # 1 towards the successor, -1 towards the predecessor
            factor = program.load("path_factors", place)
            for k in range(n):
                W = [program.load("wrenches", first, 6 * k + j) for j in range(6)]
                program.store(self.array, here, k, program.load(self.array, here, k) + factor * dot(S, W))

    def add(self, row: Whole, velocity: Whole, x: Scalar) -> None:
        """Add to an entry of K; the contribution must have named it in `Contribution.touched`."""
        if "K" not in self.asks:
            return
        here = velocity * self.length + row
        self.program.store(self.array, here, 0, self.program.load(self.array, here) + x)

    def k(self, row: Whole, x: Scalar) -> None:
        """Write k of a row."""
        self.program.store("row_k", row, 0, x)

    def gap(self, row: Whole, x: Scalar) -> None:
        """Write the closure error of a row, m or rad."""
        self.program.store("row_gap", row, 0, x)

    def slip(self, row: Whole, x: Scalar) -> None:
        """Write the velocity violation of a row, m/s or rad/s: the rate of the gap."""
        self.program.store("row_slip", row, 0, x)

    def opened(self, squared: Scalar) -> None:
        """Raise the squared closure error: of an angle, or of a fraction of the mechanism's length."""
        self.program.store("opened", 0, 0, maximum(self.program.load("opened", 0), squared))


def between(layout: Layout, predecessor: int, successor: int) -> list[tuple[int, float]]:
    """Return the path of a relative motion of two links, by number, 0 for the world.

    These are the freedoms that move the successor, and with a minus sign those that move the predecessor; freedoms that
    move both cancel.
    """
    from_P, from_S = _moving(layout, predecessor), _moving(layout, successor)
    # what moves both ends alike changes nothing between them
    return [(slot, 1.0) for slot in from_S if slot not in from_P] + [
        (slot, -1.0) for slot in from_P if slot not in from_S
    ]


def first_slots(layout: Layout) -> NDArray:
    """Return the first freedom of each link, and the number of all."""
    return np.cumsum([0, 0, *(link.kind.motion.nv for link in layout.links)])


def _moving(layout: Layout, link: int) -> list[int]:
    """Return the freedoms that move a link, from the root on; without mimic joints they are its velocities."""
    first, follows = first_slots(layout), any(link.kind.follows for link in layout.links)
    found: list[int] = []
    while link:
        here = layout.links[link - 1]
        start = int(first[link]) if follows else here.v
        found = [*range(start, start + here.kind.motion.nv), *found]
        link = here.parent
    return found
