"""What kind of constraint it is, found by computation (Featherstone 2008, section 3.4 and Fig 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.motion_constraint import MotionConstraint
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree

Field = Callable[[NDArray], NDArray]
"""A velocity (nv,) at every place q."""

STEP = 3e-3  # length of the sides of loops: leaves an error of STEP^2 in a bracket, and of 1e-11 by rounding
CLEAR = 1e-3  # a direction longer than this is none of these errors


@dataclass(frozen=True)
class Classification:
    """Where a constraint stands in Fig 3.1, and the two freedoms that tell it.

    Attributes
    ----------
    velocity_freedoms : int
        Dimension of the velocities that are allowed at the state.
    position_freedoms : int
        Dimension of the places that motions with such velocities lead to.
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
    """The kind of a constraint at a state.

    Notes
    -----
    A constraint is holonomic if driving around small loops leads nowhere new (Frobenius): back and forth along two
    allowed motions in turn ends in the direction of their Lie bracket. Directions are added, brackets of brackets too,
    until none is new. It counts as rheonomic if something drives it: w is not zero, here or nearby, now or later. (Some
    call a constraint with such a w acatastatic, and rheonomic only if time enters by itself.)

    Raises
    ------
    ModelError
        If joints close loops: these allow less than the constraint does.
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
    """Projector onto the velocities that the constraint allows, shape (nv, nv); unlike a basis, smooth in q."""
    K = constraint.K(q)
    length = np.linalg.norm(K, axis=1, keepdims=True)
    K = K / np.where(length > 0.0, length, 1.0)
    return np.eye(K.shape[1]) - np.linalg.pinv(K, rcond=STEP**2) @ K  # rows may depend but for errors of the steps


def along(constraint: MotionConstraint, direction: NDArray) -> Field:
    """The allowed part of a direction (nv,), at every place."""
    return lambda q: allowed(constraint, q) @ direction


def around(model: Model, first: Field, second: Field, q: NDArray, size: float) -> NDArray:
    """Displacement (nv,) after following first, second, first backward and second backward, each for `size` seconds."""
    place = q
    for field, h in ((first, size), (second, size), (first, -size), (second, -size)):
        half = model.integrate(place, 0.5 * h * field(place))  # midpoint rule
        place = model.integrate(place, h * field(half))
    return model.difference(q, place)


def bracket(model: Model, first: Field, second: Field) -> Field:
    """The Lie bracket of two fields: where small loops lead, per area; mean of loops of both senses."""

    def field(q: NDArray) -> NDArray:
        both = around(model, first, second, q, STEP) + around(model, first, second, q, -STEP)
        return 0.5 * both / STEP**2

    return field


def _reachable(model: Model, fields: list[Field], q: NDArray) -> int:
    """Rank of the fields together with all their brackets."""
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
