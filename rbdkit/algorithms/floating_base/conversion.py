"""Conversion between a floating base and a six-freedom joint (Featherstone 2008, section 9.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.errors import ModelError
from rbdkit.joints import Free
from rbdkit.model import Model
from rbdkit.model.body import Body
from rbdkit.model.numbering import WORLD
from rbdkit.model.requirements import require_no_contacts, require_no_elements


class FloatingState(NamedTuple):
    """State of a floating system. pose : (4, 4) of the base. q, qd : of the tree. v_0 : (6,) twist of the base."""

    pose: NDArray
    q: NDArray
    v_0: NDArray
    qd: NDArray


def to_fixed_base(system: FloatingBase) -> Model:
    """Return the system on a fixed base: the floating base becomes body 1 on a free joint, other indices grow by 1.

    The world pose of the base is the joint's pose. States: see `to_fixed_state`.
    """
    require_no_elements(system.tree, "a system on a fixed base")
    require_no_contacts(system.tree, "a floating system")
    model = Model(system.tree.name, system.tree.gravity)
    joint_name = system.joint_name or f"{system.name}_joint"
    model.add_body(system.name, WORLD, Free(), None, system.inertia, system.geometry, joint_name)
    for body in system.tree.bodies[1:]:
        _attach(model, body, system.name if body.parent == 0 else system.tree.bodies[body.parent].name)
    for frame in system.tree.frames:
        model.add_frame(frame.name, system.name if frame.body == 0 else model.bodies[frame.body + 1], frame.placement)
    return model


def to_floating_base(model: Model) -> FloatingBase:
    """Return the system without its six-freedom joint: its body becomes the base, and other indices fall by 1.

    Raises
    ------
    ModelError
        If the world carries anything but one body on a free joint, if that joint has springs, dampers or a rotor,
        or if there are loop joints: a floating system cannot represent these.
    """
    base = _sole_floating_body(model)
    require_no_elements(model, "a floating system")
    require_no_contacts(model, "a floating system")
    tree = Model(model.name, model.gravity)
    for body in model.bodies[2:]:
        _attach(tree, body, WORLD if body.parent == base.index else model.bodies[body.parent].name)
    for frame in model.frames:
        if frame.body == 0:
            raise ModelError(f"frame {frame.name!r} is fixed to the world, which a floating system does not have")
        tree.add_frame(frame.name, tree.bodies[frame.body - 1], frame.placement)
    assert base.inertia is not None
    return FloatingBase(tree, base.name, base.inertia, base.geometry, base.joint.name)


def to_floating_state(model: Model, q: NDArray, v: NDArray) -> FloatingState:
    """Return the state of a model with a six-freedom joint as a state of its `to_floating_base`."""
    joint = _sole_floating_body(model).joint
    return FloatingState(joint.pose(q), q[joint.nq :], v[: joint.nv], v[joint.nv :])


def to_fixed_state(state: FloatingState) -> tuple[NDArray, NDArray]:
    """Return q and v of `to_fixed_base` of the system: S_1 = 1, so the base's twist is the joint velocity."""
    return np.concatenate([Free().project(state.pose), state.q]), np.concatenate([state.v_0, state.qd])


def _sole_floating_body(model: Model) -> Body:
    on_world = model.children(0)
    if len(on_world) != 1 or type(model.joints[on_world[0]].type) is not Free:
        carried = ", ".join(f"{model.bodies[i].name!r} on a {model.joints[i].type.kind} joint" for i in on_world)
        raise ModelError(
            f"model {model.name!r} does not float: the world carries {carried or 'nothing'}; "
            "it must carry one body, on a free joint"
        )
    base, joint = model.bodies[on_world[0]], model.joints[on_world[0]]
    if model.loops:
        raise ModelError(
            f"the loop joint {model.loops[0].joint.name!r} of model {model.name!r} is in the way of a tree"
        )
    if joint.damping.any() or joint.friction.any() or joint.stiffness.any() or joint.armature.any():
        raise ModelError(f"joint {joint.name!r} has a damper, spring or rotor, which ties the base to the world")
    if base.inertia is None:
        raise ModelError(f"body {base.name!r} is to be the floating base and has no inertia; give it one")
    return base


def _attach(model: Model, body: Body, parent: str) -> None:
    """Add a copy of a body with its joint."""
    joint = body.joint
    model.add_body(
        body.name,
        parent,
        joint.type,
        joint.placement,
        body.inertia,
        body.geometry,
        joint.name,
        joint.damping,
        joint.friction,
        joint.stiffness,
        joint.rest,
        joint.armature,
        joint.limits,
        joint.mimic,
    )
