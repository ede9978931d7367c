"""Rank decision: select independent rows of the loop and constraint Jacobian K, by pivoted elimination.

A row of ``K vdot = k`` is a unit reaction. Whether it depends on others is a matter of geometry, of how joints move
what the row holds, and not of masses. So rows are compared by how they act on joint rates, with angles scaled to arcs
by the characteristic length. The elimination is a Cholesky factorisation with diagonal pivoting of the Gram matrix
K K^T: each pivot is the squared norm of the part of the row outside the span of those selected before, and s^2 is the
pivot divided by the squared norm of the row as a wrench (moments divided by the length).

Selection stops at ``s <= 100 gap``, where gap is the largest closure error of a joint at this state, in rad or
characteristic lengths. Why the tolerance depends on the closure error: a row that is redundant wherever the loops are
closed has s = 0 there, and by Weyl's inequality ``s <= c gap`` elsewhere. A fixed tolerance would take it for
independent at any stage far enough off the manifold, and the closure error would then decide on accelerations. The
factor c says how much longer the way round the loop is than its parts; `AMPLIFICATION` is larger than that.

Near a configuration where independent rows become dependent (a flat parallelogram), s is the distance to it. Within
the closure error the state no longer says on which branch it is, and without the row the motion continues along its
velocity, which the row does not resist. A larger tolerance would drop needed rows at stages that only pass nearby.

`FLOOR` and `CEILING` bound the tolerance: closed loops still have round-off, and a run that drifts must not lose the
rows that hold the mechanism together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.places import Place

if TYPE_CHECKING:
    from rbdkit.model.model import Model

FLOOR = 1e-10
"""Smallest tolerance of s^2; rounding errors of the elimination stay below."""
CEILING = 1e-3
"""Largest tolerance of s^2; a row with more than this is never left out."""
AMPLIFICATION = 100.0
"""Factor between closure error and tolerance of s, larger than what redundant rows reach."""
PREFERENCE = 1e-3
"""Handicap of later rows, a fraction for each row before them, so that round-off does not decide between equal rows."""


def row_limit(gap: float) -> float:
    """Return the tolerance of s^2 for a closure error `gap`, rad or characteristic lengths."""
    return float(np.clip((AMPLIFICATION * gap) ** 2, FLOOR, CEILING))


def independent_rows(arcs: NDArray, size: NDArray, limit: float) -> NDArray:
    """Select independent rows by geometry; return the s^2 of each selected row, 0 for redundant ones, (m,).

    arcs : (m, nv) rows, angles scaled to arcs. size : (m,) their squared norms as wrenches. limit : tolerance of s^2.
    """
    return taken_rows(arcs @ arcs.T, size, limit)[0]


def taken_rows(products: NDArray, size: NDArray, limit: float) -> tuple[NDArray, NDArray]:
    """Select independent rows; return s^2 (0 for redundant rows) and the remaining diagonal, (m,) each.

    products : (m, m) Gram matrix of the rows, in any metric. size : (m,) scale of s^2. limit : tolerance of s^2.
    """
    m = len(size)
    left, says = products.copy(), np.zeros(m)
    pivots = left.reshape(-1)[:: m + 1]
    weight = 1.0 / (size * (1.0 + PREFERENCE * np.arange(m)))  # becomes 0 for selected rows
    for _ in range(m):
        p = int(np.argmax(pivots * weight))
        if not pivots[p] > limit * size[p] or not weight[p]:
            break
        says[p], weight[p] = pivots[p] / size[p], 0.0
        left -= np.multiply.outer(left[:, p] / pivots[p], left[p])
    return says, pivots


def row_sizes(place: Place, length: float) -> NDArray:
    """Return the squared norms of the constraint wrenches of a joint, one a row, with moments divided by a length."""
    T = place.type.constraint_subspace(place.type.neutral())
    return np.asarray(np.sum(T[3:] ** 2, axis=0) + np.sum(T[:3] ** 2, axis=0) / length**2)


def arcs_of(model: Model, length: float) -> NDArray:
    """Return column factors of K (nv,) that scale rotations to arcs: 1 for translations, 1 / length for rotations."""
    found = np.ones(model.nv)
    for joint in model.joints:
        if joint.mimic is None:
            found[joint.v_slice] = [1.0 if unit == "m/s" else 1.0 / length for unit in joint.type.v_units]
    return found
