"""Redundancy decision: which constraint rows count, and the reactions of those that do, in compiled code.

`rbdkit.model.closing.rank` decides which rows are independent from their geometry. ``Lambda = K H^-1 K^T``, which is
eliminated anyway, has similar pivots in the metric of the kinetic energy; here s^2 is a pivot relative to its value if
the two bodies were free. Where these pivots are clear they decide the same more cheaply: rows above `CEILING` are
independent in any metric, and rows below `least_pivots` are redundant in any, since nothing in the mechanism has more
inertia than all of it. A pivot in between may belong to a row that others nearly imply, or to a light body between
heavy ones; then the geometry decides how many rows count. If as many pivots are clear, those rows count; if not, the
rows that the geometry selects.
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
    """The rows of loops among the constraints, with the scales of the redundancy decision.

    first : number of the first; those of the tree come before. arcs : function that gives the rows on joint rates, (m,
    nv), with angles as arcs; most states do not call it. size : (m,) their squared norms as wrenches, see `row_sizes`.
    free : (m,) diagonal of Lambda if bodies were free. least : (m,) see `least_pivots`. gap : the largest closure
    error, rad.
    tree_answers : whether the tree alone has inertia against every reaction; if not, some freedom of it has inertia
    only through the loops.
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
        """Value of s^2 that a row must exceed to count."""
        return row_limit(self.gap)

    def says(self) -> NDArray:
        """Return s^2 of the rows that are independent by geometry, 0 for others, (m,)."""
        return independent_rows(self.arcs(), self.size, self.limit)

    def counting(self, Lambda: NDArray) -> tuple[NDArray, bool]:
        """Return which rows count, (m,) booleans, and whether the pivots of Lambda are clear."""
        pivots, left = taken_rows(Lambda, self.free, CEILING)
        clear = pivots > 0.0
        if not np.any(left[~clear] > self.least[~clear]):
            return clear, True
        independent = self.says() > 0.0
        # as many as geometry counts, so nothing is missing: these suit the metric in which the equations are solved
        return (clear, True) if clear.sum() == independent.sum() else (independent, False)


def reactions(Lambda: NDArray, slip: NDArray, counting: NDArray) -> NDArray:
    """Solve ``Lambda lambda = slip`` for the reactions of the rows that count; others are zero, (m,)."""
    found = np.zeros(len(slip))
    if counting.any():
        own = Lambda[np.ix_(counting, counting)]
        scale = 1.0 / np.sqrt(np.diag(own))  # light and heavy bodies on one scale
        found[counting] = scale * np.linalg.solve(scale[:, None] * own * scale, scale * slip[counting])
    return found


def gap_shares(size: NDArray, length: float) -> NDArray:
    """Return the factors (m,) that turn gaps, rad and m, into fractions of a length if that is less than 1 m.

    For longer mechanisms gaps stay as they are: an absolute accuracy as for 1 m is enough. size : (m,) squared norms of
    the rows as wrenches.
    """
    return 1.0 / np.where(size > 0.0, np.minimum(1.0, length * np.sqrt(size)), 1.0)


def free_responses(model: Model, loops: list[Place], length: float) -> NDArray:
    """Return the diagonal of Lambda, (m,), if bodies were free, with their mass concentrated at a length."""
    mass = compared_masses(model)
    found = [np.zeros(0)]
    for place in loops:
        mobility = sum(1.0 / mass[body] for body in (place.predecessor, place.successor) if body)
        found.append(mobility * row_sizes(place, length))
    return np.concatenate(found)


def compared_masses(model: Model) -> NDArray:
    """Return the masses of the bodies, the world first, kg; those without mass count as average."""
    mass = np.array([body.inertia.mass if body.inertia else 0.0 for body in model.bodies])
    mass[mass <= 0.0] = mass[mass > 0.0].mean() if (mass > 0.0).any() else 1.0
    return mass


def least_pivots(model: Model, size: NDArray, length: float) -> NDArray:
    """Return the pivots of Lambda below which rows are redundant for any distribution of mass.

    They are `FLOOR` over the inertia of the whole model, times the squared norms `size` of the rows.
    """
    inertia = 0.0
    for body in model.bodies[1:]:
        turning = np.array([unit != "m/s" for unit in body.joint.type.v_units], dtype=float)
        # a rotor on a rotary joint counts as a mass at the length from the axis
        inertia += float(np.sum(body.joint.armature * length ** (-2.0 * turning)))
        if body.inertia is not None:
            inertia += body.inertia.mass + float(np.trace(body.inertia.inertia_com)) / length**2
    return FLOOR / (inertia if inertia > 0.0 else 1.0) * size
