"""Choice of the models that have straight-line code, and of the numbers that are built into it."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.engine.steps.nodes import ROW, Link

UNROLLED_LINKS = 10
"""Most links of models whose motions have straight-line code."""
UNROLLED_IN_STACKS = 40
"""Most links of models whose large stacks of states have straight-line code."""
# Compiling costs some 25 ms per link, once; each state then takes two thirds of the loop's time.
STATES_A_LINK = 100
"""Number of states in one call per link from which on compiling it pays."""
ROTATION = 9
"""Numbers of a link before its position: its rotation."""


@dataclass(frozen=True)
class Shape:
    """Properties of a model that are built into its straight-line code.

    links : without the world. nq, nv : of the model. fixed : elements of "rows" that become part of the code, as pairs
        of place and value.
    """

    links: tuple[Link, ...]
    nq: int
    nv: int
    fixed: frozenset[tuple[int, float]]

    @property
    def small(self) -> bool:
        """Whether motions have straight-line code, too."""
        return len(self.links) <= UNROLLED_LINKS

    def pays(self, states: int | None) -> bool:
        """Return whether straight-line code pays for this many states in one call, or, if None, for a motion."""
        return self.small if states is None else states >= STATES_A_LINK * len(self.links)


def is_small(layout: Layout) -> bool:
    """Return whether motions of models with this layout have straight-line code."""
    return len(layout.links) <= UNROLLED_LINKS and _can_be_unrolled(layout)


def _can_be_unrolled(layout: Layout) -> bool:
    return bool(layout.links) and all(not link.kind.follows or link.kind.cluster for link in layout.links)


def shape_of(layout: Layout, rows: NDArray) -> Shape | None:
    """Return what the straight-line code of a model has built in; None if it has none.

    It depends on the model alone, so that the same call gives the same bits whatever ran before. Elements of "rows"
    that are 1 or -1 are built in only in rotations: a length of 1 m among others needs no code of its own.
    """
    if len(layout.links) > UNROLLED_IN_STACKS or not _can_be_unrolled(layout):
        return None
    return Shape(layout.links, layout.nq, layout.nv, plain_rows(layout, rows))


def plain_rows(layout: Layout, rows: NDArray) -> frozenset[tuple[int, float]]:
    """Return the elements of "rows" that become part of straight-line code."""
    return frozenset((k, x) for k, x in fixed_numbers(layout, rows) if x == 0.0 or k % ROW < ROTATION)
