"""Which rows of loops say something that others do not say already, and the reactions of those that do.

A row of a loop joint is a unit reaction. The tree, whose own rows are always independent, answers it with
accelerations, and ``Lambda`` holds what each reaction does to each row. Rows are taken one after the other, always the
one that says most beyond those taken: its pivot is the square of the sine s of the angle, in the metric of the kinetic
energy, between it and all that is taken, times what it would be if its two bodies were free.

Rows end being taken where ``s^2 <= gap``, with the gap the largest angle (or share of the mechanism's length) by which
a joint stands open at this state, for two reasons.

- A row that others imply wherever the loops are closed has s = 0 there, and by Weyl's inequality ``s <= c gap`` where
  they are not: with ``s^2 > gap`` it would need a c of 1 / sqrt(gap). A fixed limit takes it for independent at any
  stage that is far enough off the manifold, and then the gap decides on accelerations.
- Near a pose where independent rows become dependent (a flat parallelogram), s is the distance to that pose, and
  Newton's method need not lead back to closed loops from a gap > s^2 / 2 (Kantorovich): the state does not say any more
  on which branch it is. Without that row the motion goes on along its velocity, which the row does not resist.

Closed loops leave round-off, and a run that drifts must not lose what holds it together: `FLOOR` and `CEILING`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.model.places import Place

FLOOR = 1e-10
"""Of s^2: rounding errors of the elimination of a tree stay below."""
CEILING = 1e-3
"""Of s^2: a row that says so much of its own is never left out."""
PREFERENCE = 1e-3
"""A later row must say more by this fraction for each row in between: ties are decided alike however they round."""


@dataclass(frozen=True)
class LoopRows:
    """The rows of loops among the constraints.

    first : number of the first; those of the tree come before. free : (m,) what Lambda would have on its diagonal if
    bodies were free. gap : the largest angle by which a joint is open, rad.
    tree_answers : whether the tree alone answers every reaction; if not, something moves in it that only the loops give
    inertia, and J decides by itself.
    """

    first: int
    free: NDArray
    gap: float
    tree_answers: bool = True

    @property
    def limit(self) -> float:
        """s^2 that a row must exceed."""
        return float(np.clip(self.gap, FLOOR, CEILING))


def taken_rows(Lambda: NDArray, slip: NDArray, rows: LoopRows) -> tuple[NDArray, NDArray]:
    """Reactions with ``Lambda lambda = slip``, none of rows that others imply, and s^2 of the rows, (m,) each.

    s^2 is 0 of rows that were not taken.
    """
    m = len(slip)
    Lambda, slip = Lambda.copy(), slip.copy()
    pivots = Lambda.reshape(-1)[:: m + 1]
    inverse, says = np.zeros(m), np.zeros(m)
    least = rows.limit * rows.free
    weight = 1.0 / (rows.free * (1.0 + PREFERENCE * np.arange(m)))  # 0 of rows that are taken
    for _ in range(m):
        p = int(np.argmax(pivots * weight))
        pivot = pivots[p]
        if not pivot > least[p] or not weight[p]:
            break
        inverse[p], says[p], weight[p] = 1.0 / pivot, pivot / rows.free[p], 0.0
        factor, row = Lambda[:, p] * inverse[p], np.where(weight, Lambda[:, p], 0.0)
        factor[p] = 0.0
        slip -= factor * slip[p]
        Lambda -= np.multiply.outer(factor, row)
    return slip * inverse, says


def free_responses(model: Model, loops: list[Place], length: float) -> NDArray:
    """What a unit reaction of each row does to the row itself where bodies are free: as if their mass were concentrated
    at that length. Bodies without mass count as average ones."""
    mass = np.array([body.inertia.mass if body.inertia else 0.0 for body in model.bodies])
    mass[mass <= 0.0] = mass[mass > 0.0].mean() if (mass > 0.0).any() else 1.0
    found = [np.zeros(0)]
    for place in loops:
        T = place.type.constraint_subspace(place.type.neutral())
        mobility = sum(1.0 / mass[body] for body in (place.predecessor, place.successor) if body)
        found.append(mobility * (np.sum(T[3:] ** 2, axis=0) + np.sum(T[:3] ** 2, axis=0) / length**2))
    return np.concatenate(found)
