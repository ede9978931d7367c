"""Which rows of loops and constraints count, and the reactions of those that do, where compiled code eliminates them.

`rbdkit.model.closing.rank` tells which rows are independent by their geometry.
``Lambda = K H^-1 K^T``, which is eliminated anyway, has pivots of the same kind in the metric of the kinetic energy:
s^2 there is a pivot over what it would be if the two bodies were free. They say the same more cheaply where they are
clear: rows with more than `CEILING` are independent in any metric, and those below `least_pivots` are dependent in any,
since nothing in the mechanism has more inertia than all of it. A pivot in between may be a row that others nearly
imply, or a light body between heavy ones: the geometry tells how many rows there are. Where as many are clear, these
count; if not, those that the geometry took.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.model.closing.rank import CEILING, FLOOR, independent_rows, row_limit, row_sizes, taken_rows
from rbdkit.model.places import Place


@dataclass(frozen=True)
class LoopRows:
    """The rows of loops among the constraints.

    first : number of the first; those of the tree come before. arcs : gives the rows on rates of the tree's joints,
    (m, nv), with angles as arcs; most states do not ask. size : (m,) their squares as wrenches, see `row_sizes`.
    free : (m,) what Lambda would have on its diagonal if bodies were free. least : (m,) see `least_pivots`. gap : the
    largest angle by which a joint is open, rad. tree_answers : whether the tree alone answers every reaction; if not,
    something moves in it that only the loops give inertia.
    """

    first: int
    arcs: Callable[[], NDArray]
    size: NDArray
    free: NDArray
    least: NDArray
    gap: float
    tree_answers: bool = True

    @property
    def limit(self) -> float:
        """s^2 that a row must exceed."""
        return row_limit(self.gap)

    def says(self) -> NDArray:
        """s^2 of the rows that are independent by geometry, 0 of others, (m,)."""
        return independent_rows(self.arcs(), self.size, self.limit)

    def counting(self, Lambda: NDArray) -> tuple[NDArray, bool]:
        """Which rows count, (m,) booleans; and whether pivots of Lambda are clear, so that it is well conditioned."""
        pivots, left = taken_rows(Lambda, self.free, CEILING)
        clear = pivots > 0.0
        if not np.any(left[~clear] > self.least[~clear]):
            return clear, True
        independent = self.says() > 0.0
        return (clear, True) if clear.sum() == independent.sum() else (independent, False)


def reactions(Lambda: NDArray, slip: NDArray, counting: NDArray) -> NDArray:
    """Reactions with ``Lambda lambda = slip`` in the rows that count, zeros in others, (m,)."""
    found = np.zeros(len(slip))
    if counting.any():
        own = Lambda[np.ix_(counting, counting)]
        scale = 1.0 / np.sqrt(np.diag(own))  # of light and of heavy bodies
        found[counting] = scale * np.linalg.solve(scale[:, None] * own * scale, scale * slip[counting])
    return found


def gap_shares(size: NDArray, length: float) -> NDArray:
    """What makes gaps, rad and m, of rows (m,) with such squares as wrenches shares of a length of less than 1 m.

    Of longer ones they stay as they are: whoever closes them to the same number of digits of 1 m closes them enough.
    """
    return 1.0 / np.where(size > 0.0, np.minimum(1.0, length * np.sqrt(size)), 1.0)


def free_responses(model: Model, loops: list[Place], length: float) -> NDArray:
    """What a unit reaction of each row does to the row itself where bodies are free: as if their mass were concentrated
    at that length."""
    mass = compared_masses(model)
    found = [np.zeros(0)]
    for place in loops:
        mobility = sum(1.0 / mass[body] for body in (place.predecessor, place.successor) if body)
        found.append(mobility * row_sizes(place, length))
    return np.concatenate(found)


def compared_masses(model: Model) -> NDArray:
    """Masses of the bodies, the world first, kg; those without any count as average ones."""
    mass = np.array([body.inertia.mass if body.inertia else 0.0 for body in model.bodies])
    mass[mass <= 0.0] = mass[mass > 0.0].mean() if (mass > 0.0).any() else 1.0
    return mass


def least_pivots(model: Model, size: NDArray, length: float) -> NDArray:
    """Pivots of Lambda below which rows of these squares are dependent whatever moves how much: `FLOOR` over the
    inertia of all that there is."""
    inertia = 0.0
    for body in model.bodies[1:]:
        turning = np.array([unit != "m/s" for unit in body.joint.type.v_units], dtype=float)
        inertia += float(np.sum(body.joint.armature * length ** (-2.0 * turning)))
        if body.inertia is not None:
            inertia += body.inertia.mass + float(np.trace(body.inertia.inertia_com)) / length**2
    return FLOOR / (inertia if inertia > 0.0 else 1.0) * size
