"""Three discs in a plane, to be held together by one loop of string (Featherstone 2008, Fig 3.2c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import Planar
from rbdkit.library.ready import ready
from rbdkit.model import Cylinder, Geometry, Model
from rbdkit.spatial.inertia import Inertia

CENTERS = ((0.0, 1.1), (-1.0, -0.6), (1.0, -0.6))


@ready
def three_discs(radius: float = 0.3, mass: float = 1.0) -> Model:
    """Three equal discs that slide on the x-y plane without friction; constrain them with `TautString`.

    Parameters
    ----------
    radius : float, optional
        m.
    mass : float, optional
        Of one disc, kg.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.three_discs()
    <Model 'three discs': 3 bodies, 3 moving joints, nq=9, nv=9, 3 kg>
    """
    model = Model("three discs", gravity=(0.0, 0.0, 0.0))
    inertia = Inertia.cylinder(radius, 0.2 * radius, mass=mass)
    for k in range(3):
        model.add_body(
            f"disc{k + 1}", joint=Planar("z"), inertia=inertia, geometry=Geometry(Cylinder(radius, 0.2 * radius))
        )
    return model


def discs_at(centers: ArrayLike = CENTERS, angles: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """Coordinates (9,) of the discs at given centres (3, 2), m, and angles (3,), rad."""
    return np.column_stack([np.asarray(angles, dtype=float), np.asarray(centers, dtype=float)]).reshape(9)


def string_around(centers: ArrayLike, radius: float, points: int = 24) -> NDArray:
    """The taut loop around three discs as a closed polygon (k, 2), m, to be drawn; counterclockwise.

    Raises
    ------
    ModelError
        If the three centres lie on one line: then the loop has no inside to go around.
    """
    x = np.asarray(centers, dtype=float)
    side = np.cross(np.append(x[1] - x[0], 0.0), np.append(x[2] - x[0], 0.0))[2]
    if side == 0.0:
        raise ModelError(f"the centres {x.tolist()} of the discs lie on one line")
    order = (0, 1, 2) if side > 0.0 else (0, 2, 1)
    outline = []
    for k in range(3):
        before, here, after = (x[order[(k + j) % 3]] for j in (-1, 0, 1))
        start, end = _outward_angle(here - before), _outward_angle(after - here)
        arc = start + np.linspace(0.0, (end - start) % (2.0 * np.pi), points)
        outline.append(here + radius * np.column_stack([np.cos(arc), np.sin(arc)]))
    return np.vstack([*outline, outline[0][:1]])


def _outward_angle(direction: NDArray) -> float:
    """Angle of the normal on the right-hand side of a direction, rad."""
    return float(np.arctan2(-direction[0], direction[1]))
