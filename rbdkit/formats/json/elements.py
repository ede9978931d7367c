"""Reading force elements and constraints from JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from types import ModuleType
from typing import Any, TypeVar

from rbdkit import constraints, forces
from rbdkit.constraints import ConstraintElement
from rbdkit.errors import FormatError, ModelError
from rbdkit.forces import ForceElement
from rbdkit.forces.described import Described
from rbdkit.formats.json.node import Node
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown

Element = TypeVar("Element", bound=Described)
Kinds = Mapping[str, type[Element]]
"""Classes by their names in files."""


def force_kinds(own: Iterable[type[ForceElement]]) -> Kinds[ForceElement]:
    """Return the force element classes that a file may name: those of rbdkit and the given ones, which take precedence.

    Raises
    ------
    FormatError
        If one of the given ones is not a class of force elements.
    """
    return _kinds_with(own, _shown(forces), ForceElement, "force element")  # type: ignore[type-abstract]


def constraint_kinds(own: Iterable[type[ConstraintElement]]) -> Kinds[ConstraintElement]:
    """Return the constraint classes that a file may name, as `force_kinds` does for forces."""
    return _kinds_with(own, _shown(constraints), ConstraintElement, "constraint")


def _shown(package: ModuleType) -> dict[str, Any]:
    """Return the public names of a package with their objects, including those that are imported lazily."""
    return {name: getattr(package, name) for name in package.__all__}


def _kinds_with(
    own: Iterable[type[Element]], known: Mapping[str, Any], base: type[Element], what: str
) -> dict[str, type[Element]]:
    given = list(own)
    for kind in given:
        if not (isinstance(kind, type) and issubclass(kind, base) and kind is not base):
            raise FormatError(f"{what.split()[0]}s must be classes of {what}s, and {shown(kind)} is none")
    of_ours = {
        name: kind
        for name, kind in known.items()
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base
    }
    return {**of_ours, **{kind.__name__: kind for kind in given}}


def add_force(model: Model, kinds: Kinds[ForceElement], node: Node) -> None:
    """Add the force element of an entry to the model; raises `FormatError` with the path of the entry."""
    model.add_force(node["name"].text(), _element(kinds, node, "force element"))


def add_constraint(model: Model, kinds: Kinds[ConstraintElement], node: Node) -> None:
    """Add the constraint of an entry to the model; raises `FormatError` with the path of the entry."""
    model.add_constraint(node["name"].text(), _element(kinds, node, "constraint"))


def _element(kinds: Kinds[Element], node: Node, what: str) -> Element:
    kind = node["kind"].text()
    if kind not in kinds:
        raise node["kind"].fault(
            f"{kind!r} is no {what} of rbdkit{did_you_mean(kind, kinds)}; if it is a class of your own, give "
            f"it: rbdkit.load(..., {what.split()[0]}s=[{kind}])"
        )
    known = [field.name for field in fields(kinds[kind])]  # type: ignore[arg-type]  # a dataclass, see Described
    node.only(("name", "kind", *known))
    given = {field: _value(node[field]) for field in known if node.get(field) is not None}
    try:
        return kinds[kind](**given)
    except TypeError as fault:
        raise node.fault(f"no {kind} can be made of this: {fault}") from fault
    except ModelError as fault:
        raise node.fault(str(fault)) from fault


def _value(node: Node) -> Any:
    """Return a field value: a name, a switch, a number or several of them."""
    value = node.value
    if isinstance(value, str | bool):
        return value
    if isinstance(value, list):
        items = [Node(item, f"{node.path}[{k}]", node.source) for k, item in enumerate(value)]
        return tuple(item.text() if isinstance(item.value, str) else item.number() for item in items)
    return node.number()
