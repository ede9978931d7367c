"""An excavator's arm: boom, arm and bucket, each moved by a hydraulic cylinder, the bucket by way of a four-bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.joints import JointType, Prismatic, Revolute
from rbdkit.library.bars import add_bar, lying, pointing
from rbdkit.library.ready import entries, ready
from rbdkit.model import Box, Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

BOOM, ARM = np.array([5.0, 0.0, 2.2]), np.array([1.6, 0.0, -2.4])
"""From the foot of the boom to the arm's joint, from there to the bucket's, m; world axes, at ``neutral``."""
ROCKER, LINK = np.array([0.45, 0.0, 0.35]), np.array([0.15, 0.0, -0.5])
"""From the rocker's pivot on the arm to its pin, from there to the pin on the bucket, m."""
PIVOT = np.array([1.35, 0.0, -1.95])
"""Of the rocker, on the arm, m."""
CYLINDERS = {
    "boom": ("turret", (0.6, 0.0, -0.2), "boom", (2.6, 0.0, 1.55)),
    "arm": ("boom", (2.4, 0.0, 1.9), "arm", (-0.35, 0.0, 0.55)),
    "bucket": ("arm", (0.35, 0.0, 0.25), "rocker", tuple(ROCKER.tolist())),
}
"""Of each the bodies that it pushes apart, and where it ends on them, m."""


@ready
def excavator(closing: JointType | None = None) -> Model:
    """The arm of an excavator of about 20 tonnes on its turret, closed at ``neutral``.

    The turret turns about z on 'swing'; on it follow 'boom_joint', 'arm_joint' and 'bucket_joint', all about y. Three
    cylinders do the work: 'boom_cylinder', 'arm_cylinder' and 'bucket_cylinder' become longer on their prismatic
    joints; barrels turn on 'boom_barrel_joint' and so on. The third one turns a rocker on the arm, 'rocker_joint', and
    a link, 'link_joint', takes the bucket along. Loop joints are 'boom_pin', 'arm_pin', 'bucket_pin', where the rods
    end, and 'link_pin' between link and bucket. The frame 'teeth' is on the bucket's edge.

    Parameters
    ----------
    closing : JointType, optional
        Of the loop joints; revolute joints about y if not given, twelve of whose constraints are redundant.
        ``SphereInCylinder("y")`` has none.

    Returns
    -------
    Model

    Examples
    --------
    Which forces hold it, by its cylinders alone? The boom's pushes with 306 kN:

    >>> import rbdkit as rbd
    >>> model = rbd.library.excavator()
    >>> q, cylinders = model.neutral(), [f"{name}_cylinder" for name in ("boom", "arm", "bucket")]
    >>> rest = [0.0] * model.nv
    >>> tau = rbd.inverse_dynamics(model, q, rest, rest, actuated=["swing", *cylinders])
    >>> [round(float(tau[model.joint(name).v_slice][0]) / 1e3) for name in cylinders]
    [306, -32, 1]
    """
    model, hinge = Model("excavator"), Revolute("y")
    deck = (3.0, 2.5, 1.0)
    below = se3.pose(position=[-0.8, 0.0, -0.2])
    box = Inertia.box(deck, mass=8000.0).transformed(below)
    model.add_body(
        "turret", joint=Revolute("z"), placement=[0, 0, 1.5], inertia=box, geometry=Geometry(Box(deck), below),
        joint_name="swing",
    )  # fmt: skip
    add_bar(model, "boom", "turret", hinge, np.zeros(3), BOOM, "boom_joint", radius=0.2, density=320.0)
    add_bar(model, "arm", "boom", hinge, BOOM, ARM, "arm_joint", radius=0.15, density=280.0)
    shell, middle = (0.9, 1.1, 0.8), se3.pose(position=[-0.1, 0.0, -0.55])
    scoop = Inertia.box(shell, mass=750.0).transformed(middle)
    model.add_body("bucket", "arm", hinge, ARM, scoop, Geometry(Box(shell), middle), joint_name="bucket_joint")
    add_bar(model, "rocker", "arm", hinge, PIVOT, ROCKER, "rocker_joint", radius=0.06, density=60.0)
    add_bar(model, "link", "rocker", hinge, ROCKER, LINK, "link_joint", radius=0.06, density=60.0)
    pin = closing or hinge
    model.add_loop("link_pin", "link", "bucket", pin, LINK, PIVOT + ROCKER + LINK - ARM)
    places = {name: _neutral_origin(model, name) for name in ("turret", "boom", "arm", "rocker")}
    for name, (near, foot, far, end) in CYLINDERS.items():
        way = places[far] + end - places[near] - foot
        _add_cylinder(model, name, near, foot, way, far, end, pin)
    model.add_frame("teeth", "bucket", [-0.55, 0.0, -0.95])
    return model


