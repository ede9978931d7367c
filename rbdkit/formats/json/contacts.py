"""Contact rules and materials in JSON."""

from __future__ import annotations

from typing import Any

from rbdkit.errors import ModelError
from rbdkit.formats.json.node import Node
from rbdkit.model import ContactRule, Ground, Material, Model, Touch
from rbdkit.model.material import NUMBERS

ENTRIES = {
    "ground": ("name", "kind", "normal", "height", "material"),
    "touch": ("name", "kind", "first", "second", "material"),
    "all": ("name", "kind", "but", "material"),
}
"""Keys of the entries of contact rules, by kind."""


def rule_to_dict(rule: ContactRule) -> dict[str, Any]:
    """Return a contact rule as plain data."""
    material = {} if rule.material is None else {"material": material_to_dict(rule.material)}
    match rule:
        case Ground():
            own = {"kind": "ground", "normal": rule.normal.tolist(), "height": rule.height}
        case Touch():
            own = {"kind": "touch", "first": rule.first, "second": rule.second}
        case _:
            own = {"kind": "all"} | ({"but": [list(two) for two in rule.but]} if rule.but else {})
    return {"name": rule.name, **own, **material}


def add_rule(model: Model, node: Node) -> None:
    """Add the contact rule of an entry to the model; raises `FormatError` with the path of the entry."""
    kind = node["kind"].text()
    if kind not in ENTRIES:
        raise node["kind"].fault(f"{kind!r} is no rule of contact; known: {', '.join(ENTRIES)}")
    node.only(ENTRIES[kind])
    name, given = node["name"].text(), node.get("material")
    material = None if given is None else material_from_node(given)
    if kind == "ground":
        model.add_ground(
            height=node["height"].number(),
            normal=node["normal"].array((3,)),
            material=material or Material(),
            name=name,
        )
    elif kind == "touch":
        model.add_contact(node["first"].text(), node["second"].text(), material=material, name=name)
    else:
        model.add_contacts(except_=[_two(entry) for entry in node.entries("but")], material=material, name=name)


def _two(node: Node) -> tuple[str, str]:
    """Return the names of a pair of bodies."""
    if not isinstance(node.value, list) or len(node.value) != 2:
        raise node.fault("must be a list of the names of two bodies")
    a, b = (Node(value, f"{node.path}[{k}]", node.source).text() for k, value in enumerate(node.value))
    return a, b


def material_to_dict(material: Material) -> dict[str, Any]:
    """Return a material as plain data."""
    return material.numbers | ({} if material.combine == "mean" else {"combine": material.combine})


def material_from_node(node: Node) -> Material:
    """Return the material of a JSON object."""
    node.only((*NUMBERS, "combine"))
    given: dict[str, Any] = {name: node[name].number() for name in NUMBERS if node.get(name) is not None}
    if (combine := node.get("combine")) is not None:
        given["combine"] = combine.text()
    try:
        return Material(**given)
    except ModelError as fault:
        raise node.fault(str(fault)) from None
