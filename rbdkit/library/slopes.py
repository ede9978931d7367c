"""Examples of sliding, sticking and jamming: a block on a slope, Painleve's rod, a disc in a slot, polygonal wheels."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Free, Planar
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Cylinder, Geometry, Model, Sphere
from rbdkit.spatial import quaternion, se3, so3
from rbdkit.spatial.inertia import Inertia


@ready
def block_on_slope(angle: float = 0.4, friction: float = 0.5, speed: float = 0.0) -> Start:
    """A block on a slope that falls towards x: it stays where tan(angle) <= friction.

    Parameters
    ----------
    angle : float, optional
        Of the slope, rad.
    friction : float, optional
        Coulomb's coefficient.
    speed : float, optional
        Down the slope, m/s; it stops after speed^2 / (2 g (friction cos(angle) - sin(angle))) if it does.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.block_on_slope(0.3)
    >>> [abs(contact.phi) < 1e-15 for contact in rbd.contacts(model, q, margin=1e-6)]
    [True, True, True, True]
    """
    model = Model("block on a slope")
    size = np.array([0.3, 0.2, 0.1])
    block = Geometry(Box(size.tolist()), color=(0.93, 0.62, 0.25))
    model.add_body("block", joint=Free(), inertia=Inertia.box(size, mass=2.0), geometry=block)
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    model.add_ground(friction=friction, normal=normal, name="slope")
    q = model.neutral()
    q[:4], q[4:] = quaternion.from_matrix(so3.exp([0.0, angle, 0.0])), 0.5 * size[2] * normal
    return Start(model, q, np.array([0.0, 0.0, 0.0, speed, 0.0, 0.0]))


@ready
def painleve_rod(angle: float = 1.1, friction: float = 1.8, speed: float = 2.0) -> Start:
    """A rod that slides on its tip as chalk on a board: with much friction rigid bodies have no answer (Painleve).

    It moves in the x-z plane towards -x, tip first or last as `speed` says. A normal force N accelerates the tip away
    from the ground with (1 + 3 cos(angle) (cos(angle) - friction sin(angle))) N over the mass where the tip leads;
    if that is negative, pushing pulls the tip down.

    Parameters
    ----------
    angle : float, optional
        Of the rod with the ground, rad.
    friction : float, optional
        Coulomb's coefficient; above 4/3 there are angles without an answer.
    speed : float, optional
        Of the tip, m/s.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.painleve_rod()
    >>> [(contact.name, abs(contact.phi) < 1e-15) for contact in rbd.contacts(model, q, v, margin=1e-6)]
    [('ground/rod', True)]
    """
    half, tip = 0.5, 1e-3
    model = Model("rod of Painleve")
    shapes = [
        Geometry(Sphere(tip), se3.pose(position=[-half, 0.0, 0.0]), (0.88, 0.28, 0.24), collide=True),
        Geometry(Capsule(0.02, 2.0 * half - 0.04), se3.pose(so3.exp([0.0, np.pi / 2.0, 0.0])), (0.55, 0.62, 0.72)),
    ]
    rod = Inertia(1.0, np.zeros(3), (2.0 * half) ** 2 / 12.0 * np.diag([1e-3, 1.0, 1.0]))
    model.add_body("rod", joint=Planar("y"), inertia=rod, geometry=shapes)
    model.add_ground(friction=friction)
    q = np.array([-angle, half * np.sin(angle) + tip, half * np.cos(angle)])  # turn, z, x
    return Start(model, q, np.array([0.0, 0.0, -speed]))


@ready
def disc_in_slot(angle: float = 0.05, speed: float = 0.0, force: float = 3.0) -> Start:
    """A disc between two walls that narrow towards x, at the place where it touches both (Example 11.1).

    Flat walls can hold it, with forces that grow as ``force / (2 sin(angle))``. In the book they are curved, and where
    their normals are opposite no force does; `rbdkit.algorithms.contact.SphereOnSphere` with hollows is that case.

    Parameters
    ----------
    angle : float, optional
        Of each wall with the x axis, rad; not zero.
    speed : float, optional
        Towards the narrow end, m/s.
    force : float, optional
        That presses it there, N; it acts as gravity does.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If the walls do not narrow.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.disc_in_slot()
    >>> [contact.name for contact in rbd.contacts(model, q, v, margin=1e-6)]
    ['upper wall/disc', 'lower wall/disc']
    """
    if not 0.0 < angle < 1.5:
        raise ModelError(f"walls with angle = {angle} rad to the slot do not narrow it; give 0 < angle < 1.5")
    mass, radius = 2.0, 0.1
    model = Model("disc in a slot", gravity=(force / mass, 0.0, 0.0))
    shapes = [
        Geometry(Sphere(radius), color=(0.5, 0.5, 0.5, 0.0), collide=True),
        Geometry(Cylinder(radius, 0.03), color=(0.23, 0.46, 0.91)),
        Geometry(Box((1.6 * radius, 0.01, 0.032)), color=(0.9, 0.9, 0.95)),
    ]
    model.add_body("disc", joint=Planar("z"), inertia=Inertia.cylinder(radius, 0.03, mass=mass), geometry=shapes)
    for name, side in (("upper wall", -1.0), ("lower wall", 1.0)):
        model.add_ground(friction=0.0, height=-radius, normal=[-np.sin(angle), side * np.cos(angle), 0.0], name=name)
    return Start(model, np.zeros(3), np.array([0.0, speed, 0.0]))


@ready
def rolling_wheel(edges: int | None = 12, angle: float = 0.1, restitution: float = 0.0, friction: float = 0.8) -> Start:
    """A wheel on a slope, round or a polygon, which strikes the slope with every corner (Fig 11.5, left).

    Parameters
    ----------
    edges : int, optional
        How many; None is a round one.
    angle : float, optional
        Of the slope, rad.
    restitution : float, optional
        0: each corner costs energy; more: the wheel begins to bounce.
    friction : float, optional
        Coulomb's coefficient.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there are one or two edges.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> [len(rbd.library.rolling_wheel(edges).model.contact_pairs) for edges in (None, 8)]
    [1, 8]
    """
    if edges is not None and edges < 3:
        raise ModelError(f"a wheel of {edges} edges: there must be three at least, or None for a round one")
    radius, bead = 0.3, 1e-3
    model = Model("wheel")
    upright = se3.pose(so3.exp([np.pi / 2.0, 0.0, 0.0]))
    face = Geometry(Cylinder(0.98 * radius, 0.05), upright, (0.55, 0.62, 0.72), collide=False)
    shapes = [face, Geometry(Box((1.8 * radius, 0.055, 0.02)), color=(0.93, 0.62, 0.25), collide=False)]
    if edges is None:
        shapes.append(Geometry(Sphere(radius), color=(0.5, 0.5, 0.5, 0.0), collide=True))
    else:
        for turn in 2.0 * np.pi * (np.arange(edges) + 0.5) / edges:
            corner = (radius - bead) * np.array([np.sin(turn), 0.0, -np.cos(turn)])
            shapes.append(Geometry(Sphere(bead), se3.pose(position=corner), (0.88, 0.28, 0.24), collide=True))
    wheel = Inertia.cylinder(radius, 0.05, mass=2.0).transformed(upright)
    model.add_body("wheel", joint=Planar("y"), inertia=wheel, geometry=shapes)
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    model.add_ground(friction=friction, restitution=restitution, normal=normal, name="slope")
    height = radius if edges is None else (radius - bead) * np.cos(np.pi / edges) + bead
    speed = 1.0 / radius
    v = np.array([speed, -np.sin(angle) * speed * height, np.cos(angle) * speed * height])
    return Start(model, np.array([angle, height * normal[2], height * normal[0]]), v)
