"""A pendulum on a turret, whose motion has long calms and short storms."""

from __future__ import annotations

import numpy as np

from rbdkit.joints import Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def turret_pendulum(length: float = 1.0, mass: float = 1.0, turret: float = 1e-3) -> Model:
    """A thin rod that swings about y on a light turret that turns about z.

    Whenever the rod passes close to the plumb line the turret has to turn round by half a revolution in no time: the
    spikes of acceleration of Featherstone (2008), section 10.1. With q = (azimuth, elevation) the moment of momentum
    about z, (turret + mass length^2 sin^2(elevation) / 3) times the rate of the azimuth, does not change.

    Parameters
    ----------
    length : float, optional
        m.
    mass : float, optional
        Of the rod, kg.
    turret : float, optional
        Inertia of the turret about z, kg m2.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.turret_pendulum(turret=1e-3)
    >>> rbd.crba(model, [0.0, 0.0]).diagonal().round(3).tolist()
    [0.001, 0.333]
    """
    model = Model("turret pendulum")
    base = Inertia(10.0 * turret, inertia_com=turret * np.diag([0.6, 0.6, 1.0]))
    plate = Geometry(Cylinder(0.12 * length, 0.04 * length), se3.pose(position=[0.0, 0.0, 0.06 * length]))
    model.add_body("turret", joint=Revolute("z"), inertia=base, geometry=plate, joint_name="azimuth")
    middle = se3.pose(position=[0.0, 0.0, -0.5 * length])
    rod = Inertia(mass, middle[:3, 3], mass * length**2 / 12.0 * np.diag([1.0, 1.0, 0.0]))
    shape = Geometry(Capsule(0.03 * length, length), middle)
    model.add_body("rod", "turret", Revolute("y"), inertia=rod, geometry=shape, joint_name="elevation")
    return model
