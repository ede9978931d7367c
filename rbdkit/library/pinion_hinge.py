"""A body on a hinge, driven by a motor through a pinion and a gear wheel (Featherstone 2008, Example 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

LENGTH, MASS = 1.2, 3.0


@ready
def pinion_hinge(gear_radius: float | None = 0.3, pinion_radius: float = 0.1) -> Model:
    """A beam with a gear wheel on a hinge about z, and a pinion beside it; the wheels are drawn, without mass.

    Parameters
    ----------
    gear_radius, pinion_radius : float, optional
        m; the wheels touch at (-gear_radius, 0, 0). None leaves them away.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.pinion_hinge()
    <Model 'pinion-driven hinge': 2 bodies, 1 moving joint, nq=1, nv=1, 3 kg>
    """
    model = Model("pinion-driven hinge")
    middle = se3.pose(position=[0.5 * LENGTH, 0.0, 0.0])
    beam = (LENGTH, 0.14, 0.08)
    inertia = Inertia.box(beam, mass=MASS).transformed(middle)
    geometry = [Geometry(Box(beam), middle)]
    if gear_radius is not None:
        geometry.append(Geometry(Cylinder(gear_radius, 0.06), color=(0.75, 0.77, 0.8)))
    model.add_body("beam", joint=Revolute("z"), inertia=inertia, geometry=geometry, joint_name="hinge")
    if gear_radius is not None:
        place = se3.pose(position=[-gear_radius - pinion_radius, 0.0, 0.0])
        pinion = Geometry(Cylinder(pinion_radius, 0.08), color=(0.94, 0.53, 0.17))
        model.add_body("pinion", placement=place, geometry=pinion)
    return model


def tooth_force(radius: float) -> NDArray:
    """Spatial force (6,) of 1 N along y where the wheels touch, (-radius, 0, 0), in the axes of the base.

    Raises
    ------
    ModelError
        If the radius is zero: the force would pass through the axis and drive nothing.
    """
    if not (np.isfinite(radius) and radius != 0.0):
        raise ModelError(f"a gear wheel of radius {radius} m has no lever arm; give a radius in m")
    return np.array([0.0, 0.0, -radius, 0.0, 1.0, 0.0])  # (-r, 0, 0) x (0, 1, 0)


def active_force_subspace(radius: float) -> NDArray:
    """T_a = [0 0 1 0 -1/r 0]^T, shape (6, 1), as Example 3.2 has it: the force that goes with a torque of 1 N m."""
    return np.array([[0.0, 0.0, 1.0, 0.0, -1.0 / radius, 0.0]]).T
