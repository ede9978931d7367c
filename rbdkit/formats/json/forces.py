"""Reading force elements from JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from rbdkit import forces
from rbdkit.errors import FormatError, ModelError
from rbdkit.forces import ForceElement
from rbdkit.formats.json.node import Node
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

KINDS = {name: kind for name, kind in vars(forces).items() if isinstance(kind, type) and issubclass(kind, ForceElement)}
"""The classes of rbdkit by their names in files."""


def kinds_with(own: Iterable[type[ForceElement]]) -> dict[str, type[ForceElement]]:
    """The classes that a file may name: those of rbdkit, and the given ones before them.

    Raises
    ------
    FormatError
        If one of them is no class of force elements.
    """
    given = list(own)
    for kind in given:
        if not (isinstance(kind, type) and issubclass(kind, ForceElement)):
            raise FormatError(f"forces must be classes of force elements, and {shown(kind)} is none")
    return {**KINDS, **{kind.__name__: kind for kind in given}}


def add_force(model: Model, kinds: Mapping[str, type[ForceElement]], node: Node) -> None:
    """Add the force element of an entry to the model; raises `FormatError` with its place."""
    name, kind = node["name"].text(), node["kind"].text()
    if kind not in kinds:
        raise node["kind"].fault(
            f"{kind!r} is no force element of rbdkit{did_you_mean(kind, kinds)}; if it is a class of your own, give "
            f"it: rbdkit.load(..., forces=[{kind}])"
        )
    known = [field.name for field in fields(kinds[kind])]  # type: ignore[arg-type]  # a dataclass, see ForceElement
    node.only(("name", "kind", *known))
    given = {field: _value(node[field]) for field in known if node.get(field) is not None}
    try:
        element = kinds[kind](**given)
    except TypeError as fault:
        raise node.fault(f"no {kind} can be made of this: {fault}") from None
    except ModelError as fault:
        raise node.fault(str(fault)) from None
    model.add_force(name, element)


def _value(node: Node) -> Any:
    """A name, a switch, a number or several of them."""
    value = node.value
    if isinstance(value, str | bool):
        return value
    if isinstance(value, list):
        items = [Node(item, f"{node.path}[{k}]", node.source) for k, item in enumerate(value)]
        return tuple(item.text() if isinstance(item.value, str) else item.number() for item in items)
    return node.number()
