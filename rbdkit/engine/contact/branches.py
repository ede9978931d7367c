"""The independent trees of a model, and what contact rows look like in them.

Links that hang from the world by different joints do not feel each other through the inertia matrix: it falls into
blocks, one for each such *branch*; loops and constraints tie several of them into one. A row of a contact, and what a
unit impulse along it does, have numbers in the branches of the two bodies alone. They are kept in lines of `LINE`
velocities, so that code on a line is straight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.rows.contribution import first_slots
from rbdkit.engine.run.tables import supports_of
from rbdkit.trace import Index, Program, Scalar, Whole

LINE = 6
"""Velocities that code takes at once: those of a free body."""
ONE, TWO, MORE = range(3)
"""What lines a contact has: one of one branch; one of each of two branches; any others."""


def branch_tables(layout: Layout, ties: Iterable[Sequence[int]] = ()) -> dict[str, NDArray]:
    """Tables of branches, of which 0 is the world. ties : velocities that something holds together.

    Velocities of a branch have *places*, one after the other in the order of elimination, and up to a whole number of
    lines.

    - "branch_of_link"; of each branch "branch_place", its first place, "branch_size", how many places it has, and
      "branch_lines", how many lines: 0, 1, or 2 for more. "form_of_lines": `ONE`, `TWO` or `MORE`, for three times that
      of the second body's branch and that of another one.
    - "velocity_at" each place, that of an unused one is 0; "place_of_velocity", and "place_in_branch", which counts
      from the first one of its branch.
    - "movers": velocities that move a link, parents first, some more than once where joints follow others; "columns_at"
      which place of "columns" they do so; "first_mover" of each link, and the end.
    - "above": for each place the others that its velocity's elimination touches, in order, as distances back from it;
      with "above_factor", where their factors stand in "L"; "first_above" of each place, and the end. "below": likewise
      for each place those that touch it, as distances on from it.
    """
    supports, _ = supports_of(layout)
    root = {a: way[0] for a, way in supports.items()}  # of each velocity, the first on its way
    for own in ties:
        tied = {root[a] for a in own}
        root = {a: min(tied) if r in tied else r for a, r in root.items()}
    branch_of_root: dict[int, int] = {}
    members: list[list[int]] = [[]]
    for a in supports:
        if root[a] not in branch_of_root:
            branch_of_root[root[a]] = len(members)
            members.append([])
        members[branch_of_root[root[a]]].append(a)
    sizes = [-(-len(own) // LINE) * LINE for own in members]
    first = np.cumsum([0, *sizes])
    velocity_at = np.zeros(max(int(first[-1]), 1), dtype=np.int64)
    place = np.zeros(layout.nv, dtype=np.int64)
    above: list[list[int]] = [[] for _ in range(int(first[-1]))]
    factor: list[list[int]] = [[] for _ in range(int(first[-1]))]
    for branch, own in enumerate(members):
        for k, a in enumerate(own):
            velocity_at[first[branch] + k], place[a] = a, k
            for b in supports[a][:-1]:
                above[first[branch] + k].append(k - int(place[b]))
                factor[first[branch] + k].append(a * layout.nv + b)
    below: list[list[int]] = [[] for _ in above]
    below_factor: list[list[int]] = [[] for _ in above]
    for k, (others, factors) in enumerate(zip(above, factor, strict=True)):
        for distance, at in zip(others, factors, strict=True):
            below[k - distance].append(distance)
            below_factor[k - distance].append(at)
    start = np.repeat(first[:-1], list(map(len, members)))
    follows = any(link.kind.follows for link in layout.links)
    ways: list[list[tuple[int, int]]] = [[]]
    branches = [0]
    for link, slot in zip(layout.links, first_slots(layout)[1:], strict=False):
        at = int(slot) if follows else link.v
        ways.append([*ways[link.parent], *((link.v + k, at + k) for k in range(link.kind.motion.nv))])
        branches.append(branch_of_root[root[ways[-1][0][0]]] if ways[-1] else 0)
    lists = {
        "branch_of_link": branches,
        "branch_place": first[:-1],
        "branch_size": sizes,
        "branch_lines": [min(size // LINE, 2) for size in sizes],
        "form_of_lines": [{(1, 0): ONE, (1, 1): TWO}.get((s, p), MORE) for s in range(3) for p in range(3)],
        "velocity_at": velocity_at,
        "place_in_branch": place,
        "place_of_velocity": place + start[np.argsort(np.concatenate(members))],
        "movers": [a for way in ways for a, _ in way],
        "columns_at": [slot for way in ways for _, slot in way],
        "first_mover": np.cumsum([0, *map(len, ways)]),
        "above": [x for own in above for x in own],
        "above_factor": [x for own in factor for x in own],
        "first_above": np.cumsum([0, *map(len, above)]),
        "below": [x for own in below for x in own],
        "below_factor": [x for own in below_factor for x in own],
        "first_below": np.cumsum([0, *map(len, below)]),
    }
    return {name: np.array(x, dtype=np.int64) for name, x in lists.items()}


def movers_of(program: Program, link: Whole) -> Iterator[tuple[Index, list[Scalar]]]:
    """A loop over the velocities that move a link: the number of each, and the twist that it makes, of "columns"."""
    with program.loop(program.entry("first_mover", link), program.entry("first_mover", link + 1)) as k:
        a, column = program.entry("movers", k), program.entry("columns_at", k) * 12
        yield a, [program.load("columns", column, j) for j in range(6)]
