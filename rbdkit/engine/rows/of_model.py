"""All constraint rows of a model: their contributions, and the numbers and tables that programs read.

Loop joints and constraints each contribute a block of rows (`contribution`); the rows of all blocks stand one after the
other in K. Which velocities a row depends on is known from the topology, and so are the ancestors at which elimination
fills it in: tables list, for each velocity, the rows that may be nonzero there, and programs skip all others. For a
single state rows are padded to whole SIMD registers instead, since a register computes its zeros for nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.rows.contribution import Contribution, RowCode
from rbdkit.engine.rows.dependence import gap_shares, least_pivots
from rbdkit.engine.rows.loop_joints import LoopJoints, loop_joints
from rbdkit.engine.rows.own_constraints import own_constraints
from rbdkit.engine.run.tables import supports_of
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import PREFERENCE, arcs_of
from rbdkit.trace import WIDE


def contributions(model: Model, layout: Layout, frames: NDArray) -> list[Contribution]:
    """Return the contributions of all constraints on the spanning tree of a model.

    Parameters
    ----------
    frames : poses of the bodies in their links, as in the array of that name.

    Raises
    ------
    NotCovered
        If one of them cannot be compiled.
    """
    found = [loop_joints(model, layout, frames)] if model.loops else []
    return [*found, own_constraints(model, layout)] if model.constraints else found


@dataclass(frozen=True, eq=False)
class RowsOfModel:
    """The constraint rows of a model, contribution after contribution.

    arcs : (nv,) factors that turn joint rates into arcs. least : (m,) pivots below which rows are redundant in any
    case.
    share : (m,) factors that turn gaps into fractions of the mechanism's length, see `gap_shares`.
    """

    parts: tuple[Contribution, ...]
    layout: Layout
    arcs: NDArray
    least: NDArray
    share: NDArray

    @property
    def codes(self) -> tuple[RowCode, ...]:
        """Codes that write the rows."""
        return tuple(part.code for part in self.parts)

    @cached_property
    def m(self) -> int:
        """Number of rows."""
        return sum(part.rows for part in self.parts)

    @cached_property
    def sizes(self) -> NDArray:
        """Squared norms of all rows as wrenches."""
        return _sizes(self.parts)

    @property
    def of_loops(self) -> int:
        """Number of rows of loop joints."""
        return sum(part.rows for part in self.parts if isinstance(part.code, LoopJoints))

    @property
    def known_by_bodies(self) -> bool:
        """Whether there are loop joints, and code for the `residuals` of all."""
        return any(isinstance(part.code, LoopJoints) and part.code.constant_T for part in self.parts)

    @property
    def plain(self) -> frozenset[tuple[str, int, float]]:
        """Elements of `numbers` built into straight-line code, as (array, place, value)."""
        factors = self.numbers["path_factors"]
        # 1 and -1 are known, unless a mimic joint brings a ratio
        turns = () if self._followers else ((("path_factors", k, float(x))) for k, x in enumerate(factors))
        return frozenset(turns).union(*(part.plain for part in self.parts))

    @property
    def _followers(self) -> bool:
        return any(link.kind.follows for link in self.layout.links)

    @property
    def labels(self) -> tuple[str, ...]:
        """For each row the constraint that it belongs to."""
        return tuple(label for part in self.parts for label in part.labels)

    @cached_property
    def numbers(self) -> dict[str, NDArray]:
        """Arrays of floats that programs read."""
        free = np.concatenate([np.zeros(0), *(part.free for part in self.parts)])
        found = {
            "row_free": free,
            "row_size": self.sizes,
            "row_least": self.least,
            "row_share": self.share,
            "row_metric": self.arcs**2,
            "row_number": np.arange(self.m, dtype=float),
            "row_later": 1.0 + PREFERENCE * np.arange(self.m),
            "path_factors": np.array([factor for path in self._paths for _, factor in path]),
        }
        for part in self.parts:
            found |= part.numbers
        return found

    @cached_property
    def _paths(self) -> list[Sequence[tuple[int, float]]]:
        return [path for part in self.parts for path in part.paths]

    def tables(self, lanes: int) -> dict[str, NDArray]:
        """Return the index tables for programs with this many lanes."""
        # a single state takes whole SIMD registers, from the one on that the row begins in
        begin = [row // WIDE * WIDE if lanes == 1 else row for row in range(self.m)]
        touching = self._touching
        found = {
            "row_begin": begin,
            "touching": [row for rows in touching for row in rows],
            "first_touching": np.cumsum([0, *map(len, touching)]),
            "path_slots": [slot for path in self._paths for slot, _ in path],
            "first_of_path": np.cumsum([0, *map(len, self._paths)]),
        }
        for part in self.parts:
            found |= part.tables
        return {name: np.array(table, dtype=np.int64) for name, table in found.items()}

    def counts(self, lanes: int) -> dict[str, int]:
        """Return the counts for this many lanes; "K_row" has room for the rows and the force beside them."""
        found = {"n_rows": self.m, "K_row": self._length(lanes)}
        row = wrench = path = 0
        for part in self.parts:
            found |= {f"{part.name}_row": row, f"{part.name}_wrench": wrench, f"{part.name}_path": path}
            row, wrench, path = row + part.rows, wrench + part.wrenches, path + len(part.paths)
            found |= part.counts
        return found

    def room(self, lanes: int) -> dict[str, int]:
        """Return the sizes of the work arrays of programs with this many lanes."""
        length, layout = self._length(lanes), self.layout
        vectors = ("row_k", "row_gap", "row_slip", "row_inverse", "row_taken", "row_geometry", "row_column",
                   "reactions")  # fmt: skip
        return {
            **dict.fromkeys(vectors, length),
            **dict.fromkeys(("opened", "uncertain", "factor", "row_limit", "row_bar", "row_open"), 1),
            "closing": 2,
            "K": layout.nv * length,
            "Y": layout.nv * length,
            **dict.fromkeys(("answers", "choice"), self.m * length),
            "wrenches": 6 * sum(part.wrenches for part in self.parts),
            "pivot": 4,
            "base_origin": 3,
            "u_closing": layout.nv,
            "x_closing": layout.nq,
            **{name: size for part in self.parts for name, size in part.room.items()},
        }

    @cached_property
    def likeness(self) -> Hashable:
        """Structural key of models whose rows can be computed in the lanes of one program."""
        tables = tuple((name, x.tobytes()) for name, x in sorted(self.tables(1).items()))
        return self.codes, tables, tuple(sorted(self.counts(1).items()))

    def _length(self, lanes: int) -> int:
        return self.m + 1 if lanes > 1 else -(-(self.m + 1) // WIDE) * WIDE

    @cached_property
    def held(self) -> list[list[int]]:
        """The velocities that each row depends on."""
        found: list[list[int]] = [[] for _ in range(self.m)]
        for a, rows in enumerate(self._touching):
            for row in rows:
                found[row].append(a)
        return found

    @cached_property
    def _touching(self) -> list[list[int]]:
        """For each velocity the rows with a nonzero in Y: those that act on it or on one of its descendants."""
        before, _ = supports_of(self.layout)
        found: list[set[int]] = [set() for _ in range(self.layout.nv)]
        first = 0
        for part in self.parts:
            held: list[set[int]] = [set(own) for own in part.touched] or [set() for _ in range(part.rows)]
            for path, rows in zip(part.paths, part.path_rows, strict=True):
                moved = {self._velocity(slot) for slot, _ in path}
                for row in rows:
                    held[row] |= moved
            for row, own in enumerate(held, start=first):
                for a in own:
                    # elimination of L^T fills in the ancestors of what a row acts on
                    for b in before[a]:
                        found[b].add(row)
            first += part.rows
        return [sorted(rows) for rows in found]

    def _velocity(self, slot: int) -> int:
        return self._velocity_of_slot[slot]

    @cached_property
    def _velocity_of_slot(self) -> list[int]:
        if not self._followers:
            return list(range(self.layout.nv))
        return [link.v + k for link in self.layout.links for k in range(link.kind.motion.nv)]


def rows_of(model: Model, layout: Layout, frames: NDArray) -> RowsOfModel | None:
    """Return the rows of a model; None if nothing constrains its tree."""
    parts = tuple(contributions(model, layout, frames))
    if not parts:
        return None
    length, sizes = length_of(model), _sizes(parts)
    return RowsOfModel(
        parts, layout, arcs_of(model, length), least_pivots(model, sizes, length), gap_shares(sizes, length)
    )


def _sizes(parts: Sequence[Contribution]) -> NDArray:
    return np.concatenate([np.zeros(0), *(part.size for part in parts)])
