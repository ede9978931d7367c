"""Rebuild a model by another spanning tree and numbering: body frames move, joints are reversed, loops open and close.

A body frame is the successor frame of its tree joint. So a body that gets another tree joint, or the other end of the
same one, gets another frame, and its inertia, shapes and named frames are transformed to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Reversed
from rbdkit.model.contact import add_rule
from rbdkit.model.graph.connectivity import ConnectivityGraph
from rbdkit.model.graph.numbering import RegularNumbering
from rbdkit.model.joint import IN_LOOPS, Joint, passive
from rbdkit.model.model import Model
from rbdkit.model.requirements import require_no_elements
from rbdkit.spatial import plucker, se3


@dataclass(frozen=True)
class _Connection:
    """A joint with its two ends, independent of the spanning tree.

    Attributes
    ----------
    predecessor, successor : str
        Names of the bodies.
    predecessor_frame, successor_frame : ndarray (4, 4)
        Poses of its frames in these bodies' coordinates.
    joint : Joint
        The joint of the model, for its name, damping, limits and so on.
    in_tree : bool
        Whether it is a tree joint of the model.
    """

    joint: Joint
    type: JointType
    predecessor: str
    successor: str
    predecessor_frame: NDArray
    successor_frame: NDArray
    in_tree: bool


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A model rebuilt by a regular numbering.

    Attributes
    ----------
    model : Model
        The same system; its bodies and joints stand in the order of the numbering and keep their names.
    numbering : RegularNumbering
        The numbering of the new model.
    offsets : dict of str to ndarray
        Pose (4, 4) of each body's new frame in its old frame, by name. It differs from the identity only if the body
        has another tree joint than before, or the other end of it.
    source : Model
        The original model.
    """

    model: Model
    numbering: RegularNumbering
    offsets: dict[str, NDArray]
    source: Model

    def state(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[NDArray, NDArray]:
        """Convert a state of the source to coordinates (nq,) and velocities (nv,) of the new model.

        Joints that were tree joints keep their values. Former loop joints get the coordinates and velocities that
        come closest to the relative pose and velocity of their frames.
        """
        q_old = self.source.check_q(q)
        v_old = self.source.check_v(np.zeros(self.source.nv) if v is None else v)
        poses, velocities = _kinematics(self.source, q_old, v_old)
        q_new, v_new = self.model.neutral(), np.zeros(self.model.nv)
        for connection in _connections(self.source):
            joint = next((j for j in self.model.joints[1:] if j.name == connection.joint.name), None)
            if joint is None or joint.mimic is not None:
                continue
            if connection.in_tree:
                q_new[joint.q_slice] = q_old[connection.joint.q_slice]
                v_new[joint.v_slice] = v_old[connection.joint.v_slice]
                continue
            p, s = (self.source.body(name).index for name in (connection.predecessor, connection.successor))
            from_p = poses[p] @ connection.predecessor_frame
            from_s = poses[s] @ connection.successor_frame
            own = connection.type.project(se3.inverse(from_p) @ from_s)
            relative = plucker.from_pose(connection.successor_frame) @ (
                velocities[s] - plucker.from_pose(se3.inverse(poses[p]) @ poses[s]) @ velocities[p]
            )
            q_new[joint.q_slice] = own
            v_new[joint.v_slice] = np.linalg.lstsq(connection.type.motion_subspace(own), relative, rcond=None)[0]
        return q_new, v_new


def graph_of(model: Model) -> ConnectivityGraph:
    """Return the connectivity graph of a model: its tree joints first, then its loop joints.

    A tree joint of type `Reversed` is an arc from the child to the parent.
    """
    arcs = [(c.joint.name, c.predecessor, c.successor) for c in _connections(model)]
    return ConnectivityGraph(arcs, [body.name for body in model.bodies[1:]], model.bodies[0].name)


def renumbered(model: Model, numbering: RegularNumbering) -> Renumbered:
    """Rebuild a model with the tree joints and the order of a regular numbering.

    A tree joint that the new tree traverses backwards becomes `Reversed`, so that its coordinates do not change; body
    frames move to the new tree joints; the chords become loop joints.

    Parameters
    ----------
    numbering : RegularNumbering
        Of a spanning tree of ``graph_of(model)``.

    Raises
    ------
    ModelError
        If the numbering is of another graph; the model has force elements or constraints, whose points refer to the
        old body frames; or a joint that would become a loop joint has an armature, limits or a mimic, which loop
        joints cannot have, or a spring that counts turns.
    """
    if numbering.tree.graph != graph_of(model):
        raise ModelError(f"the numbering is of another graph; make it from graph_of(model) of {model.name!r}")
    require_no_elements(model, "another tree")
    connections = {c.joint.name: c for c in _connections(model)}
    made = Model(model.name, model.gravity)
    offsets = {numbering.bodies[0]: np.eye(4)}
    for arc, name in zip(numbering.joints[1:], numbering.bodies[1:], strict=False):
        assert arc is not None
        c = connections[arc.name]
        forward = arc.successor == name
        near, far = (c.predecessor_frame, c.successor_frame) if forward else (c.successor_frame, c.predecessor_frame)
        offsets[name] = far
        _add(made, model, name, c, c.type if forward else Reversed(c.type), arc.other(name), near, offsets)
    for arc in numbering.tree.chords:
        _check_plain(connections[arc.name])
    for arc in numbering.joints[len(numbering.bodies) :]:
        assert arc is not None
        c = connections[arc.name]
        P, S = se3.inverse(offsets[c.predecessor]), se3.inverse(offsets[c.successor])
        placed = P @ c.predecessor_frame, S @ c.successor_frame
        made.add_loop(arc.name, c.predecessor, c.successor, c.type, *placed, **passive(c.joint))
    for frame in model.frames:
        body = model.bodies[frame.body].name
        made.add_frame(frame.name, body, se3.inverse(offsets[body]) @ frame.placement)
    for rule in model.contact_rules:
        add_rule(made, rule)
    return Renumbered(made, numbering, offsets, model)


def _add(
    made: Model,
    model: Model,
    name: str,
    connection: _Connection,
    type_: JointType,
    parent: str,
    near: NDArray,
    offsets: dict[str, NDArray],
) -> None:
    """Add a body to the new model, with its inertia and shapes in the new frame, on its new tree joint."""
    body, joint, back = model.body(name), connection.joint, se3.inverse(offsets[name])
    made.add_body(
        name,
        parent,
        type_,
        se3.inverse(offsets[parent]) @ near,
        None if body.inertia is None else body.inertia.transformed(back),
        [replace(shape, placement=back @ shape.placement) for shape in body.geometry],
        joint.name,
        **_given(joint, (*IN_LOOPS, "armature", "limits") if connection.in_tree else IN_LOOPS),
        mimic=joint.mimic,
    )


def _given(joint: Joint, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(joint, name) for name in names}


def _check_plain(connection: _Connection) -> None:
    joint = connection.joint
    carried = ["armature"] if joint.armature.any() else []
    carried += ["limits"] if joint.limits.bounded else []
    carried += ["mimic"] if joint.mimic is not None else []
    if carried:
        raise ModelError(
            f"joint {joint.name!r} has {', '.join(carried)}, which a loop joint cannot have; keep it in the tree"
        )


def _connections(model: Model) -> list[_Connection]:
    """Return all joints with their ends, tree joints first; a `Reversed` joint is unwrapped and its ends swapped."""
    found = []
    for body in model.bodies[1:]:
        joint, parent, type_ = body.joint, model.bodies[body.parent].name, body.joint.type
        ends = (parent, body.name, joint.placement, np.eye(4))
        if isinstance(type_, Reversed):
            type_, ends = type_.joint, (ends[1], ends[0], ends[3], ends[2])
        found.append(_Connection(joint, type_, *ends, in_tree=True))
    for loop in model.loops:
        p, s = model.bodies[loop.predecessor].name, model.bodies[loop.successor].name
        ends = (p, s, loop.joint.placement, loop.successor_placement)
        found.append(_Connection(loop.joint, loop.joint.type, *ends, in_tree=False))
    return found


def _kinematics(model: Model, q: NDArray, v: NDArray) -> tuple[list[NDArray], list[NDArray]]:
    """Poses in the world and velocities in body coordinates of all bodies (Example 4.4, with v in body coordinates)."""
    poses, velocities = [np.eye(4)], [np.zeros(6)]
    for body in model.bodies[1:]:
        joint = body.joint
        poses.append(poses[body.parent] @ joint.pose(q))
        X_J = joint.transform(q)
        velocities.append(X_J @ joint.X_tree @ velocities[body.parent] + joint.velocity(q, v))
    return poses, velocities
