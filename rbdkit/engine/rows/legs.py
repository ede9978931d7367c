"""Isomorphic serial legs: subtrees that loop joints tie to the rest, each for itself, and that have the same structure.

A Stewart platform has six, a delta robot three. This saves work in two ways. If everything that the legs share stands
still, they are independent: their reactions are computed leg by leg, see `LegElimination`. And the same operations
serve every leg, so straight-line code does them in SIMD lanes: `image` maps each array element of a leg to the
corresponding one of the next leg.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.rows.gaps import GAP_NUMBERS
from rbdkit.engine.rows.joint_program import JOINT_NUMBERS
from rbdkit.engine.steps.nodes import ROW

FEWEST = 3
"""Fewest legs that are worth code of their own."""
NOTHING = 1e-12
"""Smallest eigenvalue of an inertia, relative to the largest, that counts as inertia: of kg and kg m^2 alike."""

ANSWERS = "legs_answers"
"""The array in which rows are eliminated, see `LegElimination`."""

LINK, VELOCITY, COORDINATE, ROW_OF_LOOP, LOOP, SAME = "link", "velocity", "coordinate", "row", "loop", "same"

SPREAD: dict[str, tuple[tuple[str, ...], str]] = {
    "rows": ((LINK,), SAME),
    "loops_T": ((ROW_OF_LOOP,), SAME),
    **dict.fromkeys(("loops_numbers", "loops_gaps"), ((LOOP,), SAME)),
    **dict.fromkeys(("q", "x", "x_stage", "x_new", "x_closing", "rest", "step_x"), ((), COORDINATE)),
    **dict.fromkeys(
        ("v", "v_stage", "v_new", "u", "u_rates", "v_rates", "u_closing", "tau", "armature", "damping", "stiffness",
         "bias_force", "D_inv", "qdd", "step_v"), ((), VELOCITY)),
    **dict.fromkeys(
        ("row_free", "row_least", "row_share", "row_k", "row_gap", "row_slip", "row_inverse", "reactions",
         "row_sought"), ((), ROW_OF_LOOP)),
    "Y": ((VELOCITY,), ROW_OF_LOOP),
    "L": ((VELOCITY,), VELOCITY),
    ANSWERS: ((ROW_OF_LOOP,), ROW_OF_LOOP),
}  # fmt: skip
"""What the elements of arrays belong to: the rows of a matrix, if it is one, and the entries of a row.

