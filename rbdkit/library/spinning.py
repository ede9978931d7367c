"""Bodies that spin on a table: the rattleback, the tippe top, a coin.

Each has three sliders and a ball joint in place of a free joint, so that the velocity of its centre is expressed in
fixed axes. In the axes of a fast-spinning body that velocity rotates, and first-order steps would add energy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import Prismatic, Spherical
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Model, Sphere
from rbdkit.spatial import quaternion, se3, so3
from rbdkit.spatial.inertia import Inertia


@ready
def rattleback(spin: float = 5.0, friction: float = 1.0) -> Start:
    """An ellipsoid whose principal axes are turned against its shape: spun one way it rattles and turns back.

    It begins to roll at once. Where it rolls without a loss, in 'rigid', 5 rad/s become -5.2 in six seconds; steps of
    'time_stepping' take some of that, as surfaces do: short ones, of 0.1 ms, show it turn.

    Shape and masses are those of Kane and Levinson (1982): semi-axes 0.2, 0.03 and 0.02 m, the centre of mass 0.01 m
    below the middle.

    Parameters
    ----------
    spin : float, optional
        About the vertical, rad/s; the wrong way round is positive.
    friction : float, optional
        Coulomb's coefficient; it is to roll.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.rattleback()
    >>> [abs(contact.phi) < 1e-12 for contact in rbd.contacts(model, q, v, margin=1e-3)]
    [True]
    """
    radii, below = np.array([0.2, 0.03, 0.02]), 0.01
    inertia = np.array([[2e-4, 2e-5, 0.0], [2e-5, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])
    model = Model("rattleback")
    middle = se3.pose(position=[0.0, 0.0, below])
    shapes = [
        Geometry(Ellipsoid(radii.tolist()), middle, (0.23, 0.46, 0.91), collide=True),
        Geometry(Box((0.3, 0.006, 0.002)), se3.pose(position=[0.0, 0.0, below + 0.02]), (0.95, 0.85, 0.4)),
    ]
    _carry(model, "celt", Inertia(1.0, np.zeros(3), inertia), shapes)
    model.add_ground(friction=friction)
    R = so3.exp([np.radians(0.5), 0.0, 0.0]) @ so3.exp([0.0, np.radians(0.5), 0.0])  # a push that starts the rattling
    support = float(np.linalg.norm(radii * R[2]))  # how far an ellipsoid reaches downwards
    height = support - (R @ [0.0, 0.0, below])[2]
    lowest = -(radii**2) * R[2] / support + [0.0, 0.0, below]  # the contact, seen from the centre of mass in the body
    rolling = -np.cross([0.0, 0.0, spin], R @ lowest)
    return Start(model, _placed(R, height), np.concatenate([rolling, R.T @ [0.0, 0.0, spin]]))


@ready
def tippe_top(spin: float = 250.0, tilt: float = 0.1, friction: float = 0.3) -> Start:
    """A ball whose centre of mass lies low: spun fast it turns over and spins on its stem.

    Friction where it slides lifts it; Jellett's integral, the part of the angular momentum along the line from the
    contact to the centre of mass, is kept all the time. The stem is drawn, but does not touch.

    Parameters
    ----------
    spin : float, optional
        About the vertical, rad/s. Where it is slower, or about the tilted axis, the contact soon sticks, and what rolls
        does not turn over but by errors of long steps.
    tilt : float, optional
        Of its axis, rad.
    friction : float, optional
        Coulomb's coefficient.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.tippe_top()
    >>> [abs(contact.phi) < 1e-12 for contact in rbd.contacts(model, q, v, margin=1e-3)]
    [True]
    """
    radius, low, mass = 0.02, 0.006, 0.02
    model = Model("tippe top")
    middle = [0.0, 0.0, low]  # of the ball over the centre of mass
    shapes = [
        Geometry(Sphere(radius), se3.pose(position=middle), (0.88, 0.28, 0.24), collide=True),
        Geometry(Capsule(0.003, 0.02), se3.pose(position=[0.0, 0.0, low + radius]), (0.95, 0.85, 0.4)),
        Geometry(Box((0.03, 0.03, 0.002)), se3.pose(position=middle), (0.95, 0.95, 0.95)),
    ]
    about = 0.4 * mass * radius**2
    _carry(model, "top", Inertia(mass, np.zeros(3), about * np.eye(3)), shapes)
    model.add_ground(friction=friction)
    R = so3.exp([0.0, tilt, 0.0])
    return Start(model, _placed(R, radius - (R @ middle)[2]), np.concatenate([np.zeros(3), R.T @ [0.0, 0.0, spin]]))


@ready
def spinning_coin(tilt: float = 1.2, friction: float = 0.5) -> Start:
    """A coin that rolls round on its rim in place, faster and faster the flatter it lies (Euler's disc).

    Parameters
    ----------
    tilt : float, optional
        Of the coin from lying flat, rad.
    friction : float, optional
        Coulomb's coefficient.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If the coin lies flat, or on its head.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.spinning_coin()
    >>> min(abs(contact.phi) for contact in rbd.contacts(model, q, v, margin=1e-3)) < 1e-12
    True
    """
    if not 0.0 < tilt <= 0.5 * np.pi:
        raise ModelError(f"spinning_coin: tilt = {tilt:g} rad must be more than 0, which lies flat, up to pi/2")
    radius, thick, mass = 0.0375, 0.0127, 0.44
    model = Model("spinning coin")
    shapes = [
        Geometry(Cylinder(radius, thick), color=(0.85, 0.68, 0.3), collide=True),
        Geometry(Box((1.2 * radius, 0.2 * radius, 1.03 * thick)), color=(0.45, 0.35, 0.12)),
    ]
    _carry(model, "coin", Inertia.cylinder(radius, thick, mass=mass), shapes)
    model.add_ground(friction=friction)
    R = so3.exp([0.0, tilt, 0.0])
    # a thin disc whose middle stands still: the rim rolls with w along a diameter, the one that leads to the contact
    precession = np.sqrt(4.0 * 9.81 / (radius * np.sin(tilt)))
    lowest = np.array([1.0, 0.0, 0.0])  # towards the contact, in the coin
    height = radius * np.sin(tilt) + 0.5 * thick * np.cos(tilt)
    return Start(model, _placed(R, height), np.concatenate([np.zeros(3), precession * np.sin(tilt) * -lowest]))


def _carry(model: Model, name: str, inertia: Inertia, shapes: list[Geometry]) -> None:
    parent = "world"
    for axis in "xyz":
        model.add_body(f"along {axis}", parent, Prismatic(axis))
        parent = f"along {axis}"
    model.add_body(name, parent, Spherical(), inertia=inertia, geometry=shapes)


def _placed(R: NDArray, height: float) -> NDArray:
    return np.concatenate([[0.0, 0.0, height], quaternion.from_matrix(R)])
