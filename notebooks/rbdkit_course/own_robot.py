"""A model from measurements: a desk lamp by ruler and kitchen scale, a plausibility table for any model, and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rbdkit.joints import Revolute
from rbdkit.meshes import read_pieces, together
from rbdkit.model import Body, Capsule, Cylinder, Geometry, Mesh, Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.se3 import pose
from rbdkit.widgets.table import Table
from rbdkit_course.answers import brief, names, number
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

GRAVITY = 9.81
"""m/s²."""


@dataclass(frozen=True)
class Link:
    """Measurements of a link, taken with a ruler, a scale, an edge to balance it on, and a watch.

    Attributes
    ----------
    name, parent : str
        Names of the link and of its parent.
    length : float
        Distance from its hinge to the next hinge, or to its end, cm.
    grams : float
        Mass, g.
    balance : float
        Distance from its hinge to the point where it balances, cm.
    ten_swings : float
        Duration of ten full swings about its hinge, s.
    radius : float
        Radius, cm; also taken as the radius of gyration about its long axis.
    """

    name: str
    parent: str
    length: float
    grams: float
    balance: float
    ten_swings: float
    radius: float


LAMP = (
    Link("lower arm", "post", 40.0, 300.0, 26.0, 11.5, 1.0),
    Link("upper arm", "lower arm", 34.0, 210.0, 21.0, 10.4, 0.9),
    Link("head", "upper arm", 12.0, 230.0, 7.5, 6.5, 5.5),
)
"""Links of a desk lamp above its post, which only turns."""
POST = 0.08
"""Height of the post, m."""


def inertia_of(link: Link) -> Inertia:
    """Compute the inertia of a link: across its long axis from the period of its swings, along it from its radius.

    The period T of small swings gives the inertia about the hinge, m g d (T / 2 pi)^2; Steiner's theorem gives that
    about the centre of mass.
    """
    m, d, r = 1e-3 * link.grams, 1e-2 * link.balance, 1e-2 * link.radius
    about_hinge = m * GRAVITY * d * (link.ten_swings / 10 / (2 * np.pi)) ** 2
    across = about_hinge - m * d**2
    return Inertia(m, [0.0, 0.0, d], np.diag([across, across, m * r**2]))


def desk_lamp(links: Sequence[Link] = LAMP, damping: float = 0.02) -> Model:
    """Build the lamp: a post that turns, and links on hinges, upright where all angles are zero."""
    model = Model("desk lamp")
    post = Inertia.cylinder(0.02, POST, mass=0.15)
    model.add_body(
        "post", joint=Revolute("z"), inertia=post.transformed(pose(position=[0, 0, POST / 2])), damping=damping,
        geometry=Geometry(Cylinder(0.02, POST), pose(position=[0, 0, POST / 2])), joint_name="foot",
    )  # fmt: skip
    above = {"post": POST}
    for link in links:
        length, radius = 1e-2 * link.length, 1e-2 * link.radius
        shape = Cylinder(radius, length) if radius > 0.1 * length else Capsule(radius, length)
        model.add_body(
            link.name,
            link.parent,
            Revolute("y"),
            placement=[0.0, 0.0, above[link.parent]],
            inertia=inertia_of(link),
            geometry=Geometry(shape, pose(position=[0.0, 0.0, length / 2])),
            joint_name=f"hinge of {link.name}",
            damping=damping,
        )
        above[link.name] = length
    return model


def plausible(model: Model) -> Table:
    """Tabulate a model's numbers for a plausibility check: radii of gyration beside lengths, and what looks wrong.

    The length of a link is that from its joint to the farthest joint on it, or twice that to its centre of mass. Radii
    of gyration are those of a ring of the same mass: a rod has 0.29 of its length, nothing compact has more than 0.6.

    Parameters
    ----------
    model : Model
        Also one from a file.
    """
    total = sum(body.inertia.mass for body in model.bodies[1:] if body.inertia is not None)
    rows: dict[str, list[float | str | None]] = {}
    for body in model.bodies[1:]:
        inertia = body.inertia
        if inertia is None or inertia.mass <= 0.0:
            rows[body.name] = [0.0 if inertia is None else inertia.mass, None, None, None, "no mass"]
            continue
        ahead = [child for child in model.bodies[1:] if child.parent == body.index]
        length = max([float(np.linalg.norm(child.joint.placement[:3, 3])) for child in ahead], default=0.0)
        com = float(np.linalg.norm(inertia.com))
        length = length if length > 1e-3 else 2.0 * com
        moments = np.linalg.eigvalsh(inertia.inertia_com)
        radius = float(np.sqrt(max(moments[-1], 0.0) / inertia.mass))
        odd = [text.split(":")[0] for text in inertia.findings()]
        if len(model.bodies) > 3 and inertia.mass > 0.9 * total:
            odd.append(f"{100 * inertia.mass / total:.0f} % of all mass")
        if length > 0.0 and com > 1.5 * length:
            odd.append("balances far outside")
        if length > 0.0 and radius > length:
            odd.append("as if its mass sat far outside")
        rows[body.name] = [inertia.mass, length, com, radius, "; ".join(odd)]
    return Table(
        ["", "mass (kg)", "length (m)", "centre of mass from joint (m)", "radius of gyration (m)", "odd"],
        rows,
        digits=3,
    )


def from_mesh(body: Body) -> Inertia:
    """Compute the inertia of a body from its collision mesh and its mass, with uniform density.

    Raises
    ------
    LookupError
        If the body has no collision mesh, or its file was not found.
    """
    for geometry in body.geometry:
        if geometry.role == "collision" and isinstance(geometry.shape, Mesh) and geometry.shape.found:
            vertices, faces = together(read_pieces(Path(geometry.shape.found)))
            mass = body.inertia.mass if body.inertia is not None else 0.0
            solid = Inertia.mesh(vertices * np.array(geometry.shape.scale), faces, mass=mass)
            return solid.transformed(geometry.placement)
    raise LookupError(f"body {body.name!r} has no mesh for collisions in a file that was found")


def doubtful_arm() -> Model:
    """Build an arm of five links with mistakes in its inertias, as in a file written by hand."""
    model = Model("doubtful arm")
    links = (
        ("shoulder", 0.12, 1.8, 0.06, np.diag([4.1e-3, 4.0e-3, 3.5e-3])),
        ("upper arm", 0.35, 850.0, 0.17, np.diag([9.1, 9.1, 0.4])),  # g, not kg
        ("elbow", 0.05, 0.30, 0.02, np.diag([1.0e-4, 1.2e-4, 4.0e-4])),  # no body has such moments
        ("forearm", 0.30, 0.70, 0.14, np.diag([5.4e-3, 5.5e-3, 3.0e-4])),
        ("hand", 0.10, 0.25, 0.06, np.diag([2.4, 2.5, 1.1])),  # kg cm²
    )
    parent, above = "world", 0.1
    for name, length, mass, com, moments in links:
        inertia = Inertia(mass, [0.0, 0.0, com], moments, check=False)
        shape = Geometry(Capsule(0.02, length), pose(position=[0.0, 0.0, length / 2]))
        model.add_body(name, parent, Revolute("y"), [0.0, 0.0, above], inertia, shape)
        parent, above = name, length
    return model


@checks("02-1")
def from_a_swing(answer: Any, swings: float = 9.6) -> Verdict:
    """Exercise 1: I (kg m²) about the centre of 420 g that balance at 18 cm, by the seconds of ten swings; to 1 %."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a number of kg m².")
    m, d = 0.42, 0.18
    about_hinge = m * GRAVITY * d * (swings / 10 / (2 * np.pi)) ** 2
    exact = about_hinge - m * d**2

    def near(value: float) -> bool:
        return abs(found - value) < 0.01 * abs(value)

    if near(exact):
        return right(
            f"{exact:.4g} kg m². An error of 1 % in the time would change it by "
            f"{100 * 2 * 0.01 * about_hinge / exact:.0f} %: hang it up nearer to its middle, and it gets better."
        )
    if near(about_hinge):
        return wrong(f"{found:.4g} kg m² is about the hinge; about the centre of mass it is less, by m d².")
    if near(about_hinge + m * d**2):
        return wrong("m d² is added where it should be taken off: of all parallel axes the centre's has the least.")
    if near(100 * about_hinge - m * d**2) or near(100 * about_hinge):
        return wrong("that takes ten swings for one.")
    if near(1e3 * exact) or near(1e7 * exact) or near(1e4 * exact):
        return wrong(f"{found:.4g} is in other units: kg and m, please.")
    half = m * GRAVITY * d * (swings / 20 / (2 * np.pi)) ** 2
    if near(half - m * d**2) or near(half):
        return wrong("a full swing is there *and* back.")
    return wrong(f"{found:.4g} kg m² is off. About the hinge T = 2π √(I / (m g d)).")


