"""Implied limit constraints: the joint limits of a model as unilateral constraints, and the model with them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.constraints import Limit
from rbdkit.model.constraint import Constraint
from rbdkit.model.constraint_rows import ConstraintRows, record
from rbdkit.model.joint import Joint
from rbdkit.model.kept import kept
from rbdkit.model.model import Model

ROUND_OFF = 1e-9
"""Distance beyond a limit that counts as none, relative to 1 rad or m plus the coordinate."""


def bounded(model: Model) -> tuple[tuple[Joint, Constraint], ...]:
    """Return the limited joints, each with a `Limit` constraint for one of its coordinates: 'elbow.angle'."""
    return tuple(_limits(model))


def _limits(model: Model) -> Iterator[tuple[Joint, Constraint]]:
    for joint in model.joints:
        yield from ((joint, constraint) for stop in _stops(joint) for constraint in stop.constraints())


def implied_rows(model: Model) -> ConstraintRows:
    """Return the traced rows of all limit constraints."""
    return kept(model, _recorded)


def _recorded(model: Model) -> ConstraintRows:
    return record(model, [constraint for _, constraint in bounded(model)])


@dataclass(frozen=True, eq=False)
class Stop:
    """A limited coordinate of a joint that has no `Limit` of its own; its stop is a constraint named 'elbow.angle'."""

    name: str
    joint: Joint
    place: int
    lower: float
    upper: float

    def values(self, q: NDArray) -> NDArray:
        """Return the coordinate, (...), from those of the model, (..., nq)."""
        return self.joint.coordinates(q)[..., self.place]

    def beyond(self, q: NDArray) -> float:
        """Return by how much coordinates (nq,) lie beyond the limits, rad or m; round-off counts as none."""
        x = float(self.values(q))
        passed = max(x - self.upper, self.lower - x)
        return passed if passed > ROUND_OFF * (1.0 + abs(x)) else 0.0

    def constraints(self, q: NDArray | None = None) -> Iterator[Constraint]:
        """Yield the stop as one constraint, or as two if both bounds are at one place. q : coordinates within them."""
        x = None if q is None else float(self.values(q))
        lower, upper = (
            None if not np.isfinite(bound) else bound if x is None else float(widest(bound, x))
            for bound, widest in ((self.lower, min), (self.upper, max))
        )
        joint, coordinate = self.joint.name, self.joint.type.q_names[self.place]
        if lower is not None and lower == upper:
            yield Constraint(f"{self.name} lower", Limit(joint, lower, None, coordinate))
            yield Constraint(f"{self.name} upper", Limit(joint, None, upper, coordinate))
        else:
            yield Constraint(self.name, Limit(joint, lower, upper, coordinate))


def stopped(model: Model, q: NDArray | None = None) -> Model:
    """Return the model with a `Limit` for each limited coordinate that has none of its own; the model itself if all do.

    Prescribed joints get none, as their motion is a given function of time.

    q : coordinates (nq,) at which a motion begins; a joint that is beyond a limit there has its stop where it is.
    """
    if not (stops := wanting(model)):
        return model
    return kept(model, _stopped) if q is None or not any(stop.beyond(q) for stop in stops) else _stopped(model, q)


def _stopped(model: Model, q: NDArray | None = None) -> Model:
    twin = copy(model)
    twin.constraints = (*model.constraints, *(x for stop in wanting(model) for x in stop.constraints(q)))
    return twin


def wanting(model: Model) -> tuple[Stop, ...]:
    """Return the limited coordinates without a `Limit` of their own, other than those of prescribed joints."""
    return kept(model, _wanting)


def _wanting(model: Model) -> tuple[Stop, ...]:
    own = {(x.element.joint, x.element.coordinate) for x in model.constraints if isinstance(x.element, Limit)}
    return tuple(
        stop
        for joint in model.joints
        if not joint.type.is_driven
        for stop in _stops(joint)
        if not {(joint.name, None), (joint.name, joint.type.q_names[stop.place])} & own
    )


def _stops(joint: Joint) -> Iterator[Stop]:
    lower, upper = np.atleast_1d(joint.limits.lower, joint.limits.upper)
    for k, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        if np.isfinite(low) or np.isfinite(high):
            yield Stop(f"{joint.name}.{joint.type.q_names[k]}", joint, k, low, high)
