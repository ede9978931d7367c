"""Friction and restitution of materials, as numbers that a page may change."""

from __future__ import annotations

from collections.abc import Iterator

from rbdkit.engine.contact.scene import SURFACE, pairs_in_order
from rbdkit.model import AllTouch, Ground, Model, Touch
from rbdkit.trace import Scalar, maximum, sqrt

NUMBERS = ("friction", "restitution")
"""Names in their order in "surfaces"."""


def surface_numbers(model: Model) -> dict[str, float]:
    """Return the numbers of materials that compiled steps use, by the names of `Model.parameters`."""
    rules: list[Ground | Touch | AllTouch] = [rule for rule in model.contact_rules if rule.material is not None]
    return {f"{rule.name}.{name}": getattr(rule.material, name) for rule in rules for name in NUMBERS}


def surfaces_with(model: Model, name: str, value: Scalar) -> Iterator[tuple[int, Scalar]]:
    """Yield place and value of the entries of "surfaces" that depend on one number; see `Material.on`."""
    rule, _, own = name.rpartition(".")
    k = NUMBERS.index(own)
    for row, number in enumerate(pairs_in_order(model).tolist()):
        pair = model.contact_pairs[number]
        if pair.rule != rule:
            continue
        other = pair.shape_s.material if isinstance(pair.shape_p, Ground) else None
        if other is None:
            yield row * SURFACE + k, value
        else:
            theirs = getattr(other, own)
            yield row * SURFACE + k, sqrt(value * theirs) if own == "friction" else maximum(value, theirs)
