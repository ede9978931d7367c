"""Loop joints, ties and mimic joints as MJCF's equalities, springs and dampers as its tendons, and actuators."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.constraints import Tie
from rbdkit.errors import FormatError
from rbdkit.forces import Actuator, Damper, Spring
from rbdkit.formats.mjcf.write_body import write_pose
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.joints import Fixed, Spherical
from rbdkit.model import Loop, Model
from rbdkit.model.joint import exerts
from rbdkit.model.placement import as_pose

LOOPS = {Spherical: "connect", Fixed: "weld"}
"""Equality for each type of loop joint."""


def write_links(root: Element, places: Mapping[str, tuple[Element, NDArray]], model: Model, notes: list[str]) -> None:
    """Add what connects bodies besides the tree. places : element and pose of each body and frame by its name."""
    equality = Element("equality")
    for loop in model.loops:
        _write_loop(equality, places, model, loop)
    for constraint in model.constraints:
        tie = constraint.element
        if type(tie) is not Tie:
            raise _refused(f"{constraint}")
        _write_coupling(equality, constraint.name, tie.follower, tie.leader, tie.offset, tie.ratio)
    for joint in model.joints:
        if (mimic := joint.mimic) is not None:
            _write_coupling(equality, f"{joint.name}_mimic", joint.name, mimic.leader, mimic.offset, mimic.multiplier)
    tendon, actuator = Element("tendon"), Element("actuator")
    for force in model.forces:
        own = force.element
        if type(own) is Actuator:
            _write_actuator(actuator, tendon, model, force.name, own, notes)
            continue
        if type(own) not in (Spring, Damper):
            raise _refused(f"force {force.name!r} ({own.known_as})")
        _write_tendon(tendon, places, force.name, own)  # type: ignore[arg-type]
    root.extend(element for element in (tendon, equality, actuator) if len(element))


def _write_loop(equality: Element, places: Mapping[str, tuple[Element, NDArray]], model: Model, loop: Loop) -> None:
    joint = loop.joint
    if type(joint.type) not in LOOPS:
        raise _refused(f"joint {joint.name!r} closes a loop as a {joint.type.kind} joint")
    if exerts(joint):
        raise _refused(f"joint {joint.name!r} closes a loop and has a spring, a damper or friction")
    ends = {
        "site1": ("predecessor", loop.predecessor, joint.placement),
        "site2": ("successor", loop.successor, loop.successor_placement),
    }
    written = SubElement(equality, LOOPS[type(joint.type)], name=name_text(joint.name, "joint"))
    for attribute, (end, body, pose) in ends.items():
        written.set(attribute, _site(places, f"{joint.name}:{end}", model.bodies[body].name, pose))


def _write_coupling(equality: Element, name: str, follower: str, leader: str, offset: float, ratio: float) -> None:
    attributes = {"name": name, "joint1": follower, "joint2": leader}
    written = SubElement(equality, "joint", {key: name_text(value, "joint") for key, value in attributes.items()})
    written.set("polycoef", numbers_text([offset, ratio, 0.0, 0.0, 0.0], f"constraint {name!r}"))


def _write_tendon(
    tendon: Element, places: Mapping[str, tuple[Element, NDArray]], name: str, own: Spring | Damper
) -> None:
    numbers = {"damping": own.damping}
    if isinstance(own, Spring):
        numbers |= {"stiffness": own.stiffness, "springlength": own.rest_length}
    values = {key: numbers_text([value], f"force {name!r}") for key, value in numbers.items()}
    written = SubElement(tendon, "spatial", {"name": name_text(name, "force")} | values)
    for end, frame, point in (("a", own.a, own.at_a), ("b", own.b, own.at_b)):
        SubElement(written, "site", site=_site(places, f"{name}:{end}", frame, point))


def _write_actuator(
    actuator: Element, tendon: Element, model: Model, name: str, own: Actuator, notes: list[str]
) -> None:
    """Add an actuator, on a fixed tendon if it drives several joints."""
    who = f"actuator {name!r}"
    for joint in own.names:
        if model.loop(joint) is not None or model.joint(joint).mimic is not None:
            raise _refused(f"{who} drives joint {joint!r}, which closes a loop or mimics another,")
    if own.u != 0.0 and own.u != np.clip(0.0, *(own.u_range or (-np.inf, np.inf))):
        notes.append(f"{who} has the control {own.u:g} of its own, where MuJoCo begins with zero")
    attributes = {"name": name_text(name, "actuator")}
    if len(own.names) == 1:
        attributes |= {"joint": name_text(own.names[0], "joint"), "gear": numbers_text([*own.gears], who)}
    else:
        attributes["tendon"] = name_text(f"{name}:joints", "tendon")
        fixed = SubElement(tendon, "fixed", name=attributes["tendon"])
        for joint, gear in zip(own.names, own.gears, strict=True):
            SubElement(fixed, "joint", joint=name_text(joint, "joint"), coef=numbers_text([gear], who))
    feedback = [own.offset, -own.stiffness, -own.damping]
    attributes |= {"gainprm": numbers_text([own.gain], who), "biasprm": numbers_text(feedback, who)}
    for limits, attribute in ((own.u_range, "ctrlrange"), (own.effort, "forcerange")):
        if limits is not None:
            attributes[attribute] = numbers_text(limits, who)
    SubElement(actuator, "general", attributes | {"biastype": "affine"})


def _site(places: Mapping[str, tuple[Element, NDArray]], name: str, on: str, placement: ArrayLike) -> str:
    """Add a site on a body or frame and return its name."""
    element, pose = places[on]
    site = SubElement(element, "site", name=name_text(name, "site"))
    write_pose(site, pose @ as_pose(np.asarray(placement), name), name)
    return name


def _refused(what: str) -> FormatError:
    return FormatError(f"{what}, which MJCF cannot express; save the model as JSON")
