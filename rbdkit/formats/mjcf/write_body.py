"""The bodies of MJCF: nested in one another, with inertia, joints, shapes and sites."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.mjcf.write_contact import Contacts
from rbdkit.formats.mjcf.write_geom import Geoms
from rbdkit.formats.mjcf.write_joint import write_joints
from rbdkit.formats.xml.write import name_text, numbers_text
from rbdkit.model import Body, Model
from rbdkit.spatial import quaternion

SMALLEST = 1e-15
"""Mass, kg, and principal moment of inertia, kg m2, that a moving body must exceed: MuJoCo's mjMINVAL."""


def write_bodies(
    world: Element, assets: Element, model: Model, contacts: Contacts, notes: list[str]
) -> dict[str, tuple[Element, NDArray]]:
    """Add all bodies; return for each body and frame the element that has it, and its pose there.

    Those of a massless body that became a joint of its child have none.
    """
    geoms = Geoms(assets, contacts, notes)
    named = _named(model)
    found: dict[str, tuple[Element, NDArray]] = {model.bodies[0].name: (world, np.eye(4))}
    chains: dict[int, list[Body]] = {}
    for body in model.bodies[1:]:
        chain = [*chains.pop(body.parent, []), body]
        if _is_between(model, body, named):
            chains[body.index] = chain
            continue
        above = model.bodies[chain[0].parent].name
        placement = np.eye(4)
        for link in chain:
            placement = placement @ link.joint.placement
        element = SubElement(found[above][0], "body", name=name_text(body.name, "body"))
        write_pose(element, placement, f"body {body.name!r}")
        _write_inertia(element, model, body)
        write_joints(element, chain)
        geoms.write(element, body)
        found[body.name] = (element, np.eye(4))
    for frame in model.frames:
        element = found[model.bodies[frame.body].name][0]
        site = SubElement(element, "site", name=name_text(frame.name, "frame"))
        write_pose(site, frame.placement, f"frame {frame.name!r}")
        found[frame.name] = (element, frame.placement)
    return found


def write_pose(element: Element, pose: NDArray, what: str) -> None:
    """Add position and orientation as attributes, unless they are zero and the identity."""
    if pose[:3, 3].any():
        element.set("pos", numbers_text(pose[:3, 3], what))
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        element.set("quat", numbers_text(quaternion.from_matrix(pose[:3, :3]), what))


def _named(model: Model) -> set[str]:
    """Return the names of bodies that something is fastened to: frames, loops, forces, constraints, contacts."""
    named = {model.bodies[frame.body].name for frame in model.frames}
    named |= {model.bodies[i].name for loop in model.loops for i in (loop.predecessor, loop.successor)}
    for own in model.elements:
        named |= {str(value) for value in own.element.structure().values()}
    return named


def _is_between(model: Model, body: Body, named: set[str]) -> bool:
    """Return whether a body is nothing but what is between two joints."""
    massless = body.inertia is None or (body.inertia.mass == 0.0 and not body.inertia.inertia_com.any())
    plain = massless and not body.geometry and body.name not in named and body.joint.nv > 0
    children = model.children(body.index)
    return plain and len(children) == 1 and not model.bodies[children[0]].joint.type.is_fixed


def _write_inertia(element: Element, model: Model, body: Body) -> None:
    inertia, moves = body.inertia, body.joint.nv > 0
    welded = [model.bodies[i] for i in model.children(body.index) if model.bodies[i].joint.type.is_fixed]
    helped = any(child.inertia is not None and child.inertia.mass > SMALLEST for child in welded)
    if inertia is None or not (inertia.mass or inertia.inertia_com.any()):
        if moves and not helped:
            raise FormatError(
                f"body {body.name!r} moves and has no mass, which MuJoCo refuses; give it some, or save as JSON"
            )
        return
    if findings := inertia.findings():
        raise FormatError(f"body {body.name!r}: MuJoCo refuses such an inertia: {'; '.join(findings)}")
    moments, axes = inertia.principal()
    if moves and not helped and min(inertia.mass, moments[0]) <= SMALLEST:
        raise FormatError(
            f"body {body.name!r} moves and has moments of inertia {moments.tolist()}, kg m2; MuJoCo wants more than "
            f"{SMALLEST:g}; save the model as JSON"
        )
    what = f"body {body.name!r}"
    inertial = SubElement(element, "inertial", mass=numbers_text([inertia.mass], what))
    I = inertia.inertia_com
    if np.array_equal(I, np.diag(np.diag(I))):
        moments, axes = np.diag(I), np.eye(3)
    inertial.set("pos", numbers_text(inertia.com, what))
    inertial.set("diaginertia", numbers_text(moments, what))
    if not np.array_equal(axes, np.eye(3)):
        inertial.set("quat", numbers_text(quaternion.from_matrix(axes), what))
