"""The articulated body of Featherstone's Example 7.1: a box with a slot, and a cylinder that slides and turns in it."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import Free, Prismatic, Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

OUTER, INNER, HEIGHT = (1.0, 1.5), (0.72, 1.22), 0.5
"""The box, seen along z: a frame with a slot, m. The book gives no sizes."""
RADIUS = 0.2
"""Of the cylinder, which fills the slot along x and slides in it along y, m."""
TRAVEL = 0.5 * INNER[1] - RADIUS
"""How far the cylinder slides to either side, m."""


@ready
def box_and_cylinder(m1: float = 2.0, I1: float = 0.3, m2: float = 3.0, I2: float = 0.4) -> Model:
    """A box and a cylinder in its slot, weightless; both have their centres of mass at the origin at first.

    The cylinder may turn about the x axis of the box and slide along its y axis, without friction; between the two
    freedoms stands a slider without mass. The coordinates are those of the box (7), the slide (m) and the turn (rad).

    Parameters
    ----------
    m1 : float, optional
        Mass of the box, kg.
    I1 : float, optional
        Rotational inertia of the box about any axis through its centre, kg m2.
    m2 : float, optional
        Mass of the cylinder, kg.
    I2 : float, optional
        Rotational inertia of the cylinder about any axis through its centre, kg m2.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.box_and_cylinder()
    <Model 'box and cylinder': 3 bodies, 3 moving joints, nq=9, nv=8, 5 kg>
    """
    model = Model("box and cylinder", gravity=(0.0, 0.0, 0.0))
    walls = [Geometry(Box((size[0], size[1], HEIGHT)), se3.pose(position=at)) for size, at in _walls()]
    model.add_body("box", joint=Free(), inertia=Inertia(m1, inertia_com=I1 * np.eye(3)), geometry=walls)
    model.add_body("slider", "box", Prismatic("y"), joint_name="slide")
    along_x = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    rod = Geometry(Cylinder(RADIUS, INNER[0]), se3.pose(along_x))
    model.add_body(
        "cylinder", "slider", Revolute("x"), inertia=Inertia(m2, inertia_com=I2 * np.eye(3)), geometry=rod,
        joint_name="turn",
    )  # fmt: skip
    return model


def _walls() -> list[tuple[tuple[float, float], tuple[float, float, float]]]:
    """Sizes along x and y of the four walls about the slot, and where they are."""
    side, end = 0.5 * (OUTER[0] - INNER[0]), 0.5 * (OUTER[1] - INNER[1])
    x, y = 0.5 * (OUTER[0] - side), 0.5 * (OUTER[1] - end)
    sides = [((side, OUTER[1]), (sign * x, 0.0, 0.0)) for sign in (-1.0, 1.0)]
    return sides + [((INNER[0], end), (0.0, sign * y, 0.0)) for sign in (-1.0, 1.0)]
