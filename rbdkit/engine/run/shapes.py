"""Which models have straight-line code, and what it takes for granted of them."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.engine.steps.nodes import ROW, Link

UNROLLED_LINKS = 10
"""Motions of models up to this size have straight-line code."""
UNROLLED_IN_STACKS = 40
"""Stacks of states of models up to this size have it, where they are long."""
STATES_A_LINK = 100
"""So many states in one call for each link are worth compiling it."""
ROTATION = 9
"""So many numbers of a link come before its position."""


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

    @property
    def small(self) -> bool:
        """Whether motions have such code, too."""
        return len(self.links) <= UNROLLED_LINKS

    def pays(self, states: int | None) -> bool:
        """Whether it serves so many states in one call, or, if None, a motion of any length."""
        return self.small if states is None else states >= STATES_A_LINK * len(self.links)


def is_small(layout: Layout) -> bool:
    """Whether there is straight-line code for motions of such models."""
    return len(layout.links) <= UNROLLED_LINKS and _can_be_unrolled(layout)


def _can_be_unrolled(layout: Layout) -> bool:
    return bool(layout.links) and all(not link.kind.follows or link.kind.cluster for link in layout.links)


def shape_of(layout: Layout, rows: NDArray) -> Shape | None:
    """What the straight-line code of a model takes for granted; None if there is none.

    It depends on the model alone, so that the same call gives the same bits whatever ran before. Numbers of "rows" that
    are 1 or -1 save work in rotations only: a length of 1 m among others needs no code of its own.
    """
    if len(layout.links) > UNROLLED_IN_STACKS or not _can_be_unrolled(layout):
        return None
    return Shape(layout.links, layout.nq, layout.nv, plain_rows(layout, rows))


def plain_rows(layout: Layout, rows: NDArray) -> frozenset[tuple[int, float]]:
    """Numbers of "rows" that become part of straight-line code."""
    return frozenset((k, x) for k, x in fixed_numbers(layout, rows) if x == 0.0 or k % ROW < ROTATION)
