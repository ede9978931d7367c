"""Implied limit constraints: the joint limits of a model as unilateral constraints, and the model with them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import numpy as np

from rbdkit.constraints import Limit
from rbdkit.model.constraint import Constraint
from rbdkit.model.constraint_rows import ConstraintRows, record
from rbdkit.model.joint import Joint
from rbdkit.model.kept import kept
from rbdkit.model.model import Model


def bounded(model: Model) -> tuple[tuple[Joint, Constraint], ...]:
    """Return the limited joints, each with a `Limit` constraint for one of its coordinates: 'elbow.angle'."""
    return tuple(_limits(model))


def _limits(model: Model) -> Iterator[tuple[Joint, Constraint]]:
    for joint in model.joints:
        lower, upper = np.atleast_1d(joint.limits.lower, joint.limits.upper)
        for coordinate, low, high in zip(joint.type.q_names, lower.tolist(), upper.tolist(), strict=False):
            below, above = (x if np.isfinite(x) else None for x in (low, high))
            name = f"{joint.name}.{coordinate}"
            if below is not None and below == above:  # two stops at one place
                yield joint, Constraint(f"{name} lower", Limit(joint.name, below, None, coordinate))
                yield joint, Constraint(f"{name} upper", Limit(joint.name, None, above, coordinate))
            elif below is not None or above is not None:
                yield joint, Constraint(name, Limit(joint.name, below, above, coordinate))


def implied_rows(model: Model) -> ConstraintRows:
    """Return the traced rows of all limit constraints."""
    return kept(model, _recorded)


def _recorded(model: Model) -> ConstraintRows:
    return record(model, [constraint for _, constraint in bounded(model)])


def stopped(model: Model) -> Model:
    """Return the model with a `Limit` for each limited coordinate that has none of its own; the model itself if all do.

    Prescribed joints get none, as their motion is a given function of time.
    """
    return kept(model, _stopped) if _wanting(model) else model


def _stopped(model: Model) -> Model:
    twin = copy(model)
    twin.constraints = (*model.constraints, *_wanting(model))
    return twin


def _wanting(model: Model) -> list[Constraint]:
    own = {(x.element.joint, x.element.coordinate) for x in model.constraints if isinstance(x.element, Limit)}
    return [
        constraint
        for joint, constraint in bounded(model)
        if not joint.type.is_driven and not {(joint.name, None), (joint.name, constraint.element.coordinate)} & own  # type: ignore[attr-defined]
    ]
