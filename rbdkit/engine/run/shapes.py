"""Which models have straight-line code, and what it takes for granted of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.engine.steps.nodes import Link

UNROLLED_LINKS = 8
"""Models up to this size have straight-line code."""


@dataclass(frozen=True)
class Shape:
    """A model of which straight-line code may be made.

    links : without the world. nq, nv : of the model. fixed : numbers of "rows" that become part of the code, with
        positions.
    """

    links: tuple[Link, ...]
    nq: int
    nv: int
    fixed: frozenset[tuple[int, float]]


def is_small(layout: Layout) -> bool:
    """Whether there is straight-line code for such models."""
    return 0 < len(layout.links) <= UNROLLED_LINKS and not any(link.kind.follows for link in layout.links)


def known_shape(name: str, layout: Layout, rows: NDArray) -> Shape | None:
    """The shape whose straight-line code serves a model of that name; None if it is large, or has lost zeros since it
    was first seen.

    So a placement that leaves zero while it is dragged falls back to the loop, and compiles nothing.
    """
    if not is_small(layout):
        return None
    own = fixed_numbers(layout, rows)
    first = _first_seen(name, layout.links, layout.nq, layout.nv)
    if not first:
        first.append(Shape(layout.links, layout.nq, layout.nv, own))
    return first[0] if first[0].fixed <= own else None


@lru_cache(maxsize=256)
def _first_seen(name: str, links: tuple[Link, ...], nq: int, nv: int) -> list[Shape]:
    """Room for the shape of a model."""
    return []
