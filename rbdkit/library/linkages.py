"""Linkages and a satellite: the systems of Featherstone (2008), chapters 4 and 8, whose graphs are not mere chains."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Free, Prismatic, RackAndPinion, Revolute, Spherical, Universal
from rbdkit.library.bars import add_bar, require_lengths
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Cone, Cylinder, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def crank_slider(crank: float = 0.2, rod: float = 0.5, offset: float = 0.1) -> Model:
    """The crank-slider linkage of Figure 4.1: crank B1, connecting rod B2, slider B3; joints J1 to J4, J3 the loop.

    At ``neutral`` the crank points up and the loop is closed. All turns are about y, the slider goes along x.

    Parameters
    ----------
    crank, rod : float, optional
        Their lengths, m.
    offset : float, optional
        Height of the slider's way over the crank's bearing, m.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.crank_slider(), duration=0.2, tau=[0.5, 0.0, 0.0], formulation="se3")
    >>> bool(motion.q[-1, 0] > 0.1), bool(motion.report.constraint_error < 1e-6)
    (True, True)
    """
    model = Model("crank-slider linkage")
    reach = np.sqrt(rod**2 - (crank - offset) ** 2)
    slope = np.array([reach, 0.0, offset - crank])
    add_bar(model, "B1", "world", Revolute("y"), np.zeros(3), np.array([0.0, 0.0, crank]), "J1")
    add_bar(model, "B2", "B1", Revolute("y"), np.array([0.0, 0.0, crank]), slope, "J2")
    block = (0.1, 0.06, 0.05)
    at = np.array([reach, 0.0, offset])
    model.add_body(
        "B3", "world", Prismatic("x"), at, Inertia.box(block, mass=0.5), Geometry(Box(block)), joint_name="J4"
    )
    model.add_loop("J3", "B2", "B3", Revolute("y"), slope)
    return model


@ready
def spatial_slider_crank(crank: float = 0.08, rod: float = 0.3, aside: float = 0.1, above: float = 0.12) -> Model:
    """A slider-crank out of the plane: the crank turns in the y-z plane, the slider goes along x; gravity along -z.

    Hinge 'crank_joint' about x at (0, `aside`, `above`), ball joint 'ball' between crank and rod, slider 'slide' along
    the x axis of the world, and the loop joint 'cross', a universal joint between rod and slider. At ``neutral`` the
    loop is closed and the crank points along y. Crank and rod have 1 kg a metre, the slider 0.5 kg.

    Parameters
    ----------
    crank, rod : float, optional
        Their lengths, m.
    aside, above : float, optional
        Where the crank turns, seen from the slider's way, m.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the rod is too short to reach from the crank to the slider's way.

    Examples
    --------
    One freedom of the mechanism: crank 1, ball 3, slider 1, less the four constraints of the universal joint.

    >>> import rbdkit as rbd
    >>> model = rbd.library.spatial_slider_crank()
    >>> model.nv - sum(6 - loop.joint.nv for loop in model.loops)
    1
    """
    require_lengths(crank=crank, rod=rod)
    end = np.array([0.0, aside + crank, above])
    if not rod > np.hypot(aside + crank, above):
        raise ModelError(
            f"rod = {rod!r} of a spatial slider-crank is too short: from the crank's end to the slider's way it is "
            f"{np.hypot(aside + crank, above):.6g} m"
        )
    at = np.array([np.sqrt(rod**2 - end @ end), 0.0, 0.0])
    model = Model("spatial slider-crank")
    block = (0.06, 0.04, 0.04)
    add_bar(model, "crank", "world", Revolute("x"), [0.0, aside, above], [0.0, crank, 0.0], "crank_joint", radius=0.008)
    add_bar(model, "rod", "crank", Spherical(), [0.0, crank, 0.0], at - end, "ball", radius=0.006)
    model.add_body(
        "slider", "world", Prismatic("x"), at, Inertia.box(block, mass=0.5), Geometry(Box(block)), joint_name="slide"
    )
    model.add_loop("cross", "rod", "slider", Universal("y", "z"), at - end)
    return model


@ready
def satellite() -> Model:
    """The satellite of Figure 4.1: a floating base on a 6-DoF joint to the planet, a dish on a hinge; no gravity.

    Returns
    -------
    Model

    Examples
    --------
    The dish turns, and the satellite turns the other way: angular momentum about the centre of mass stays zero.

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.satellite()
    >>> motion = rbd.simulate(model, duration=1.0, tau=[0, 0, 0, 0, 0, 0, 0.5])
    >>> bool(np.abs(rbd.momentum(model, motion.q, motion.v, about="com")).max() < 1e-9)
    True
    """
    model = Model("satellite with a dish", gravity=(0.0, 0.0, 0.0))
    hull = (0.6, 0.6, 0.8)
    model.add_body("hull", "world", Free(), None, Inertia.box(hull, mass=100.0), Geometry(Box(hull)), joint_name="J1")
    mast, middle = se3.pose(position=[0.0, 0.0, 0.15]), se3.pose(position=[0.0, 0.0, 0.4])
    shapes = [Geometry(Cylinder(0.03, 0.3), mast), Geometry(Cone(0.35, 0.25), middle @ _UPSIDE_DOWN)]
    dish = Inertia.cone(0.35, 0.25, mass=15.0).transformed(middle @ _UPSIDE_DOWN)
    model.add_body("dish", "hull", Revolute("y"), [0.0, 0.0, 0.45], dish, shapes, joint_name="J2")
    return model


@ready
def rack_and_pinion(radius: float = 0.15) -> Model:
    """A pinion that rolls along a rack on the ceiling (Example 4.6), with a pendulum hung from its axle.

    Parameters
    ----------
    radius : float, optional
        Of the pinion, m.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.rack_and_pinion(radius=0.5)
    >>> [joint.type.kind for joint in model.joints if joint.nv]
    ['rack_and_pinion', 'revolute']
    """
    model = Model("rack and pinion")
    upright = se3.pose(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))  # z of the joint points to -y
    rack = se3.pose(position=[0.0, 0.0, radius + 0.02])
    model.add_body("rack", geometry=Geometry(Box((2.0, 0.08, 0.04)), rack))
    wheel = Geometry(Cylinder(radius, 0.06))
    spoke = Geometry(Capsule(0.01, 0.7 * radius), se3.pose(_Y_TO_Z, [0.0, 0.4 * radius, 0.04]))
    disc = Inertia.cylinder(radius, 0.06, mass=2.0)
    model.add_body("pinion", "rack", RackAndPinion("z", radius), upright, disc, [wheel, spoke], joint_name="rolling")
    down = np.array([0.0, -0.5, 0.0])
    bar = Geometry(Capsule(0.015, 0.5), se3.pose(_Y_TO_Z, 0.5 * down + [0.0, 0.0, 0.08]))
    bob = Geometry(Sphere(0.05), se3.pose(position=down + [0.0, 0.0, 0.08]))
    mass = Inertia.sphere(0.05, mass=1.0).transformed(se3.pose(position=down))
    model.add_body("bob", "pinion", Revolute("z"), None, mass, [bar, bob], joint_name="axle")
    return model


_UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0, 1.0])
_Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