@checks("02-2")
def tube_with_motor(answer: Any) -> Verdict:
    """Exercise 2: the Inertia of a thin tube, 0.2 kg and 0.4 m along z from its joint, with 0.5 kg in its end."""
    if not isinstance(answer, Inertia):
        return wrong(f"{brief(answer)} is not an rbd.Inertia.")
    tube, motor, length = 0.2, 0.5, 0.4
    rod = tube * length**2 / 12
    mass = tube + motor
    com = (tube * length / 2 + motor * length) / mass
    exact = rod + tube * (com - length / 2) ** 2 + motor * (com - length) ** 2
    about_joint = rod + tube * length**2 / 4 + motor * length**2
    m, c, across = answer.mass, answer.com, float(answer.inertia_com[0, 0])
    if abs(m - mass) > 1e-3 * mass:
        return wrong(f"it weighs {m:.4g} kg; tube and motor together {mass:g} kg.")
    if np.abs(c[:2]).max() > 2e-3 or abs(c[2] - com) > 2e-3:
        if abs(c[2] - length / 2) < 2e-3:
            return wrong("its centre of mass is still in the middle of the tube: the motor pulls it up.")
        if abs(c[2] + com) < 2e-3:
            return wrong("the tube goes up from its joint, along +z.")
        return wrong(f"its centre of mass is at {np.round(c, 4).tolist()} m. Weigh the two places by their masses.")
    if abs(across - about_joint) < 0.02 * about_joint:
        return wrong("that is the inertia about the joint; rbd.Inertia takes it about the centre of mass.")
    if abs(across - rod) < 0.02 * rod:
        return wrong("that is the tube alone, about its own middle: both parts sit beside the common centre.")
    if abs(across - exact) > 0.02 * exact or abs(float(answer.inertia_com[1, 1]) - exact) > 0.02 * exact:
        return wrong(
            f"about x it has {across:.4g} kg m². Each part has its own inertia, and m times its distance squared."
        )
    if answer.inertia_com[2, 2] > 0.05 * exact:
        return wrong(
            f"about its own axis it has {answer.inertia_com[2, 2]:.3g} kg m²: a thin tube has next to nothing."
        )
    return right(f"{exact:.4g} kg m² about x and y, {com:.4g} m above the joint. Spatial inertias just add.")


@checks("02-3")
def doubtful_links(answer: Any) -> Verdict:
    """Exercise 3: names of the links of `doubtful_arm` whose numbers no real link has."""
    named = names(answer)
    known = {body.name for body in doubtful_arm().bodies[1:]}
    why = {
        "upper arm": "850 kg for 35 cm: grams",
        "elbow": "its moments break the triangle inequality",
        "hand": "its inertia is that of a ring of 3 m: kg cm²",
    }
    if not named:
        return wrong(f"{brief(answer)} names no link; write a set of names.")
    if unknown := named - known:
        return wrong(f"{', '.join(sorted(unknown))}: not a link of the arm; it has {', '.join(sorted(known))}.")
    if extra := sorted(named - set(why)):
        return wrong(f"the {extra[0]} is in order: compare its lengths with one another.")
    if named == {"elbow"}:
        return wrong("that is what `validate` finds. Two more are possible, as bodies, but not as links of this arm.")
    if missing := set(why) - named:
        return wrong(f"right so far; {len(missing)} more. Did you look at mass and at inertia?")
    return right("; ".join(f"{name}: {what}" for name, what in why.items()) + ".")
