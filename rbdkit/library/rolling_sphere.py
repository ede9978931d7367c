"""A ball on a level floor or on a turntable, free until a constraint makes it roll (Featherstone 2008, Fig 3.2d)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Free, Prescribed, Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Cylinder, Geometry, Model, Sphere
from rbdkit.spatial import se3, so3
from rbdkit.spatial.inertia import Inertia

SOLID, HOLLOW = 2.0 / 5.0, 2.0 / 3.0
"""Moment of inertia about the centre over m r^2."""


@ready
def rolling_sphere(
    radius: float = 0.5, mass: float = 1.0, moment: float = SOLID, turntable: float | None = None
) -> Model:
    """A ball that floats until `RollingContact(radius)` makes it roll on the plane z = 0.

    `rbdkit.library.rolling_sphere.resting_place` has its coordinates on the plane; at ``neutral`` its centre is in it.

    Parameters
    ----------
    radius : float, optional
        m.
    mass : float, optional
        kg.
    moment : float, optional
        Moment of inertia about the centre over m r^2, `SOLID` or `HOLLOW`.
    turntable : float, optional
        Angular velocity, rad/s, of a disc of 2 m that is drawn under the ball; give it to the constraint too.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.rolling_sphere(radius=0.5)
    >>> rbd.center_of_mass(model, model.integrate(model.neutral(), [0, 0, 0, 0, 0, 0.5])).tolist()
    [0.0, 0.0, 0.5]
    """
    model = Model("rolling sphere")
    studs = [np.eye(3)[k] * sign for k in range(3) for sign in (1.0, -1.0)]
    colors = ((0.88, 0.28, 0.24), (0.13, 0.63, 0.42), (0.23, 0.46, 0.91))  # of the axes, so that turning can be seen
    marks = [
        Geometry(Sphere(0.16 * radius), se3.pose(position=0.88 * radius * stud), colors[k // 2])
        for k, stud in enumerate(studs)
    ]
    inertia = Inertia(mass, np.zeros(3), moment * mass * radius**2 * np.eye(3))
    ball = Geometry(Sphere(radius), color=(0.87, 0.87, 0.9))
    model.add_body("ball", joint=Free(), inertia=inertia, geometry=[ball, *marks])
    if turntable is not None:
        plate = Geometry(Cylinder(2.0, 0.03), se3.pose(position=[0.0, 0.0, -0.015]), (0.80, 0.84, 0.90))
        stripe = Geometry(Box((3.8, 0.05, 0.032)), se3.pose(position=[0.0, 0.0, -0.015]), (0.55, 0.62, 0.72))
        spin = Prescribed(Revolute("z"), lambda t: (np.array([turntable * t]), np.array([turntable]), np.zeros(1)))
        model.add_body("turntable", joint=spin, geometry=[plate, stripe])
    return model


def resting_place(radius: float, x: float = 0.0, y: float = 0.0) -> NDArray:
    """Coordinates (7,) of the ball upright on the plane at (x, y), m."""
    return np.array([1.0, 0.0, 0.0, 0.0, x, y, radius])


def turn_of_circle(radius: float, circle: float) -> NDArray:
    """Rotation (3, 3) that a ball has gained after rolling once around a circle, counterclockwise, without spinning.

    Parameters
    ----------
    radius : float
        Of the ball, m.
    circle : float
        Radius of the path of its centre, m; the path starts at (circle, 0).

    Notes
    -----
    Seen from axes that turn with the path, the ball turns about one fixed axis: (-circle, 0, -radius) over radius, per
    radian of the path. One turn of the axes changes nothing, so that this rotation over 2 pi is what is left.
    """
    return so3.exp(2.0 * np.pi * np.array([-circle / radius, 0.0, -1.0]))


def circle_on_turntable(moment: float, turntable: float) -> float:
    """Angular velocity, rad/s, with which a ball circles on a turntable, whatever its place and start.

    The closed form I / (I + m r^2) times the turntable's own; 2/7 of it for a solid ball.
    """
    return turntable * moment / (1.0 + moment)
