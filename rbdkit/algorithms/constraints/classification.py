"""Classification of motion constraints by numerical test (Featherstone 2008, section 3.4 and Fig 3.1).

The test for holonomy is Frobenius's theorem: the velocity freedoms of the constraint span a distribution, and the
positions that motions can reach have the dimension of that distribution together with all its Lie brackets. Brackets
are computed from small loops, forward and backward along two fields in turn, so no derivative of K is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.motion_constraint import MotionConstraint
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree

Field = Callable[[NDArray], NDArray]
"""Vector field: a velocity (nv,) at every position q."""

STEP = 3e-3  # side of the loops: a bracket has a truncation error of order STEP^2 and 1e-11 of round-off
CLEAR = 1e-3  # singular values above this are more than these errors


@dataclass(frozen=True)
class Classification:
    """Kind of a constraint in the scheme of Fig 3.1, with the two degrees of freedom that decide it.

    Attributes
    ----------
    velocity_freedoms : int
        Dimension of the space of allowed velocities at the state.
    position_freedoms : int
        Dimension of the set of positions that allowed motions can reach.
    """

    equality: bool
    holonomic: bool
    scleronomic: bool
    velocity_freedoms: int
    position_freedoms: int

    def __str__(self) -> str:
        words = [
            "equality" if self.equality else "inequality, an equation while it pushes",
            "holonomic" if self.holonomic else "nonholonomic",
            "scleronomic" if self.scleronomic else "rheonomic",
        ]
        return f"{', '.join(words)}; {self.velocity_freedoms} velocity, {self.position_freedoms} position freedoms"


def classify(model: Model, constraint: MotionConstraint, q: NDArray, *, t: float = 0.0) -> Classification:
    """Return the kind of a constraint at a state.

    Notes
    -----
    A constraint is holonomic if small loops of allowed motions lead in no new direction (Frobenius): going forward and
    backward along two allowed motions in turn displaces the system along their Lie bracket. Brackets, and brackets of
    brackets, are added until none is new. The constraint counts as rheonomic if w is nonzero here or nearby, now or
    later. (Some call such a constraint acatastatic, and rheonomic only if time appears explicitly.)

    Raises
    ------
    ModelError
        If the model has loop joints, which allow less than the constraint does.
    """
    require_tree(model, "the kind of a constraint")
    P = allowed(constraint, q)
    U, s, _ = np.linalg.svd(P)
    directions = U[:, : int(np.sum(s > 0.5))].T  # a projector has singular values 0 and 1
    reached = _reachable(model, [along(constraint, d) for d in directions], q)
    nearby = [q, *(model.integrate(q, 0.5 * direction) for direction in np.eye(model.nv))]
    driven = any(np.any(constraint.w(place, t + dt)) for place in nearby for dt in (0.0, 0.1, 0.27))
    return Classification(not constraint.unilateral, len(directions) == reached, not driven, len(directions), reached)


def allowed(constraint: MotionConstraint, q: NDArray) -> NDArray:
    """Return the projector (nv, nv) onto the allowed velocities; unlike a basis, it is smooth in q."""
    K = constraint.K(q)
    length = np.linalg.norm(K, axis=1, keepdims=True)
    K = K / np.where(length > 0.0, length, 1.0)
    return np.eye(K.shape[1]) - np.linalg.pinv(K, rcond=STEP**2) @ K  # ignores errors of the steps


def along(constraint: MotionConstraint, direction: NDArray) -> Field:
    """Return the field of the allowed parts of a constant direction (nv,)."""
    return lambda q: allowed(constraint, q) @ direction


def around(model: Model, first: Field, second: Field, q: NDArray, size: float) -> NDArray:
    """Return the displacement (nv,) after both fields forward, then both backward, for `size` seconds each."""
    place = q
    for field, h in ((first, size), (second, size), (first, -size), (second, -size)):
        half = model.integrate(place, 0.5 * h * field(place))  # midpoint rule
        place = model.integrate(place, h * field(half))
    return model.difference(q, place)


def bracket(model: Model, first: Field, second: Field) -> Field:
    """Return the Lie bracket of two fields: displacement per area of small loops, averaged over both senses."""

    def field(q: NDArray) -> NDArray:
        both = around(model, first, second, q, STEP) + around(model, first, second, q, -STEP)
        return 0.5 * both / STEP**2

    return field


def _reachable(model: Model, fields: list[Field], q: NDArray) -> int:
    """Return the rank of the fields together with all their brackets."""
    span, newest = np.column_stack([field(q) for field in fields]), fields
    while newest:
        found: list[Field] = []
        for first in fields:
            for second in newest:
                field = bracket(model, first, second)
                longer = np.column_stack([span, field(q)])
                if _rank(longer) > _rank(span):
                    span, found = longer, [*found, field]
        newest = found
    return _rank(span)


def _rank(vectors: NDArray) -> int:
    return int(np.sum(np.linalg.svd(vectors, compute_uv=False) > CLEAR))
