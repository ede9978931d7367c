"""A quadruped and a humanoid of capsules, to be dropped on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.joints import Free, JointType, Revolute, Spherical
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3, so3
from rbdkit.spatial.inertia import Inertia

SKIN, CLOTH, FOOT = (0.90, 0.74, 0.62), (0.23, 0.46, 0.91), (0.25, 0.25, 0.28)


@ready
def quadruped(height: float = 0.0, friction: float = 0.8, stiffness: float = 60.0, damping: float = 1.5) -> Start:
    """Four legs of two links under a trunk; springs in hips and knees hold it up.

    Parameters
    ----------
    height : float, optional
        Of the gap below its feet, m.
    friction : float, optional
        Coulomb's coefficient.
    stiffness, damping : float, optional
        Of the joints, N m/rad and N m s/rad.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.quadruped()
    >>> sum(abs(contact.phi) < 1e-12 for contact in rbd.contacts(model, q, v, margin=1e-3))
    4
    """
    upper, lower, foot, bend = 0.2, 0.2, 0.025, 0.7
    model = Model("quadruped")
    trunk = Geometry(Box((0.5, 0.2, 0.1)), color=CLOTH)
    model.add_body("trunk", joint=Free(), inertia=Inertia.box([0.5, 0.2, 0.1], mass=8.0), geometry=trunk)
    springs: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "armature": 0.01}
    for end, x in (("front", 0.2), ("hind", -0.2)):
        for side, y in (("left", 0.13), ("right", -0.13)):
            name = f"{end} {side}"
            _limb(model, f"{name} thigh", "trunk", Revolute("y"), [x, y, 0.0], upper, 0.03, 0.8, CLOTH,
                  rest=bend, **springs)  # fmt: skip
            _limb(model, f"{name} shank", f"{name} thigh", Revolute("y"), [0.0, 0.0, -upper], lower, 0.02, 0.3, FOOT,
                  foot, rest=-2.0 * bend, **springs)  # fmt: skip
    model.add_ground(friction=friction)
    q = model.neutral()
    q[7:] = np.tile([bend, -2.0 * bend], 4)
    q[6] = (upper + lower) * np.cos(bend) + foot + height
    return Start(model, q, np.zeros(model.nv))


@ready
def humanoid(height: float = 0.3, friction: float = 0.8, damping: float = 2.0) -> Start:
    """Trunk, head, arms and legs of capsules with loose joints: dropped, it falls over and comes to rest.

    Parameters
    ----------
    height : float, optional
        Of the gap below its feet, m.
    friction : float, optional
        Coulomb's coefficient.
    damping : float, optional
        Of the joints, N m s/rad.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.humanoid(height=0.1)
    >>> round(min(contact.phi for contact in rbd.contacts(model, q, v, margin=1.0)), 9), model.nv
    (0.1, 30)
    """
    model = Model("humanoid")
    hips = Geometry(Capsule(0.09, 0.16), se3.pose(so3.exp([np.pi / 2.0, 0.0, 0.0])), CLOTH)
    model.add_body("pelvis", joint=Free(), inertia=Inertia.capsule(0.09, 0.16, mass=10.0), geometry=hips)
    loose: dict[str, Any] = {"damping": damping, "armature": 0.01}
    chest = Geometry(Capsule(0.12, 0.2), se3.pose(position=[0.0, 0.0, 0.22]), CLOTH)
    inertia = Inertia.capsule(0.12, 0.2, mass=25.0).transformed(se3.pose(position=[0.0, 0.0, 0.22]))
    model.add_body("chest", "pelvis", Spherical(), [0.0, 0.0, 0.08], inertia, chest, **loose)
    skull = Geometry(Sphere(0.11), se3.pose(position=[0.0, 0.0, 0.13]), SKIN)
    inertia = Inertia.sphere(0.11, mass=5.0).transformed(se3.pose(position=[0.0, 0.0, 0.13]))
    model.add_body("head", "chest", Spherical(), [0.0, 0.0, 0.43], inertia, skull, **loose)
    for side, y in (("left", 1.0), ("right", -1.0)):
        _limb(model, f"{side} upper arm", "chest", Spherical(), [0.0, 0.2 * y, 0.32], 0.28, 0.045, 2.2, CLOTH, **loose)
        _limb(model, f"{side} forearm", f"{side} upper arm", Revolute("y"), [0.0, 0.0, -0.28], 0.26, 0.04, 1.5, SKIN,
              0.05, **loose)  # fmt: skip
        _limb(model, f"{side} thigh", "pelvis", Spherical(), [0.0, 0.1 * y, -0.05], 0.42, 0.07, 8.0, CLOTH, **loose)
        _limb(model, f"{side} shin", f"{side} thigh", Revolute("y"), [0.0, 0.0, -0.42], 0.40, 0.05, 3.5, SKIN, **loose)
        shape = Geometry(Box((0.26, 0.1, 0.06)), se3.pose(position=[0.06, 0.0, -0.03]), FOOT)
        sole = Inertia.box([0.26, 0.1, 0.06], mass=1.0).transformed(se3.pose(position=[0.06, 0.0, -0.03]))
        model.add_body(f"{side} foot", f"{side} shin", Revolute("y"), [0.0, 0.0, -0.40], sole, shape, **loose)
    model.add_ground(friction=friction)
    q = model.integrate(model.neutral(), [0, 0, 0, 0, 0, 0.05 + 0.42 + 0.40 + 0.06 + height, *np.zeros(model.nv - 6)])
    v = np.zeros(model.nv)
    v[1] = 0.5  # it leans forward as it falls, rad/s
    return Start(model, q, v)


def _limb(
    model: Model, name: str, parent: str, joint: JointType, at: list[float], length: float, radius: float, mass: float,
    color: tuple[float, float, float], foot: float | None = None, **numbers: Any,
) -> None:  # fmt: skip
    """A capsule that hangs down from its joint; with a ball at its end if it has a foot, which then alone touches."""
    middle = se3.pose(position=[0.0, 0.0, -length / 2.0])
    rod = Geometry(Capsule(radius, length - 2.0 * radius), middle, color)
    shapes = [rod]
    if foot is not None:
        end = se3.pose(position=[0.0, 0.0, -length])
        shapes = [rod, Geometry(Sphere(foot), end, color, collide=True)]
    inertia = Inertia.capsule(radius, length - 2.0 * radius, mass=mass).transformed(middle)
    model.add_body(name, parent, joint, at, inertia, shapes, **numbers)
