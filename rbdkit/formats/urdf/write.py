"""Writing URDF."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.require_model import require_model
from rbdkit.formats.unique_names import UniqueNames
from rbdkit.formats.urdf.elementary import steps_of
from rbdkit.formats.urdf.write_joint import write_joint
from rbdkit.formats.urdf.write_link import write_link
from rbdkit.formats.xml.write import name_text
from rbdkit.joints import Fixed
from rbdkit.model import Body, Joint, Limits, Mimic, Model
from rbdkit.model.numbering import WORLD

DEFAULT_GRAVITY = (0.0, 0.0, -9.81)


def to_urdf(model: Model) -> str:
    """The model as a URDF document, for `from_urdf` and other programs.

    Named frames become links without inertia behind fixed joints. A helical, cylindrical or universal joint, one in
    yaw, pitch and roll, and the reverse of any with one axis, become chains of revolute and prismatic joints with
    massless links between, which move exactly as the joint does. The fixed base becomes a link 'world', unless one body
    alone is fixed to it in place. Coordinates of planar and floating joints are those that the reading program chooses.

    Parameters
    ----------
    model : Model
        A tree of joints that URDF can say.

    Returns
    -------
    str

    Raises
    ------
    FormatError
        If the dynamics would not be the same: spherical and prescribed joints, loops, force elements, springs,
        armatures, damping that differs among the directions of a joint, numbers that are not finite. The message names
        the joint or body. JSON takes them all.

    Warns
    -----
    FormatWarning
        Once about what has no place in URDF and no part in the dynamics of the bodies: gravity other than (0, 0,
        -9.81), some shapes, limits of planar and floating joints.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_urdf, to_urdf
    >>> model = rbd.Model("lift")
    >>> cabin = model.add_body("cabin", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.box([1, 1, 2], mass=80.0))
    >>> "<joint name=" in to_urdf(model), from_urdf(to_urdf(model)).mass
    (True, 80.0)
    """
    require_model(model)
    if model.loops:
        raise FormatError(
            f"joint {model.loops[0].joint.name!r} closes a kinematic loop, which URDF cannot express; "
            "save the model as JSON"
        )
    if model.forces:
        raise FormatError(
            f"force {model.forces[0].name!r} is a force element, which URDF cannot express; save the model as JSON"
        )
    if model.constraints:
        raise FormatError(
            f"constraint {model.constraints[0].name!r} is nothing that URDF can express; save the model as JSON"
        )
    if model.contact_rules:
        raise FormatError(
            f"what may touch, {model.contact_rules[0]!r}, is nothing that URDF can express; save the model as JSON"
        )
    notes: list[str] = []
    robot = Element("robot", name=name_text(model.name, "the model"))
    joints = UniqueNames([joint.name for joint in model.joints[1:]])
    links = UniqueNames([WORLD, *(body.name for body in model.bodies[1:]), *(frame.name for frame in model.frames)])
    root = _root(model)
    if root is None:
        SubElement(robot, "link", name=WORLD)
    for body in model.bodies[1:]:
        if body is not root:
            _write_mover(robot, model, body, links, joints, notes)
        write_link(robot, body, notes)
    for frame in model.frames:
        SubElement(robot, "link", name=name_text(frame.name, "frame"))
        fixed = Joint.make(joints.new(f"{frame.name}_joint"), Fixed(), frame.placement, 0, 0)
        write_joint(robot, fixed, model.bodies[frame.body].name, frame.name)
    if not np.array_equal(model.gravity, DEFAULT_GRAVITY):
        notes.append(f"gravity {model.gravity.tolist()}; give it when loading: load(..., gravity=...)")
    if notes:
        warnings.warn(
            "left out, URDF has no place for it:" + "".join(f"\n  {n}" for n in notes), FormatWarning, stacklevel=2
        )
    ElementTree.indent(robot)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"


def _root(model: Model) -> Body | None:
    """The body that stands for the fixed base, if one alone is fixed to it in place."""
    children = model.children(0)
    if len(children) != 1 or any(frame.body == 0 for frame in model.frames):
        return None
    body = model.bodies[children[0]]
    alone = isinstance(body.joint.type, Fixed) and np.array_equal(body.joint.placement, np.eye(4))
    return body if alone else None


def _write_mover(
    robot: Element, model: Model, body: Body, links: UniqueNames, joints: UniqueNames, notes: list[str]
) -> None:
    """The joint of a body, with the massless links between its steps if it takes several."""
    joint = body.joint
    for name in ("stiffness", "armature"):
        if np.any(getattr(joint, name)):
            raise FormatError(
                f"joint {joint.name!r}: URDF cannot express its {name} {getattr(joint, name).tolist()}; "
                "save the model as JSON"
            )
    steps = steps_of(joint.type, joint.name)
    parent = model.bodies[body.parent].name
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        child = body.name if last else links.new(f"{body.name}_before{step.suffix or '_advance'}")
        if not last:
            SubElement(robot, "link", name=name_text(child, "body"))
        name = joints.new(joint.name + step.suffix) if step.suffix else joint.name
        own = slice(None) if step.index is None else slice(step.index, step.index + 1)
        bounds = {key: np.asarray(getattr(joint.limits, key))[own] for key in ("lower", "upper", "velocity", "effort")}
        if step.index is None and joint.limits.bounded:
            notes.append(f"limits of the {joint.type.kind} joint {joint.name!r}")
        leads = step.advance is None
        mimic = joint.mimic
        if step.advance is not None:
            led = Mimic(joint.name) if mimic is None else mimic
            mimic = Mimic(led.leader, step.advance * led.multiplier, step.advance * led.offset)
        write_joint(
            robot,
            Joint.make(
                name,
                step.type,
                joint.placement if number == 0 else None,
                0,
                0,
                damping=joint.damping[own] if leads else 0.0,
                friction=joint.friction[own] if leads else 0.0,
                limits=Limits(**bounds) if leads and step.index is not None and joint.nv else None,
                mimic=mimic,
            ),
            parent,
            child,
        )
        parent = child
