"""Make a sheet from a model, on which it can be edited."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.drafting.fresh import FIELDS, IN_LOOPS
from rbdkit.drafting.sheet import Closure, Follows, Mark, Part, Sheet
from rbdkit.model import Body, Model


def disassemble(model: Model) -> Sheet:
    """The sheet of a model: the key of a body is its number, loop joints and frames come after."""
    count = len(model.bodies)
    closures = tuple(
        Closure(
            count + k,
            loop.joint.name,
            loop.predecessor,
            loop.successor,
            loop.joint.type,
            loop.joint.placement,
            loop.successor_placement,
            **{name: tuple(getattr(loop.joint, name).tolist()) for name in IN_LOOPS},
        )
        for k, loop in enumerate(model.loops)
    )
    count += len(closures)
    marks = tuple(Mark(count + k, frame.name, frame.body, frame.placement) for k, frame in enumerate(model.frames))
    x, y, z = model.gravity.tolist()
    parts = tuple(_part(model, body) for body in model.bodies[1:])
    elements = model.forces, model.constraints, model.contact_rules
    return Sheet(model.name, (x, y, z), parts, closures, marks, count + len(marks), *elements)


def _part(model: Model, body: Body) -> Part:
    joint = body.joint
    values: dict[str, Any] = {}
    for name in FIELDS:
        value = getattr(joint.limits if hasattr(joint.limits, name) else joint, name)
        values[name] = tuple(np.asarray(value).tolist())
    follows = None
    if joint.mimic is not None:
        leader = model.joints.index(model.joint(joint.mimic.leader))
        follows = Follows(leader, float(joint.mimic.multiplier), float(joint.mimic.offset))
    return Part(
        body.index,
        body.name,
        body.parent,
        joint.type,
        joint.placement,
        None if joint.name == f"{body.name}_joint" else joint.name,
        body.geometry,
        inertia=body.inertia,
        follows=follows,
        **values,
    )
