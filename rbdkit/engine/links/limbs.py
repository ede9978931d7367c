"""Isomorphic subtrees ("limbs") of a model, and the tables by which their links are computed in SIMD lanes.

Link by link, a pass over a robot is one chain of numbers that wait for each other, and most of the processor idles. A
limb is a chain of links that ends in a tip, such as a leg, an arm or a finger. Chains are compared from their tips on,
joint by joint; two or four that agree form ranks, one link of each, which `rbdkit.engine.steps.limb_tree` takes through
the passes of an algorithm together. Numbers of the links of a rank are interleaved, so that one load fetches them for
all lanes.

A rank costs more than a link, and more still where its joints turn about different axes of their parents; `PRICES` says
how much. Lanes are used if all ranks and single links together take at most `WORTH` of the time of one link after the
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.steps.nodes import Kind, Link
from rbdkit.engine.steps.sizes import OF_LINK, RANK

PRICES = {1: (1.0, 1.25), 2: (1.25, 1.6), 4: (1.8, 2.4)}
"""Numbers of limbs computed at once, with the cost of a rank of links: where all turn about the same axis of
their parents, and in any other case; relative to one link."""
WORTH = 0.9
"""Largest fraction of the time without lanes for which they are used."""


@dataclass(frozen=True)
class Limbs:
    """The links that are computed at once.

    at_once : number of lanes. ranks : numbers of the links of each rank, `at_once` each, parents before children. The
        parents of a rank are another rank or, for the first rank of some limbs, links computed alone. kinds : kind of
        each rank, for parents' axes in any order where its links differ in these. alone : the other links.
    """

    at_once: int
    ranks: tuple[tuple[int, ...], ...]
    kinds: tuple[Kind, ...]
    alone: tuple[int, ...]


def limbs_of(layout: Layout) -> Limbs | None:
    """Return the limbs of a model; None where lanes do not pay."""
    find = _limbs_of if layout.uses is None else _limbs_of.__wrapped__  # uncached: a cache would keep users' objects
    return find(layout)


@lru_cache(maxsize=256)
def _limbs_of(layout: Layout) -> Limbs | None:
    """Find the limbs; cached for all models that share a layout."""
    links = layout.links
    if any(link.kind.follows or link.kind.cluster for link in links):
        return None
    chains, best, least = _chains(links), None, WORTH * sum(_price(1, link.kind) for link in links)
    for at_once in (2, 4):
        ranks = _ranks(links, chains, at_once)
        kinds = tuple(_kind_of([links[number - 1] for number in rank]) for rank in ranks)
        alone = _others(links, ranks)
        time = sum(_price(at_once, kind) for kind in kinds) + sum(_price(1, links[k - 1].kind) for k in alone)
        if ranks and time <= least:
            best, least = Limbs(at_once, ranks, kinds, alone), time
    return best


def _kind_of(rank: Sequence[Link]) -> Kind:
    """Return the kind of code that serves all links of a rank."""
    first = rank[0]
    same = all((link.kind, link.axis) == (first.kind, first.axis) for link in rank)
    return first.kind if same else replace(first.kind, cyclic=False)


def kinds_with(kinds: Sequence[Kind], limbs: Limbs) -> tuple[Kind, ...]:
    """Return the kinds of a model, followed by further ones of its ranks."""
    return tuple(dict.fromkeys([*kinds, *limbs.kinds]))


def _price(links: int, kind: Kind) -> float:
    return PRICES[links][not kind.cyclic]


def _others(links: Sequence[Link], ranks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    taken = {number for rank in ranks for number in rank}
    return tuple(number for number in range(1, len(links) + 1) if number not in taken)


def _chains(links: Sequence[Link]) -> list[list[int]]:
    """Return for each tip the links that lead to it from the last branching link, without the first of them."""
    carried = [0] * (len(links) + 1)
    for link in links:
        carried[link.parent] += 1
    found = []
    for tip in (number for number in range(1, len(links) + 1) if not carried[number]):
        chain = [tip]
        while (parent := links[chain[0] - 1].parent) and carried[parent] == 1:
            chain.insert(0, parent)
        if len(chain) > 1:
            found.append(chain[1:])
    return found


def _ranks(links: Sequence[Link], chains: Sequence[list[int]], at_once: int) -> tuple[tuple[int, ...], ...]:
    """Return ranks of links with the same joints: `at_once` chains at a time, those that agree over the most links."""
    groups: list[list[tuple[int, ...]]] = []
    left = sorted(chains, key=len, reverse=True)
    while len(left) >= at_once:
        first = left.pop(0)
        alike = {k: _alike(links, first, other) for k, other in enumerate(left)}
        chosen = sorted(alike, key=lambda k: alike[k], reverse=True)[: at_once - 1]
        length = min(alike[k][0] for k in chosen)
        if length:
            # compared from the tips on, so that chains of different lengths share their ends
            limbs = [first, *(left[k] for k in chosen)]
            groups.append(list(zip(*(limb[-length:] for limb in limbs), strict=True)))
            left = [limb for k, limb in enumerate(left) if k not in chosen]
    longest = max(map(len, groups), default=0)  # ranks of several groups in turn: they are independent
    return tuple(group[k] for k in range(longest) for group in groups if k < len(group))


def _alike(links: Sequence[Link], first: Sequence[int], second: Sequence[int]) -> tuple[int, int]:
    """Return how many links of two chains, from the tips on, have the same joints; how many the same axes."""
    length = axes = 0
    for pair in zip(reversed(first), reversed(second), strict=False):
        a, b = (links[number - 1] for number in pair)
        if replace(a.kind, cyclic=False) != replace(b.kind, cyclic=False):
            break
        length, axes = length + 1, axes + ((a.kind, a.axis) == (b.kind, b.axis))
    return length, axes


def limb_tables(layout: Layout, kinds: Sequence[Kind], limbs: Limbs, width: int) -> tuple[dict[str, NDArray], int]:
    """Return the tables of `LimbTree`, and the size of "work". kinds : of `kinds_with`. width : per link."""
    links, at_once = layout.links, limbs.at_once
    row = np.full(len(links) + 1, -1, dtype=np.int64)
    spaces = 0

    def place(numbers: Sequence[int]) -> None:
        nonlocal spaces
        # number k of all lanes, then number k + 1: the lanes of a number are neighbours
        row[list(numbers)] = spaces * at_once * width + np.arange(len(numbers))
        spaces += 1

    place([0])
    for rank in limbs.ranks:
        # parents that are computed alone are interleaved like the rank, which reads them in one load
        parents = [links[number - 1].parent for number in rank]
        if row[parents[0]] < 0:
            place(parents)
        place(rank)
    left = [number for number in limbs.alone if row[number] < 0]
    for k in range(0, len(left), at_once):
        place(left[k : k + at_once])
    ranks = []
    for rank, kind in zip(limbs.ranks, limbs.kinds, strict=True):
        own = [links[number - 1] for number in rank]
        first = own[0]
        order = [(first.axis + k) % 3 for k in (1, 2, 3)]
        ranks += [kinds.index(kind), row[rank[0]], row[first.parent], *order]
        ranks += [*rank, *(x.parent for x in own), *(x.q for x in own), *(x.v for x in own)]
    assert len(ranks) == len(limbs.ranks) * (RANK + OF_LINK * at_once)
    tables = {"row_of": row, "alone": np.array(limbs.alone, dtype=np.int64), "ranks": np.array(ranks, dtype=np.int64)}
    return tables, spaces * at_once * width


def limb_rows(limbs: Limbs, rows: NDArray) -> NDArray:
    """Return the array "limb_rows" of `LimbTree` from the "rows" of the links."""
    return np.ascontiguousarray(rows[np.array(limbs.ranks)].transpose(0, 2, 1))
