"""Orders in which the bodies of a model are assembled: binary trees of assemblies (Featherstone 2008, section 7.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rbdkit.errors import ModelError
from rbdkit.model import Model

Order = str | tuple["Order", "Order"]
"""Name of a body, or a pair of parts that are assembled: ``(("world", "upper"), "lower")``."""


def balanced(model: Model) -> Order:
    """Return the order that halves the tree recursively, always at the joint that leaves the most equal parts.

    Its depth is at most log n / log(d / (d - 1)) where no body has more than d joints: log2 n for a chain, O(log n) for
    any tree without hubs (Featherstone 2008, section 7.5).
    """
    return _halve(model, frozenset(range(len(model.bodies))))


def one_by_one(model: Model) -> Order:
    """Return the order of the articulated-body algorithm: leaves first, the base last, one body at a time."""
    handles: dict[int, Order] = {body.index: body.name for body in model.bodies}
    for i in model.inward:
        handles[model.parent[i]] = (handles[model.parent[i]], handles[i])
    return handles[0]


def depth(order: Order) -> int:
    """Return the length of the longest sequence of dependent assemblies: the time in steps on a parallel computer."""
    return 0 if isinstance(order, str) else 1 + max(depth(part) for part in order)


def bodies_of(order: Order) -> Iterator[str]:
    """Yield the names of the bodies, from left to right."""
    if isinstance(order, str):
        yield order
    else:
        for part in order:
            yield from bodies_of(part)


def check_order(model: Model, order: Order) -> None:
    """Raise `ModelError` unless the order contains every body of the model, the world included, exactly once."""
    _check_form(order)
    found = Counter(bodies_of(order))
    expected = {body.name for body in model.bodies}
    missing, unknown = sorted(expected - set(found)), sorted(set(found) - expected)
    twice = sorted(name for name, times in found.items() if times > 1)
    for names, what in ((missing, "missing"), (unknown, "unknown"), (twice, "there more than once")):
        if names:
            raise ModelError(
                f"order of assembly: {', '.join(map(repr, names))} {'is' if len(names) == 1 else 'are'} {what}; "
                "give every body of the model once, 'world' too, in nested pairs"
            )


def _check_form(order: object) -> None:
    if isinstance(order, str):
        return
    if not isinstance(order, tuple) or len(order) != 2:
        raise ModelError(f"order of assembly: {order!r} is neither the name of a body nor a pair of parts")
    for part in order:
        _check_form(part)


def _halve(model: Model, part: frozenset[int]) -> Order:
    """Return the order of a connected part of the tree, cut where the larger piece is smallest."""
    if len(part) == 1:
        return model.bodies[next(iter(part))].name
    below: dict[int, set[int]] = {i: {i} for i in part}
    for i in sorted(part, reverse=True):
        if model.parent[i] in part:
            below[model.parent[i]] |= below[i]
    cuts = [i for i in sorted(part) if model.parent[i] in part]
    cut = min(cuts, key=lambda i: max(len(below[i]), len(part) - len(below[i])))
    return _halve(model, part - below[cut]), _halve(model, frozenset(below[cut]))
