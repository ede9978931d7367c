"""The kinematically independent trees of a model ("branches"), and the layout of contact rows in them.

Links that hang from the world by different joints are not coupled by the joint-space inertia matrix H: it is block
diagonal, one block for each such *branch*. Loops and constraints merge the branches that they couple. The Jacobian row
of a contact, and the velocity change H^-1 J^T that its unit impulse makes, are therefore zero outside the branches of
the two bodies, and only entries inside them are stored. The velocities of a branch are padded to whole lines of `LINE`
entries, so that the code for a line is straight, without a loop; a free body is exactly one line.
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
"""Number of velocities that code handles at once: those of a free body."""
ONE, TWO, MORE = range(3)
"""Line layouts of a contact: one line of one branch; one line of each of two branches; anything else."""


def branch_tables(layout: Layout, ties: Iterable[Sequence[int]] = ()) -> dict[str, NDArray]:
    """Return index tables of the branches; branch 0 is the world. ties : sets of velocities that a constraint couples.

    Velocities of a branch have consecutive *places*, in the order of elimination, padded to a whole number of lines.

    - "branch_of_link"; for each branch "branch_place", its first place, "branch_size", its number of places, and
      "branch_lines", its number of lines: 0, 1, or 2 for more. "form_of_lines": `ONE`, `TWO` or `MORE`, indexed by
      three times the "branch_lines" of the second body's branch plus that of the first body's, if it is another.
    - "velocity_at": the velocity at each place, 0 at padding; "place_of_velocity" is its inverse, and "place_in_branch"
      counts from the first place of the branch.
    - "movers": velocities that move a link, parents first, with repetitions where joints are mimic joints;
      "columns_at": the column of "columns" that belongs to each; "first_mover" of each link, and the end.
    - "above": for each place those that its velocity's elimination updates (its ancestors), as distances back from it;
      "above_factor": where the factors stand in "L"; "first_above" of each place, and the end. "below": the same for
      the places that update it (its descendants), as distances forward from it.
    """
    supports, _ = supports_of(layout)
    root = {a: way[0] for a, way in supports.items()}  # for each velocity, the first on its path from the world
    for own in ties:
        tied = {root[a] for a in own}
        # all branches that a constraint couples become the first of them
        root = {a: min(tied) if r in tied else r for a, r in root.items()}
    branch_of_root: dict[int, int] = {}
    members: list[list[int]] = [[]]
    for a in supports:
        if root[a] not in branch_of_root:
            branch_of_root[root[a]] = len(members)
            members.append([])
        members[branch_of_root[root[a]]].append(a)
    # rounded up to whole lines
    sizes = [-(-len(own) // LINE) * LINE for own in members]
    first = np.cumsum([0, *sizes])
    velocity_at = np.zeros(max(int(first[-1]), 1), dtype=np.int64)
    place = np.zeros(layout.nv, dtype=np.int64)
    above: list[list[int]] = [[] for _ in range(int(first[-1]))]
    factor: list[list[int]] = [[] for _ in range(int(first[-1]))]
    for branch, own in enumerate(members):
        for k, a in enumerate(own):
            velocity_at[first[branch] + k], place[a] = a, k
            # without the velocity itself, which stands last
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
        # Mimic joints share a velocity, so a velocity may have several columns; without them column and velocity
        # coincide.
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
    """Loop over the velocities that move a link: yield each one's index and its column of the motion subspace."""
    with program.loop(program.entry("first_mover", link), program.entry("first_mover", link + 1)) as k:
        a, column = program.entry("movers", k), program.entry("columns_at", k) * 12
        yield a, [program.load("columns", column, j) for j in range(6)]
