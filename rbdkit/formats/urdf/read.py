"""Reading URDF, the robot description format of ROS."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from numpy.typing import ArrayLike

from rbdkit.errors import FormatError
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.meshes import MeshFinder
from rbdkit.formats.urdf.build import build_model
from rbdkit.formats.urdf.geometry import read_materials
from rbdkit.formats.urdf.joint import read_joint
from rbdkit.formats.urdf.link import read_link
from rbdkit.formats.urdf.loop_joint import read_loop
from rbdkit.formats.urdf.mimic import order_links, resolve_mimics
from rbdkit.formats.urdf.tree import by_name, find_root
from rbdkit.formats.xml.numbers import name
from rbdkit.formats.xml.reader import Element, declaration_first, parse_xml
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import shown

MAX_LINKS = 20_000
OTHER_FORMATS = {
    "mujoco": "this is MJCF, MuJoCo's format; rbdkit.load reads it",
    "mujocoinclude": "this is a part of an MJCF file; load the file that includes it",
    "sdf": "this is SDF, Gazebo's format, which is not supported; give a URDF",
    "COLLADA": "this is a Collada mesh, not a robot; give the URDF that names it",
}
XACRO_DEFINITIONS = {"xacro:macro", "xacro:include", "xacro:property", "xacro:arg"}


def from_urdf(
    data: str | bytes,
    *,
    merge_fixed: bool = True,
    floating: bool = False,
    mimic: bool = True,
    mesh_paths: Iterable[str | os.PathLike[str]] = (),
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    source: str = "URDF text",
    folder: Path | None = None,
) -> Model:
    """The model of a URDF document.

    Parameters
    ----------
    data : str or bytes
        The document.
    merge_fixed : bool, optional
        True makes one body of all links that fixed joints hold together: inertias are added, shapes moved, and the
        links behind the fixed joints stay as named frames, so that every link name still works (`Model.frame`).
        Some stay bodies with a fixed joint: the root, links with mass or shapes that are fixed to the world, links
        whose inertia no body can have, and those with inertia that are fixed to such a link, so that
        `Model.validate` names each with the numbers of the file. False makes a body of every link.
    floating : True puts a free joint between the world and the root link; otherwise it is fixed to the world. An empty
        root link called 'world' is the world itself, and the free joint takes the place of the fixed one at it.
    mimic : bool, optional
        False makes mimic joints move by themselves.
    mesh_paths : optional
        Folders to search first for meshes; see `rbdkit.formats.meshes`.
    gravity : array_like, optional
        Acceleration of free fall, m/s2.
    source : str, optional
        Name of the document in messages.
    folder : Path, optional
        Where the document lies, for relative mesh paths.

    Returns
    -------
    Model
        Its bodies and frames go by the names of the links, its joints by the names of the joints.

    Raises
    ------
    FormatError
        If the document is not well-formed, not a URDF, or does not describe a tree; with the line and the link or
        joint.

    Warns
    -----
    FormatWarning
        Once about all oddities that were mended or left out, once about all meshes that were not found.

    Notes
    -----
    The joint types revolute, continuous, prismatic, fixed, floating and planar become Revolute, Revolute, Prismatic,
    Fixed, Free and Planar; the axis of a planar joint is the normal of its plane. Impossible inertias are read as they
    are: `Model.validate` reports them. ``<loop_joint>``, an extension that several programs write, closes a kinematic
    loop by a frame on each of its links, link1 and link2. Elements that are not part of the mechanism (transmission,
    gazebo, sensor, ...) are ignored. A limit beyond 1e12 counts as none.

    Examples
    --------
    >>> from rbdkit.formats import from_urdf
    >>> from_urdf('<robot name="table"><link name="plate"/></robot>').body("plate").parent
    0
    """
    model, messages = read_urdf(data, merge_fixed, floating, mimic, mesh_paths, gravity, source, folder)
    for message in messages:
        warnings.warn(message, FormatWarning, stacklevel=2)
    return model


def read_urdf(
    data: str | bytes,
    merge_fixed: bool,
    floating: bool,
    mimic: bool,
    mesh_paths: Iterable[str | os.PathLike[str]],
    gravity: ArrayLike,
    source: str,
    folder: Path | None,
) -> tuple[Model, list[str]]:
    """The model, and what to warn of; the arguments are those of `from_urdf`."""
    if not isinstance(data, str | bytes):
        raise FormatError(f"{source}: a URDF is a text or bytes, not {shown(data)}; rbdkit.load reads files")
    data, early = declaration_first(data)
    robot = parse_xml(data, source)
    _check_root(robot)
    notes = [f"{source}, line 1: blanks before the declaration <?xml ...?> were ignored"] if early else []
    meshes = MeshFinder(folder, mesh_paths)
    materials = read_materials(robot)
    links = by_name((read_link(element, materials, meshes, notes) for element in robot.all("link")), "link")
    joints = by_name((read_joint(element, notes) for element in robot.all("joint")), "joint")
    if not links:
        if PLANNING & {element.tag for element in robot.children}:
            raise FormatError(
                f"{robot.place}: this is an SRDF, what motion planners know of a robot besides its URDF; load the "
                "URDF, and rbdkit.formats.load_srdf reads this with it"
            )
        raise FormatError(f"{robot.place}: the robot has no <link>; there is nothing to simulate")
    root = find_root(links, joints.values())
    if mimic:
        joints = resolve_mimics(joints, notes)
    else:
        joints = {name: replace(joint, mimic=None) for name, joint in joints.items()}
    order, joints = order_links(root, joints, notes)
    model = build_model(
        name(robot, "name", "the robot") if robot.attributes.get("name") else "robot",
        order,
        links,
        joints.values(),
        [read_loop(element, notes) for element in robot.all("loop_joint")],
        merge_fixed=merge_fixed,
        floating=floating,
        gravity=gravity,
        notes=notes,
    )
    messages = [_told(source, notes)] if notes else []
    if missing := meshes.warning():
        messages.append(f"{source}: {missing}")
    return model, messages


PLANNING = {"disable_collisions", "end_effector", "group", "group_state", "passive_joint", "virtual_joint"}
"""Elements of an SRDF, which has the same root element."""


def _check_root(robot: Element) -> None:
    if robot.tag != "robot":
        known = OTHER_FORMATS.get(robot.tag, "the root element of a URDF is <robot>")
        raise FormatError(f"{robot.place}: root element <{robot.tag[:60]}>: {known}")
    for element in robot.children:
        if element.tag in XACRO_DEFINITIONS:
            raise FormatError(
                f"{element.place}: <{element.tag}>: this is xacro; rbdkit.load expands files named .xacro"
            )
    count = sum(1 for _ in robot.all("link"))
    if count > MAX_LINKS:
        raise FormatError(f"{robot.place}: {count} links are more than this reader takes ({MAX_LINKS})")


def _told(source: str, notes: list[str]) -> str:
    if len(notes) == 1:
        return notes[0]
    rest = f"\n  ... and {len(notes) - 20} more" if len(notes) > 20 else ""
    return f"{source}: {len(notes)} oddities were mended or left out:" + "".join(f"\n  {n}" for n in notes[:20]) + rest
