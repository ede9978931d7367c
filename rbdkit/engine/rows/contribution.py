"""Some rows of the constraints ``K vdot = k`` on a tree: loop joints contribute rows, and so may anything else.

A contribution comes in two parts. `Contribution` is made from a model: how many rows there are, and the numbers and
tables that belong to them. Its `code` writes the rows into a program at each state. Numbers are inputs of that program,
so models that differ in numbers alone share it.

A row is a force that the constraint may exert: column r of K^T, an array of nv numbers. The code says it as wrenches on
links (`Rows.hold`), or directly along velocities (`Rows.add`), or both. Besides it gives what `Rows.asks` for: k, what
the row's acceleration must be where velocities go on as they are; the gap by which it is violated; and the slip, by
which velocities violate it, K v less what time alone brings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.spatial.vector3 import Vector, dot
from rbdkit.trace import Program, Scalar, Whole, maximum

if TYPE_CHECKING:
    from rbdkit.engine.rows.base_motion import BaseMotion
    from rbdkit.trace import Guard

Path = Sequence[tuple[int, float]]
"""Freedoms of links ("slots" of `rbdkit.engine.run.tables`) with a factor each: what they do to the row's motion."""


class RowCode(Protocol):
    """Writes the rows of a contribution. Hashable; equal where the code is the same."""

    @property
    def driven(self) -> bool:
        """Whether it asks for the numbers of joints that move as time says."""
        ...

    @property
    def timed(self) -> bool:
        """Whether it asks for time, in the array `ROW_TIME`."""
        ...

    def record(self, at: BaseMotion, rows: Rows) -> None:
        """Write all of them at a state.

        Of a contribution named "x" the counts "x_row", "x_wrench" and "x_path" tell where its rows, its wrenches and
        its paths begin among those of all; its own arrays, tables and counts have the names that it gave them.
        """
        ...


@dataclass(frozen=True, eq=False)
class Contribution:
    """Some rows for one model.

    Attributes
    ----------
    name : its arrays, tables and counts have names that begin with it.
    code : writes them.
    labels : what each row is of, for messages; as many as there are rows.
    free : (rows,) what K H^-1 K^T would have on its diagonal if bodies were free. size : (rows,) squares of the rows
        as wrenches. With both the decision on dependent rows compares, see `dependence`.
    touched : for each row the numbers of the velocities that it holds directly, by `Rows.add`; empty if none do.
    paths : over which wrenches are held, see `between`. path_rows : for each the rows that are held over it.
    wrenches : how many there are.
    numbers : arrays that the program reads. tables, counts : likewise. room : sizes of arrays that it computes in.
    uses : what formulas of a user's own among them were made of.
    plain : elements of these arrays that straight-line code takes for granted, since they save work, by place.
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
        """How many there are."""
        return len(self.labels)


class RowsWritten(Protocol):
    """What codes write rows to, see `Rows`."""

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

    "K" holds K^T, row by row: count "K_row" numbers for each velocity, of which the first "n_rows" are used. "row_k",
    "row_gap" and "row_slip" have a number for each row. All are zero before contributions write.

    Parameters
    ----------
    array : that takes K^T. asks : of "K", "k", "gap", "slip" and "opened" those that are wanted.
    """

    def __init__(self, program: Program, asks: frozenset[str], coupled: bool, array: str = "K") -> None:
        self.program, self.asks, self.coupled, self.array = program, asks, coupled, array
        self.length = program.count("K_row")

    def wrench(self, place: Whole, W: Sequence[Scalar]) -> None:
        """Write wrench number `place`: moment and force in base coordinates, see `BaseMotion`."""
        for j, x in enumerate(W):
            self.program.store("wrenches", place * 6, j, x)

    def hold(self, path: Whole, row: Whole, wrench: Whole, n: int) -> None:
        """Add to rows `row`, `row` + 1 ... what n wrenches, in order from number `wrench` on, do along a path."""
        if "K" not in self.asks:
            return
        program = self.program
        with program.loop(program.entry("first_of_path", path), program.entry("first_of_path", path + 1)) as place:
            slot = program.entry("path_slots", place)
            a = program.entry("velocity_of_slot", slot) if self.coupled else slot
            motion, here, first = slot * 12, a * self.length + row, wrench * 6
            S = [program.load("columns", motion, j) for j in range(6)]
            factor = program.load("path_factors", place)
            for k in range(n):
                W = [program.load("wrenches", first, 6 * k + j) for j in range(6)]
                program.store(self.array, here, k, program.load(self.array, here, k) + factor * dot(S, W))

    def add(self, row: Whole, velocity: Whole, x: Scalar) -> None:
        """Add to the element of K of a row and a velocity; the contribution says beforehand which it `touches`."""
        if "K" not in self.asks:
            return
        here = velocity * self.length + row
        self.program.store(self.array, here, 0, self.program.load(self.array, here) + x)

    def k(self, row: Whole, x: Scalar) -> None:
        """Write k of a row."""
        self.program.store("row_k", row, 0, x)

    def gap(self, row: Whole, x: Scalar) -> None:
        """Write by how much a row is violated, m or rad."""
        self.program.store("row_gap", row, 0, x)

    def slip(self, row: Whole, x: Scalar) -> None:
        """Write by how much velocities violate a row, m/s or rad/s: the rate of the gap."""
        self.program.store("row_slip", row, 0, x)

    def opened(self, squared: Scalar) -> None:
        """Tell how far a constraint is open: the square of an angle, or of a share of the mechanism's length."""
        self.program.store("opened", 0, 0, maximum(self.program.load("opened", 0), squared))


def at_origin(p: Vector, n: Vector, f: Vector) -> list[Scalar]:
    """The wrench with moment n about a point p, and force f, about the origin."""
    return [n[0] + p[1] * f[2] - p[2] * f[1], n[1] + p[2] * f[0] - p[0] * f[2], n[2] + p[0] * f[1] - p[1] * f[0], *f]


def between(layout: Layout, predecessor: int, successor: int) -> list[tuple[int, float]]:
    """The path of what two links do to each other: freedoms that move the successor, and those that move the
    predecessor with a minus; freedoms that move both have no part in it. Links by their numbers, 0 the world.
    """
    from_P, from_S = _moving(layout, predecessor), _moving(layout, successor)
    return [(slot, 1.0) for slot in from_S if slot not in from_P] + [
        (slot, -1.0) for slot in from_P if slot not in from_S
    ]


def first_slots(layout: Layout) -> NDArray:
    """The first freedom of each link, and their number."""
    return np.cumsum([0, 0, *(link.kind.motion.nv for link in layout.links)])


def _moving(layout: Layout, link: int) -> list[int]:
    """The freedoms that move a link, the first one first. Where no joint follows another they are its velocities."""
    first, follows = first_slots(layout), any(link.kind.follows for link in layout.links)
    found: list[int] = []
    while link:
        here = layout.links[link - 1]
        start = int(first[link]) if follows else here.v
        found = [*range(start, start + here.kind.motion.nv), *found]
        link = here.parent
    return found
