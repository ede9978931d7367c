"""A model's topology in the index tables that programs read, and the elements that straight-line code has built in.

Programs that loop over links know no model: which link is whose parent, which velocities move which link, and in which
order H is eliminated are whole numbers in tables. Lists of different lengths are stored as in compressed sparse rows:
one table has all lists one after the other, another one ("first_...") where each begins, and the end.

The sparsity of H comes from the tree: H_ab is nonzero only if one of the two velocities moves the link of the other
(Featherstone 2008, section 6.4). Eliminated from the leaves, its factors fill in nothing; mimic joints, whose
velocities belong to several links, add couplings, and for these `elimination` computes the fill-in by the elimination
tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.engine.steps.nodes import ENTRIES, Kind
from rbdkit.engine.steps.sizes import FOUR, FREEDOM, MIXED, MOVED, MOVING

CHUNKS = "pair_chunks", "first_pair_chunk", "pair_masks", "pair_singles", "first_pair_single"
SLOTS = "first_slot", "velocity_of_slot", "slot_supports", "first_slot_support"


def kinds_of(layout: Layout) -> tuple[Kind, ...]:
    """Return the kinds of links, each once, in an order that does not depend on the model."""
    kinds = {link.kind for link in layout.links} or {Kind(MOTIONS["revolute"])}  # without links the loop runs no times
    return tuple(sorted(kinds, key=_place_in_order))


def _place_in_order(kind: Kind) -> tuple[str, bool, bool, bool, bool, str]:
    return kind.motion.name, kind.geared, kind.sprung, kind.follows, kind.cyclic, kind.cluster


class Tables(Mapping[str, NDArray]):
    """Index tables of a model, for programs that loop over links.

    "links", "orders" and "bodies" of `LoopTree`; "supports" and "first_support" of its `supporting`, "ordered" of its
    `ordered`, "joined" and "first_joined" of its `joined`, "paths" and "first_path" of its `path_to`, those of its
    `fours`, `chunks` and `left_over`; with mimic joints those of `_slots` too.

    Tables of pairs (velocities or links one of which carries the other) are made when first read: a chain has n^2 / 2
    of them, and O(n) algorithms need none.

    Parameters
    ----------
    own : further tables.
    """

    def __init__(self, layout: Layout, kinds: tuple[Kind, ...], own: Mapping[str, NDArray] = MappingProxyType({})):
        self._layout = layout
        self._found = {**_of_links(layout, kinds), **own}
        self._later: dict[str, Callable[[], dict[str, NDArray]]] = {
            **dict.fromkeys(("paths", "first_path"), self._paths),
            **dict.fromkeys(("supports", "first_support", "ordered"), self._supports_in_rows),
            **dict.fromkeys(("supporting_fours", "first_supporting_fours"), self._supporting),
            **dict.fromkeys(("supported_fours", "first_supported_fours"), self._supported_fours),
            **dict.fromkeys(CHUNKS, self._chunks),
        }
        if any(link.kind.follows for link in layout.links):
            self._later |= dict.fromkeys(SLOTS, lambda: self._supports[1])

    def __getitem__(self, name: str) -> NDArray:
        if name not in self._found:
            self._found |= self._later[name]()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._later, **self._found})

    def __len__(self) -> int:
        return len({**self._later, **self._found})

    @cached_property
    def _supports(self) -> tuple[dict[int, list[int]], dict[str, NDArray]]:
        return supports_of(self._layout)

    @cached_property
    def _in_order(self) -> list[list[int]]:
        return [self._supports[0][a] for a in range(self._layout.nv)]

    @cached_property
    def _supported(self) -> list[list[int]]:
        supported: list[list[int]] = [[] for _ in self._in_order]
        for a, way in self._supports[0].items():
            for b in way[:-1]:
                supported[b].append(a)
        return supported

    def _paths(self) -> dict[str, NDArray]:
        paths: list[list[int]] = [[]]
        for number, link in enumerate(self._layout.links, start=1):
            paths.append([*paths[link.parent], number])
        return {
            "paths": np.array([number for path in paths for number in path], dtype=np.int64),
            "first_path": np.cumsum([0, *map(len, paths)], dtype=np.int64),
        }

    def _supports_in_rows(self) -> dict[str, NDArray]:
        return {
            "supports": np.array([b for way in self._in_order for b in way], dtype=np.int64),
            "first_support": np.cumsum([0, *map(len, self._in_order)], dtype=np.int64),
            "ordered": np.array(list(self._supports[0]), dtype=np.int64),
        }

    def _supporting(self) -> dict[str, NDArray]:
        return _in_fours("supporting", [way[:-1] for way in self._in_order])

    def _supported_fours(self) -> dict[str, NDArray]:
        return _in_fours("supported", self._supported)

    def _chunks(self) -> dict[str, NDArray]:
        return _in_chunks(self._in_order, self._supported)


def _of_links(layout: Layout, kinds: tuple[Kind, ...]) -> dict[str, NDArray]:
    """Return the tables with a row for each link or velocity."""
    links = np.zeros((len(layout.links) + 1, ENTRIES), dtype=np.int64)
    for number, link in enumerate(layout.links, start=1):
        links[number] = kinds.index(link.kind), link.parent, link.q, link.v
    joined: list[list[int]] = [[] for _ in links]
    for link in layout.links:
        if link.kind.cluster == "top" and link.v not in joined[link.parent]:
            joined[link.parent].append(link.v)
    return {
        "links": links,
        "orders": np.array([[(axis + k) % 3 for k in (1, 2, 3)] for axis in (2, *(x.axis for x in layout.links))]),
        "bodies": layout.link_of_body.astype(np.int64),
        "joined": np.array([a for freedoms in joined for a in freedoms], dtype=np.int64),
        "first_joined": np.cumsum([0, *map(len, joined)], dtype=np.int64),
        "freedom_place": np.arange(layout.nv) // FOUR * (FREEDOM * FOUR) + np.arange(layout.nv) % FOUR,
    }


def _in_fours(name: str, lists: list[list[int]]) -> dict[str, NDArray]:
    """Return the tables of `LoopTree.fours`, from lists of the velocities that belong to each."""
    # padded with the row itself, whose factor in L is zero
    full = [[*others, *[a] * (-len(others) % FOUR)] for a, others in enumerate(lists)]
    return {
        f"{name}_fours": np.array([b for others in full for b in others], dtype=np.int64),
        f"first_{name}_fours": np.cumsum([0, *map(len, full)], dtype=np.int64),
    }


def _in_chunks(supports: list[list[int]], supported: list[list[int]]) -> dict[str, NDArray]:
    """Return the tables of `LoopTree.chunks` and `left_over`, and the array "pair_masks".

    Of each row the last chunk comes first: it writes zeros beyond the last column, which later chunks overwrite. A
    single column makes no chunk: those zeros might not fit.
    """
    nv = len(supports)
    whole = 0 if nv < FOUR else nv - nv % FOUR if nv % FOUR == 1 else nv
    chunks: list[tuple[int, int]] = []
    masks, singles, first_chunk, first_single = [], [], [0], [0]
    for a in range(nv):
        above, below = {*supports[a][:-1]}, {a, *supported[a]}
        # the last one first, see above
        for chunk in reversed(range(-(-whole // FOUR))):
            four = range(chunk * FOUR, (chunk + 1) * FOUR)
            shares = [[float(b in among) for b in four] for among in (above, below)]
            if any(map(any, shares)):
                case = MIXED if all(map(any, shares)) else MOVED if any(shares[1]) else MOVING
                chunks.append((case, chunk))
                masks.append(shares)
        singles += [b for b in supports[a] if max(a, b) >= whole]
        first_chunk.append(len(chunks))
        first_single.append(len(singles))
    return {
        "pair_chunks": np.array(chunks, dtype=np.int64).reshape(-1, 2),
        "first_pair_chunk": np.array(first_chunk, dtype=np.int64),
        "pair_masks": np.array(masks).reshape(-1, 2, FOUR),
        "pair_singles": np.array(singles, dtype=np.int64),
        "first_pair_single": np.array(first_single, dtype=np.int64),
    }


def supports_of(layout: Layout) -> tuple[dict[int, list[int]], dict[str, NDArray]]:
    """Return for each velocity those that its elimination updates, in order, itself last.

    With mimic joints also the tables of `_slots`.
    """
    if any(link.kind.follows for link in layout.links):
        slots, pairs = _slots(layout)
        order = [a for link in layout.links for a in range(link.v, link.v + link.kind.motion.nv)]
        return elimination(list(dict.fromkeys(order)), pairs), slots
    on_the_way: list[list[int]] = [[]]  # velocities that move each link
    supports: dict[int, list[int]] = {}
    for link in layout.links:
        way = list(on_the_way[link.parent])
        for a in range(link.v, link.v + link.kind.motion.nv):
            way.append(a)
            supports[a] = list(way)
        on_the_way.append(way)
    return supports, {}


def _slots(layout: Layout) -> tuple[dict[str, NDArray], set[tuple[int, int]]]:
    """Return tables of the freedoms of links, mimic joints included, and the pairs of velocities that H couples.

    "first_slot" of each link; "velocity_of_slot"; "slot_supports" and "first_slot_support": the slots on the path of
    each slot, as "supports" has them for velocities.
    """
    first: list[int] = [0]
    velocities: list[int] = []
    supports: list[list[int]] = []
    on_the_way: list[list[int]] = [[]]
    pairs: set[tuple[int, int]] = set()
    for link in layout.links:
        way = list(on_the_way[link.parent])
        first.append(len(velocities))
        for a in range(link.v, link.v + link.kind.motion.nv):
            way.append(len(velocities))
            velocities.append(a)
            supports.append(list(way))
            pairs |= {(a, velocities[slot]) for slot in way}
        on_the_way.append(way)
    first.append(len(velocities))
    return {
        "first_slot": np.array(first, dtype=np.int64),
        "velocity_of_slot": np.array(velocities, dtype=np.int64),
        "slot_supports": np.array([slot for way in supports for slot in way], dtype=np.int64),
        "first_slot_support": np.cumsum([0, *map(len, supports)], dtype=np.int64),
    }, pairs


def elimination(order: Sequence[int], pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Return for each velocity those that its elimination updates, if the last is eliminated first.

    They are its ancestors in the elimination tree of the inertia matrix, whose nonzeros stand at `pairs`: without mimic
    joints, the kinematic tree itself (Featherstone 2008, section 6.5).
    """
    place = {a: k for k, a in enumerate(order)}
    below: dict[int, set[int]] = {a: set() for a in order}  # earlier velocities that each is coupled to
    for a, b in pairs:
        if a != b:
            early, late = sorted((a, b), key=place.__getitem__)
            below[late].add(early)
    parent: dict[int, int] = {}
    for a in reversed(order):
        if below[a]:
            # the next velocity to be eliminated takes over what is coupled to this one: fill-in
            parent[a] = max(below[a], key=place.__getitem__)
            below[parent[a]] |= below[a] - {parent[a]}
    supports: dict[int, list[int]] = {}
    for a in order:
        supports[a] = [*(supports[parent[a]] if a in parent else []), a]
    return supports


def fixed_numbers(layout: Layout, rows: NDArray) -> frozenset[tuple[int, float]]:
    """Return the elements of "rows" that save work: 0, 1 and -1 in placements, inertias of links without a body."""
    placement = np.zeros(rows.shape, dtype=bool)
    placement[1:, :12] = np.isin(rows[1:, :12], (0.0, 1.0, -1.0))
    last = np.isin(np.arange(1, len(rows)), layout.link_of_body)
    placement[1:, 12:22] = ~last[:, None]
    return frozenset((int(k), float(rows.flat[k]) + 0.0) for k in np.flatnonzero(placement))
