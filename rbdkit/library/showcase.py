"""One body on each joint type, side by side: to look at what joints do."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import (
    Composite,
    Cylindrical,
    EulerAngles,
    EulerSpherical,
    ExponentialSpherical,
    Free,
    FreeInPlane,
    Helical,
    JointType,
    Planar,
    PlanarTranslation,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    SphereInCylinder,
    Spherical,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
)
from rbdkit.model import Box, Capsule, Cylinder, Geometry, Model, Shape, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

COLUMNS, SPACING = 4, 0.95
"""Bodies in a row, and the distance between them, m."""

JOINTS: dict[str, JointType] = {
    "revolute": Revolute("z"),
    "prismatic": Prismatic("x"),
    "helical": Helical("z", pitch=0.15),
    "cylindrical": Cylindrical("z"),
    "rack and pinion": RackAndPinion("z", radius=0.2),
    "rack and pinion, reversed": Reversed(RackAndPinion("z", radius=0.2)),
    "planar": Planar("z"),
    "universal": Universal("x", "y"),
    "spherical": Spherical(),
    "yaw, pitch, roll": EulerSpherical(),
    "sphere in cylinder": SphereInCylinder("x"),
    "free": Free(),
    "translations": Translational(),
    "plane translations": PlanarTranslation("z"),
    "free in a plane": FreeInPlane("z"),
    "Euler angles x, z, x": EulerAngles("XZX"),
    "exponential coordinates": ExponentialSpherical(),
    "hinge on a slide": Composite(Prismatic("x"), Revolute("y")),
    "spline curve": SplineCurve(),
    "spline surface": SplineSurface(),
}


def joint_showcase() -> Model:
    """A model whose joints are one of every type, by name: a bright body, and in grey what it moves on."""
    model = Model("joint gallery", gravity=(0.0, 0.0, 0.0))
    for k, (name, joint) in enumerate(JOINTS.items()):
        place = np.array([SPACING * (k % COLUMNS), -SPACING * (k // COLUMNS), 0.0])
        stand = f"stand of {name}"
        model.add_body(stand, placement=place, geometry=_stand(name))
        model.add_body(name, stand, joint, None, Inertia.sphere(0.1, mass=1.0), _moved(name), joint_name=name)
    return model


def _placed(shape: Shape, x: float = 0.0, y: float = 0.0, z: float = 0.0, along: str = "z") -> Geometry:
    R = {"z": np.eye(3), "x": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])}[along]
    return Geometry(shape, se3.pose(R, np.array([x, y, z])))


def _stand(name: str) -> list[Geometry]:
    rack = _placed(Box((1.0, 0.05, 0.12)), 0.0, 0.225, 0.0)
    pinion = [_placed(Cylinder(0.2, 0.08), 0.0, 0.0, 0.0), _placed(Box((0.18, 0.03, 0.1)), 0.1, 0.0, 0.0)]
    return {
        "rack and pinion": [rack],
        "rack and pinion, reversed": pinion,
        "prismatic": [_placed(Capsule(0.02, 0.9), 0.0, 0.0, -0.08, along="x")],
        "sphere in cylinder": [_placed(Capsule(0.02, 0.9), 0.0, 0.0, 0.0, along="x")],
        "planar": [_placed(Box((0.9, 0.9, 0.01)), 0.0, 0.0, -0.07)],
        "free": [_placed(Sphere(0.02))],
    }.get(name, [_placed(Cylinder(0.04, 0.3), 0.0, 0.0, -0.2)])


def _moved(name: str) -> list[Geometry]:
    wheel = [_placed(Cylinder(0.2, 0.08), 0.0, 0.0, 0.0), _placed(Box((0.18, 0.03, 0.1)), 0.1, 0.0, 0.0)]
    return {
        "rack and pinion": wheel,
        "rack and pinion, reversed": [_placed(Box((1.0, 0.05, 0.12)), 0.0, 0.225, 0.0)],
        "sphere in cylinder": [_placed(Sphere(0.14)), _placed(Box((0.2, 0.06, 0.06)), 0.2, 0.0, 0.0)],
    }.get(name, [_placed(Box((0.36, 0.2, 0.1))), _placed(Box((0.12, 0.06, 0.04)), 0.22, 0.0, 0.0)])