@ready
def excavator_coordinates(y: Sequence[Any] | NDArray) -> NDArray:
    """Coordinates of an `excavator` whose swing, boom, arm and rocker stand at given angles: its loops close.

    In closed form, of triangles and of two circles: the gamma of a `rbdkit.algorithms.loops.LoopClosure`.

    Parameters
    ----------
    y : array_like (4,)
        Coordinates of 'swing', 'boom_joint', 'arm_joint' and 'rocker_joint', rad.

    Returns
    -------
    ndarray (12,)
        Coordinates; those of the cylinders are by how much they are longer than at ``neutral``, m. Not numbers where
        rocker and bucket are too far apart for the link.

    Examples
    --------
    The arm swung in by half a radian: its cylinder, at 0.65 m from the hinge, is nearly a third of a metre longer.

    >>> import rbdkit as rbd
    >>> model = rbd.library.excavator()
    >>> q = rbd.library.excavator_coordinates([0.0, 0.0, 0.5, 0.0])
    >>> round(float(q[model.joint("arm_cylinder").q_slice][0]), 3)
    0.322
    """
    swing, boom, arm, rocker = entries(y, ("swing", "boom_joint", "arm_joint", "rocker_joint"))
    pivots = {"boom": (np.zeros(2), boom), "arm": (_flat(BOOM), arm), "bucket": (_flat(PIVOT), rocker)}
    cylinders = []
    for name, (_, foot, _, end) in CYLINDERS.items():
        pivot, angle = pivots[name]
        before, now = pivot + _flat(end) - _flat(foot), pivot + _turned(angle, _flat(end)) - _flat(foot)
        longer = np.sqrt(now[0] ** 2 + now[1] ** 2) - np.sqrt(before @ before)
        cylinders += [_direction(now) - _direction(before), longer]
    held, link = _flat(PIVOT + ROCKER + LINK - ARM), _flat(LINK)  # the pin on the bucket, from the bucket's joint
    D = _flat(PIVOT - ARM) + _turned(rocker, _flat(ROCKER))  # the rocker's pin from there
    far = D[0] ** 2 + D[1] ** 2
    along = (far + held @ held - link @ link) / (2.0 * far)
    across = np.sqrt(held @ held / far - along**2)
    neutral = _flat(PIVOT + ROCKER - ARM)
    side = np.sign(neutral[0] * held[1] - neutral[1] * held[0])
    pin = along * D + side * across * np.array([-D[1], D[0]])
    bucket = _direction(pin) - _direction(held)
    return np.array([swing, boom, arm, bucket, rocker, _direction(pin - D) - _direction(link) - rocker, *cylinders])


def _flat(p: ArrayLike) -> NDArray:
    """x and z of a point."""
    return np.asarray(p, dtype=float)[[0, 2]]


def _turned(angle: Any, p: NDArray) -> NDArray:
    """A point (x, z) after a turn about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * p[0] + s * p[1], c * p[1] - s * p[0]])


def _direction(p: NDArray) -> Any:
    """Angle about y from z to a point (x, z)."""
    return np.arctan2(p[0], p[1])


def _neutral_origin(model: Model, body: str) -> NDArray:
    """Return the origin of a body's frame at ``neutral``, (3,) m; all frames have the axes of the world there."""
    index, p = model.body(body).index, np.zeros(3)
    while index:
        p = p + model.bodies[index].joint.placement[:3, 3]
        index = model.parent[index]
    return p


def _add_cylinder(
    model: Model, name: str, near: str, foot: ArrayLike, way: NDArray, far: str, end: ArrayLike, pin: JointType
) -> None:
    """A barrel on one body, a rod that ends on another; its axis is the z axis of both."""
    length, turned = float(np.linalg.norm(way)), pointing(way)
    side = turned.T @ [0.0, 1.0, 0.0]  # the y axis of the world
    half = np.array([0.0, 0.0, 0.6 * length])
    barrel, rod = lying(half), lying(-half)
    model.add_body(
        f"{name}_barrel", near, Revolute(side), se3.pose(turned, foot),
        Inertia.cylinder(0.09, 0.6 * length, mass=70.0 * length).transformed(barrel),
        Geometry(Cylinder(0.09, 0.6 * length), barrel), joint_name=f"{name}_barrel_joint",
    )  # fmt: skip
    model.add_body(
        f"{name}_rod", f"{name}_barrel", Prismatic("z"), [0.0, 0.0, length],
        Inertia.cylinder(0.05, 0.6 * length, mass=35.0 * length).transformed(rod),
        Geometry(Cylinder(0.05, 0.6 * length), rod), joint_name=f"{name}_cylinder",
    )  # fmt: skip
    model.add_loop(f"{name}_pin", f"{name}_rod", far, pin, se3.pose(turned.T), end)
