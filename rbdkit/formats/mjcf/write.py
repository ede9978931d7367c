"""Writing MJCF, MuJoCo's format."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.mjcf.write_body import write_bodies
from rbdkit.formats.mjcf.write_contact import Contacts
from rbdkit.formats.mjcf.write_links import write_links
from rbdkit.formats.require_model import require_model
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import Model


def to_mjcf(model: Model) -> str:
    """The model as an MJCF document, for `load`, MuJoCo and other programs. MuJoCo is not needed for it.

    MuJoCo numbers bodies depth first, and coordinates with them. Massless bodies with one child become joints of that
    child, as MuJoCo has several joints in a body. Named frames become sites, grounds planes, a mimic joint an equality
    of joints. Cylindrical and universal joints, and those in yaw, pitch and roll, become hinges and slides of a body.

    Parameters
    ----------
    model : Model
        What is written.

    Returns
    -------
    str

    Raises
    ------
    FormatError
        If the motion would not be the same: joints other than hinges, slides, spherical and free ones and chains of
        these; loops other than spherical and fixed ones; constraints other than ties, forces other than springs and
        dampers between two points and actuators; massless bodies that move. The message names the part. JSON takes them
        all.

    Warns
    -----
    FormatWarning
        Once about what has no place in MJCF and no part in the dynamics of the bodies: some shapes, limits of
        velocities, restitution and compliance of surfaces.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import to_mjcf
    >>> model = rbd.Model("lift")
    >>> cabin = model.add_body("cabin", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.box([1, 1, 2], mass=80.0))
    >>> '<joint name="cabin_joint" type="slide" axis="0.0 0.0 1.0" />' in to_mjcf(model)
    True
    """
    require_model(model)
    notes: list[str] = []
    root = Element("mujoco", model=name_text(model.name, "the model"))
    SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    SubElement(root, "option", gravity=numbers_text(model.gravity, "gravity"))
    assets, world = SubElement(root, "asset"), SubElement(root, "worldbody")
    contacts = Contacts(model, notes)
    contacts.write_grounds(world)
    sites = write_bodies(world, assets, model, contacts, notes)
    write_links(root, sites, model, notes)
    contacts.write_pairs(root)
    for mimic in (joint for joint in model.joints if joint.mimic is not None):
        notes.append(f"joint {mimic.name!r} has a coordinate of its own there, and an equality instead of a mimic")
    if any(np.isfinite(joint.limits.velocity).any() for joint in model.joints):
        notes.append("limits of velocities")
    for empty in [element for element in root if len(element) == 0 and element.tag == "asset"]:
        root.remove(empty)
    if notes:
        lines = "".join(f"\n  {note}" for note in dict.fromkeys(notes))
        warnings.warn(f"left out or changed, as MJCF has no place for it:{lines}", FormatWarning, stacklevel=2)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
