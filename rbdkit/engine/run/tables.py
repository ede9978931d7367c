"""A model's layout in the tables that programs read, and which of its numbers straight-line code takes for granted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links import Layout
from rbdkit.engine.steps.trees import ENTRIES, Kind


def kinds_of(layout: Layout) -> tuple[Kind, ...]:
    """The kinds of links, each once, in an order that does not depend on the model."""
    kinds = {link.kind for link in layout.links} or {Kind("revolute")}  # without links the loop runs no times
    return tuple(sorted(kinds, key=lambda kind: (kind.motion_name, kind.geared, kind.sprung)))


def tables(layout: Layout, kinds: tuple[Kind, ...]) -> dict[str, NDArray]:
    """Tables "links" and "bodies" of `LoopTree`, and "supports", "first_support" of its `supporting`."""
    links = np.zeros((len(layout.links) + 1, ENTRIES), dtype=np.int64)
    on_the_way: list[list[int]] = [[]]  # velocities that move each link
    supports: dict[int, list[int]] = {}
    for number, link in enumerate(layout.links, start=1):
        links[number] = kinds.index(link.kind), link.parent, link.q, link.v
        way = list(on_the_way[link.parent])
        for a in range(link.v, link.v + link.kind.motion.nv):
            way.append(a)
            supports[a] = list(way)
        on_the_way.append(way)
    in_order = [supports[a] for a in range(layout.nv)]
    return {
        "links": links,
        "bodies": layout.link_of_body.astype(np.int64),
        "supports": np.array([b for way in in_order for b in way], dtype=np.int64),
        "first_support": np.cumsum([0, *map(len, in_order)], dtype=np.int64),
    }


def fixed_numbers(layout: Layout, rows: NDArray) -> frozenset[tuple[int, float]]:
    """Those of "rows" that save work: 0, 1 and -1 in placements, and the masses of links that are no body."""
    placement = np.zeros(rows.shape, dtype=bool)
    placement[1:, :12] = np.isin(rows[1:, :12], (0.0, 1.0, -1.0))
    last = np.isin(np.arange(1, len(rows)), layout.link_of_body)
    placement[1:, 12:22] = ~last[:, None]
    return frozenset((int(k), float(rows.flat[k]) + 0.0) for k in np.flatnonzero(placement))
