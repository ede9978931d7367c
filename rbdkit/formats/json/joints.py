"""Joint types in JSON: the kind, and the constructor arguments that the class declares in `arguments`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats.json.node import Node
from rbdkit.joints import TYPES, JointType
from rbdkit.spatial.read_numbers import shown

MAX_REVERSALS = 16
Kinds = Mapping[str, type[JointType]]
KINDS: Kinds = {cls.kind: cls for cls in TYPES if "function" not in cls.arguments.values()}


def joint_kinds(own: Iterable[type[JointType]]) -> Kinds:
    """Return the joint types that a file may name, by kind, including given user-defined ones.

    Raises
    ------
    ModelError
        If one is not a joint type, does not declare its `arguments`, or has the kind of another one.
    """
    kinds = dict(KINDS)
    for cls in own:
        if not isinstance(cls, type) or not issubclass(cls, JointType):
            raise ModelError(f"joints: {shown(cls)} is not a class of joints; give the classes themselves")
        if "arguments" not in vars(cls):
            raise ModelError(f"joints: {cls.__name__} does not say what it takes; {_MEND}")
        if kinds.setdefault(cls.kind, cls) is not cls:
            raise ModelError(
                f"joints: the kind {cls.kind!r} of {cls.__name__} is that of {kinds[cls.kind].__name__}; "
                "give it another"
            )
    return kinds


_MEND = "write `arguments`, such as {'pitch': 'number'}, into its class"


def joint_type_to_dict(type_: JointType, joint: str) -> dict[str, Any]:
    """Return a joint type as plain data. joint : name of the joint, for messages.

    Raises
    ------
    FormatError
        If it holds a Python function, as `Prescribed` does, or is of a user-defined class that does not declare its
        `arguments`.
    """
    if "function" in type_.arguments.values():
        raise FormatError(
            f"joint {joint!r}: a {type_.kind} joint holds a Python function, which no file can; "
            "save the model with the joint that is driven, and prescribe its motion after loading"
        )
    if type_.is_users_own:
        _require_told(type_, joint)
    elif KINDS.get(type_.kind) is not type(type_):
        raise FormatError(
            f"joint {joint!r}: its type {type(type_).__name__} is not one of rbdkit.joints; it cannot be saved"
        )
    arguments = {
        name: joint_type_to_dict(value, joint) if isinstance(value, JointType) else _plain(value)
        for name, value in type_.parameters().items()
    }
    return {"kind": type_.kind, **arguments}


def _require_told(type_: JointType, joint: str) -> None:
    """Raise `FormatError` unless a user-defined class declares what saving needs: a kind of its own and `arguments`."""
    name = type(type_).__name__
    if "arguments" not in vars(type(type_)):
        raise FormatError(
            f"joint {joint!r}: its type {name} is not one of rbdkit.joints; it cannot be saved before it says what it "
            f"takes: {_MEND}, and load the file with joints=[{name}]"
        )
    if type_.kind in KINDS:
        raise FormatError(f"joint {joint!r}: the kind {type_.kind!r} of {name} is one of rbdkit's; give it another")
    if set(type_.parameters()) != set(type_.arguments):
        raise FormatError(
            f"joint {joint!r}: {name} has parameters {list(type_.parameters())}, but arguments {list(type_.arguments)}"
        )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def joint_type_from_node(node: Node, kinds: Kinds = KINDS, depth: int = 0) -> JointType:
    """Return the joint type of a JSON object. kinds : from `joint_kinds`."""
    kind = node["kind"].text()
    if kind not in kinds:
        raise node["kind"].fault(
            f"joint kind {kind!r} is unknown; known: {', '.join(kinds)}; give classes of your own as joints=[...]"
        )
    if depth > MAX_REVERSALS:
        raise node.fault(f"joints are reversed more than {MAX_REVERSALS} times over")
    cls = kinds[kind]
    node.only({"kind", *cls.arguments})
    arguments: dict[str, Any] = {}
    for name, sort in cls.arguments.items():
        given = node[name] if sort == "joint" else node.get(name)
        if given is not None:
            arguments[name] = _argument(given, sort, kinds, depth)
    try:
        return cls(**arguments)
    except (ModelError, TypeError) as fault:
        raise node.fault(str(fault)) from fault


def _argument(given: Node, sort: str, kinds: Kinds, depth: int) -> Any:
    match sort:
        case "axis":
            return given.text() if isinstance(given.value, str) else given.array((3,))
        case "number":
            return given.number()
        case "numbers":
            return given.array((-1,))
        case "joint":
            return joint_type_from_node(given, kinds, depth + 1)
    return given.text()
