"""Reading a model from JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from rbdkit.constraints import ConstraintElement
from rbdkit.errors import FormatError, ModelError, StateError
from rbdkit.forces import ForceElement
from rbdkit.formats.json.contacts import add_rule
from rbdkit.formats.json.elements import add_constraint, add_force, constraint_kinds, force_kinds
from rbdkit.formats.json.geometry import geometry_from_node
from rbdkit.formats.json.joints import Kinds, joint_kinds, joint_type_from_node
from rbdkit.formats.json.node import Node
from rbdkit.formats.json.write import FORMAT, VERSION
from rbdkit.joints import JointType
from rbdkit.model import Limits, Mimic, Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import shown

Made = TypeVar("Made")
IN_LOOPS = ("damping", "friction", "stiffness", "rest")
"""What joints have wherever they are."""
JOINT_ENTRIES = ("name", "type", "placement", *IN_LOOPS, "armature", "limits", "mimic")


def from_json(
    text: str | bytes,
    *,
    source: str = "JSON text",
    forces: Iterable[type[ForceElement]] = (),
    joints: Iterable[type[JointType]] = (),
    constraints: Iterable[type[ConstraintElement]] = (),
) -> Model:
    """The model of a JSON text written by `to_json`.

    Parameters
    ----------
    text : str or bytes
        The document, UTF-8 if bytes.
    source : str, optional
        Its name in messages.
    forces : iterable of type, optional
        Classes of your own force elements, which the document may name.
    joints : iterable of type, optional
        Classes of your own joints, which the document names by their kinds.
    constraints : iterable of type, optional
        Classes of your own constraints, which the document may name.

    Returns
    -------
    Model

    Raises
    ------
    FormatError
        If it is not JSON (with line and column), not of this format and version, or holds something that is not part of
        a model (with the path in the document, such as ``bodies[2].joint.type.axis``).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_json, to_json
    >>> text = to_json(rbd.library.pendulum()).replace('"mass": 1', '"mass": 2')
    >>> from_json(text).mass
    2.0
    """
    if isinstance(text, bytearray | memoryview):
        text = bytes(text)
    if not isinstance(text, str | bytes):
        raise FormatError(f"{source}: JSON is a text or bytes, not {shown(text)}; rbdkit.load reads files")
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        data = json.loads(decoded)
    except json.JSONDecodeError as fault:
        raise FormatError(f"{source}, line {fault.lineno}, column {fault.colno}: not JSON: {fault.msg}") from None
    except UnicodeDecodeError as fault:
        raise FormatError(f"{source}: not UTF-8: {fault}") from None
    except (RecursionError, ValueError) as fault:
        raise FormatError(f"{source}: not a model in JSON: {fault}") from None
    return from_dict(data, source=source, forces=forces, joints=joints, constraints=constraints)


def from_dict(
    data: dict[str, Any],
    *,
    source: str = "data",
    forces: Iterable[type[ForceElement]] = (),
    joints: Iterable[type[JointType]] = (),
    constraints: Iterable[type[ConstraintElement]] = (),
) -> Model:
    """The model of plain data made by `to_dict`.

    Parameters
    ----------
    data : dict
        As `to_dict` makes it.
    source : str, optional
        Its name in messages.
    forces : iterable of type, optional
        Classes of your own force elements, which the data may name.
    joints : iterable of type, optional
        Classes of your own joints, which the data name by their kinds.
    constraints : iterable of type, optional
        Classes of your own constraints, which the data may name.

    Returns
    -------
    Model

    Raises
    ------
    FormatError
        As `from_json` raises it.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_dict, to_dict
    >>> from_dict(to_dict(rbd.library.double_pendulum()))
    <Model 'double pendulum': 2 bodies, 2 moving joints, nq=2, nv=2, 2 kg>
    """
    document = Node(data, "", source)
    if "format" not in document.object() or data["format"] != FORMAT:
        raise document.fault(f'this is not a model of rbdkit: the entry "format": "{FORMAT}" is missing')
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise document.fault(
            f"version {data.get('version')!r:.40} is not supported; this rbdkit reads version {VERSION}"
        )
    document.only(
        ("format", "version", "name", "gravity", "bodies", "frames", "loops", "forces", "constraints", "contacts")
    )
    kinds, held, own_joints = force_kinds(forces), constraint_kinds(constraints), joint_kinds(joints)
    model = _guarded(_model, document)
    for node in document.entries("bodies"):
        _guarded(partial(_add_body, own_joints, model), node)
    for node in document.entries("frames"):
        _guarded(partial(_add_frame, model), node)
    for node in document.entries("loops"):
        _guarded(partial(_add_loop, own_joints, model), node)
    for node in document.entries("forces"):
        _guarded(partial(add_force, model, kinds), node)
    for node in document.entries("constraints"):
        _guarded(partial(add_constraint, model, held), node)
    for node in document.entries("contacts"):
        _guarded(partial(add_rule, model), node)
    return model


def _guarded(make: Callable[[Node], Made], node: Node) -> Made:
    """Call `make` on a node; turn errors of the model into a `FormatError` with the path of the node."""
    try:
        return make(node)
    except FormatError:
        raise
    except (ModelError, StateError) as fault:
        raise node.fault(str(fault)) from fault


def _model(document: Node) -> Model:
    return Model(document["name"].text(), document["gravity"].array((3,)))


def _add_body(kinds: Kinds, model: Model, node: Node) -> None:
    node.only(("name", "parent", "joint", "inertia", "geometry"))
    joint = node["joint"]
    joint.only(JOINT_ENTRIES)
    type_ = joint_type_from_node(joint["type"], kinds)
    model.add_body(
        node["name"].text(),
        parent=node["parent"].text(),
        joint=type_,
        inertia=_inertia(node.get("inertia")),
        geometry=[geometry_from_node(item) for item in node.entries("geometry")],
        joint_name=joint["name"].text(),
        limits=_limits(joint.get("limits"), type_),
        mimic=_mimic(joint.get("mimic")),
        **_placement(joint, "placement"),
        **_vectors(joint, type_, (*IN_LOOPS, "armature")),
    )


def _add_frame(model: Model, node: Node) -> None:
    node.only(("name", "body", "placement"))
    model.add_frame(node["name"].text(), node["body"].text(), **_placement(node, "placement"))


def _add_loop(kinds: Kinds, model: Model, node: Node) -> None:
    placements = "predecessor_placement", "successor_placement"
    node.only(("name", "type", "predecessor", "successor", *placements, *IN_LOOPS))
    type_ = joint_type_from_node(node["type"], kinds)
    model.add_loop(
        node["name"].text(),
        node["predecessor"].text(),
        node["successor"].text(),
        type_,
        **_placement(node, placements[0]),
        **_placement(node, placements[1]),
        **_vectors(node, type_, IN_LOOPS),
    )


def _vectors(node: Node, type_: JointType, names: Iterable[str]) -> dict[str, NDArray]:
    """Return the spring and loss coefficients of a joint that the file gives."""
    given = {name: node.get(name) for name in names}
    sizes = {name: type_.nq if name == "rest" else type_.nv for name in given}
    return {name: item.array((sizes[name],)) for name, item in given.items() if item is not None}


def _placement(node: Node, name: str) -> dict[str, Any]:
    given = node.get(name)
    return {} if given is None else {name: given.array((4, 4))}


def _inertia(node: Node | None) -> Inertia | None:
    if node is None:
        return None
    node.only(("mass", "com", "inertia_com"))
    return Inertia(node["mass"].number(), node["com"].array((3,)), node["inertia_com"].array((3, 3)), check=False)


def _limits(node: Node | None, type_: JointType) -> Limits:
    if node is None:
        return Limits()
    sizes = {"lower": type_.nq, "upper": type_.nq, "velocity": type_.nv, "effort": type_.nv}
    node.only(sizes)
    given = {name: node.get(name) for name in sizes}
    return Limits(
        **{name: item.array((sizes[name],), infinite=True) for name, item in given.items() if item is not None}
    )


def _mimic(node: Node | None) -> Mimic | None:
    if node is None:
        return None
    node.only(("leader", "multiplier", "offset"))
    return Mimic(node["leader"].text(), node["multiplier"].number(), node["offset"].number())
