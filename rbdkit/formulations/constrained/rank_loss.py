"""Poses at which loops lose rank, in a run that went through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.index1 import Index1


class Closing(Protocol):
    """A system with loops. rows_at : its `index1`, of which only M, J and what is known of the rows count."""

    def gap(self, t: NDArray, x: NDArray) -> NDArray: ...
    def rows_at(self, t: float, x: NDArray, v: NDArray) -> Index1: ...


SAMPLES = 16
"""So many states say what is usual in a run."""
FEW = 5
"""So many where loops stayed closed, so that only the start is in doubt."""
SUSPECTS = 8
"""So many moments are looked at: where the loops opened by the largest factors."""
CLOSE = 0.01
"""s^2 of the row that says least, compared with its median over a run, from which on a pose counts as close to such."""
CLOSED = 1e-9
"""Gap (rad) that rounding errors leave: loops that stay closed to this have passed well wherever they came."""


def few_of(n: int, few: int = FEW) -> NDArray:
    """Numbers of so many of n states, from the first to the last: those that are looked at where loops stayed closed.

    Of these alone `rank_remarks` says the same as of all.
    """
    return np.unique(np.linspace(0, n - 1, few).astype(int))


def rank_remarks(system: Closing, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
    """A sentence on the first pose where the loops opened suddenly and one on the start, if they lose rank there.

    closing : whether the method was to close them in every step.
    """
    gap = system.gap(t, x)
    closed = bool(gap.max() <= CLOSED)
    rows = few_of(len(t)) if closed else few_of(len(t), SAMPLES)
    if len(rows) < 3:
        return []
    seen: dict[int, tuple[int, float]] = {}

    def weakest(k: int) -> tuple[int, float]:
        """Rank, and the least that a row says which counts."""
        if k not in seen:
            here = system.rows_at(t[k], x[k], v[k])
            seen[k] = here.rank, here.weakest
        return seen[k]

    usual = [weakest(int(k)) for k in rows]
    rank, median = max(r for r, _ in usual), float(np.median([s for _, s in usual]))

    def lost(k: int) -> bool:
        r, s = weakest(k)
        return r < rank or s < CLOSE * median

    found = []
    if lost(0):
        found.append(
            "the motion starts where the constraints of the loops lose rank: several motions begin there, this is one"
        )
    if closed:
        return found
    suspects = np.sort(np.argsort(np.diff(np.log(gap + 1e-3 * CLOSED)))[-SUSPECTS:])
    for jump in suspects:
        if any(lost(k) for k in range(max(jump - 1, 1), min(jump + 3, len(t)))):
            found.append(
                f"about t = {t[jump]:.4g} s the loops pass a pose where their constraints lose rank, and open there: "
                "branches of the motion meet, and what follows need not be on the right one"
                + ("" if closing else "; 'rk4_projected' keeps loops closed and passes such poses")
            )
            break
    return found
