"""Build a model from the links and joints of a URDF: merge fixed joints, choose the root, resolve names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats.unique_names import UniqueNames
from rbdkit.formats.urdf.joint import UrdfJoint
from rbdkit.formats.urdf.link import UrdfLink
from rbdkit.formats.urdf.loop_joint import UrdfLoop, add_loops
from rbdkit.joints import Fixed, Free
from rbdkit.model import Geometry, Model
from rbdkit.model.numbering import WORLD
from rbdkit.spatial.inertia import Inertia


@dataclass
class _Lump:
    """A future body: links welded together, each with its pose in the body. parent : None for the fixed base."""

    parent: str | None
    placement: NDArray
    joint: UrdfJoint | None
    parts: list[tuple[UrdfLink, NDArray]] = field(default_factory=list)


def build_model(
    name: str,
    order: Iterable[str],
    links: Mapping[str, UrdfLink],
    joints: Iterable[UrdfJoint],
    loops: list[UrdfLoop],
    *,
    merge_fixed: bool,
    floating: bool,
    gravity: ArrayLike,
    notes: list[str],
) -> Model:
    """Build the model of a tree of links.

    Parameters
    ----------
    order : iterable of str
        Names of the links, the root first, parents before children, leaders of mimic joints before their followers.
    """
    joints = list(joints)
    if floating and (freed := _freed_from_world(links, joints)):
        joints, floating = freed, False
    lumps, frames = _lump(order, links, {joint.child: joint for joint in joints}, merge_fixed, floating)
    link_name, joint_name = _Names(links, notes, "link"), _Names([joint.name for joint in joints], notes, "joint")
    model = Model(name, gravity)
    for lump in lumps.values():
        link, joint = lump.parts[0][0], lump.joint
        try:
            model.add_body(
                link_name(link.name),
                parent=WORLD if lump.parent is None else link_name(lump.parent),
                placement=lump.placement,
                inertia=_inertia(lump.parts),
                geometry=_geometry(lump.parts),
                **_root(link.name, joint_name, floating) if joint is None else _mover(joint, joint_name),
            )
        except ModelError as fault:
            raise FormatError(f"{link.place}: link {link.name!r}: {fault}") from None
    for link, body, placement in frames:
        try:
            model.add_frame(link_name(link.name), WORLD if body is None else link_name(body), placement)
        except ModelError as fault:
            raise FormatError(f"{link.place}: link {link.name!r}: {fault}") from None
    places = {name: (WORLD, np.eye(4)) for name in links}  # of an empty link 'world', which is neither
    places |= {name: (link_name(name), np.eye(4)) for name in lumps}
    places |= {link.name: (WORLD if body is None else link_name(body), pose) for link, body, pose in frames}
    add_loops(model, loops, links, places)
    return model


def _lump(
    order: Iterable[str],
    links: Mapping[str, UrdfLink],
    above: Mapping[str, UrdfJoint],
    merge_fixed: bool,
    floating: bool,
) -> tuple[dict[str, _Lump], list[tuple[UrdfLink, str | None, NDArray]]]:
    """Group links into bodies; return these by their first links, and the merged links with body and pose.

    Parameters
    ----------
    above : mapping of str to UrdfJoint
        The joint of each link.
    """
    lumps: dict[str, _Lump] = {}
    frames: list[tuple[UrdfLink, str | None, NDArray]] = []
    carrier: dict[str, tuple[str | None, NDArray]] = {}  # the body that each link belongs to, and its pose there
    for name in order:
        link, joint = links[name], above.get(name)
        if joint is None and name == WORLD and link.empty and not floating:
            carrier[name] = (None, np.eye(4))
            continue
        body, pose = (None, np.eye(4)) if joint is None else carrier[joint.parent]
        placement = pose if joint is None else pose @ joint.origin
        first = None if body is None else lumps[body].parts[0][0]
        if joint is not None and joint.fixed and merge_fixed and _merges(link, first):
            frames.append((link, body, placement))
        else:
            lumps[name] = _Lump(body, placement, joint)
            body, placement = name, np.eye(4)
        carrier[name] = (body, placement)
        if body is not None:
            lumps[body].parts.append((link, placement))
    return lumps, frames


def _freed_from_world(links: Mapping[str, UrdfLink], joints: list[UrdfJoint]) -> list[UrdfJoint] | None:
    """Return the joints with the one fixed joint to an empty link 'world' made free; None if there is no such joint."""
    ties = [joint for joint in joints if joint.parent == WORLD]
    if len(ties) != 1 or not (ties[0].fixed or isinstance(ties[0].type, Free)) or not links[WORLD].empty:
        return None
    if any(joint.child == WORLD for joint in joints):
        return None
    return [replace(joint, type=Free()) if joint is ties[0] else joint for joint in joints]


def _merges(link: UrdfLink, first: UrdfLink | None) -> bool:
    """Return whether a link on a fixed joint is merged into the parent body, which has its first link's name.

    It is not if it would give mass or shapes to the world (first is None). Nor if one of the two inertias is
    unphysical: the sum might look possible, and `Model.validate` could not name the link and the value in the file.
    """
    if first is None:
        return link.empty
    return link.inertia is None or not (link.impossible or first.impossible)


def _inertia(parts: list[tuple[UrdfLink, NDArray]]) -> Inertia | None:
    given = [(link.inertia, pose) for link, pose in parts if link.inertia is not None]
    if not given:
        return None
    first, pose = given[0]
    total = first if np.array_equal(pose, np.eye(4)) else first.transformed(pose)
    for inertia, pose in given[1:]:
        total = total + inertia.transformed(pose)
    return total


def _geometry(parts: list[tuple[UrdfLink, NDArray]]) -> list[Geometry]:
    return [
        shape if np.array_equal(pose, np.eye(4)) else replace(shape, placement=pose @ shape.placement)
        for link, pose in parts
        for shape in link.geometry
    ]


def _root(link: str, joint_name: _Names, floating: bool) -> dict:
    return {"joint": Free() if floating else Fixed(), "joint_name": joint_name.new(f"{link}_joint")}


def _mover(joint: UrdfJoint, joint_name: _Names) -> dict:
    mimic = joint.mimic
    return {
        "joint": joint.type,
        "joint_name": joint_name(joint.name),
        "damping": joint.damping,
        "friction": joint.friction,
        "limits": joint.limits,
        "mimic": None if mimic is None else replace(mimic, leader=joint_name(mimic.leader)),
    }


class _Names(UniqueNames):
    """Names in the model: those of the file, except that 'world', the name of the model's base, is replaced."""

    def __init__(self, names: Iterable[str], notes: list[str], kind: str) -> None:
        super().__init__({WORLD, *names})
        self._notes = notes
        self._kind = kind
        self._world: str | None = None

    def __call__(self, name: str) -> str:
        if name != WORLD:
            return name
        if self._world is None:
            self._world = self.new(f"{WORLD}_{self._kind}")
            self._notes.append(
                f"{self._kind} {name!r} is called {self._world!r} in the model, where {name!r} is the fixed base"
            )
        return self._world