A number after a name, as of the stage vectors of a step, makes no difference.
"""


@dataclass(frozen=True)
class Legs:
    """For each leg the numbers of its links, velocities, coordinates, loop joints and rows, in the same order.

    nv, m : velocities and rows of the model. shared : velocities of no leg that rows act on. lengths : row lengths of
    the matrices among the arrays of `SPREAD`. apart : number of first rows of each leg that are independent even if all
    that is shared stands still, so that they can be eliminated leg by leg; 0 if that does not pay.
    """

    links: tuple[tuple[int, ...], ...]
    velocities: tuple[tuple[int, ...], ...]
    coordinates: tuple[tuple[int, ...], ...]
    loops: tuple[tuple[int, ...], ...]
    rows: tuple[tuple[int, ...], ...]
    nv: int
    m: int
    shared: tuple[int, ...]
    lengths: tuple[tuple[str, int], ...]
    apart: int = 0

    @property
    def n(self) -> int:
        """Number of legs."""
        return len(self.links)

    def image(self, array: str, offset: int) -> int:
        """Return the element that is to the next leg what this one is to its own; the last maps to the first."""
        name = array.rstrip("0123456789")
        if name not in SPREAD or (name == ANSWERS and not self.apart):
            return offset
        (*outer,), inner = SPREAD[name]
        if not outer:
            return self._next[inner].get(offset, offset)
        row, column = divmod(offset, self._lengths[array])
        return self._next[outer[0]].get(row, row) * self._lengths[array] + self._next[inner].get(column, column)

    def _orbit(self, array: str, k: int) -> tuple[int, ...]:
        """Return an element and those that correspond to it in the following legs."""
        found = self._orbits.get((array, k))
        if found is None:
            places = [k]
            for _ in range(self.n - 1):
                places.append(self.image(array, places[-1]))
            found = self._orbits[array, k] = tuple(places)
        return found

    @cached_property
    def _orbits(self) -> dict[tuple[str, int], tuple[int, ...]]:
        return {}

    @cached_property
    def _lengths(self) -> Mapping[str, int]:
        return dict(self.lengths)

    @cached_property
    def _next(self) -> Mapping[str, Mapping[int, int]]:
        parts = {LINK: self.links, VELOCITY: self.velocities, COORDINATE: self.coordinates, LOOP: self.loops,
                 ROW_OF_LOOP: self.rows}  # fmt: skip
        found = {name: _shifted(legs) for name, legs in parts.items()}
        return {**found, SAME: {}}

    def common(self, numbers: Iterable[tuple[str, int, float]]) -> frozenset[tuple[str, int, float]]:
        """Return the known elements of arrays that are the same for all legs: code for one leg then serves all."""
        alike: dict[tuple[str, int, float], list[tuple[str, int, float]]] = {}
        for array, k, x in numbers:
            alike.setdefault((array, min(self._orbit(array, k)), x), []).append((array, k, x))
        # known in every leg, with one value
        return frozenset(
            part for parts in alike.values() if len(parts) == len(set(self._orbit(*parts[0][:2]))) for part in parts
        )

    # --- what `LegElimination` needs ----------------------------------------------------------------------------------

    @cached_property
    def _late(self) -> list[int]:
        """The rows that are eliminated after the shared velocities."""
        return [row for leg in self.rows for row in leg[self.apart :]]

    @property
    def _size(self) -> int:
        return self.m + len(self.shared) + len(self._late)

    @cached_property
    def tables(self) -> dict[str, NDArray]:
        """Index tables of programs that eliminate leg by leg."""
        leg_of, later, late = np.zeros(self.m), [[] for _ in range(self.m)], self._late  # type: ignore[var-annotated]
        for k, leg in enumerate(self.rows if self.apart else ()):
            for place, row in enumerate(leg):
                leg_of[row], later[row] = k, list(leg[place + 1 : self.apart])
        column = [self.m + len(self.shared) + late.index(row) if row in late else row for row in range(self.m)]
        found: dict[str, Sequence[int] | NDArray] = {
            "legs_velocities": [a for leg in self.velocities for a in leg],
            "legs_shared": self.shared,
            "legs_beside": sorted(set(range(self.nv)).difference(self.shared, *self.velocities)),
            "legs_rows": [row for leg in self.rows for row in leg[: self.apart]],
            "legs_late": late,
            "legs_columns": column,
            "leg_of_row": leg_of,
            "rows_later": [s for others in later for s in others],
            "first_row_later": np.cumsum([0, *map(len, later)]),
        }
        return {name: np.array(x, dtype=np.int64) for name, x in found.items()}

    @property
    def counts(self) -> dict[str, int]:
        """Sizes that these programs read."""
        sizes = {f"n_{name}": len(self.tables[name]) for name in
                 ("legs_velocities", "legs_shared", "legs_beside", "legs_rows", "legs_late")}  # fmt: skip
        return {**sizes, "n_legs": self.n, "legs_row": self._size + 1}

    @property
    def room(self) -> dict[str, int]:
        """Sizes of their work arrays."""
        s = len(self.shared) + len(self._late)
        return {
            "legs_answers": self._size * (self._size + 1),
            "legs_sums": self.n * s * (s + 1),
            "legs_pushes": self.n * s,
            "shared_motion": s,
            "shared_inverse": s,
            "row_sought": self.m,
        }


def legs_of(layout: Layout, tables: Mapping[str, NDArray], m: int, length: int) -> Legs | None:
    """Find the isomorphic legs of a tree whose rows have these tables; None if there are too few.

    Parameters
    ----------
    tables : see `RowsOfModel` and `LoopJoints`. m : number of rows. length : row length of "Y".
    """
    if "loops_rows" not in tables or any(link.kind.follows or link.kind.cluster for link in layout.links):
        return None
    names = "loops_predecessors", "loops_successors", "loops_forms", "loops_rows", "first_touching"
    find = _legs_of if layout.uses is None else _legs_of.__wrapped__  # a cache would keep users' objects
    return find(layout, *(tuple(tables[name].tolist()) for name in names), m, length)


@lru_cache(maxsize=64)
def _legs_of(
    layout: Layout,
    predecessors: tuple[int, ...],
    successors: tuple[int, ...],
    forms: tuple[int, ...],
    first_rows: tuple[int, ...],
    first_touching: tuple[int, ...],
    m: int,
    length: int,
) -> Legs | None:
    """Find the legs; cached for all models that share a layout and its tables."""
    links = layout.links
    loops = [
        _Loop(P, S, form, range(*rows))
        for P, S, form, rows in zip(predecessors, successors, forms, pairwise([*first_rows, m]), strict=True)
    ]
    best: list[_Leg] = []
    # legs may stand on any link
    for root in range(len(links) + 1):
        legs = _alike(layout, root, loops)
        if len(legs) >= FEWEST and len(legs) * len(legs[0].links) > sum(len(leg.links) for leg in best):
            best = legs
    if not best:
        return None
    rows = tuple(tuple(r for j in leg.loops for r in loops[j].rows) for leg in best)
    velocities = tuple(
        tuple(links[i - 1].v + k for i in leg.links for k in range(links[i - 1].kind.motion.nv)) for leg in best
    )
    own = {a for leg in velocities for a in leg}
    touched = np.flatnonzero(np.diff(first_touching)).tolist()
    shared = tuple(a for a in touched if a not in own)
    return Legs(
        tuple(tuple(leg.links) for leg in best),
        velocities,
        tuple(tuple(links[i - 1].q + k for i in leg.links for k in range(links[i - 1].kind.motion.nq)) for leg in best),
        tuple(tuple(leg.loops) for leg in best),
        rows,
        layout.nv,
        m,
        shared,
        (
            ("rows", ROW), ("loops_T", 6), ("loops_numbers", JOINT_NUMBERS), ("loops_gaps", GAP_NUMBERS),
            ("Y", length), ("L", layout.nv),
        ),
    )  # fmt: skip


def with_reach(legs: Legs, H: NDArray, K: NDArray, least: NDArray) -> Legs:
    """Return the legs with the number of rows that are eliminated `apart`.

    It is the number of first rows whose pivots exceed `least` in at least half of the poses, with the leg's motion
    alone.

    Parameters
    ----------
    H, K : inertia (poses, nv, nv) and rows (poses, m, nv). least : (m,) limits of pivots.
    """
    if sorted(row for leg in legs.rows for row in leg) != list(range(legs.m)):
        return legs
    clear = []
    for rows, velocities in zip(legs.rows, legs.velocities, strict=True):
        here, own = K[:, rows][:, :, velocities], H[:, velocities][:, :, velocities]
        if not _all_resist(own):
            return legs  # without what it carries such a leg has no inertia for its rows
        says = [_first_ones(B, least[list(rows)]) for B in here @ np.linalg.solve(own, here.swapaxes(1, 2))]
        # the median over the poses
        clear.append(sorted(says)[len(says) // 2])
    # the same number for all legs: their code is one
    return _apart(legs, min(clear))


@lru_cache(maxsize=64)
def _apart(legs: Legs, rows: int) -> Legs:
    """Return the legs with `rows` rows each eliminated apart, if that pays; cached."""
    found = replace(legs, apart=rows)
    found = replace(found, lengths=(*legs.lengths, (ANSWERS, found._size + 1)))
    # unknowns that couple the legs must be fewer than the rows, or the larger system costs more
    return found if len(found.shared) + len(found._late) < legs.m else legs


def _all_resist(H: NDArray) -> bool:
    """Return whether all freedoms have inertia, at all poses."""
    if not np.isfinite(H).all():
        return False
    inertias = np.linalg.eigvalsh(H)
    return bool((inertias[:, 0] > NOTHING * inertias[:, -1]).all())


def _first_ones(B: NDArray, least: NDArray) -> int:
    """Return how many leading pivots of a matrix exceed their limits."""
    for k, limit in enumerate(least):
        if not B[k, k] > limit:
            return k
        B[k + 1 :] -= np.outer(B[k + 1 :, k] / B[k, k], B[k])
    return len(least)


@dataclass(frozen=True)
class _Loop:
    predecessor: int
    successor: int
    form: int
    rows: range


@dataclass(frozen=True)
class _Leg:
    """A leg. links, loops : their numbers, in order. looks : structural key, the same for isomorphic legs."""

    links: list[int]
    loops: list[int]
    looks: tuple[object, ...]


def _alike(layout: Layout, root: int, loops: Sequence[_Loop]) -> list[_Leg]:
    """Return the largest group of isomorphic legs that stand on one link."""
    links = layout.links
    subtrees = [_subtree(layout, k) for k, link in enumerate(links, start=1) if link.parent == root]
    if len(subtrees) < FEWEST:
        return []
    part = {number: k for k, tree in enumerate(subtrees) for number in tree}
    tied: list[set[int]] = [set() for _ in subtrees]  # to which others
    for loop in loops:
        P, S = part.get(loop.predecessor), part.get(loop.successor)
        if P is not None and S is not None and P != S:
            tied[P].add(S)
            tied[S].add(P)
    # what several subtrees are tied to is what they carry, such as a platform
    middle = {k for k, others in enumerate(tied) if len(others) > 1}
    groups: dict[tuple[object, ...], list[_Leg]] = {}
    for k, tree in enumerate(subtrees):
        own = [j for j, loop in enumerate(loops) if k in (part.get(loop.predecessor), part.get(loop.successor))]
        if k not in middle and tied[k] <= middle and own:
            leg = _Leg(tree, own, _looks(layout, tree, [loops[j] for j in own]))
            groups.setdefault(leg.looks, []).append(leg)
    return max(groups.values(), key=len, default=[])


def _subtree(layout: Layout, root: int) -> list[int]:
    """Return a link and all its descendants, in order."""
    found = [root]
    for number, link in enumerate(layout.links, start=1):
        if link.parent in found and number not in found:
            found.append(number)
    return found


def _looks(layout: Layout, tree: Sequence[int], loops: Sequence[_Loop]) -> tuple[object, ...]:
    """Return the structural key of a leg: its own links by their places in it, others by their numbers."""
    place: dict[int, object] = {number: ("own", k) for k, number in enumerate(tree)}
    of_links = []
    for number in tree:
        link = layout.links[number - 1]
        parent = place.get(link.parent, link.parent)
        of_links.append((replace(link.kind, cyclic=False), parent))
    of_loops = [
        (loop.form, len(loop.rows), *(place.get(end, end) for end in (loop.predecessor, loop.successor)))
        for loop in loops
    ]
    return tuple(of_links), tuple(of_loops)


def _shifted(legs: Sequence[Sequence[int]]) -> dict[int, int]:
    return {a: b for k, leg in enumerate(legs) for a, b in zip(leg, legs[(k + 1) % len(legs)], strict=True)}
