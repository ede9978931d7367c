"""Detection of singular poses, where loops lose rank, in the states of a run, for its report.

At a singular pose (a flat parallelogram) rows of the loops become dependent that are independent elsewhere. There
branches of the motion meet, and an integrator may leave on the wrong one, with all equations satisfied. The report
should say so, but a rank decision for every state would cost as much as the run.

So the usual rank and the usual smallest s^2 (`rbdkit.model.closing.rank`) are taken from a few states. A loop that
passes a singular pose badly opens there suddenly: only where the closure error grows by the largest factors are states
examined, and a pose counts as singular if it has less rank, or much less s^2, than usual. If loops stay closed to
round-off all the time, only the start is in doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.index1 import Index1


class Closing(Protocol):
    """A system with loops. rows_at : its `index1`, of which only M, J and the rank decision are used."""

    def gap(self, t: NDArray, x: NDArray) -> NDArray: ...
    def rows_at(self, t: float, x: NDArray, v: NDArray) -> Index1: ...


SAMPLES = 16
"""Number of states that give the usual rank of a run."""
FEW = 5
"""Number of such states if loops stayed closed, so that only the start is in doubt."""
SUSPECTS = 8
"""Number of times that are examined: those where the closure error grew by the largest factors."""
CLOSE = 0.01
"""Smallest s^2 of a row, relative to its median over the run, below which a pose counts as near-singular."""
CLOSED = 1e-9
"""Closure error (rad) of round-off: loops that never open further have passed all singular poses well."""


def few_of(n: int, few: int = FEW) -> NDArray:
    """Return the indices of `few` of n states, evenly spaced: those that are examined if loops stayed closed.

    Given these alone, `rank_remarks` returns the same as for all.
    """
    return np.unique(np.linspace(0, n - 1, few).astype(int))


def rank_remarks(system: Closing, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
    """Return remarks on a singular start, and on the first singular pose where the loops opened suddenly.

    closing : whether the method projects to the constraints in every step.
    """
    gap = system.gap(t, x)
    closed = bool(gap.max() <= CLOSED)
    rows = few_of(len(t)) if closed else few_of(len(t), SAMPLES)
    if len(rows) < 3:
        return []
    seen: dict[int, tuple[int, float]] = {}

    def weakest(k: int) -> tuple[int, float]:
        """Return the rank at state k, and the smallest s^2 of an independent row."""
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
    # growth by factors; the constant keeps that of round-off out
    suspects = np.sort(np.argsort(np.diff(np.log(gap + 1e-3 * CLOSED)))[-SUSPECTS:])
    for jump in suspects:
        # the pose itself mostly lies between two recorded states
        if any(lost(k) for k in range(max(jump - 1, 1), min(jump + 3, len(t)))):
            found.append(
                f"about t = {t[jump]:.4g} s the loops pass a pose where their constraints lose rank, and open there: "
                "branches of the motion meet, and what follows need not be on the right one"
                + ("" if closing else "; 'rk4_projected' keeps loops closed and passes such poses")
            )
            break
    return found
