"""Write a model as JSON without loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.json.contacts import rule_to_dict
from rbdkit.formats.json.geometry import geometry_to_dict
from rbdkit.formats.json.joints import joint_type_to_dict
from rbdkit.formats.require_model import require_model
from rbdkit.joints import JointType
from rbdkit.model import Body, Constraint, Force, Joint, Limits, Loop, Model
from rbdkit.spatial.read_numbers import HUGE

TypeToDict = Callable[[JointType, str], dict[str, Any]]

FORMAT = "rbdkit"
VERSION = 1
WIDTH = 110


def to_json(model: Model) -> str:
    """Return the model as a JSON text that `from_json` reads without loss, formatted to be readable.

    Parameters
    ----------
    model : Model
        Of any joints.

    Returns
    -------
    str

    Raises
    ------
    FormatError
        If a joint is prescribed by a Python function, or a number is not finite or beyond 1e30 (limits may be).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import to_json
    >>> print(to_json(rbd.library.pendulum()))
    {
      ...
      "name": "pendulum",
      ...
    }
    """
    return _pretty(to_dict(model), "", "") + "\n"


def to_dict(model: Model) -> dict[str, Any]:
    """Return the model as plain data: dicts, lists, strings and numbers; default values (identity, zero) are left out.

    Infinite limits are the strings "inf" and "-inf".

    Parameters
    ----------
    model : Model
        Of any joints.

    Returns
    -------
    dict

    Raises
    ------
    FormatError
        As `to_json` raises it.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import to_dict
    >>> data = to_dict(rbd.library.pendulum())
    >>> data["name"], data["bodies"][0]["joint"]["type"]
    ('pendulum', {'kind': 'revolute', 'axis': 'y'})
    """
    require_model(model)
    return to_dict_with(model, joint_type_to_dict)


def to_dict_with(model: Model, type_to_dict: TypeToDict) -> dict[str, Any]:
    """Return the model as `to_dict` does, with another representation of joint types.

    type_to_dict : function of a joint type and the name of the joint that returns plain data.
    """
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "gravity": model.gravity.tolist(),
        "bodies": [_body(model, body, type_to_dict) for body in model.bodies[1:]],
    }
    if model.frames:
        data["frames"] = [
            {"name": frame.name, "body": model.bodies[frame.body].name, **_placement(frame.placement)}
            for frame in model.frames
        ]
    if model.loops:
        data["loops"] = [_loop(model, loop, type_to_dict) for loop in model.loops]
    if model.forces:
        data["forces"] = [_element(force, "force") for force in model.forces]
    if model.constraints:
        data["constraints"] = [_element(own, "constraint") for own in model.constraints]
    if model.contact_rules:
        data["contacts"] = [rule_to_dict(rule) for rule in model.contact_rules]
    _check_finite(data, "")
    return data


def _body(model: Model, body: Body, type_to_dict: TypeToDict) -> dict[str, Any]:
    joint, parent = _joint(body.joint, type_to_dict), model.bodies[body.parent].name
    data: dict[str, Any] = {"name": body.name, "parent": parent, "joint": joint}
    if body.inertia is not None:
        inertia = body.inertia
        data["inertia"] = {
            "mass": inertia.mass,
            "com": inertia.com.tolist(),
            "inertia_com": inertia.inertia_com.tolist(),
        }
    if body.geometry:
        data["geometry"] = [geometry_to_dict(geometry) for geometry in body.geometry]
    return data


def _joint(joint: Joint, type_to_dict: TypeToDict) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": joint.name,
        "type": type_to_dict(joint.type, joint.name),
        **_placement(joint.placement),
    }
    data |= _numbers(joint)
    limits: dict[str, Any] = {}
    usual = Limits()
    for name, size in (("lower", joint.nq), ("upper", joint.nq), ("velocity", joint.nv), ("effort", joint.nv)):
        limits |= _unless(name, np.asarray(getattr(joint.limits, name)), np.full(size, getattr(usual, name)))
    if limits:
        data["limits"] = {name: [x if np.isfinite(x) else str(x) for x in values] for name, values in limits.items()}
    if joint.mimic is not None:
        mimic = joint.mimic
        data["mimic"] = {"leader": mimic.leader, "multiplier": float(mimic.multiplier), "offset": float(mimic.offset)}
    return data


def _loop(model: Model, loop: Loop, type_to_dict: TypeToDict) -> dict[str, Any]:
    return {
        "name": loop.joint.name,
        "type": type_to_dict(loop.joint.type, loop.joint.name),
        "predecessor": model.bodies[loop.predecessor].name,
        "successor": model.bodies[loop.successor].name,
        **_placement(loop.joint.placement, "predecessor_placement"),
        **_placement(loop.successor_placement, "successor_placement"),
        **_numbers(loop.joint),
    }


def _numbers(joint: Joint) -> dict[str, Any]:
    """Return the spring and loss coefficients of a joint."""
    data: dict[str, Any] = {}
    for name in ("damping", "friction", "stiffness", "armature"):
        data |= _unless(name, getattr(joint, name), np.zeros(joint.nv))
    return data | _unless("rest", joint.rest, joint.type.neutral())


def _element(own: Force | Constraint, what: str) -> dict[str, Any]:
    """Return name and kind of an element, and its fields by name."""
    element = own.element
    numbers = {name: x if isinstance(x, float) else x.tolist() for name, x in element.parameters().items()}
    names = {k: list(x) if isinstance(x, tuple) else x for k, x in element.structure().items() if x is not None}
    if clash := {"name", "kind"} & {*numbers, *names}:
        raise FormatError(f"{what} {own.name!r}: files have an entry {clash.pop()!r} already; rename the field")
    return {"name": own.name, "kind": element.known_as, **names, **numbers}


def _placement(pose: NDArray, name: str = "placement") -> dict[str, Any]:
    return _unless(name, pose, np.eye(4))


def _unless(name: str, values: NDArray, usual: NDArray) -> dict[str, Any]:
    """Return an entry, or none if the values equal the defaults of the reader bit by bit (-0.0 is not 0.0 here)."""
    return {} if values.tobytes() == usual.tobytes() else {name: values.tolist()}


def _check_finite(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _check_finite(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            _check_finite(item, f"{path}[{i}]")
    elif isinstance(value, float) and not abs(value) <= HUGE and ".limits." not in path:
        why = f"beyond {HUGE:g}, and so" if np.isfinite(value) else "no number that JSON has, and"
        raise FormatError(f"{path} is {value}: {why} none that a model should have; see model.validate()")


def _pretty(value: Any, indent: str, lead: str) -> str:
    """Return indented JSON with everything on one line that fits. lead : text before the value on its line."""
    line = json.dumps(value, allow_nan=False)
    if len(indent) + len(lead) + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return lead + line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [_pretty(item, inner, f"{json.dumps(key)}: ") for key, item in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_pretty(item, inner, "") for item in value]
        opening, closing = "[", "]"
    return f"{lead}{opening}\n" + ",\n".join(inner + item for item in items) + f"\n{indent}{closing}"
