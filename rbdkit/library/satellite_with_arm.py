"""A satellite that carries an arm: whatever the arm does, the satellite answers."""

from __future__ import annotations

from rbdkit.joints import Free, Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

HULL = (0.8, 0.8, 0.6)
"""Edges of the hull, m."""
PANEL = (0.7, 0.02, 0.5)
"""Edges of each solar panel, m."""
HULL_COLOR, PANEL_COLOR = (0.62, 0.65, 0.7), (0.16, 0.25, 0.5)


@ready
def satellite_with_arm(hull_mass: float = 60.0, link_mass: float = 6.0, link: float = 0.8) -> Model:
    """A hull with two solar panels in free fall, and an arm of three hinges and two links on top; no gravity.

    The first hinge, 'yaw', turns about z; 'shoulder' and 'elbow' about y; the arm stands upright at zero. The frame
    'gripper' is at its tip.

    Parameters
    ----------
    hull_mass, link_mass : float, optional
        kg.
    link : float, optional
        Length of each of the two links, m.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.satellite_with_arm()
    >>> [joint.name for joint in model.joints[2:]]
    ['yaw', 'shoulder', 'elbow']
    """
    model = Model("satellite with an arm", gravity=(0.0, 0.0, 0.0))
    sides = [se3.pose(position=[sign * 0.5 * (HULL[0] + PANEL[0] + 0.1), 0.0, 0.0]) for sign in (-1.0, 1.0)]
    panel = Inertia.box(PANEL, mass=0.05 * hull_mass)
    inertia = Inertia.box(HULL, mass=0.9 * hull_mass)
    shapes = [Geometry(Box(HULL), color=HULL_COLOR)]
    for side in sides:
        inertia = inertia + panel.transformed(side)
        shapes.append(Geometry(Box(PANEL), side, color=PANEL_COLOR))
    model.add_body("hull", "world", Free(), None, inertia, shapes, joint_name="float")
    mount = Geometry(Sphere(0.09), color=HULL_COLOR)
    model.add_body("turret", "hull", Revolute("z"), [0.0, 0.0, 0.5 * HULL[2]],
                   Inertia.sphere(0.09, mass=0.3 * link_mass), mount, joint_name="yaw")  # fmt: skip
    middle = se3.pose(position=[0.0, 0.0, 0.5 * link])
    rod = Inertia.cylinder(0.05, link, mass=link_mass).transformed(middle)
    shape = Geometry(Capsule(0.05, link - 0.1), middle)
    model.add_body("upper", "turret", Revolute("y"), [0.0, 0.0, 0.09], rod, shape, joint_name="shoulder")
    model.add_body("lower", "upper", Revolute("y"), [0.0, 0.0, link], rod, shape, joint_name="elbow")
    model.add_frame("gripper", "lower", [0.0, 0.0, link])
    return model
