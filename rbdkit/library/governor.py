"""Watt's flyball governor."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Prismatic, Revolute
from rbdkit.library.bars import add_bar, lying, require_lengths
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Cylinder, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

RADIUS = 0.01  # m, of arms and links


@ready
def flyball_governor(angle: float = 0.6, arm: float = 0.3, ball: float = 1.0, collar: float = 2.0) -> Start:
    """Two balls on arms that fly out as the spindle turns, and lift a collar; it begins in steady motion.

    The spindle turns about z on 'spindle_joint'. Arms hang from its top on 'arm1_joint' and 'arm2_joint', links of the
    same length lead from the balls at their ends, where they are held by the loop joints 'ball1' and 'ball2', to the
    collar, which slides on the spindle on 'slide'. Two freedoms are left: the spindle turns, and the arms open. Arms
    and links have 0.2 kg a metre, the spindle 0.5 kg.

    Parameters
    ----------
    angle : float, optional
        Of the arms against the spindle at ``neutral``, where the loops are closed, rad; between 0 and pi/2.
    arm : float, optional
        Length of arms and links, m.
    ball, collar : float, optional
        Masses of one ball and of the collar, kg.

    Returns
    -------
    Start
        Model, coordinates (6,), all zero, and velocities at which the arms keep their angle.

    Raises
    ------
    ModelError
        If the length or a mass is not a positive number, or the angle is not between 0 and pi/2.

    Notes
    -----
    With m, M the masses of ball and collar and m_r that of arm and link alike, the potential energy has the slope
    ``(2 m + 4 m_r + 2 M) g a sin``, the moment of inertia about z ``(4 (m + 2 m_r / 3) a^2 - 2 m_r r^2) sin cos``;
    in steady motion the first is half the second times the square of the speed.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.flyball_governor()
    >>> round(float(v[0]), 3)  # rad/s
    10.903
    """
    require_lengths(arm=arm)
    if not 0.0 < angle < 0.5 * pi:
        raise ModelError(f"angle = {angle!r} of a flyball governor must lie between 0 and pi/2 (rad)")
    for name, mass in (("ball", ball), ("collar", collar)):
        if not (np.isfinite(mass) and mass > 0.0):
            raise ModelError(f"{name} = {mass!r} of a flyball governor must be a positive mass (kg)")
    model = Model("flyball governor")
    down = np.array([0.0, 0.0, -2.0 * arm])
    spindle = Geometry(Capsule(RADIUS, 2.0 * arm), lying(down))
    inertia = Inertia.cylinder(RADIUS, 2.0 * arm, mass=0.5).transformed(lying(down))
    model.add_body("spindle", "world", Revolute("z"), None, inertia, spindle)
    ring = Inertia.cylinder(0.04, 0.03, mass=collar)
    at = np.array([0.0, 0.0, -2.0 * arm * cos(angle)])
    model.add_body("collar", "spindle", Prismatic("z"), at, ring, Geometry(Cylinder(0.04, 0.03)), joint_name="slide")
    sphere = Inertia.sphere(0.04, mass=ball)
    for k, side in ((1, 1.0), (2, -1.0)):
        tip = arm * np.array([side * sin(angle), 0.0, -cos(angle)])
        turn = lying(tip)
        rod = Inertia.cylinder(RADIUS, arm, mass=0.2 * arm).transformed(turn)
        end = se3.pose(position=tip)
        shapes = [Geometry(Capsule(RADIUS, arm), turn), Geometry(Sphere(0.04), end)]
        model.add_body(f"arm{k}", "spindle", Revolute("y"), None, rod + sphere.transformed(end), shapes)
        add_bar(
            model,
            f"link{k}",
            "collar",
            Revolute("y"),
            np.zeros(3),
            tip - at,
            f"link{k}_joint",
            radius=RADIUS,
            density=0.2,
        )
        model.add_loop(f"ball{k}", f"arm{k}", f"link{k}", Revolute("y"), tip, tip - at)
    m_r = 0.2 * arm
    slope = (2.0 * ball + 4.0 * m_r + 2.0 * collar) * 9.81 * arm
    spread = (4.0 * (ball + 2.0 * m_r / 3.0) * arm**2 - 2.0 * m_r * RADIUS**2) * cos(angle)
    v = np.zeros(model.nv)
    v[0] = sqrt(2.0 * slope / spread)
    return Start(model, model.neutral(), v)
