"""Machines with gears: an arm with motors, the differential of a car, a pair of elliptical wheels."""

from __future__ import annotations

import numpy as np

from rbdkit.algorithms.gears import Gear, Gears
from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Box, Cylinder, Ellipsoid, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

ABOUT_X = se3.pose(np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]))
ABOUT_Y = se3.pose(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
"""Poses that lay something round about z along x or y."""


@ready
def geared_arm(ratio1: float = 100.0, ratio2: float = 100.0, rotor: float = 1.0, elbow: str = "y") -> Gears:
    """Two links, two motors, two pairs of gears (Featherstone 2008, Fig 9.2): four bodies, lambda = (0, 0, 1, 1).

    Body 1 is the upper arm with the stator of the second motor, body 2 the rotor of the first motor on the base, body 3
    the forearm, body 4 the rotor of the second motor on the upper arm. Both links are 0.5 m long.

    Parameters
    ----------
    ratio1, ratio2 : float, optional
        q_2 = ratio1 q_1 and q_4 = ratio2 q_3.
    rotor : float, optional
        Size of the rotors; their inertia grows with it, 1 is 0.2 kg and 1e-5 kg m2 about the axis.
    elbow : str, optional
        Axis of the elbow and of its motor, 'y' as the shoulder's or 'x' along the upper arm.

    Returns
    -------
    Gears
        Of `rbdkit.algorithms.gears`; its ``model`` is the tree without gears.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> gears = rbd.library.geared_arm(ratio1=50.0)
    >>> gears.ny, gears.model.nv
    (2, 4)
    """
    if elbow not in ("x", "y"):
        raise ModelError(f"the elbow of the geared arm turns about 'x' or 'y', not {elbow!r}")
    lay = {"x": ABOUT_X, "y": ABOUT_Y}[elbow]
    model = Model("geared arm")
    bar, stator = Inertia.box([0.5, 0.06, 0.06], mass=2.0), Inertia.cylinder(0.03, 0.06, mass=0.5)
    middle, motor2 = se3.pose(position=[0.25, 0.0, 0.0]), se3.pose(position=[0.4, 0.0, 0.09])
    spinning = Inertia.cylinder(0.01, 0.05, mass=0.2 * rotor)
    spinning = Inertia(spinning.mass, spinning.com, rotor * np.diag([5e-5, 5e-5, 1e-5]))
    shaft = Cylinder(0.02, 0.07)
    model.add_body(
        "upper arm",
        joint=Revolute("y"),
        inertia=bar.transformed(middle) + stator.transformed(motor2 @ lay),
        geometry=[
            Geometry(Box((0.5, 0.05, 0.05)), middle),
            Geometry(Cylinder(0.07, 0.03), se3.pose(position=[0.0, 0.05, 0.0]) @ ABOUT_Y),
            Geometry(Cylinder(0.03, 0.05), motor2 @ lay),
        ],
        joint_name="shoulder",
    )
    model.add_body(
        "rotor 1", "world", Revolute("y"), [0.0, 0.0, 0.12], spinning.transformed(ABOUT_Y),
        [Geometry(shaft, ABOUT_Y), Geometry(Box((0.06, 0.075, 0.008)))], joint_name="motor 1",
    )  # fmt: skip
    model.add_body(
        "forearm", "upper arm", Revolute(elbow), [0.5, 0.0, 0.0], bar.transformed(middle),
        [Geometry(Box((0.5, 0.04, 0.04)), middle), Geometry(Cylinder(0.07, 0.03), lay)], joint_name="elbow",
    )  # fmt: skip
    model.add_body(
        "rotor 2", "upper arm", Revolute(elbow), motor2, spinning.transformed(lay),
        [Geometry(shaft, lay), Geometry(Box((0.06, 0.075, 0.008)))], joint_name="motor 2",
    )  # fmt: skip
    return Gears(model, [Gear.pair("motor 1", "shoulder", ratio1), Gear.pair("motor 2", "elbow", ratio2)])


@ready
def differential(side: float = 0.06, planet: float = 0.03, final_drive: float = 4.0) -> Gears:
    """A bevel differential: two outputs, one input, a planet wheel; two independent variables among five joints.

    The wheels turn about x; the planet sits on the carrier and turns about its y.

    Parameters
    ----------
    side, planet : float, optional
        Radii of the side wheels and of the planet, m.
    final_drive : float, optional
        Turns of the input for one of the carrier.

    Returns
    -------
    Gears
        Of `rbdkit.algorithms.gears`; its ``model`` is the tree without gears.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> gears = rbd.library.differential()
    >>> gears.ny, gears.model.nv
    (2, 5)
    """
    model = Model("differential")
    disc = Inertia.cylinder(side, 0.02, mass=1.0)
    model.add_body(
        "carrier", joint=Revolute("x"),
        inertia=Inertia.hollow_cylinder(0.12, 0.09, 0.04, mass=3.0).transformed(ABOUT_X),
        geometry=[
            Geometry(Box((0.03, 0.02, 0.24))),
            Geometry(Box((0.03, 0.24, 0.02))),
            Geometry(Cylinder(0.12, 0.012), ABOUT_X, color=(0.6, 0.6, 0.65, 0.35)),
        ],
    )  # fmt: skip
    for name, x in (("left", -1.0), ("right", 1.0)):
        shaft = Geometry(Cylinder(0.012, 0.16), se3.pose(position=[x * (planet + 0.09), 0.0, 0.0]) @ ABOUT_X)
        face = Geometry(Cylinder(side, 0.015), se3.pose(position=[x * (planet + 0.008), 0.0, 0.0]) @ ABOUT_X)
        mark = Geometry(Box((0.005, 0.02, 0.1)), se3.pose(position=[x * (planet + 0.17), 0.0, 0.0]))
        model.add_body(
            name, joint=Revolute("x"), geometry=[shaft, face, mark],
            inertia=disc.transformed(se3.pose(position=[x * planet, 0.0, 0.0]) @ ABOUT_X),
        )  # fmt: skip
    model.add_body(
        "planet", "carrier", Revolute("y"), [0.0, side, 0.0],
        Inertia.cylinder(planet, 0.02, mass=0.3).transformed(ABOUT_Y),
        [Geometry(Cylinder(planet, 0.02), ABOUT_Y), Geometry(Box((2 * planet, 0.022, 0.006)))],
    )  # fmt: skip
    model.add_body(
        "input", joint=Revolute("y"), placement=[0.0, 0.2, 0.1],
        inertia=Inertia.cylinder(0.03, 0.1, mass=0.8).transformed(ABOUT_Y),
        geometry=[Geometry(Cylinder(0.03, 0.1), ABOUT_Y), Geometry(Box((0.07, 0.102, 0.01)))],
    )  # fmt: skip
    outputs = ("left_joint", "right_joint")
    return Gears(
        model,
        [
            Gear("carrier_joint", outputs, lambda left, right: 0.5 * (left + right)),
            Gear("planet_joint", outputs, lambda left, right: 0.5 * side / planet * (left - right)),
            Gear("input_joint", outputs, lambda left, right: 0.5 * final_drive * (left + right)),
        ],
    )


@ready
def elliptic_gears(eccentricity: float = 0.5, axle: float = 0.1) -> Gears:
    """Two equal elliptical wheels on axles through a focus of each: a gear with g != 0.

    They roll on each other: ``tan(q_2/2) = -(1 - e)/(1 + e) tan(q_1/2)``, so the second wheel runs between
    (1 - e)/(1 + e) and (1 + e)/(1 - e) times as fast as the first.

    Parameters
    ----------
    eccentricity : float, optional
        e of the ellipses, 0 for a pair of round wheels, less than 1.
    axle : float, optional
        Half the distance of the axles, m.

    Returns
    -------
    Gears
        Of `rbdkit.algorithms.gears`; its ``model`` is the tree without gears.

    Examples
    --------
    The second wheel begins at a third of the first one's speed, against it:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> gears = rbd.library.elliptic_gears(eccentricity=0.5)
    >>> gears.G(np.zeros(1)).ravel().round(9).tolist()
    [1.0, -0.333333333]
    """
    e = float(eccentricity)
    if not 0.0 <= e < 1.0:
        raise ModelError(f"the eccentricity of an ellipse is from 0 to less than 1, not {eccentricity!r}")
    model = Model("elliptical gears", gravity=(0.0, 0.0, 0.0))
    radii = np.array([axle, axle * np.sqrt(1.0 - e**2), 0.01])
    plate = Inertia.ellipsoid(radii, mass=1.0)
    for name, x, centre in (("driver", 0.0, -e * axle), ("driven", 2.0 * axle, -e * axle)):
        at = se3.pose(position=[centre, 0.0, 0.0])
        model.add_body(
            name, joint=Revolute("z"), placement=[x, 0.0, 0.0], inertia=plate.transformed(at),
            geometry=[Geometry(Ellipsoid(tuple(radii)), at), Geometry(Cylinder(0.006, 0.04))],
        )  # fmt: skip

    def turned(q: float) -> float:
        return -(q - 2.0 * np.arctan2(e * np.sin(q), 1.0 + e * np.cos(q)))

    def slope(q: float) -> list[float]:
        return [-(1.0 - e**2) / (1.0 + e**2 + 2.0 * e * np.cos(q))]

    return Gears(model, [Gear("driven_joint", ("driver_joint",), turned, slope)])
