"""Unilateral constraints of a model, and the model with or without them."""

from __future__ import annotations

from copy import copy

from rbdkit.model.constraint import Constraint
from rbdkit.model.kept import kept
from rbdkit.model.model import Model


def one_sided(model: Model) -> tuple[Constraint, ...]:
    """Return the unilateral constraints of a model, which bound their gap from below."""
    return tuple(own for own in model.constraints if own.element.unilateral)


def has_stops(model: Model) -> bool:
    """Return whether the model has unilateral constraints."""
    return bool(one_sided(model))


def without_stops(model: Model) -> Model:
    """Return the model with its bilateral constraints only; the model itself if there are no others."""
    return kept(model, _bilateral) if has_stops(model) else model


def only_stops(model: Model) -> Model:
    """Return the model with its unilateral constraints only."""
    return kept(model, _unilateral)


def _unilateral(model: Model) -> Model:
    twin = copy(model)
    twin.constraints = one_sided(model)
    return twin


def _bilateral(model: Model) -> Model:
    twin = copy(model)
    twin.constraints = tuple(own for own in model.constraints if not own.element.unilateral)
    return twin
