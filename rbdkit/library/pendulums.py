"""Pendulums: the systems on which everything is tried first."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Revolute, Spherical
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def pendulum(length: float = 1.0, mass: float = 1.0) -> Model:
    """A thin rod that swings about y from its upper end.

    Parameters
    ----------
    length : float, optional
        m.
    mass : float, optional
        kg.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.pendulum(length=2.0)
    <Model 'pendulum': 1 body, 1 moving joint, nq=1, nv=1, 1 kg>
    """
    return chain_pendulum(1, length, mass, name="pendulum")


@ready
def double_pendulum(length: float = 1.0, mass: float = 1.0) -> Model:
    """Two equal rods, the second hanging from the tip of the first; both swing about y.

    Parameters
    ----------
    length : float, optional
        Of one rod, m.
    mass : float, optional
        Of one rod, kg.

    Returns
    -------
    Model

    Examples
    --------
    Chaos: two pendulums that begin a thousandth of a radian apart have nothing in common after ten seconds.

    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> one, other = (rbd.simulate(model, [angle, 2.0], duration=10.0) for angle in (2.0, 2.001))
    >>> bool(abs(one.q - other.q).max() > 1.0)
    True
    """
    return chain_pendulum(2, length, mass, name="double pendulum")


@ready
def chain_pendulum(links: int, length: float = 1.0, mass: float = 1.0, name: str | None = None) -> Model:
    """A chain of equal rods that swing about y.

    Parameters
    ----------
    links : int
        How many rods.
    length : float, optional
        Of one rod, m.
    mass : float, optional
        Of one rod, kg.
    name : str, optional
        Of the model.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.chain_pendulum(10, name="chain")
    <Model 'chain': 10 bodies, 10 moving joints, nq=10, nv=10, 10 kg>
    """
    model = Model(name or f"pendulum of {links} links")
    radius = 0.03 * length
    middle = se3.pose(position=[0.0, 0.0, -0.5 * length])
    inertia = Inertia.cylinder(radius, length, mass=mass).transformed(middle)
    shape = Geometry(Capsule(radius, length), middle)
    parent = "world"
    for k in range(links):
        placement = None if k == 0 else [0.0, 0.0, -length]
        suffix = "" if links == 1 else str(k + 1)
        model.add_body(f"rod{suffix}", parent, Revolute("y"), placement, inertia, shape, joint_name=f"hinge{suffix}")
        parent = f"rod{suffix}"
    return model


@ready
def spherical_pendulum(length: float = 1.0, mass: float = 1.0, radius: float = 0.1) -> Model:
    """A ball on a massless rod that swings in all directions.

    Parameters
    ----------
    length : float, optional
        From the pivot to the centre of the ball, m.
    mass : float, optional
        kg.
    radius : float, optional
        Of the ball, m.

    Returns
    -------
    Model

    Examples
    --------
    Pushed sideways with the right speed, the bob goes round at the same height:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.spherical_pendulum(radius=1e-6)
    >>> q = model.integrate(model.neutral(), [np.pi / 3, 0.0, 0.0])
    >>> w = np.sqrt(9.81 / np.cos(np.pi / 3))
    >>> motion = rbd.simulate(model, q, [0.0, w * np.sin(np.pi / 3), w * np.cos(np.pi / 3)], duration=1.0)
    >>> height = rbd.center_of_mass(model, motion.q)[:, 2]
    >>> float(height.min().round(6)), float(height.max().round(6))
    (-0.5, -0.5)
    """
    model = Model("spherical pendulum")
    bob = se3.pose(position=[0.0, 0.0, -length])
    shapes = (
        Geometry(Sphere(radius), bob),
        Geometry(Capsule(0.15 * radius, length), se3.pose(position=[0.0, 0.0, -0.5 * length])),
    )
    model.add_body(
        "bob",
        joint=Spherical(),
        inertia=Inertia.sphere(radius, mass=mass).transformed(bob),
        geometry=shapes,
        joint_name="pivot",
    )
    return model


@ready
def small_swing_period(model: Model) -> float:
    """Period of small swings of one body on a revolute joint, ``2 pi sqrt(I / (m g d))``, s.

    I is its inertia about the axis, d the distance of its centre of mass from the axis, and g the part of gravity at
    right angles to the axis.

    Parameters
    ----------
    model : Model
        One body on a revolute joint.

    Returns
    -------
    float
        s.

    Raises
    ------
    ModelError
        If the model is not one body with mass, off the axis of a revolute joint, under gravity.

    Examples
    --------
    A thin rod swings like a point on a string of two thirds of its length:

    >>> import rbdkit as rbd
    >>> rod = rbd.library.pendulum(length=3.0)
    >>> bob = rbd.Model("bob")
    >>> ball = bob.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -2]))
    >>> round(rbd.library.small_swing_period(rod), 2), round(rbd.library.small_swing_period(bob), 2)
    (2.84, 2.84)
    """
    body = model.bodies[-1]
    joint, inertia = body.joint, body.inertia
    if len(model.bodies) != 2 or not isinstance(joint.type, Revolute) or inertia is None:
        raise ModelError(f"{model!r} is not a pendulum: it must be one body, with inertia, on a revolute joint")
    n = joint.type.axis
    g = float(np.linalg.norm(np.cross(joint.placement[:3, :3] @ n, model.gravity)))
    d = float(np.linalg.norm(np.cross(n, inertia.com)))
    torque = inertia.mass * g * d
    if not torque > 0.0:
        raise ModelError(
            f"{model!r} does not swing: mass {inertia.mass:g} kg, {d:g} m off the axis, gravity {g:g} m/s2 across it"
        )
    return 2.0 * np.pi * float(np.sqrt(n @ inertia.matrix[:3, :3] @ n / torque))
