"""Which rows of loops and constraints say something that others do not say already.

A row of ``K vdot = k`` is a unit reaction. Whether it follows from others is a matter of geometry: of the directions in
which joints move what the row holds, whatever masses they move. So rows are compared as they act on joint rates, angles
as arcs of the mechanism's length. They are taken one after the other, always the one that says most beyond those taken:
its pivot is the square of the part of it that is not in the span of these, and s^2 is that over the square of the
row's size as a wrench (moments over the length).

Rows end being taken where ``s <= 100 gap``, with the gap the largest angle (or share of the mechanism's length) by
which a joint stands open at this state. A row that others imply wherever the loops are closed has s = 0 there, and by
Weyl's inequality ``s <= c gap`` where they are not: a fixed limit takes it for independent at any stage that is far
enough off the manifold, and then the gap decides on accelerations. c tells how much longer the way round the loop is
than the parts of it; `AMPLIFICATION` is more than that. Towards a pose where independent rows become dependent (a flat
parallelogram), s is the distance to that pose: closer than that the state does not say any more on which branch it is,
and without the row the motion goes on along its velocity, which the row does not resist. A larger limit would let go
what holds a mechanism together at the stages of steps that only come near such a pose.

Closed loops leave round-off, and a run that drifts must not lose what holds it together: `FLOOR` and `CEILING`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.places import Place

if TYPE_CHECKING:
    from rbdkit.model.model import Model

FLOOR = 1e-10
"""Of s^2: rounding errors of the elimination of a tree stay below."""
CEILING = 1e-3
"""Of s^2: a row that says so much of its own is never left out."""
AMPLIFICATION = 100.0
"""Of s: so many times the gap is more than a row that others imply says."""
PREFERENCE = 1e-3
"""A later row must say more by this fraction for each row in between: ties are decided alike however they round."""


def row_limit(gap: float) -> float:
    """s^2 that rows must exceed where loops are open by so much, rad."""
    return float(np.clip((AMPLIFICATION * gap) ** 2, FLOOR, CEILING))


def independent_rows(arcs: NDArray, size: NDArray, limit: float) -> NDArray:
    """s^2 of rows when they are taken by their geometry, 0 of those that are not, (m,).

    arcs : (m, nv) rows, with angles as arcs. size : (m,) their squares as wrenches. limit : of s^2.
    """
    return taken_rows(arcs @ arcs.T, size, limit)[0]


def taken_rows(products: NDArray, size: NDArray, limit: float) -> tuple[NDArray, NDArray]:
    """s^2 of rows when they are taken, 0 of those that are not, and what is left on the diagonal, (m,) each.

    products : (m, m) of the rows, in some metric. size : (m,) what s^2 is measured with. limit : of s^2.
    """
    m = len(size)
    left, says = products.copy(), np.zeros(m)
    pivots = left.reshape(-1)[:: m + 1]
    weight = 1.0 / (size * (1.0 + PREFERENCE * np.arange(m)))  # 0 of rows that are taken
    for _ in range(m):
        p = int(np.argmax(pivots * weight))
        if not pivots[p] > limit * size[p] or not weight[p]:
            break
        says[p], weight[p] = pivots[p] / size[p], 0.0
        left -= np.multiply.outer(left[:, p] / pivots[p], left[p])
    return says, pivots


def row_sizes(place: Place, length: float) -> NDArray:
    """Squares of the wrenches that the rows of a joint stand for, with moments over a length."""
    T = place.type.constraint_subspace(place.type.neutral())
    return np.asarray(np.sum(T[3:] ** 2, axis=0) + np.sum(T[:3] ** 2, axis=0) / length**2)


def arcs_of(model: Model, length: float) -> NDArray:
    """What makes rates of joints arcs in columns of K, (nv,): 1 of shifts, 1 / length of turns."""
    found = np.ones(model.nv)
    for joint in model.joints:
        if joint.mimic is None:
            found[joint.v_slice] = [1.0 if unit == "m/s" else 1.0 / length for unit in joint.type.v_units]
    return found
