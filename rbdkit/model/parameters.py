"""The numbers of a model by name, and the same model with other numbers."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace as with_fields
from typing import TYPE_CHECKING, Any, TypeVar

from rbdkit.errors import ModelError
from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.contact import ContactRule, Ground
from rbdkit.model.force import Force
from rbdkit.model.joint import Joint, require_in_loop
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.placement import as_pose
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model

Named = TypeVar("Named", Force, Constraint)
BODY_FIELDS = ("mass", "com", "inertia")
JOINT_FIELDS = ("damping", "friction", "stiffness", "rest", "armature")


def collect(model: Model) -> dict[str, Any]:
    """Every number that `replace` can change.

    For body b: ``b.mass`` (kg), ``b.com`` (m), ``b.inertia`` (3x3 about the centre of mass, kg m2).
    For joint j: ``j.placement`` (4x4), ``j.damping``, ``j.friction``, ``j.stiffness``, ``j.rest``, ``j.armature``, and
    the numbers of its type: ``j.pitch`` of a helical joint, ``j.radius`` of a rack and pinion, those that a class of
    your own names; for a loop joint these without ``armature``, and ``j.successor_placement``.
    For a named frame f: ``f.frame_placement`` (a joint may have the same name). For a force f: the numbers of its
    element, such as ``f.stiffness``, and so for a constraint. For a ground g: ``g.height`` (m), ``g.normal`` and the
    numbers of its material, such as ``g.friction``; for a contact c that was given a material ``c.friction`` and the
    like. And ``gravity``.
    One-entry vectors are given as numbers.
    """
    values: dict[str, Any] = {}
    for body in model.bodies[1:]:
        if body.inertia is not None:
            fields = (body.inertia.mass, body.inertia.com, body.inertia.inertia_com)
            values.update({f"{body.name}.{name}": value for name, value in zip(BODY_FIELDS, fields, strict=True)})
        values.update(_joint_parameters(body.joint))
    for loop in model.loops:
        values.update({name: x for name, x in _joint_parameters(loop.joint).items() if not name.endswith(".armature")})
        values[f"{loop.joint.name}.successor_placement"] = loop.successor_placement
    values.update({f"{frame.name}.frame_placement": frame.placement for frame in model.frames})
    for own in model.elements:
        values.update({f"{own.name}.{name}": value for name, value in own.element.parameters().items()})
    for rule in model.contact_rules:
        values.update({f"{rule.name}.{name}": value for name, value in _numbers_of(rule).items()})
    values["gravity"] = model.gravity
    return values


def _numbers_of(rule: ContactRule) -> dict[str, Any]:
    """The numbers of a ground or of a rule with a material of its own."""
    place = {"height": rule.height, "normal": rule.normal} if isinstance(rule, Ground) else {}
    return place | (rule.material.numbers if rule.material is not None else {})


def _joint_parameters(joint: Joint) -> dict[str, Any]:
    values: dict[str, Any] = {f"{joint.name}.placement": joint.placement}
    if joint.nv > 0:
        for name in JOINT_FIELDS:
            vector = getattr(joint, name)
            values[f"{joint.name}.{name}"] = float(vector[0]) if vector.size == 1 else vector
    return values | {f"{joint.name}.{name}": value for name, value in joint.type.numbers.items()}


def replace(model: Model, values: Mapping[str, Any]) -> Model:
    """A model of the same topology with the named parameters changed; the given model stays as it is.

    Mass, centre of mass and inertia about it are independent of each other: changing one leaves the others.

    Raises
    ------
    ModelError
        If a name is not one of `collect`, or a value has no physical meaning.
    """
    known = collect(model)
    if not isinstance(values, Mapping):
        raise ModelError(f"parameters are given as a mapping such as {{'link1.mass': 2.0}}, not as {shown(values)}")
    for name in values:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise ModelError(f"parameter {shown(name)} is not one of model {model.name!r}{hint}")
    changed = copy(model)
    if "gravity" in values:
        changed.gravity = values["gravity"]
    changed.bodies = tuple(_body_with(body, values) for body in model.bodies)
    changed.frames = tuple(_frame_with(frame, values) for frame in model.frames)
    changed.loops = tuple(_loop_with(loop, values) for loop in model.loops)
    changed.forces = tuple(_with(force, values, "force") for force in model.forces)
    changed.constraints = tuple(_with(own, values, "constraint") for own in model.constraints)
    changed.contact_rules = tuple(_rule_with(rule, values) for rule in model.contact_rules)
    changed._bind()
    return changed


def _body_with(body: Body, values: Mapping[str, Any]) -> Body:
    inertia = body.inertia
    given = {name: values[f"{body.name}.{name}"] for name in BODY_FIELDS if f"{body.name}.{name}" in values}
    if inertia is not None and given:
        try:
            inertia = Inertia(
                given.get("mass", inertia.mass),
                given.get("com", inertia.com),
                given.get("inertia", inertia.inertia_com),
            )
        except ModelError as fault:
            raise ModelError(f"body {body.name!r}: {fault}") from None
    joint = _joint_with(body.joint, values)
    return body if inertia is body.inertia and joint is body.joint else with_fields(body, inertia=inertia, joint=joint)


def _frame_with(frame: Frame, values: Mapping[str, Any]) -> Frame:
    name = f"{frame.name}.frame_placement"
    return with_fields(frame, placement=as_pose(values[name], f"frame {frame.name!r}")) if name in values else frame


def _loop_with(loop: Loop, values: Mapping[str, Any]) -> Loop:
    name = f"{loop.joint.name}.successor_placement"
    placement = as_pose(values.get(name, loop.successor_placement), f"loop joint {loop.joint.name!r}")
    joint = _joint_with(loop.joint, values)
    require_in_loop(joint, {})
    return with_fields(loop, joint=joint, successor_placement=placement)


def _with(own: Named, values: Mapping[str, Any], what: str) -> Named:
    """A force or a constraint with other numbers."""
    prefix = f"{own.name}."
    given = {name: values[prefix + name] for name in own.element.parameters() if prefix + name in values}
    try:
        return with_fields(own, element=own.element.with_parameters(given)) if given else own
    except ModelError as fault:
        raise ModelError(f"{what} {own.name!r}: {fault}") from fault


def _rule_with(rule: ContactRule, values: Mapping[str, Any]) -> ContactRule:
    """A ground or another rule with other numbers."""
    prefix = f"{rule.name}."
    given = {name: values[prefix + name] for name in _numbers_of(rule) if prefix + name in values}
    if not given:
        return rule
    try:
        place = {name: given.pop(name) for name in ("height", "normal") if name in given}
        material = rule.material if rule.material is None else with_fields(rule.material, **given)
        if isinstance(rule, Ground):
            return Ground.make(rule.name, place.get("normal", rule.normal), place.get("height", rule.height), material)
    except ModelError as fault:
        raise ModelError(f"{rule!r}: {fault}") from None
    return with_fields(rule, material=material)


def _joint_with(joint: Joint, values: Mapping[str, Any]) -> Joint:
    prefix = f"{joint.name}."
    of_type = joint.type.numbers
    names = ("placement", *JOINT_FIELDS, *of_type)
    given = {name: values[prefix + name] for name in names if prefix + name in values}
    if not given:
        return joint
    fields = {name: getattr(joint, name) for name in ("placement", *JOINT_FIELDS)} | given
    changed = {name: fields.pop(name) for name in of_type if name in fields}
    type_ = joint.type.with_numbers(changed) if changed else joint.type
    return Joint.make(
        joint.name,
        type_,
        q_start=joint.q_slice.start,
        v_start=joint.v_slice.start,
        limits=joint.limits,
        mimic=joint.mimic,
        **fields,
    )
