"""Deformable bodies: the triangles of their surface, each stretched between three nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene.triangles import Triangles

FLAT = 1e-6
"""Tolerance for points in a plane, relative to the triangle's size."""


def surface_of(edges: Iterable[tuple[int, int]], places: dict[int, NDArray]) -> list[tuple[int, int, int]]:
    """Return the triangles of a net of springs that lie on its surface.

    Three nodes that are connected to each other form a triangle. It is inside if nodes that are connected to all three
    lie on both sides of it. Where springs cross in a face, triangles would overlap; the first ones are kept.

    edges : pairs of nodes. places : of the nodes at rest (3,).
    """
    near: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    found: list[tuple[int, int, int]] = []
    taken: defaultdict[tuple[int, int], list[tuple[int, NDArray]]] = defaultdict(list)  # third nodes, by side
    for a in sorted(near):
        for b, c in combinations(sorted(n for n in near[a] if n > a), 2):
            if c not in near[b]:
                continue
            normal = np.cross(places[b] - places[a], places[c] - places[a])
            size = float(np.linalg.norm(normal))
            if size < FLAT * float(np.linalg.norm(places[b] - places[a])) ** 2:
                continue
            normal /= size
            heights = [normal @ (places[n] - places[a]) for n in near[a] & near[b] & near[c]]
            flat = FLAT * np.sqrt(size)
            if max(heights, default=0.0) > flat and min(heights, default=0.0) < -flat:
                continue
            sides = [((a, b), c), ((a, c), b), ((b, c), a)]
            if any(_covered(places, side, third, taken[side], normal) for side, third in sides):
                continue
            for side, third in sides:
                taken[side].append((third, normal))
            found.append((a, b, c))
    return found


def outside(edges: Iterable[tuple[int, int]], triangles: Iterable[tuple[int, int, int]]) -> list[bool]:
    """Return for each spring whether it is drawn beside the surface: if it leads away from it, not inside."""
    pairs = list(edges)
    covered = {k for corners in triangles for k in corners}
    near: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    hidden = covered | {n for n, tied in near.items() if len(tied) > 3 and tied <= covered}
    return [not {a, b} <= hidden for a, b in pairs]


def _covered(
    places: dict[int, NDArray], side: tuple[int, int], third: int, others: list[tuple[int, NDArray]], normal: NDArray
) -> bool:
    """Return whether a triangle on the same side and in the same plane is there already."""
    along = places[side[1]] - places[side[0]]
    inward = np.cross(normal, along)
    here = inward @ (places[third] - places[side[0]])
    return any(
        np.linalg.norm(np.cross(normal, other)) < FLAT and here * (inward @ (places[n] - places[side[0]])) > 0.0
        for n, other in others
    )


def facet() -> Triangles:
    """The triangle (0, 0), (1, 0), (0, 1) of the plane z = 0, to be seen from both sides."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    up = np.tile([0.0, 0.0, 1.0], (3, 1))
    return Triangles(np.vstack([corners, corners]), np.vstack([up, -up]), np.array([[0, 1, 2], [3, 5, 4]]))
