"""Mimic joints of a URDF: composition of chains, and an order of bodies with master joints before their mimics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.formats.urdf.joint import UrdfJoint
from rbdkit.joints import Fixed
from rbdkit.model import Limits, Mimic
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import HUGE


def resolve_mimics(joints: Mapping[str, UrdfJoint], notes: list[str]) -> dict[str, UrdfJoint]:
    """Return the joints with every mimic referring to an independent master joint.

    A chain of mimics is composed into one multiplier and offset. A mimic that cannot move (multiplier 0, or a fixed
    master) becomes a fixed joint at its offset. One whose master does not exist, as in some real files, becomes
    independent.

    Raises
    ------
    FormatError
        If a joint mimics itself, alone or in a cycle, or one side has more than one coordinate.
    """
    joints = {name: _with_known_leader(joint, joints, notes) for name, joint in joints.items()}
    composed: dict[str, Mimic] = {}
    for joint in joints.values():
        _compose(joint, joints, composed)
    return {name: _resolved(joint, joints, composed.get(name), notes) for name, joint in joints.items()}


def _with_known_leader(joint: UrdfJoint, joints: Mapping[str, UrdfJoint], notes: list[str]) -> UrdfJoint:
    if joint.mimic is None or joint.mimic.leader in joints:
        return joint
    leader = joint.mimic.leader
    hint = did_you_mean(leader, joints)
    notes.append(
        f"{joint.place}: joint {joint.name!r} moves by itself here: {leader!r}, which it mimics, does not exist{hint}"
    )
    return replace(joint, mimic=None)


def _compose(joint: UrdfJoint, joints: Mapping[str, UrdfJoint], composed: dict[str, Mimic]) -> None:
    """Add a joint and those on its chain of mimics to `composed`, each as a mimic of the last joint of the chain."""
    walk: dict[str, Mimic] = {}
    name, own = joint.name, joint.mimic
    while own is not None and name not in composed:
        if name in walk:
            shown = " -> ".join(repr(n) for n in [*list(walk)[:7], name])
            raise FormatError(f"{joint.place}: joint {joint.name!r} mimics itself in the end: {shown}")
        walk[name] = own
        name, own = own.leader, joints[own.leader].mimic
    for name, own in reversed(walk.items()):
        up = composed.get(own.leader, Mimic(own.leader))
        composed[name] = Mimic(up.leader, own.multiplier * up.multiplier, own.multiplier * up.offset + own.offset)


def _resolved(joint: UrdfJoint, joints: Mapping[str, UrdfJoint], mimic: Mimic | None, notes: list[str]) -> UrdfJoint:
    """Return the joint with a composed mimic, or a fixed joint if it cannot move."""
    if mimic is None:
        return joint
    leader = joints[mimic.leader]
    for side in (joint, leader):
        if side.type.nq > 1:
            raise FormatError(
                f"{joint.place}: joint {joint.name!r} cannot mimic {leader.name!r}: {side.name!r} is a "
                f"{side.type.kind} joint with more than one coordinate"
            )
    if not max(abs(mimic.multiplier), abs(mimic.offset)) <= HUGE:
        raise FormatError(f"{joint.place}: joint {joint.name!r}: its chain of mimics multiplies up beyond {HUGE:g}")
    if mimic.multiplier == 0.0 or leader.fixed:
        reason = f"its leader {leader.name!r} is fixed" if leader.fixed else "multiplier 0"
        notes.append(
            f"{joint.place}: joint {joint.name!r} mimics but cannot move ({reason}); it is fixed at {mimic.offset:g}"
        )
        held = joint.origin @ joint.type.pose(np.array([mimic.offset]))
        return replace(joint, origin=held, type=Fixed(), limits=Limits(), damping=0.0, friction=0.0, mimic=None)
    return replace(joint, mimic=mimic)


def order_links(root: str, joints: Mapping[str, UrdfJoint], notes: list[str]) -> tuple[list[str], dict[str, UrdfJoint]]:
    """Return links in an order with parents before children and master joints before mimics, and the joints for it.

    The order is depth first as in the file, but mimics wait for their master joints. If the master joint is in the
    subtree of its mimic there is no such order; then the two exchange roles, as ``q_l = q_f / m - o / m`` is equivalent
    to ``q_f = m q_l + o``.
    """
    above = {joint.child: joint for joint in joints.values()}
    children: dict[str, list[str]] = {}
    for joint in joints.values():
        children.setdefault(joint.parent, []).append(joint.child)
    order: list[str] = []
    first: dict[str, UrdfJoint] = {}  # of each group of a leader and its followers, by the leader of the file
    waiting: dict[str, list[str]] = {}
    ready = [root]
    while ready or waiting:
        if ready:
            link = ready.pop()
        else:
            group = next(iter(waiting))
            link = waiting[group].pop(0)
            first[group] = above[link]
        joint_above = above.get(link)
        group = (
            "" if joint_above is None else joint_above.name if joint_above.mimic is None else joint_above.mimic.leader
        )
        if joint_above is not None and group not in first:
            if joint_above.mimic is not None:
                waiting.setdefault(group, []).append(link)
                continue
            first[group] = joint_above
        order.append(link)
        ready.extend(children.get(link, [])[::-1])
        ready.extend(waiting.pop(group, [])[::-1])
    return order, {name: _led_by_first(joint, first, notes) for name, joint in joints.items()}


def _led_by_first(joint: UrdfJoint, first: Mapping[str, UrdfJoint], notes: list[str]) -> UrdfJoint:
    """Return the joint as a mimic of the first joint of its group."""
    leader = first[joint.name if joint.mimic is None else joint.mimic.leader]
    if leader.mimic is None:
        return joint  # roles as in the file
    if joint.mimic is not None and leader is joint:
        notes.append(
            f"{joint.place}: joint {joint.name!r} carries the joint {joint.mimic.leader!r} that it mimics; the two "
            f"change roles, the coordinate is that of {joint.name!r}"
        )
        return replace(joint, mimic=None)
    own = joint.mimic or Mimic(joint.name)
    multiplier = own.multiplier / leader.mimic.multiplier
    offset = own.offset - multiplier * leader.mimic.offset
    if not max(abs(multiplier), abs(offset)) <= HUGE:
        raise FormatError(
            f"{joint.place}: joint {joint.name!r}: mimic multiplier {leader.mimic.multiplier:g} of {leader.name!r} "
            "is too small to be inverted"
        )
    return replace(joint, mimic=Mimic(leader.name, multiplier, offset))
