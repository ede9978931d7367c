"""Constraints that hold on one side, told from the others."""

from __future__ import annotations

from copy import copy

from rbdkit.model.constraint import Constraint
from rbdkit.model.kept import kept
from rbdkit.model.model import Model


def one_sided(model: Model) -> tuple[Constraint, ...]:
    """The constraints of a model that bound their gap on one side."""
    return tuple(own for own in model.constraints if own.element.unilateral)


def has_stops(model: Model) -> bool:
    """Whether a constraint of the model bounds its gap on one side."""
    return bool(one_sided(model))


def without_stops(model: Model) -> Model:
    """The model with those of its constraints only that hold on both sides; itself if these are all."""
    return kept(model, _bilateral) if has_stops(model) else model


def only_stops(model: Model) -> Model:
    """The model with those of its constraints only that hold on one side."""
    return kept(model, _unilateral)


def _unilateral(model: Model) -> Model:
    twin = copy(model)
    twin.constraints = one_sided(model)
    return twin


def _bilateral(model: Model) -> Model:
    twin = copy(model)
    twin.constraints = tuple(own for own in model.constraints if not own.element.unilateral)
    return twin
